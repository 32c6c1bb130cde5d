// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tick.c - calls give back what pools do not need, as time passes
 *
 * Layer:   tests of user/tick.c.
 * Context: see test.h.  The coarse clock is the cases': in all others it stands still, so that no
 *	    call gives back anything.
 */
#include "cases_slab.h"

#include <time.h>

#define PEAK	(40u * POOL_CLUSTER_SIZE)

/* Visits during which ticks make more than one pass over all pools of a case. */
#define VISITS	(100ul * POOL_TICK_VISITS)

static unsigned long now_ms;
static unsigned long reads;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	unsigned long ms;

	if (clock != CLOCK_MONOTONIC_COARSE)
		return __real_clock_gettime(clock, now);
	plat_word_add(&reads, 1);
	ms = plat_read(&now_ms);
	now->tv_sec = (time_t)(ms / 1000);
	now->tv_nsec = (long)(ms % 1000) * 1000000;
	return 0;
}

/* Make @n visits of a pool's caches here.  Returns how often that read the clock. */
static unsigned long visit(struct pool *pool, unsigned long n)
{
	unsigned long before = plat_read(&reads);
	unsigned long begin;

	test_wave(pool, POOL_HOT_MAX);
	begin = test_cpu()->visits;
	while (test_cpu()->visits - begin < n)
		test_wave(pool, 4 * POOL_HOT_MAX);
	return plat_read(&reads) - before;
}

/* Let time pass while a pool is used: each time long enough for a pass. */
static unsigned long work(struct pool *pool, unsigned int passes)
{
	unsigned long read = 0;

	while (passes--) {
		plat_write(&now_ms, plat_read(&now_ms) + 2002);
		read += visit(pool, VISITS);
	}
	return read;
}

TEST_CASE(an_idle_pool_gives_its_memory_back_while_others_work)
{
	struct pool *idle = test_pool(512), *busy = test_pool(64);
	unsigned long had;

	ASSERT(idle && busy);
	pool_fail_every = 0;
	test_wave(idle, PEAK);
	had = pool_allocated(idle);
	visit(busy, VISITS);
	EXPECT_EQ(pool_allocated(idle), had);
	work(busy, 10);
	EXPECT_LE(pool_allocated(idle) - test_local(idle)->hot.n, PEAK / 32);
	EXPECT(test_quiet(idle, 0));
	pool_destroy(&idle->head);
	pool_destroy(&busy->head);
}

#define STRIDES		8
#define OF_STRIDE	100u

/*
 * Leave an empty slab with memory for each of several strides; the next objects come from these
 * slabs.
 */
static void leave_pages(void)
{
	static void *objs[OF_STRIDE];
	unsigned int i, k;

	for (i = 0; i < STRIDES; i++) {
		struct slab_class *class = pool_slab_class(320 + 16 * i, 16);

		EXPECT_EQ(pool_slab_alloc(class, OF_STRIDE, objs), OF_STRIDE);
		for (k = 0; k < OF_STRIDE; k++)
			memset(objs[k], 1, class->stride);
		EXPECT_EQ(slab_put_many(objs, OF_STRIDE), 0);
	}
}

/* The idle pages are fewer than frees leave alone, so only ageing returns them. */
TEST_CASE(idle_pages_go_back_while_others_work)
{
	struct pool *busy = test_pool(64);
	unsigned long had;

	ASSERT(busy);
	pool_fail_every = 0;
	visit(busy, VISITS);
	plat_trim(true);
	leave_pages();
	had = pool_page_idle();
	EXPECT_LE(STRIDES * 7, had);
	visit(busy, VISITS);
	EXPECT_LE(had, pool_page_idle());
	work(busy, 10);
	EXPECT_LE(pool_page_idle(), had / 4);
	pool_destroy(&busy->head);
}

/* A limit of 16 leaves no room for an array, so each call is a visit. */
TEST_CASE(calls_of_a_pool_without_an_array_age_others_too)
{
	struct pool_attr attr = { .name = "limited", .size = 64, .limit = 16 };
	struct pool *idle = test_pool(512);
	struct pool_head *busy = create_pool_ext(&attr);
	unsigned int passes;
	unsigned long i;

	ASSERT(idle && busy);
	pool_fail_every = 0;
	test_wave(idle, PEAK);
	for (passes = 0; passes < 10; passes++) {
		plat_write(&now_ms, plat_read(&now_ms) + 2002);
		for (i = 0; i < VISITS; i++)
			pool_free(busy, pool_alloc(busy));
	}
	EXPECT_LE(pool_allocated(idle) - test_local(idle)->hot.n, PEAK / 32);
	pool_destroy(&idle->head);
	pool_destroy(busy);
}

POOL_CASE(the_clock_is_read_once_in_a_hundred_visits_at_most, test_pool(64))
{
	unsigned long begin, read;

	pool_fail_every = 0;
	visit(pool, 1);
	begin = test_cpu()->visits;
	read = work(pool, 2);
	EXPECT(read);
	EXPECT_LE((read - 1) * 100, test_cpu()->visits - begin);
}

TEST_CASE(no_age_leaves_idle_pools_alone)
{
	struct pool *idle = test_pool(512), *busy = test_pool(64);
	unsigned long had;

	ASSERT(idle && busy);
	pool_fail_every = 0;
	EXPECT(pool_set_debug(NULL, "no-age"));
	test_wave(idle, PEAK);
	had = pool_allocated(idle);
	EXPECT_EQ(work(busy, 10), 0);
	EXPECT_EQ(pool_allocated(idle), had);
	EXPECT(pool_set_debug(NULL, "age"));
	work(busy, 10);
	EXPECT_LE(pool_allocated(idle), had / 4);
	pool_destroy(&idle->head);
	pool_destroy(&busy->head);
}
