// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * step.c - a signal handler after every single instruction of each call
 *
 * Layer:   tests of common/, user space on x86-64; the handler is in stepper.c.
 * Context: see test.h.  Built without a red zone.
 */
#include "stepper.h"

#include <signal.h>

static unsigned long nested_calls(void)
{
	struct pool_stats now;
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < STEP_POOLS; i++) {
		pool_sum(step.pool[i], &now);
		sum += now.nested;
	}
	return sum;
}

/* Allocate @n of each pool, then free them: hits, fills, spills, evictions. */
static void waves(unsigned int rounds, unsigned int n)
{
	unsigned int r, i;

	n /= STEP_LESS;
	for (r = 0; r < rounds; r++) {
		struct pool *pool = step.pool[r % STEP_POOLS];

		for (i = 0; i < n; i++)
			test_objs[i] = step_alloc(pool);
		for (i = 0; i < n; i++)
			step_free(pool, test_objs[i]);
	}
}

TEST_CASE(a_handler_after_every_instruction_of_hits_loses_nothing)
{
	unsigned long nested;

	ASSERT(step_begin(65536, 8, 0));
	waves(4 * STEP_ROUNDS, 3);
	waves(8 * STEP_ROUNDS, 20);
	nested = nested_calls();
	EXPECT(step_end());
	EXPECT(nested > 0);
}

TEST_CASE(a_handler_after_every_instruction_of_slow_paths_loses_nothing)
{
	unsigned long nested, evictions;

	ASSERT(step_begin(4096, 8, 0));
	waves(2 * STEP_ROUNDS, 150);
	nested = nested_calls();
	evictions = test_local(step.pool[0])->evictions +
		    test_local(step.pool[1])->evictions;
	EXPECT(step_end());
	EXPECT(nested > 0);
	EXPECT(evictions > 0);
}

#define ONCE_OBJECTS	(3 * POOL_HOT_SLOTS + 1)
#define ONCE_MOST	5000		/* instructions of a visit, far more than there are */

/* A handler that uses a pool once, at one instruction of a call. */
static struct {
	struct pool_head *pool;
	struct pool_local *local;
	unsigned long steps;
	unsigned long at;
	unsigned long quick;		/* stepped visits that a quick one began */
} once;

static void use_once(int sig, siginfo_t *info, void *context)
{
	void *objs[2];
	unsigned int i;

	(void)sig;
	(void)info;
	if (++once.steps != once.at)
		return;
	trap_end(context);
	for (i = 0; i < 2; i++) {
		objs[i] = __pool_alloc(once.pool, POOL_F_ATOMIC);
		if (objs[i])
			memset(objs[i], 0xee, 64);
	}
	for (i = 0; i < 2; i++)
		__pool_free(once.pool, objs[i], POOL_F_ATOMIC);
}

/* Allocate until the array is empty, then once more, stepped; returns how many it got. */
static unsigned int stepped_fill(void)
{
	unsigned int n = 0;

	while (once.local->hot.n)
		test_objs[n++] = pool_alloc(once.pool);
	once.quick += pool_quick_fills(once.local, once.local->cpu,
				       pool_cluster_newest(once.local));
	trap_on();
	test_objs[n] = pool_alloc(once.pool);
	trap_off();
	return n + 1;
}

/* Free until the array is full, then once more, stepped; returns how many it freed. */
static unsigned int stepped_spill(void)
{
	unsigned int n = 0;

	while (once.local->hot.n < POOL_HOT_MAX && n < ONCE_OBJECTS - 1)
		pool_free(once.pool, test_objs[n++]);
	once.quick += pool_quick_spills(once.local, once.local->cpu);
	trap_on();
	pool_free(once.pool, test_objs[n]);
	trap_off();
	return n + 1;
}

/* Are these all different objects?  Each has what was written to it if they are. */
static bool are_different(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		memcpy(test_objs[i], &i, sizeof(i));
	for (i = 0; i < n; i++)
		if (memcmp(test_objs[i], &i, sizeof(i)))
			return false;
	return true;
}

/* All objects are freed, then taken again, with one spill or one fill stepped. */
static bool visits_with_a_handler(bool spill)
{
	struct pool *all = pool_of(once.pool);
	unsigned int n;

	once.steps = 0;
	n = spill ? stepped_spill() : 0;
	test_free_many(all, test_objs + n, ONCE_OBJECTS - n);
	n = spill ? 0 : stepped_fill();
	test_alloc_many(all, test_objs + n, ONCE_OBJECTS - n);
	return are_different(ONCE_OBJECTS);
}

/* Whole arrays and whole clusters: quick.h. */
TEST_CASE(a_handler_at_any_instruction_of_a_quick_visit_loses_nothing)
{
	struct sigaction act = { .sa_sigaction = use_once, .sa_flags = SA_SIGINFO };
	struct pool *pool;
	unsigned int spill;

	ASSERT(!sigaction(SIGTRAP, &act, NULL));
	test_options(1 << 20, POOL_CLUSTER_SIZE);
	pool = test_pool(64);
	ASSERT(pool);
	pool_fail_every = 0;
	test_wave(pool, 400);
	once.pool = &pool->head;
	once.local = test_local(pool);
	test_alloc_many(pool, test_objs, ONCE_OBJECTS);
	for (spill = 0; spill < 2; spill++) {
		once.at = 0;
		once.quick = 0;
		do {
			once.at++;
			ASSERT(visits_with_a_handler(spill));
		} while (once.steps >= once.at && once.at < ONCE_MOST);
		EXPECT(once.at > 100);
		EXPECT(once.at < ONCE_MOST);
		EXPECT_LE(once.at / 2, once.quick);
	}
	signal(SIGTRAP, SIG_DFL);
	EXPECT(test_quiet(pool, ONCE_OBJECTS));
	test_free_many(pool, test_objs, ONCE_OBJECTS);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/* What a part has, at each instruction at which a fork in another thread could read it. */
static struct {
	struct pool_local *local;
	struct pool_cpu *cpu;
	unsigned long least;		/* objects; one more is right, too */
	unsigned long seen;
	unsigned long wrong;
} part;

static unsigned long part_has(void)
{
	return part.local->hot.n + part.local->clustered;
}

static void look_at_part(int sig)
{
	(void)sig;
	if (plat_read(&part.cpu->lock.holder))
		return;
	part.seen++;
	part.wrong += part_has() - part.least > 1;
}

/* Allocate and free @n objects, one of each after the other, all within the caches. */
static void look_at_calls(struct pool_head *pool, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		part.least = part_has() - 1;
		trap_on();
		test_objs[i] = pool_alloc(pool);
		trap_off();
	}
	for (i = 0; i < n; i++) {
		part.least = part_has();
		trap_on();
		pool_free(pool, test_objs[i]);
		trap_off();
	}
}

/* A fork takes all locks first.  Then the child has to know what each array and cluster has. */
TEST_CASE(what_a_visit_moves_is_counted_once_while_the_lock_is_free)
{
	static const unsigned int clusters[] = { POOL_CLUSTER_SIZE, 1 };
	struct sigaction act = { .sa_handler = look_at_part };
	unsigned int i;

	ASSERT(!sigaction(SIGTRAP, &act, NULL));
	for (i = 0; i < 2; i++) {
		struct pool *pool;

		test_options(1 << 20, clusters[i]);
		pool = test_pool(64);
		ASSERT(pool);
		pool_fail_every = 0;
		test_wave(pool, 400);
		memset(&part, 0, sizeof(part));
		part.local = test_local(pool);
		part.cpu = test_cpu();
		look_at_calls(&pool->head, 200);
		EXPECT(part.local->fills > 0);
		EXPECT(part.local->spills > 0);
		EXPECT(part.seen > 0);
		EXPECT_EQ(part.wrong, 0);
		EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	}
	signal(SIGTRAP, SIG_DFL);
}

TEST_CASE(a_handler_that_interrupts_a_handler_at_any_instruction_loses_nothing)
{
	unsigned long nested, inner;

	ASSERT(step_begin(4096, 8, 0));
	step.deep = 97;
	waves(2 * STEP_ROUNDS, 3);
	waves(2 * STEP_ROUNDS, 40);
	inner = step.inner;
	nested = nested_calls();
	EXPECT(step_end());
	EXPECT(inner > 10000);
	EXPECT(nested > 0);
}

TEST_CASE(a_handler_without_a_shared_pool_loses_nothing)
{
	ASSERT(step_begin(2048, 4, POOL_D_NO_GLOBAL));
	waves(2 * STEP_ROUNDS, 20);
	EXPECT(step_end());
}

TEST_CASE(a_handler_without_caches_loses_nothing)
{
	ASSERT(step_begin(2048, 4, POOL_D_NO_GLOBAL | POOL_D_NO_CACHE));
	waves(2 * STEP_ROUNDS, 15);
	step.got++;
	EXPECT(step_end());
}

TEST_CASE(a_handler_while_the_bound_changes_loses_nothing)
{
	unsigned int i;

	ASSERT(step_begin(8192, 8, 0));
	for (i = 0; i < 3 * STEP_ROUNDS; i++) {
		waves(2, 40);
		pool_set_hot_size(i & 1 ? step.bound : 1024);
	}
	EXPECT(step_end());
}

TEST_CASE(a_handler_during_reclaim_loses_nothing)
{
	unsigned int i;
	void *obj;

	ASSERT(step_begin(4096, 8, 0));
	for (i = 0; i < STEP_ROUNDS; i++) {
		waves(2, 80);
		trap_on();
		obj = pool_take_remote(step.pool[0], 0);
		trap_off();
		if (obj)
			step_take(obj);
		step_free(step.pool[0], obj);
		trap_on();
		pool_flush(&step.pool[0]->head);
		pool_drain_parked(step.pool[1]);
		trap_off();
	}
	EXPECT(step_end());
}

/* Allocate some at once, then free all of them. */
static void bulk_wave(struct pool *pool, unsigned int n)
{
	unsigned int i;
	bool got;

	trap_on();
	got = pool_alloc_bulk(&pool->head, 0, n, test_objs);
	trap_off();
	for (i = 0; got && i < n; i++)
		step_take(test_objs[i]);
	for (i = 0; got && i < n; i++)
		step_give(test_objs[i]);
	trap_on();
	if (got)
		pool_free_bulk(&pool->head, 0, n, test_objs);
	trap_off();
}

TEST_CASE(a_handler_after_every_instruction_of_checked_calls_loses_nothing)
{
	static const struct {
		unsigned int debug;
		unsigned int n;		/* fewer where pages must be filled */
	} what[] = {
		{ POOL_D_INTEGRITY | POOL_D_COLD_FIRST, 12 },
		{ POOL_D_INTEGRITY | POOL_D_TAG | POOL_D_CALLER |
		  POOL_D_BACKUP | POOL_D_POISON | POOL_D_MEMSTATS, 6 },
		{ POOL_D_UAF | POOL_D_INTEGRITY | POOL_D_TAG, 2 },
	};
	unsigned int i;

	pool_options.policy = POOL_POLICY_CONTINUE;
	for (i = 0; i < ARRAY_LEN(what); i++) {
		ASSERT(step_begin(4096, 8, what[i].debug));
		waves(2 * STEP_ROUNDS, what[i].n);
		bulk_wave(step.pool[0], what[i].n / STEP_LESS);
		step.got++;
		EXPECT(step_end());
	}
}

/* Switch options now and then, while objects of all times exist. */
static void stepped_switch(struct pool *pool, unsigned int set,
			   unsigned int clear)
{
	trap_on();
	pool_switch(pool, set, clear);
	trap_off();
}

TEST_CASE(a_handler_while_options_are_switched_loses_nothing)
{
	static const unsigned int words[] = {
		POOL_D_INTEGRITY, POOL_D_POISON | POOL_D_COLD_FIRST,
		POOL_D_INTEGRITY | POOL_D_MEMSTATS, POOL_D_NO_CACHE,
		POOL_D_NO_GLOBAL,
	};
	unsigned int i, j;
	void *held[8];

	pool_options.policy = POOL_POLICY_CONTINUE;
	ASSERT(step_begin(4096, 8, 0));
	for (i = 0; i < ARRAY_LEN(words) * STEP_ROUNDS; i++) {
		struct pool *pool = step.pool[i % STEP_POOLS];
		unsigned int word = words[i % ARRAY_LEN(words)];

		for (j = 0; j < ARRAY_LEN(held); j++)
			held[j] = step_alloc(pool);
		stepped_switch(pool, word, 0);
		for (j = 0; j < ARRAY_LEN(held); j += 2)
			step_free(pool, held[j]);
		waves(2, 16);
		stepped_switch(pool, 0, word);
		for (j = 1; j < ARRAY_LEN(held); j += 2)
			step_free(pool, held[j]);
		waves(2, 16);
	}
	EXPECT(step_end());
}

static void new_thread(unsigned int i, void *arg)
{
	(void)i;
	(void)arg;
	waves(2, 10);
}

TEST_CASE(a_handler_while_an_area_is_made_loses_nothing)
{
	unsigned int i;

	ASSERT(step_begin(4096, 8, 0));
	for (i = 0; i < 3 * STEP_ROUNDS; i++)
		test_threads(1, new_thread, NULL);
	EXPECT(step_end());
}

TEST_CASE(a_handler_while_an_area_is_given_up_loses_nothing)
{
	unsigned char *area = pool_thread_area;
	unsigned int number = plat_cpu_hint();
	unsigned int i;

	ASSERT(step_begin(4096, 8, 0));
	for (i = 0; i < STEP_ROUNDS; i++) {
		waves(2, 70);
		pool_thread_area = plat_area_lost;
		trap_on();
		pool_cpu_gone(number);
		trap_off();
		pool_thread_area = area;
		EXPECT_EQ(test_charged(), 0);
	}
	EXPECT(step_end());
}

TEST_CASE(a_handler_while_its_thread_idles_loses_nothing)
{
	unsigned int i;

	ASSERT(step_begin(4096, 8, 0));
	for (i = 0; i < STEP_ROUNDS; i++) {
		waves(2, 70);
		trap_on();
		pool_thread_idle();
		trap_off();
	}
	EXPECT(step_end());
}

TEST_CASE(a_handler_after_every_instruction_of_bulks_loses_nothing)
{
	unsigned int i;

	ASSERT(step_begin(8192, 8, 0));
	for (i = 0; i < 40 * STEP_ROUNDS / STEP_LESS; i++)
		bulk_wave(step.pool[i % STEP_POOLS], i * 7 % 72);
	EXPECT(step_end());
}

TEST_CASE(a_handler_that_takes_of_the_same_reserve_loses_nothing)
{
	unsigned int i, n = 0;

	ASSERT(step_begin(8192, 8, 0));
	pool_fail_every = 0;
	step.reserve = pool_reserve(&step.pool[0]->head, 60);
	ASSERT(step.reserve);
	for (i = 0; i < 60; i++) {
		trap_on();
		test_objs[n] = pool_alloc_reserved(step.reserve);
		trap_off();
		if (test_objs[n])
			step_take(test_objs[n++]);
	}
	EXPECT_EQ(n + step.reserved, 60);
	EXPECT(step.reserved > 0);
	for (i = 0; i < n; i++)
		step_free(step.pool[0], test_objs[i]);
	pool_unreserve(step.reserve);
	step.reserve = NULL;
	EXPECT(step_end());
}

/* Two in reserve: one for the code that is interrupted, one for the handler. */
TEST_CASE(a_handler_that_refills_the_same_reserve_loses_nothing)
{
	unsigned int i, none = 0;
	void *obj;

	ASSERT(step_begin(8192, 8, 0));
	pool_fail_every = 0;
	/* Where few objects come at once, there would be none for the handler's own calls. */
	test_alloc_just(step.pool[0], test_objs, 40);
	test_free_many(step.pool[0], test_objs, 40);
	step.reserve = pool_reserve(&step.pool[0]->head, 2);
	ASSERT(step.reserve);
	step.refills = true;
	for (i = 0; i < 60; i++) {
		trap_on();
		obj = pool_alloc_reserved(step.reserve);
		trap_off();
		none += !obj;
		trap_on();
		pool_free_reserved(step.reserve, obj, 0);
		trap_off();
	}
	EXPECT_EQ(none, 0);
	EXPECT(step.reserved > 0);
	EXPECT_EQ(plat_read(&step.reserve->have), 2);
	pool_unreserve(step.reserve);
	step.reserve = NULL;
	EXPECT(step_end());
}
