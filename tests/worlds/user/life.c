// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * life.c - threads that come, idle and go, and what each leaves
 *
 * Layer:   tests of user/thread.c.
 * Context: see test.h.
 */
#include "life.h"
#include "main.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* True if objects <= charge <= bound holds for each area. */
bool areas_are_true(void)
{
	unsigned int i;

	for (i = 0; i < test_nr_cpus(); i++) {
		struct pool_cpu *cpu = plat_cpu_of(i);
		unsigned long charged = pool_charged(cpu);
		struct pool *pool = NULL;
		unsigned long held = 0;

		while ((pool = pool_registry_next(pool))) {
			struct pool_local *local = plat_local_of(pool, i);

			if (local)
				held += (local->hot.slots + local->clustered) *
					pool->head.size;
		}
		if (held > charged || charged > pool_options.hot_size ||
		    cpu->hot_bytes > charged || plat_read(&cpu->lock.holder))
			return false;
	}
	return true;
}

/* True if all areas except this thread's are uncharged. */
bool others_are_empty(void)
{
	unsigned int i;

	for (i = 0; i < test_nr_cpus(); i++)
		if (plat_cpu_of(i) != test_cpu() &&
		    pool_charged(plat_cpu_of(i)))
			return false;
	return true;
}

static unsigned long resident_pages(void)
{
	unsigned long size, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%lu %lu", &size, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return resident;
}

/* Checkers keep memory for each thread that ever lived, so only areas are compared there. */
POOL_CASE(ten_thousand_short_threads_leave_memory_flat, test_pool(64))
{
	unsigned long i, early = test_scale(250), pages;
	unsigned int cpus;

	for (i = 0; i < early; i++)
		test_threads(4, use_pool, pool);
	cpus = test_nr_cpus();
	pages = resident_pages();
	EXPECT_LE(1, pages);
	for (; i < 10 * early; i++)
		test_threads(4, use_pool, pool);
	EXPECT_LE(test_nr_cpus(), cpus > 5 ? cpus : 5);
	if (!UNDER_CHECKER)
		EXPECT_LE(resident_pages(), pages + 512);
}

/* The next pool that gets this part must not begin with the surplus of the previous pool. */
POOL_CASE(a_part_of_an_idle_thread_knows_nothing_of_what_was_got_ahead, test_pool(64))
{
	struct pool_local *local;

	pool_fail_every = 0;
	test_wave(pool, 40);
	local = test_local(pool);
	ASSERT(local->grown);
	pool_thread_idle();
	EXPECT_EQ(local->grown, 0);
	EXPECT_EQ(local->surplus, 0);
}

TEST_CASE(an_idle_thread_has_nothing_cached)
{
	struct pool *a = test_pool(64);
	struct pool *b = test_pool(1024);
	unsigned char *area = pool_thread_area;
	struct pool_stats now;

	ASSERT(a && b);
	pool_fail_every = 0;
	test_alloc_just(a, test_objs, 200);
	test_free_many(a, test_objs, 200);
	test_alloc_just(b, test_objs, 100);
	test_free_many(b, test_objs, 100);
	EXPECT(test_charged() > 0);
	pool_thread_idle();
	EXPECT_PTR_EQ(pool_thread_area, area);
	EXPECT_EQ(test_charged(), 0);
	EXPECT_EQ(test_cpu()->stashed, 0);
	pool_sum(a, &now);
	EXPECT_EQ(now.cached, 0);
	EXPECT_EQ(now.shared, 200);
	pool_sum(b, &now);
	EXPECT_EQ(now.cached, 0);
	EXPECT_EQ(now.shared, 100);
	test_wave(a, 200);
	pool_sum(a, &now);
	EXPECT(now.cached > 0);
	EXPECT_EQ(now.allocated, 200);
	EXPECT(test_bound_holds());
	EXPECT(test_quiet(a, 0) && test_quiet(b, 0));
	pool_destroy(&a->head);
	pool_destroy(&b->head);
}

POOL_CASE(idling_without_an_area_does_nothing, test_pool(64))
{
	unsigned char *zeros[] = {
		plat_area_none, plat_area_making, plat_area_lost
	};
	unsigned char *area = pool_thread_area;
	unsigned long charged;
	unsigned int i;

	test_wave(pool, 50);
	charged = test_charged();
	for (i = 0; i < 3; i++) {
		pool_thread_area = zeros[i];
		pool_thread_idle();
		EXPECT_PTR_EQ(pool_thread_area, zeros[i]);
	}
	pool_thread_area = area;
	EXPECT_EQ(test_charged(), charged);
}

static struct pool *handled;
static unsigned long times_handled;

static void use_in_handler(int sig)
{
	void *a = __pool_alloc(&handled->head, POOL_F_ATOMIC);
	void *b = __pool_alloc(&handled->head, POOL_F_ATOMIC);

	(void)sig;
	__pool_free(&handled->head, a, POOL_F_ATOMIC);
	__pool_free(&handled->head, b, POOL_F_ATOMIC);
	plat_word_add(&times_handled, 1);
}

/* Send one signal; repeated ones would stop all progress where a handler takes longer. */
static void set_timer(long usec)
{
	struct itimerval once = { .it_value.tv_usec = usec };

	setitimer(ITIMER_REAL, &once, NULL);
}

TEST_CASE(a_handler_may_call_while_its_thread_idles)
{
	struct sigaction use = { .sa_handler = use_in_handler };
	struct sigaction old;
	unsigned long i;

	handled = test_pool(64);
	ASSERT(handled);
	test_wave(handled, TEST_SOME);
	sigaction(SIGALRM, &use, &old);
	for (i = 0; i < test_scale(20000); i++) {
		set_timer(1 + i % 50);
		pool_thread_idle();
		test_wave(handled, 20);
	}
	set_timer(0);
	sigaction(SIGALRM, &old, NULL);
	EXPECT(plat_read(&times_handled) > 0);
	test_free(handled, test_alloc(handled));
	EXPECT(test_bound_holds());
	pool_gc(NULL);
	EXPECT(test_quiet(handled, 0));
	pool_destroy(&handled->head);
}

#define KEYS	6

static pthread_key_t keys[KEYS];
static struct pool *keys_pool;

/* Keep an object under a key, whose number is written into the object. */
static void keep_by_key(unsigned int k, void *obj)
{
	*(unsigned int *)obj = k;
	pthread_setspecific(keys[k], obj);
}

/* Free the object that the thread kept; the system calls this in three more rounds. */
static void key_destructor(void *obj)
{
	static __thread unsigned int again;
	unsigned int k = *(unsigned int *)obj;

	test_free(keys_pool, obj);
	if (again++ < 3)
		keep_by_key(k, test_alloc(keys_pool));
}

/* Set some keys before this thread has an area, and some after. */
static void keep_by_keys(unsigned int i, void *arg)
{
	unsigned int k;

	(void)arg;
	for (k = 0; k < KEYS; k++) {
		if ((k + i) % 3 == 0)
			use_pool(i, keys_pool);
		keep_by_key((k + i) % KEYS,
			    pool_alloc_nocache(&keys_pool->head));
	}
}

TEST_CASE(destructors_of_many_keys_free_in_any_order)
{
	unsigned int i, k;

	keys_pool = test_pool(64);
	ASSERT(keys_pool);
	pool_fail_every = 0;
	for (k = 0; k < KEYS; k++)
		ASSERT(!pthread_key_create(&keys[k], key_destructor));
	for (i = 0; i < 50; i++)
		test_threads(4, keep_by_keys, keys_pool);
	for (k = 0; k < KEYS; k++)
		pthread_key_delete(keys[k]);
	EXPECT(test_quiet(keys_pool, 0));
	EXPECT(others_are_empty());
	pool_destroy(&keys_pool->head);
}

/* Rounds of key destructors that each system runs at least; glibc and musl run no more. */
#define ROUNDS	4

static pthread_key_t last_key;
static struct pool *last_pool;
static unsigned int last_id;

/* Make the first calls of a thread in the last round of key destructors. */
static void use_in_last_round(void *arg)
{
	unsigned int *round = arg;

	if (++*round < ROUNDS) {
		pthread_setspecific(last_key, round);
		return;
	}
	use_pool(0, last_pool);
	last_id = plat_own_id();
}

static void *wait_for_rounds(void *arg)
{
	pthread_setspecific(last_key, arg);
	return NULL;
}

/* Run a thread whose first calls are in the last round; wait until the system forgets its id. */
static void end_in_last_round(void)
{
	unsigned int round = 0;
	pthread_t thread;

	ck_assert(!pthread_create(&thread, NULL, wait_for_rounds, &round));
	pthread_join(thread, NULL);
	ck_assert_uint_eq(round, ROUNDS);
	while (!syscall(SYS_tgkill, getpid(), last_id, 0) || errno != ESRCH)
		test_sleep(1);
}

TEST_CASE(areas_of_threads_that_ended_unnoticed_are_handed_on)
{
	unsigned int i, cpus;

	if (UNDER_TSAN)
		SKIP_BECAUSE("ThreadSanitizer lets no code run in the last round");
	last_pool = test_pool(64);
	ASSERT(last_pool);
	pool_fail_every = 0;
	ASSERT(!pthread_key_create(&last_key, use_in_last_round));
	end_in_last_round();
	cpus = test_nr_cpus();
	for (i = 0; i < 10; i++) {
		EXPECT(!others_are_empty());
		pool_gc(NULL);
		EXPECT(others_are_empty());
		end_in_last_round();
	}
	EXPECT_EQ(test_nr_cpus(), cpus);
	pool_gc(NULL);
	pool_gc(NULL);
	EXPECT_EQ(pool_allocated(last_pool), 0);
	pthread_key_delete(last_key);
	pool_destroy(&last_pool->head);
}

static void *use_and_exit(void *arg)
{
	use_pool(0, arg);
	last_id = plat_own_id();
	return plat_this_area();
}

/* Run a thread that uses the pool; wait until the system forgets its id; returns its area. */
static struct plat_area *end_as_usual(struct pool *pool)
{
	pthread_t thread;
	void *area;

	ck_assert(!pthread_create(&thread, NULL, use_and_exit, pool));
	pthread_join(thread, &area);
	while (!syscall(SYS_tgkill, getpid(), last_id, 0) || errno != ESRCH)
		test_sleep(1);
	return area;
}

/*
 * Pretend that the thread exited after pool_gc() had read the id in its area, and before pool_gc()
 * asked the system for that id.
 */
POOL_CASE(an_area_that_its_thread_handed_on_is_not_handed_on_again, test_pool(64))
{
	struct plat_area *area, *other;

	area = end_as_usual(pool);
	ASSERT(area && area->is_free);
	plat_write(&area->thread, last_id);
	pool_gc(NULL);
	plat_write(&area->thread, 0);
	area = pool_area_get();
	other = pool_area_get();
	EXPECT(area && other && area != other);
	pool_area_put(area);
	pool_area_put(other);
}

/* The area has another thread's id, as in a child of clone(), where no handler of forks runs. */
POOL_CASE(a_thread_does_not_hand_on_its_own_area, test_pool(64))
{
	struct plat_area *area;
	unsigned int id;

	use_pool(0, pool);
	area = plat_this_area();
	ASSERT(area);
	end_as_usual(pool);
	id = plat_read(&area->thread);
	plat_write(&area->thread, last_id);
	pool_gc(NULL);
	EXPECT(!area->is_free);
	plat_write(&area->thread, id);
}

/* Threads that come and go while others collect memory. */
struct brief {
	struct pool *pool;
	unsigned long running;
	unsigned long twice;	/* objects that two threads had at once */
	unsigned int rounds;
};

static void *live_briefly(void *arg)
{
	struct brief *t = arg;
	void **objs[8];
	unsigned int i;

	for (i = 0; i < 8; i++) {
		objs[i] = test_alloc(t->pool);
		if (test_swap(&objs[i][1], t) == t)
			plat_word_add(&t->twice, 1);
	}
	for (i = 0; i < 8; i++) {
		objs[i][1] = NULL;
		test_free(t->pool, objs[i]);
	}
	return NULL;
}

static void start_or_collect(unsigned int i, void *arg)
{
	struct brief *t = arg;
	pthread_t thread[8];
	unsigned int r, k;

	for (r = 0; i < 3 && r < t->rounds; r++) {
		for (k = 0; k < 8; k++)
			ck_assert(!pthread_create(&thread[k], NULL, live_briefly, t));
		for (k = 0; k < 8; k++)
			pthread_join(thread[k], NULL);
	}
	if (i < 3)
		pool_word_sub(&t->running, 1);
	while (i >= 3 && plat_read(&t->running))
		pool_gc(NULL);
}

TEST_CASE(threads_end_while_others_collect_memory)
{
	struct brief t = { .rounds = test_scale(400) };

	pool_fail_every = 0;
	t.pool = test_pool(64);
	ASSERT(t.pool);
	plat_word_add(&t.running, 3);
	test_threads(6, start_or_collect, &t);
	EXPECT_EQ(plat_read(&t.twice), 0);
	pool_gc(NULL);
	EXPECT(test_quiet(t.pool, 0));
	pool_destroy(&t.pool->head);
}
