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

/* Allocate some objects by one bulk call, then free all of them. */
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
		unsigned int n;		/* fewer where each object fills pages */
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

/* The reserve has one object for the code that is interrupted, and one for the handler. */
TEST_CASE(a_handler_that_refills_the_same_reserve_loses_nothing)
{
	unsigned int i, none = 0;
	void *obj;

	ASSERT(step_begin(8192, 8, 0));
	pool_fail_every = 0;
	/* If only a few objects came at once, the handler's own calls would get none. */
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
