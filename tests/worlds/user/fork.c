// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fork.c - forks while other threads are in chosen places
 *
 * Layer:   tests of user/fork.c and user/thread.c.
 * Context: see test.h and life.h.
 */
#include "life.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* A thread that calls @begin, stops, and calls @end only when the case tells it to. */
struct stayer {
	pthread_t thread;
	pthread_barrier_t meet;
	void (*begin)(struct stayer *s);
	void (*end)(struct stayer *s);
	struct pool *pool;
	struct pool_local *local;	/* the thread's part of the pool */
	struct pool_cluster *c;
	void *parked;
	unsigned int n;			/* objects in its array, or that it moves */
	unsigned long held;		/* threads that hold a lock or a bucket */
	bool well;
};

static void *stayer_main(void *arg)
{
	struct stayer *s = arg;
	void *objs[TEST_SOME];

	test_alloc_many(s->pool, objs, TEST_SOME);
	test_free_many(s->pool, objs, TEST_SOME);
	s->local = test_local(s->pool);
	s->begin(s);
	pthread_barrier_wait(&s->meet);
	pthread_barrier_wait(&s->meet);
	s->end(s);
	return NULL;
}

/* Start the thread; returns once it has called @begin and stopped. */
static void stayer_start(struct stayer *s)
{
	pthread_barrier_init(&s->meet, NULL, 2);
	ck_assert(!pthread_create(&s->thread, NULL, stayer_main, s));
	pthread_barrier_wait(&s->meet);
}

static void stayer_finish(struct stayer *s)
{
	pthread_barrier_wait(&s->meet);
	pthread_join(s->thread, NULL);
	pthread_barrier_destroy(&s->meet);
}

static void begin_open(struct stayer *s)
{
	s->n = plat_read(&s->local->hot.n);
}

static void end_open(struct stayer *s)
{
	(void)s;
}

/* Leave the array as a thread that is interrupted between two instructions of a hit does. */
static void begin_held(struct stayer *s)
{
	s->n = plat_read(&s->local->hot.n);
	plat_write(&s->local->hot.open, POOL_HELD);
}

static void end_held(struct stayer *s)
{
	plat_write(&s->local->hot.open, POOL_OPEN);
}

/*
 * Leave the pool as four threads do: one moves an evicted cluster to the shared pool, one walks
 * over the pools, one has taken all parked objects, and one has counted, but not yet pushed, spare
 * clusters.
 */
static void begin_moving(struct stayer *s)
{

	pool_park(s->pool, test_alloc(s->pool));
	pool_park(s->pool, test_alloc(s->pool));
	s->parked = plat_xchg_acquire(&s->local->parked.head, NULL);
	/* Pin the pool, as a walk that has reached the pool does. */
	plat_mutex_lock(PLAT_REGISTRY);
	s->well = pool_registry_pin(s->pool);
	plat_mutex_unlock(PLAT_REGISTRY);
	plat_cpu_lock(s->local->cpu);
	s->c = pool_cluster_newest(s->local);
	pool_cluster_detach(s->c);
	plat_cpu_unlock(s->local->cpu);
	plat_word_add(&s->pool->spares, POOL_SPARES_MAX + 1);
	s->n = s->c->n + 2;
}

static void end_moving(struct stayer *s)
{
	unsigned int n = s->c->n;

	pool_put_cluster_below(s->pool, s->c, 0);
	pool_cluster_settled(s->local, n);
	pool_word_sub(&s->pool->spares, POOL_SPARES_MAX + 1);
	pool_registry_put(s->pool);
	plat_write_release(&s->local->parked.head, s->parked);
}

/* Hold a CPU lock, or a bucket, for a moment, as a descheduled thread would. */
static void *lock_a_while(void *arg)
{
	struct stayer *s = arg;

	plat_cpu_lock(s->local->cpu);
	plat_word_add(&s->held, 1);
	usleep(20000);
	s->well = true;
	plat_cpu_unlock(s->local->cpu);
	return NULL;
}

static void *busy_a_while(void *arg)
{
	struct stayer *s = arg;

	s->c = plat_xchg_acquire(&s->pool->bucket[0].head, POOL_BUSY);
	plat_word_add(&s->held, 1);
	usleep(20000);
	s->well = true;
	plat_write_release(&s->pool->bucket[0].head, s->c);
	return NULL;
}

/* Find all of the pool in the child, except what was lost, and end the pool. */
static void find_all_but(void *arg)
{
	struct stayer *s = arg;
	unsigned int cpus = test_nr_cpus();
	struct pool_stats now;

	pool_sum(s->pool, &now);
	NEED(now.abandoned == s->n);
	NEED(now.moving == 0 && now.parked == 0);
	NEED(now.used == s->n);
	NEED(test_quiet(s->pool, s->n));
	NEED(areas_are_true());
	pool_gc(NULL);
	NEED(areas_are_true() && others_are_empty());
	NEED(objects_are_distinct(s->pool));
	NEED(test_quiet(s->pool, s->n) && test_bound_holds());
	NEED(!s->pool->pins);
	NEED(plat_read(&s->pool->spares) <= POOL_SPARES_MIN);
	NEED(!pool_destroy(&s->pool->head));
	NEED(test_nr_cpus() == cpus);
	NEED(!test_charged());
}

static bool stay_and_fork(struct stayer *s)
{
	bool well;

	pool_fail_every = 0;
	s->pool = test_pool(64);
	ck_assert(s->pool);
	test_wave(s->pool, 30);
	stayer_start(s);
	well = child_is_well(find_all_but, s);
	stayer_finish(s);
	well = well && test_quiet(s->pool, 0) && !s->pool->abandoned;
	return !pool_destroy(&s->pool->head) && well;
}

static void find_open(void *arg)
{
	struct stayer *s = arg;

	NEED(s->n > 0);
	s->n = 0;
	find_all_but(s);
}

TEST_CASE(a_child_takes_over_what_open_arrays_have)
{
	struct stayer s = { .begin = begin_open, .end = end_open };

	s.pool = test_pool(64);
	ASSERT(s.pool);
	stayer_start(&s);
	EXPECT(child_is_well(find_open, &s));
	stayer_finish(&s);
	EXPECT(test_quiet(s.pool, 0));
	pool_destroy(&s.pool->head);
}

/* Find a spare cluster that has another cluster in its slots. */
static void find_both(void *arg)
{
	struct pool *pool = arg;

	NEED(plat_read(&pool->spares) == 2);
	NEED(pool_cluster_trim(pool) == 2 * sizeof(struct pool_cluster));
	NEED(!plat_read(&pool->spares) && !plat_read(&pool->spare));
}

POOL_CASE(a_child_has_the_empty_clusters_that_are_in_spares, test_pool(64))
{
	struct pool_cluster *box = test_cluster_box();

	ASSERT(box);
	pool_cluster_put(pool, box, POOL_F_ATOMIC);
	EXPECT(child_is_well(find_both, pool));
}

TEST_CASE(exactly_what_a_held_array_has_is_abandoned)
{
	struct stayer s = { .begin = begin_held, .end = end_held };

	EXPECT(stay_and_fork(&s));
	EXPECT(s.n > 0);
}

TEST_CASE(exactly_what_others_were_moving_is_abandoned)
{
	struct stayer s = { .begin = begin_moving, .end = end_moving };

	EXPECT(stay_and_fork(&s));
	EXPECT(s.n > 2 && s.well);
}

static void find_released(void *arg)
{
	struct stayer *s = arg;

	NEED(s->well);
	NEED(plat_read(&s->pool->bucket[0].head) != POOL_BUSY);
	s->n = 0;
	find_all_but(s);
}

/* Fork while another thread holds a lock or a bucket for a moment. */
static bool fork_waits(struct stayer *s, void *(*hold)(void *arg))
{
	pthread_t thread;
	bool well;

	s->pool = test_pool(64);
	ck_assert(s->pool);
	stayer_start(s);
	ck_assert(!pthread_create(&thread, NULL, hold, s));
	while (!plat_read(&s->held))
		plat_pause(true);
	well = child_is_well(find_released, s);
	pthread_join(thread, NULL);
	stayer_finish(s);
	well = well && test_quiet(s->pool, 0);
	return !pool_destroy(&s->pool->head) && well;
}

TEST_CASE(a_fork_waits_for_who_holds_a_cpu_lock)
{
	struct stayer s = { .begin = begin_open, .end = end_open };

	EXPECT(fork_waits(&s, lock_a_while));
}

TEST_CASE(a_fork_waits_for_who_holds_a_bucket)
{
	struct stayer s = { .begin = begin_open, .end = end_open };

	EXPECT(fork_waits(&s, busy_a_while));
}

/* Use the pool in a child whose thread has no area yet: it gets one that a thread left. */
static void use_as_new(void *arg)
{
	unsigned int cpus = test_nr_cpus();

	NEED(!test_cpu());
	NEED(adds_up(arg));
	pool_gc(NULL);
	NEED(objects_are_distinct(arg));
	NEED(adds_up(arg) && areas_are_true());
	NEED(test_nr_cpus() == cpus);
	if (pool_thread_area != plat_area_lost)
		NEED(test_cpu());
	NEED(!pool_destroy(&((struct pool *)arg)->head));
}

static void find_it_ended(void *arg)
{
	NEED(!pool_registry_next(arg));
	NEED(!test_charged() && others_are_empty());
}

/* Destroy the pool in a thread that must wait, because a walk has pinned the pool. */
TEST_CASE(a_child_ends_pools_that_others_were_ending)
{
	struct stayer s = { .begin = begin_open, .end = end_open };
	unsigned long seen;

	s.pool = test_pool(64);
	ASSERT(s.pool);
	seen = s.pool->joins;
	test_wave(s.pool, 30);
	stayer_start(&s);
	EXPECT_EQ(pool_registry_drop(s.pool, NULL, NULL, &seen), POOL_ENDS);
	EXPECT(child_is_well(find_it_ended, NULL));
	stayer_finish(&s);
	pool_end(s.pool, 0);
}

static void *fork_in_new_thread(void *arg)
{
	return child_is_well(use_as_new, arg) ? arg : NULL;
}

static unsigned long late_forks;
static pthread_key_t fork_key;

/* libpool's key was made first, so its destructor releases the area before this destructor runs. */
static void fork_late(void *arg)
{
	if (child_is_well(use_as_new, arg))
		plat_word_add(&late_forks, 1);
}

static void *exit_forking(void *arg)
{
	use_pool(0, arg);
	pthread_setspecific(fork_key, arg);
	return NULL;
}

POOL_CASE(threads_without_an_area_may_fork, test_pool(64))
{
	pthread_t thread;
	void *well;

	test_wave(pool, 50);
	ASSERT(!pthread_create(&thread, NULL, fork_in_new_thread, pool));
	pthread_join(thread, &well);
	EXPECT_PTR_EQ(well, pool);
	ASSERT(!pthread_key_create(&fork_key, fork_late));
	ASSERT(!pthread_create(&thread, NULL, exit_forking, pool));
	pthread_join(thread, NULL);
	pthread_key_delete(fork_key);
	EXPECT_EQ(plat_read(&late_forks), 1);
}

static void use_its_array(unsigned int i, void *arg)
{
	struct stayer *s = arg;
	void *obj = test_alloc(s->pool);

	(void)i;
	s->well = test_local(s->pool) == s->local && plat_read(&s->local->hot.n) == s->n - 1;
	test_free(s->pool, obj);
}

/* Find the objects in that area, until a thread of the child takes the area over and ends. */
static void find_untouched(void *arg)
{
	struct stayer *s = arg;

	NEED(plat_read(&s->local->hot.n) == s->n);
	test_threads(1, use_its_array, s);
	NEED(s->well);
	NEED(others_are_empty() && test_quiet(s->pool, 0));
}

POOL_CASE(a_thread_of_a_child_takes_over_the_area_of_one_that_is_gone, test_pool(64))
{
	struct stayer s = { .pool = pool, .begin = begin_open, .end = end_open };

	if (UNDER_TSAN)
		SKIP_BECAUSE("ThreadSanitizer lets no child start threads");
	pool_fail_every = 0;
	stayer_start(&s);
	EXPECT(s.n > 0);
	EXPECT(child_is_well(find_untouched, &s));
	stayer_finish(&s);
}

/* The child's only thread waits for an object that is in the array of a gone thread. */
static void wait_for_it(void *arg)
{
	struct stayer *s = arg;

	NEED(pool_set_limit(&s->pool->head, (unsigned int)pool_allocated(s->pool)));
	while (plat_read(&s->local->hot.n))
		NEED(pool_alloc_timeout(&s->pool->head, 0, 60000));
}

POOL_CASE(a_child_that_waits_has_what_arrays_of_gone_threads_have, test_pool(64))
{
	struct stayer s = { .pool = pool, .begin = begin_open, .end = end_open };

	pool_fail_every = 0;
	stayer_start(&s);
	EXPECT(s.n > 0);
	EXPECT(child_is_well(wait_for_it, &s));
	stayer_finish(&s);
}

#define CROWD	5

static pthread_barrier_t crowd;
static unsigned char *crowd_area[2 * CROWD];

/* Run as one of many threads that exist at once. */
static void join_crowd(unsigned int i, void *arg)
{
	use_pool(i, arg);
	crowd_area[i] = pool_thread_area;
	pthread_barrier_wait(&crowd);
}

/* True if @n threads, and this one, have an area each at the same time. */
static bool crowd_meets(struct pool *pool, unsigned int n)
{
	unsigned int i, k;

	pthread_barrier_init(&crowd, NULL, n);
	test_threads(n, join_crowd, pool);
	pthread_barrier_destroy(&crowd);
	for (i = 0; i < n; i++) {
		if (crowd_area[i] == pool_thread_area)
			return false;
		for (k = 0; k < i; k++)
			if (crowd_area[i] == crowd_area[k])
				return false;
	}
	return true;
}

/* Start a thread for each area that is free or belongs to a gone thread. */
static void start_threads(void *arg)
{
	unsigned int cpus = test_nr_cpus();

	NEED(crowd_meets(arg, CROWD));
	NEED(test_nr_cpus() == cpus);
	NEED(crowd_meets(arg, 2 * CROWD));
	NEED(adds_up(arg));
	NEED(areas_are_true() && others_are_empty());
	NEED(!pool_destroy(&((struct pool *)arg)->head));
}

POOL_CASE(a_child_starts_threads_of_its_own, test_pool(64))
{
	struct stayer s = { .pool = pool, .begin = begin_open, .end = end_open };

	if (UNDER_TSAN)
		SKIP_BECAUSE("ThreadSanitizer lets no child start threads");
	EXPECT(crowd_meets(s.pool, CROWD));
	stayer_start(&s);
	EXPECT(child_is_well(start_threads, s.pool));
	stayer_finish(&s);
}

static sigset_t mask_now(void)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	return mask;
}

static void need_mask(void *arg)
{
	sigset_t mask = mask_now();

	NEED(!arg);
	NEED(sigismember(&mask, SIGUSR1) == 1);
	NEED(sigismember(&mask, SIGUSR2) == 0);
}

TEST_CASE(a_fork_leaves_the_signal_mask_alone)
{
	sigset_t usr1, old, mask;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &usr1, &old);
	EXPECT(child_is_well(need_mask, NULL));
	mask = mask_now();
	EXPECT_EQ(sigismember(&mask, SIGUSR1), 1);
	EXPECT_EQ(sigismember(&mask, SIGUSR2), 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}
