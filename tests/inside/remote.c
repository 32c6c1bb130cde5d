// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * remote.c - objects in the arrays of other CPUs, and callers that wait
 *
 * Layer:   tests of plat_empty_arrays(), and of common/limit/remote.c and last.c.
 */
#include "test.h"

#define LIMIT	32

/* CPU 0 often has objects of the pool in its array, and does nothing until CPU 1 is done. */
struct pair {
	struct pool *pool;
	unsigned long ready;
	unsigned long done;
	unsigned int nulls;
	unsigned int ms;		/* for pool_alloc_timeout(); 0: by POOL_F_WAIT */
};

/* Run @n threads that use the pool under this limit (0: none); return their counts. */
static struct pair run_pair(struct pool *pool, unsigned int limit, unsigned int n,
			    void (*fn)(unsigned int i, void *arg), unsigned int ms)
{
	struct pair p = { .pool = pool, .ms = ms };

	if (!test_lend_signal() || !pool_set_limit(&pool->head, limit))
		p.nulls = UINT_MAX;
	else
		test_threads(n, fn, &p);
	return p;
}

static void use_once(struct pair *p)
{
	void *objs[LIMIT];

	test_alloc_many(p->pool, objs, LIMIT);
	test_free_many(p->pool, objs, LIMIT);
	plat_word_add(&p->ready, 1);
	test_await(&p->done, 1);
}

static void alloc_elsewhere(struct pair *p)
{
	void *objs[LIMIT];
	unsigned int i;

	test_await(&p->ready, 1);
	for (i = 0; i < LIMIT; i++) {
		objs[i] = pool_alloc(&p->pool->head);
		p->nulls += !objs[i];
	}
	if (pool_alloc(&p->pool->head))
		p->nulls += 1000;
	for (i = 0; i < LIMIT; i++)
		pool_free(&p->pool->head, objs[i]);
	for (i = 0; i < 100; i++) {
		void *obj = pool_alloc(&p->pool->head);

		p->nulls += !obj;
		pool_free(&p->pool->head, obj);
	}
	plat_word_add(&p->done, 1);
}

static void use_here_then_there(unsigned int i, void *arg)
{
	if (i)
		alloc_elsewhere(arg);
	else
		use_once(arg);
}

POOL_CASE(a_limit_does_not_refuse_what_lies_in_the_array_of_another_cpu, test_sure(64))
{
	EXPECT_EQ(run_pair(pool, LIMIT, 2, use_here_then_there, 0).nulls, 0);
}

#define MANY	4096

/* Allocate all but the objects of the other CPU's array, and then wait for one of these. */
static void leave_alone_then_wait(struct pair *p)
{
	struct pool_hot *there = &plat_local_of(p->pool, plat_read(&p->ready) - 1)->hot;
	unsigned int had = plat_read(&there->n), got = 0;
	void *obj, *all = NULL;

	while ((obj = pool_alloc(&p->pool->head))) {
		*(void **)obj = all;
		all = obj;
		got++;
	}
	p->nulls += got != MANY - had || plat_read(&there->n) != had;
	obj = had ? pool_alloc_timeout(&p->pool->head, 0, 60000) : NULL;
	p->nulls += had && (!obj || plat_read(&there->n) >= had);
	pool_free(&p->pool->head, obj);
	for (; all; all = obj) {
		obj = *(void **)all;
		pool_free(&p->pool->head, all);
	}
}

static void hold_in_array(unsigned int i, void *arg)
{
	struct pair *p = arg;

	if (i) {
		test_await(&p->ready, 1);
		/* Otherwise both threads run on one CPU. */
		if (plat_read(&p->ready) != 1ul + plat_cpu_hint())
			leave_alone_then_wait(p);
		plat_word_add(&p->done, 1);
		return;
	}
	test_wave(p->pool, LIMIT);
	plat_word_add(&p->ready, 1ul + plat_cpu_hint());
	test_await(&p->done, 1);
}

/*
 * Arrays may have less than a sixteenth of a limit.  An allocation that does not wait is refused
 * rather than interrupt other CPUs for these objects; one that waits gets them.
 */
POOL_CASE(at_the_limit_other_cpus_are_interrupted_only_for_callers_that_wait, test_sure(64))
{
	EXPECT_EQ(run_pair(pool, MANY, 2, hold_in_array, 0).nulls, 0);
}

static void reclaim_elsewhere(unsigned int i, void *arg)
{
	struct pair *p = arg;

	if (!i) {
		test_wave(p->pool, TEST_SOME);
		use_once(p);
		return;
	}
	test_await(&p->ready, 1);
	pool_reclaim(&p->pool->head);
	p->nulls = (unsigned int)pool_allocated(p->pool);
	plat_word_add(&p->done, 1);
}

static const unsigned int clusters[] = { POOL_CLUSTER_SIZE, 8, 1 };

/* The other CPU's array is full, and is emptied by one cluster at a time, of several sizes. */
POOLS_CASE(a_reclaim_empties_the_arrays_of_other_cpus, ARRAY_LEN(clusters),
	   test_sure_within(1 << 20, clusters[nth], 64))
{
	EXPECT_EQ(run_pair(pool, 0, 2, reclaim_elsewhere, 0).nulls, 0);
}

POOL_CASE(an_array_that_is_held_is_not_emptied, test_sure(64))
{
	struct pool_local *local;
	unsigned long departures;
	void *obj = test_alloc(pool);

	local = test_local(pool);
	test_free(pool, obj);
	ASSERT(plat_read(&local->hot.n));
	departures = local->departures;
	plat_write(&local->hot.open, POOL_HELD);
	pool_empty_array(pool);
	EXPECT(plat_read(&local->hot.n));
	EXPECT_EQ(plat_read(&local->parked.count), 0);
	plat_write(&local->hot.open, POOL_OPEN);
	pool_empty_array(pool);
	EXPECT_EQ(plat_read(&local->hot.n), 0);
	EXPECT(plat_read(&local->parked.count) + plat_read(&local->clustered));
	/*
	 * If a cluster left, "departures" must tell a walk, which may have unlocked the list, that
	 * the list has changed: validate.c.
	 */
	EXPECT(plat_read(&local->parked.count) || local->departures != departures);
}

/* Create a pool whose array on this CPU has objects, but no cluster. */
static struct pool *array_only(void)
{
	struct pool *pool = test_pool(64);
	void *obj = pool ? test_alloc(pool) : NULL;

	if (!obj)
		return NULL;
	pool_fail_every = 0;
	test_free(pool, obj);
	return plat_read(&test_local(pool)->hot.n) &&
	       !plat_read(&test_local(pool)->clustered) ? pool : NULL;
}

POOL_CASE(an_array_that_is_asked_for_becomes_a_cluster, array_only())
{
	struct pool_local *local = test_local(pool);
	unsigned long charged;
	unsigned int n;

	n = plat_read(&local->hot.n);
	charged = test_charged();
	pool_empty_array(pool);
	EXPECT_EQ(plat_read(&local->hot.n), 0);
	EXPECT_EQ(plat_read(&local->clustered), n);
	EXPECT_EQ(plat_read(&local->parked.count), 0);
	EXPECT_LE(test_charged(), charged);
	pool_empty_array(pool);
	EXPECT_EQ(plat_read(&local->clustered), n);
}

POOL_CASE(an_array_without_a_cluster_gives_one_object, array_only())
{
	struct pool_local *local = test_local(pool);
	unsigned int n;

	n = plat_read(&local->hot.n);
	pool_drain_stashes(POOL_ALL, false);
	pool_empty_array(pool);
	EXPECT_EQ(plat_read(&local->hot.n), n - 1);
	EXPECT_EQ(plat_read(&local->clustered), 0);
	EXPECT_EQ(plat_read(&local->parked.count), 1);
}

/* Each caller has its share of the limit, so none may be refused. */
#define SHARERS	4
#define SHARE	(LIMIT / SHARERS)

static void share(unsigned int i, void *arg)
{
	struct pair *p = arg;
	unsigned long r, rounds = test_scale(2000);
	void *objs[SHARE];
	unsigned int j;

	for (r = 0; r < rounds; r++) {
		for (j = 0; j < SHARE; j++) {
			objs[j] = __pool_alloc(&p->pool->head, POOL_F_WAIT);
			if (objs[j])
				memset(objs[j], (int)i, 64);
			else
				plat_write(&p->nulls, 1);
		}
		for (j = 0; j < SHARE; j++)
			pool_free(&p->pool->head, objs[j]);
	}
}

POOL_CASE(callers_that_wait_share_a_limit_and_none_is_refused, test_sure(64))
{
	EXPECT_EQ(run_pair(pool, LIMIT, SHARERS, share, 0).nulls, 0);
	EXPECT_EQ(test_sum(pool)->refused, 0);
}

static void free_after_a_while(unsigned int i, void *arg)
{
	struct pair *p = arg;
	void *obj;

	if (!i) {
		obj = pool_alloc(&p->pool->head);
		plat_word_add(&p->ready, 1);
		test_sleep(20);
		pool_free(&p->pool->head, obj);
		test_await(&p->done, 1);
		return;
	}
	test_await(&p->ready, 1);
	obj = p->ms ? pool_alloc_timeout(&p->pool->head, 0, p->ms) :
		      __pool_alloc(&p->pool->head, POOL_F_WAIT);
	p->nulls += !obj;
	pool_free(&p->pool->head, obj);
	plat_word_add(&p->done, 1);
}

static const unsigned int waits[] = { 0, 100000 };

POOLS_CASE(a_caller_that_waits_gets_what_another_one_frees_later, ARRAY_LEN(waits), test_sure(64))
{
	EXPECT_EQ(run_pair(pool, 1, 2, free_after_a_while, waits[nth]).nulls, 0);
	EXPECT_EQ(test_sum(pool)->refused, 0);
}

#define TIMED		50

/* Only the shortest time is checked, because a wait without an end would end the case. */
POOL_CASE(a_wait_takes_as_long_as_it_was_told_to, test_sure(64))
{
	unsigned int start, passed;
	void *obj;

	EXPECT(pool_set_limit(&pool->head, 1));
	obj = pool_alloc(&pool->head);
	start = plat_resched();
	EXPECT_PTR_EQ(pool_alloc_timeout(&pool->head, 0, TIMED), NULL);
	passed = plat_resched() - start;
	EXPECT(passed >= TIMED);
	pool_free(&pool->head, obj);
}

POOL_CASE(a_wait_ends_when_its_time_is_over_and_is_refused_once, test_sure(64))
{
	void *obj;

	EXPECT(pool_set_limit(&pool->head, 1));
	obj = pool_alloc_timeout(&pool->head, 0, 0);
	EXPECT(obj);
	EXPECT_PTR_EQ(pool_alloc_timeout(&pool->head, 0, 0), NULL);
	EXPECT_PTR_EQ(pool_alloc_timeout(&pool->head, 0, 30), NULL);
	EXPECT_EQ(test_sum(pool)->refused, 2);
	pool_free(&pool->head, obj);
	obj = pool_alloc_timeout(&pool->head, POOL_F_MUST_ZERO, POOL_FOREVER);
	EXPECT(obj);
	pool_free(&pool->head, obj);
}

POOL_CASE(a_bulk_call_does_not_wait_while_it_holds_some, test_sure(64))
{
	void *objs[LIMIT + 1];

	EXPECT(pool_set_limit(&pool->head, LIMIT));
	EXPECT(!pool_alloc_bulk(&pool->head, POOL_F_WAIT, LIMIT + 1, objs));
	EXPECT(pool_alloc_bulk(&pool->head, POOL_F_WAIT, LIMIT, objs));
	pool_free_bulk(&pool->head, 0, LIMIT, objs);
}

POOL_CASE(a_caller_that_may_not_sleep_does_not_wait, test_sure(64))
{
	unsigned int flags = POOL_F_WAIT | POOL_F_ATOMIC;
	void *obj;

	EXPECT(pool_set_limit(&pool->head, 1));
	obj = pool_alloc(&pool->head);
	EXPECT_PTR_EQ(__pool_alloc(&pool->head, flags), NULL);
	EXPECT_PTR_EQ(pool_alloc_timeout(&pool->head, flags, POOL_FOREVER),
		      NULL);
	EXPECT_EQ(test_sum(pool)->refused + test_sum(pool)->failed, 2);
	pool_free(&pool->head, obj);
}

/*
 * The interrupted code cannot free while its interrupter waits, so the interrupter must not wait.
 */
POOL_CASE(a_caller_that_has_interrupted_a_holder_does_not_wait, test_sure(64))
{
	struct pool_local *local;
	unsigned int start;
	void *obj;

	EXPECT(pool_set_limit(&pool->head, 1));
	obj = pool_alloc(&pool->head);
	local = test_local(pool);
	plat_write(&local->hot.open, POOL_HELD);
	start = plat_resched();
	EXPECT_PTR_EQ(pool_alloc_timeout(&pool->head, 0, 5000), NULL);
	EXPECT(plat_resched() - start < 5000);
	plat_write(&local->hot.open, POOL_OPEN);
	EXPECT_EQ(test_sum(pool)->refused + test_sum(pool)->failed, 1);
	pool_free(&pool->head, obj);
}

POOL_CASE(a_wait_in_vain_is_counted_by_its_cause, test_pool(64))
{
	EXPECT(pool_set_limit(&pool->head, 10000));
	pool_fail_every = 1;
	EXPECT_PTR_EQ(pool_alloc_timeout(&pool->head, 0, 5), NULL);
	pool_fail_every = 0;
	EXPECT_EQ(test_sum(pool)->refused, 0);
	EXPECT_EQ(test_sum(pool)->injected, 1);
}
