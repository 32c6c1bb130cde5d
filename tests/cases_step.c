// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cases_step.c - a signal handler after every single instruction of each call
 *
 * Layer:   tests of common/, user space on x86-64; the handler is in stepper.c.
 * Context: see test.h.  Built without a red zone.
 */
#include "stepper.h"

#include <pthread.h>
#include <semaphore.h>
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

/* Allocate @n of each pool, then free them; hits, fills, spills, evictions. */
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

/* Some at once, then all of them back. */
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
		unsigned int n;		/* guarded pages are long to fill */
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

/* What is on now and then, while objects of all times are about. */
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

/* What the other side does while one allocation looks for the last object. */
static struct {
	struct pool *pool;
	struct pool_cpu *cpu;		/* another one, whose thread waits */
	sem_t ready, done;
	void *obj;
	unsigned long steps;
	unsigned long at;		/* the step at which something ends */
	unsigned long seed;
	unsigned long moved;
} other;

static bool begin_other(unsigned int limit, void (*fn)(int sig))
{
	struct sigaction act = { .sa_handler = fn };

	memset(&other, 0, sizeof(other));
	pool_fail_every = 0;
	test_options(65536, 8);
	other.pool = test_pool(64);
	return other.pool && pool_set_limit(&other.pool->head, limit) &&
	       !sigaction(SIGTRAP, &act, NULL);
}

static void end_flush(int sig)
{
	(void)sig;
	if (++other.steps != other.at)
		return;
	pool_store_put(other.pool, other.obj);
	pool_arrive(&other.pool->moving, 1);
}

/* The only object there may be goes to the backend at each instruction once. */
TEST_CASE(a_flush_that_ends_at_any_instruction_leaves_an_object_to_be_had)
{
	unsigned long at, refused = 0;

	ASSERT(begin_other(1, end_flush));
	for (at = 1; at <= 1200 / STEP_LESS; at++) {
		void *obj;

		other.obj = pool_alloc_nocache(&other.pool->head);
		pool_depart(&other.pool->moving, 1);
		other.at = at;
		other.steps = 0;
		trap_on();
		obj = pool_alloc(&other.pool->head);
		trap_off();
		refused += !obj;
		if (obj)
			pool_store_put(other.pool, obj);
		EXPECT(other.steps >= at);
	}
	signal(SIGTRAP, SIG_DFL);
	EXPECT_EQ(refused, 0);
	EXPECT(test_quiet(other.pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&other.pool->head), NULL);
}

static void move_up(struct pool_local *local)
{
	struct pool_cluster *c;

	c = pool_refill_local_from_shared(other.pool, &local->moving);
	if (c) {
		pool_cluster_insert(other.cpu, local, c);
		pool_arrive(&local->moving, c->n);
	}
	other.moved += c != NULL;
}

static void move_down(struct pool_local *local, struct pool_cluster *c)
{
	unsigned int n = c->n;

	pool_cluster_detach(c);
	if (!pool_put_to_shared_cache(other.pool, c))
		pool_cluster_insert(other.cpu, local, c);
	pool_cluster_settled(local, n);
	other.moved++;
}

/* Now and then, for a while, free objects go up to that CPU, or down from it. */
static void move(int sig)
{
	struct pool_local *local = plat_local_of(other.pool, (unsigned int)other.at);
	struct pool_cluster *c;

	(void)sig;
	if (++other.steps > 4000 || test_random(&other.seed) % 8 ||
	    !plat_cpu_trylock(other.cpu))
		return;
	c = pool_cluster_newest(local);
	if (c)
		move_down(local, c);
	else
		move_up(local);
	plat_cpu_unlock(other.cpu);
}

/* A thread that has an empty part of the pool, and keeps it until it may end. */
static void *use_and_wait(void *arg)
{
	(void)arg;
	test_free(other.pool, test_alloc(other.pool));
	pool_store_put(other.pool, test_alloc(other.pool));
	other.at = plat_cpu_hint();
	other.cpu = plat_cpu_of((unsigned int)other.at);
	sem_post(&other.ready);
	while (sem_wait(&other.done))
		;
	return NULL;
}

/* Of three objects one is in use, and two are always free. */
TEST_CASE(objects_that_go_up_and_down_at_any_instruction_are_found)
{
	unsigned long seed, refused = 0;
	pthread_t thread;
	void *objs[3];

	ASSERT(begin_other(3, move));
	sem_init(&other.ready, 0, 0);
	sem_init(&other.done, 0, 0);
	ASSERT(!pthread_create(&thread, NULL, use_and_wait, NULL));
	while (sem_wait(&other.ready))
		;
	pool_reclaim(&other.pool->head);
	for (seed = 1; seed <= 300 / STEP_LESS; seed++) {
		unsigned int i;

		for (i = 0; i < 3; i++)
			objs[i] = pool_alloc_nocache(&other.pool->head);
		ASSERT(objs[2]);
		EXPECT(pool_shared_put_one(other.pool, objs[0], 0));
		EXPECT(pool_shared_put_one(other.pool, objs[1], 0));
		other.steps = 0;
		other.seed = seed * 88172645463325252ul;
		trap_on();
		objs[0] = __pool_alloc(&other.pool->head, 0);
		trap_off();
		refused += !objs[0];
		if (objs[0])
			test_free(other.pool, objs[0]);
		test_free(other.pool, objs[2]);
		pool_thread_idle();
		pool_reclaim(&other.pool->head);
	}
	signal(SIGTRAP, SIG_DFL);
	sem_post(&other.done);
	pthread_join(thread, NULL);
	EXPECT_EQ(refused, 0);
	EXPECT(other.moved > 0);
	EXPECT(test_quiet(other.pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&other.pool->head), NULL);
}
