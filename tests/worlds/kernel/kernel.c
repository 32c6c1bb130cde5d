// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * kernel.c - what only the kernel has: interrupts, probes, CPU hotplug
 *
 * Layer:   tests of kernel/, and of common/ under real interrupts.
 */
#include "test.h"
#include "helper_files.h"

#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>

#define KEPT	16
#define OWNED	0x600dul

/* Code that interrupts this CPU, and then allocates, keeps some objects, and frees. */
struct intruder {
	struct hrtimer timer;
	struct pool *pool;
	struct pool *other;		/* used every second turn; or NULL */
	void *kept[KEPT];
	unsigned long turns;
	unsigned long got;
	unsigned long bad;
	struct task_struct *task;	/* only probes in this task count */
	bool busy;
};

static struct intruder intruder;

/*
 * Return the pool that an intruder uses in this turn; the object that it keeps in this turn is of
 * this pool, too.
 */
static struct pool *pool_of_turn(struct intruder *in, unsigned long turn)
{
	return (turn & 1) && in->other ? in->other : in->pool;
}

/* Clear the first objects of a pool, which may have been used before, and must not look marked. */
static bool clean(struct pool *pool)
{
	unsigned int i, n = 0;

	test_alloc_many(pool, test_objs, 200);
	for (i = 0; i < 200; i++) {
		if (test_objs[i])
			memset(test_objs[i], 0, 64);
		n += !!test_objs[i];
	}
	test_free_many(pool, test_objs, 200);
	return n == 200;
}

/* Mark an object as owned; it must not be marked yet. */
static void own(struct intruder *in, void *obj)
{
	unsigned long *word = obj;

	if (word[1] == OWNED)
		WRITE_ONCE(in->bad, in->bad + 1);
	word[1] = OWNED;
}

static void disown(struct intruder *in, void *obj)
{
	unsigned long *word = obj;

	if (word[1] != OWNED)
		WRITE_ONCE(in->bad, in->bad + 1);
	word[1] = 0;
}

static void intrude(struct intruder *in, unsigned int flags)
{
	void **slot = &in->kept[in->turns % KEPT];
	struct pool_head *pool = &pool_of_turn(in, in->turns)->head;
	void *obj = __pool_alloc(pool, flags);

	if (*slot) {
		disown(in, *slot);
		__pool_free(pool, *slot, flags);
	}
	if (obj) {
		own(in, obj);
		in->got++;
	}
	*slot = obj;
	in->turns++;
}

/* Prepare the intruder and its pool. */
static bool intruder_begin(struct pool *pool)
{
	memset(&intruder, 0, sizeof(intruder));
	intruder.pool = pool;
	return clean(pool);
}

/*
 * Free what the intruder kept; then all numbers must add up.  Marks are wiped, since the
 * slab may give the memory to the pool of the next case.
 */
static bool intruder_end(void)
{
	struct pool *pool = intruder.pool;
	unsigned int i;

	for (i = 0; i < KEPT; i++) {
		if (intruder.kept[i])
			disown(&intruder, intruder.kept[i]);
		test_free(pool_of_turn(&intruder, i), intruder.kept[i]);
	}
	pool_drain_parked(pool);
	if (intruder.other)
		pool_drain_parked(intruder.other);
	return (!intruder.other || test_quiet(intruder.other, 0)) &&
	       test_quiet(pool, 0) && !intruder.bad && intruder.got;
}

/* Allocate and free in the case's own thread, which marks all its objects. */
static void waves(struct pool *pool, unsigned long rounds, unsigned int n)
{
	unsigned long r;
	unsigned int i;

	for (r = 0; r < rounds; r++) {
		for (i = 0; i < n; i++) {
			test_objs[i] = pool_alloc(&pool->head);
			if (test_objs[i])
				own(&intruder, test_objs[i]);
		}
		for (i = 0; i < n; i++) {
			if (!test_objs[i])
				continue;
			disown(&intruder, test_objs[i]);
			pool_free(&pool->head, test_objs[i]);
		}
	}
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	intrude(&intruder, POOL_F_ATOMIC);
	hrtimer_forward_now(timer, ns_to_ktime(20000 + intruder.turns % 97));
	return HRTIMER_RESTART;
}

/*
 * On RT only a hard timer runs in an interrupt; elsewhere lockdep would take a hard one for RT's.
 */
#define TIMER_MODE	(IS_ENABLED(CONFIG_PREEMPT_RT) ? \
			 HRTIMER_MODE_REL_PINNED_HARD : HRTIMER_MODE_REL_PINNED)

/* Set the timer up by that one of two functions which this kernel has. */
static void setup_timer(void)
{
#ifdef POOL_HAS_HRTIMER_SETUP
	hrtimer_setup(&intruder.timer, on_timer, CLOCK_MONOTONIC, TIMER_MODE);
#else
	hrtimer_init(&intruder.timer, CLOCK_MONOTONIC, TIMER_MODE);
	intruder.timer.function = on_timer;
#endif
}

POOL_CASE(hardirqs_in_the_middle_of_calls_lose_nothing,
	  ONLY_IF(!IS_ENABLED(CONFIG_UML), "User-Mode Linux has no hard interrupts",
		  test_within(8192, 8, 64)))
{
	unsigned int tries;

	ASSERT(intruder_begin(pool));
	setup_timer();
	hrtimer_start(&intruder.timer, ns_to_ktime(20000), TIMER_MODE);
	for (tries = 0; tries < 50 && test_sum(pool)->nested <= 20; tries++) {
		waves(pool, test_scale(20000), 3);
		waves(pool, test_scale(1000), 150);
	}
	hrtimer_cancel(&intruder.timer);
	kunit_info(test, "interrupts=%lu nested=%llu", intruder.turns, test_sum(pool)->nested);
	EXPECT(intruder_end());
	EXPECT(test_sum(pool)->nested > 0);
}

#ifdef CONFIG_KPROBES

/*
 * Interrupt a call that holds the array, and perhaps the CPU lock.  On x86 the kernel takes a probe
 * for an NMI; elsewhere pools cannot know that the slab must not be called, so the flag says so.
 */
static int on_probe(struct kprobe *probe, struct pt_regs *regs)
{
	if (current == intruder.task && !intruder.busy) {
		intruder.busy = true;
		intrude(&intruder, POOL_F_NOSLAB);
		intruder.busy = false;
	}
	return 0;
}

static bool probed(struct pool *pool, const char *symbol)
{
	struct kprobe probe = {
		.symbol_name = symbol,
		.pre_handler = on_probe,
	};

	if (register_kprobe(&probe))
		return false;
	waves(pool, 20, 150);
	unregister_kprobe(&probe);
	return true;
}

#else

static bool probed(struct pool *pool, const char *symbol)
{
	return false;
}

#endif

PAIR_CASE(probes_inside_the_guard_and_the_lock_lose_nothing,
	  pool, ONLY_IF(IS_ENABLED(CONFIG_KPROBES), "this kernel has no kprobes",
			test_within(8192, 8, 64)),
	  other, test_pool(64))
{
	static const char * const where[] = {
		"pool_age_make_room", "pool_age_enlarge", "pool_hot_enlarge",
		"pool_cluster_detach", "pool_keep_cluster",
		"pool_put_to_shared_cache", "pool_refill_local_from_shared",
		"_raw_spin_lock", "_raw_spin_unlock",
	};
	struct pool_stats now;
	unsigned int i;

	ASSERT(intruder_begin(pool) && clean(other));
	intruder.task = current;
	intruder.other = other;
	for (i = 0; i < ARRAY_SIZE(where); i++)
		EXPECT(probed(pool, where[i]));
	pool_sum(pool, &now);
	kunit_info(test, "probes=%lu nested=%llu bad=%lu got=%lu",
		   intruder.turns, now.nested, intruder.bad, intruder.got);
	EXPECT(intruder_end());
	EXPECT(now.nested > 0);
	intruder.task = NULL;
}

struct hotplug {
	struct pool *pool;
	unsigned long stop;
	unsigned long bad;
};

/* Worker 0 takes the last CPU offline and online again, while the others allocate and free. */
static void on_and_off(unsigned int i, void *arg)
{
	struct hotplug *h = arg;
	unsigned int cpu = cpumask_last(cpu_possible_mask);
	void **objs = test_objs + i * TEST_SOME;
	unsigned int r;

	if (i) {
		while (!plat_read(&h->stop)) {
			test_alloc_many(h->pool, objs, TEST_SOME);
			test_free_many(h->pool, objs, TEST_SOME);
			plat_pause(true);
		}
		return;
	}
	for (r = 0; r < 4; r++) {
		if (remove_cpu(cpu))
			plat_word_add(&h->bad, 1);
		if (pool_charged(plat_cpu_of(cpu)))
			plat_word_add(&h->bad, 1);
		if (add_cpu(cpu))
			plat_word_add(&h->bad, 1);
	}
	plat_word_add(&h->stop, 1);
}

POOL_CASE(a_cpu_that_goes_offline_under_load_hands_its_caches_on,
	  ONLY_IF(IS_ENABLED(CONFIG_HOTPLUG_CPU) && num_online_cpus() > 1,
		  "this kernel has no CPU hotplug, or one CPU only", test_pool(64)))
{
	unsigned int last = cpumask_last(cpu_possible_mask);
	struct hotplug h = { .pool = pool };

	set_cpus_allowed_ptr(current, cpumask_of(last));
	test_wave(pool, 200);
	EXPECT(pool_charged(plat_cpu_of(last)));
	set_cpus_allowed_ptr(current, cpumask_of(0));
	test_threads(min(num_online_cpus(), 4u), on_and_off, &h);
	EXPECT_EQ(plat_read(&h.bad), 0);
}

/* A reader of RCU may be preempted but must not sleep, so the report must not walk over pools. */
PAIR_CASE(a_report_from_an_rcu_reader_does_not_wait, pool, test_checked(64, POOL_D_INTEGRITY),
	  other, test_checked(64, POOL_D_INTEGRITY))
{
	void *obj = test_alloc(other);

	rcu_read_lock();
	test_free(pool, obj);
	rcu_read_unlock();
	EXPECT_EQ(test_found(pool, POOL_FAULT_FOREIGN), 1);
	EXPECT_EQ(test_found(pool, POOL_FAULT_WRONG_POOL), 0);
	test_free(other, obj);
}

static unsigned int parts(const struct pool *pool)
{
	unsigned int cpu, n = 0;

	for_each_possible_cpu(cpu)
		n += !!plat_local_of(pool, cpu);
	return n;
}

static void alloc_and_free(unsigned int i, void *arg)
{
	struct pool *pool = arg;

	test_free(pool, test_alloc(pool));
}

POOL_CASE(a_pool_has_parts_only_on_cpus_that_missed, test_pool(64))
{
	EXPECT_EQ(parts(pool), 0);
	pool_cpu_gone(0);
	test_free(pool, pool_alloc_gfp(&pool->head, GFP_KERNEL));
	EXPECT_EQ(parts(pool), 1);
	test_threads(min(test_cpus(), 2u), alloc_and_free, pool);
	EXPECT_LE(parts(pool), 3);
}

POOL_CASE(a_call_that_found_no_part_enters_none_that_its_interrupter_made, test_pool(64))
{
	struct pool_local *none;
	unsigned int flags = 0;
	void *obj = pool_alloc_nocache(&pool->head);

	none = pool_local_enter(pool);
	EXPECT_PTR_EQ(none, &plat_closed);
	__pool_free(&pool->head, obj, POOL_F_ATOMIC);
	EXPECT(!pool_here_begins(pool, none, &flags));
	EXPECT_EQ(flags, 0);
	EXPECT(!memchr_inv(&plat_closed, 0, sizeof(plat_closed)));
}

/* The counts are equal in both readings, so there is no reason to sleep in between. */
POOL_CASE(looking_for_objects_in_use_of_a_quiet_pool_takes_no_sleep, test_pool(64))
{
	void *obj = test_alloc(pool);
	unsigned long slept;
	unsigned int i;

	/* Another thread may have locked the registry mutex. */
	for (i = 0; i < 5; i++) {
		slept = current->nvcsw;
		EXPECT_PTR_EQ(pool_destroy(&pool->head), &pool->head);
		if (current->nvcsw == slept)
			break;
	}
	EXPECT(i < 5);
	test_free(pool, obj);
}

/* Notes of a destructor that runs in reclaim, and frees a wrong pointer to another pool. */
static struct {
	struct pool *other;
	unsigned long calls;
	unsigned long could_wait;
} undone;

static void free_wrongly(void *obj, void *arg)
{
	undone.calls++;
	if (plat_may(PLAT_WAIT, 0))
		undone.could_wait++;
	else
		pool_free(&undone.other->head, &undone);
}

/* Let the system's shrinkers run, so that pools release what they share. */
static bool shrink_all(void)
{
	struct file *file = open_as_init("/proc/sys/vm/drop_caches", O_WRONLY);
	ssize_t put;

	if (IS_ERR(file))
		return false;
	put = kernel_write(file, "2", 1, &(loff_t){ 0 });
	filp_close(file, NULL);
	return put == 1;
}

/* The caller of the destructor has locked the registry mutex, for which a report would wait. */
TEST_CASE(a_report_by_a_destructor_in_reclaim_does_not_wait)
{
	struct pool_attr attr = { .name = "undone", .size = 64, .dtor = free_wrongly };
	struct pool_head *pool = create_pool_ext(&attr);
	unsigned long i;

	memset(&undone, 0, sizeof(undone));
	undone.other = test_checked(64, POOL_D_INTEGRITY);
	ASSERT(pool && undone.other);
	test_alloc_many(pool_of(pool), test_objs, TEST_OBJS);
	for (i = 0; i < TEST_OBJS; i++)
		EXPECT(pool_shared_put_one(pool_of(pool), test_objs[i], 0));
	EXPECT(shrink_all());
	EXPECT_LE(TEST_OBJS / 2, undone.calls);
	EXPECT_EQ(undone.could_wait, 0);
	EXPECT_EQ(plat_read(&undone.other->faults[POOL_FAULT_FOREIGN]), undone.calls);
	EXPECT_PTR_EQ(pool_destroy(pool), NULL);
	EXPECT_PTR_EQ(pool_destroy(&undone.other->head), NULL);
}

TEST_CASE(a_module_changes_only_pools_that_it_created)
{
	static const char another;
	struct pool_head *pool = pool_create_at("others", 64, 0, "kernel.c", 1, &another, POOL_ABI);

	ASSERT(pool);
	EXPECT(!pool_set_limit_owned(pool, 10, THIS_MODULE));
	EXPECT(!pool_set_min_avail_owned(pool, 1, THIS_MODULE));
	EXPECT(!pool_set_debug_owned(pool, "poison", THIS_MODULE));
	EXPECT(!pool_set_debug_owned(NULL, "poison", THIS_MODULE));
	EXPECT(!(pool_of(pool)->debug & POOL_D_POISON));
	EXPECT(pool_set_limit_owned(pool, 10, &another));
	EXPECT(pool_set_min_avail_owned(pool, 1, &another));
	EXPECT(pool_set_debug_owned(pool, "poison", &another));
	EXPECT(pool_of(pool)->debug & POOL_D_POISON);
	EXPECT_EQ(pool_of(pool)->limit, 10);
	EXPECT_EQ(pool_of(pool)->min_avail, 1);
	pool_destroy_owned(&another);
	EXPECT_EQ(test_count_pools(), 0);
}
