// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * storm.c - forks while other threads make all kinds of calls
 *
 * Layer:   tests of user/fork.c and user/thread.c.
 * Context: see test.h and life.h.
 */
#include "life.h"

#include <pthread.h>

/* Threads that make all kinds of calls while the case forks. */
#define STORM_POOLS	3
#define STORM_THREADS	4
#define STORM_KEPT	48
#define STORM_SLOTS	16

struct storm {
	pthread_t thread[STORM_THREADS];
	struct pool *pool[STORM_POOLS];
	void *slot[STORM_POOLS][STORM_SLOTS];	/* objects that threads pass to each other */
	struct pool *mine;			/* only the forking thread uses it */
	void *kept[STORM_KEPT];			/* objects of "mine" */
	unsigned long stop;
	unsigned long calm;			/* asks threads for hits only */
	unsigned long calmed;			/* threads that only hit now */
	unsigned long bad;
	unsigned long workers;
};

static void storm_step(struct storm *s, void **objs, unsigned long *random)
{
	unsigned long r = test_random(random);
	unsigned int p = r % STORM_POOLS;
	unsigned int k = r / 8 % STORM_KEPT;

	if (r / 1024 % 4 == 0) {
		objs[p * STORM_KEPT + k] =
			test_swap(&s->slot[p][k % STORM_SLOTS],
				  objs[p * STORM_KEPT + k]);
		return;
	}
	test_free(s->pool[p], objs[p * STORM_KEPT + k]);
	objs[p * STORM_KEPT + k] =
		r / 4096 % 2 ? test_alloc(s->pool[p]) : NULL;
}

/* Make hits, so that a fork finds this thread in the middle of a hit. */
static void storm_hits(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < 500; i++)
		test_free(pool, test_alloc(pool));
}

static void storm_own_pool(struct storm *s)
{
	struct pool_head *own = create_pool("own", 96, 0);

	if (!own)
		return;
	use_pool(0, pool_of(own));
	if (pool_destroy(own))
		plat_word_add(&s->bad, 1);
}

/* Make hits and no other calls until the fork is over. */
static void storm_calm(struct storm *s)
{
	struct pool_head *pool = &s->pool[0]->head;

	plat_word_add(&s->calmed, 1);
	while (plat_read(&s->calm)) {
		void *obj = pool_hot_get(pool);

		if (obj && !pool_hot_put(pool, obj))
			plat_word_add(&s->bad, 1);
	}
	pool_word_sub(&s->calmed, 1);
}

static void *storm_main(void *arg)
{
	void *objs[STORM_POOLS * STORM_KEPT] = { NULL };
	struct storm *s = arg;
	unsigned long random = plat_word_add(&s->workers, 1) * 7919;
	unsigned long i;

	for (i = 0; !plat_read(&s->stop); i++) {
		storm_step(s, objs, &random);
		if (plat_read(&s->calm))
			storm_calm(s);
		if (i % 16 == 0)
			storm_hits(s->pool[i / 16 % STORM_POOLS]);
		if (i % 128 == 0)
			use_pool(0, s->pool[i / 128 % STORM_POOLS]);
		if (i % 1024 == 0)
			storm_own_pool(s);
		if (i % 4096 == 0)
			pool_thread_idle();
		if (i % 8192 == 0)
			pool_gc(NULL);
	}
	for (i = 0; i < STORM_POOLS * STORM_KEPT; i++)
		test_free(s->pool[i / STORM_KEPT], objs[i]);
	return NULL;
}

static void storm_start(struct storm *s)
{
	unsigned int i;

	test_options(16384, 8);
	for (i = 0; i < STORM_POOLS; i++) {
		s->pool[i] = test_pool(64 << i);
		ck_assert(s->pool[i]);
	}
	s->mine = test_pool(48);
	ck_assert(s->mine);
	test_wave(s->mine, 100);
	test_alloc_many(s->mine, s->kept, STORM_KEPT);
	for (i = 0; i < STORM_KEPT; i++)
		*(unsigned long *)s->kept[i] = ~0ul - i;
	for (i = 0; i < STORM_THREADS; i++)
		ck_assert(!pthread_create(&s->thread[i], NULL, storm_main, s));
}

/* True if all that only the forking thread had is unchanged. */
static bool mine_is_whole(struct storm *s)
{
	unsigned int i;

	for (i = 0; i < STORM_KEPT; i++)
		if (*(unsigned long *)s->kept[i] != ~0ul - i)
			return false;
	return test_quiet(s->mine, STORM_KEPT) && !s->mine->abandoned;
}

/* End the storm; the parent must have lost nothing. */
static bool storm_end(struct storm *s)
{
	bool well = mine_is_whole(s);
	unsigned int i, k;

	plat_word_add(&s->stop, 1);
	for (i = 0; i < STORM_THREADS; i++)
		pthread_join(s->thread[i], NULL);
	for (i = 0; i < STORM_POOLS; i++) {
		for (k = 0; k < STORM_SLOTS; k++)
			test_free(s->pool[i], s->slot[i][k]);
		pool_gc(NULL);
		well = well && test_quiet(s->pool[i], 0);
		well = !pool_destroy(&s->pool[i]->head) && well;
	}
	test_free_many(s->mine, s->kept, STORM_KEPT);
	return !pool_destroy(&s->mine->head) && well &&
	       !plat_read(&s->bad);
}

/* Fail unless all numbers agree and all calls work, whatever other threads did at the fork. */
static void check_storm(struct storm *s)
{
	unsigned int i;

	NEED(areas_are_true());
	for (i = 0; i < STORM_POOLS; i++)
		NEED(adds_up(s->pool[i]));
	pool_gc(NULL);
	for (i = 0; i < STORM_POOLS; i++) {
		NEED(adds_up(s->pool[i]));
		NEED(objects_are_distinct(s->pool[i]));
		NEED(adds_up(s->pool[i]));
	}
	NEED(mine_is_whole(s));
	storm_own_pool(s);
	NEED(!plat_read(&s->bad));
	NEED(areas_are_true());
}

/* Fork in the child, too; this second fork must not lose further objects. */
static void weather_again(void *arg)
{
	struct storm *s = arg;

	check_storm(s);
	test_free_many(s->mine, s->kept, STORM_KEPT);
	NEED(!pool_destroy(&s->mine->head));
}

static void weather(void *arg)
{
	struct storm *s = arg;

	check_storm(s);
	NEED(child_is_well(weather_again, s));
	NEED(mine_is_whole(s));
	test_free_many(s->mine, s->kept, STORM_KEPT);
	NEED(!pool_destroy(&s->mine->head));
	pool_destroy_all();
	NEED(!pool_registry_next(NULL));
	NEED(!test_charged());
	storm_own_pool(s);
	NEED(!plat_read(&s->bad));
}

/* Fork less often under AddressSanitizer, because a fork also copies its shadow memory. */
static unsigned long storm_forks(void)
{
	return test_scale(UNDER_ASAN ? 40 : 200);
}

/*
 * A fork finds most threads waiting for malloc() or a lock.  If threads only make hits, it finds
 * them in the middle of a hit.  A checker's malloc() has locks that forks do not handle, so with a
 * checker no thread may be in malloc().
 */
static bool storm_fork(struct storm *s, bool calm)
{
	bool well;

	if (!calm && !UNDER_CHECKER)
		return child_is_well(weather, s);
	plat_word_add(&s->calm, 1);
	while (plat_read(&s->calmed) < STORM_THREADS)
		plat_pause(true);
	well = child_is_well(weather, s);
	pool_word_sub(&s->calm, 1);
	while (plat_read(&s->calmed))
		plat_pause(true);
	return well;
}

TEST_CASE(a_program_forks_while_its_threads_use_pools)
{
	static struct storm s;
	unsigned long i;

	s = (struct storm){ .stop = 0 };
	storm_start(&s);
	for (i = 0; i < storm_forks(); i++) {
		EXPECT(storm_fork(&s, i % 2));
		test_free(s.mine, test_alloc(s.mine));
	}
	EXPECT(storm_end(&s));
}
