// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stress.c - all CPUs, all layers, at once
 *
 * Layer:   tests of common/, as a whole.
 *
 * Bounded by iterations; contents are checked.
 */
#include "test.h"

#define POOLS	4
#define SLOTS	256

struct storm {
	struct pool *pool[POOLS];
	void *slot[SLOTS];		/* objects passed to another CPU */
	unsigned long running;
	unsigned long bad;
	unsigned long rounds;
};

/* Write the number of its pool to both ends of an object. */
static void mark(void *obj, unsigned int pool)
{
	unsigned int *word = obj;

	word[0] = pool;
	word[3] = ~pool;
}

static bool marked(void *obj, unsigned int pool)
{
	unsigned int *word = obj;

	return word[0] == pool && word[3] == ~pool;
}

static void *storm_alloc(struct storm *s, unsigned int which,
			 unsigned int flags)
{
	void *obj = __pool_alloc(&s->pool[which]->head, flags);

	if (obj)
		mark(obj, which);
	return obj;
}

static void storm_free(struct storm *s, void *obj)
{
	unsigned int which = *(unsigned int *)obj;

	if (which >= POOLS || !marked(obj, which)) {
		plat_word_add(&s->bad, 1);
		return;
	}
	memset(obj, 0xee, 16);
	pool_free(&s->pool[which]->head, obj);
}

/*
 * Exchange an object, or NULL, with the object in a slot, and free what was in the slot, often an
 * object of another CPU.
 */
static void storm_round(struct storm *s, unsigned long *seed)
{
	unsigned long r = test_random(seed);
	void *obj = NULL;

	if (r & 1)
		obj = storm_alloc(s, (r >> 1) % POOLS,
				  r & 0x100 ? POOL_F_ATOMIC : 0);
	obj = test_swap(&s->slot[(r >> 16) % SLOTS], obj);
	if (obj)
		storm_free(s, obj);
}

static void storm(unsigned int i, void *arg)
{
	struct storm *s = arg;
	unsigned long seed = 0x9e3779b97f4a7c15ul * (i + 1);
	unsigned long r;

	for (r = 0; r < s->rounds; r++) {
		storm_round(s, &seed);
		if (r % 256 == 255)
			plat_pause(true);
	}
	pool_word_sub(&s->running, 1);
}

/* The first worker reclaims, and reads numbers, while the others work. */
static void storm_and_reclaim(unsigned int i, void *arg)
{
	struct storm *s = arg;
	struct pool_stats now;

	if (i) {
		storm(i, arg);
		return;
	}
	while (plat_read(&s->running)) {
		void *obj = pool_take_remote(s->pool[0], 0);

		if (obj)
			pool_free(&s->pool[0]->head, obj);
		pool_flush(&s->pool[1]->head);
		pool_gc(NULL);
		pool_sum(s->pool[2], &now);
		plat_pause(true);
	}
}

static struct storm *storm_new(unsigned long rounds, unsigned int running)
{
	struct storm *s = plat_mem_alloc(sizeof(*s), PLAT_MEM_SLEEP);
	unsigned int i;

	if (!s)
		return NULL;
	s->rounds = test_scale(rounds);
	plat_word_add(&s->running, running);
	for (i = 0; i < POOLS; i++) {
		s->pool[i] = test_pool(16 << (2 * i));
		if (!s->pool[i])
			return NULL;
	}
	return s;
}

/* Free the objects in the slots, and destroy the pools; true if all numbers add up. */
static bool storm_end(struct storm *s)
{
	bool good = !plat_read(&s->bad);
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		if (s->slot[i])
			storm_free(s, s->slot[i]);
	for (i = 0; i < POOLS; i++) {
		good = good && test_quiet(s->pool[i], 0);
		good = !pool_destroy(&s->pool[i]->head) && good;
	}
	plat_mem_free(s);
	return good;
}

/* Let four workers run @fn, of which @running make the rounds.  True if nothing went wrong. */
static bool weathered(void (*fn)(unsigned int i, void *arg),
		      unsigned long rounds, unsigned int running)
{
	struct storm *s = storm_new(rounds, running);

	if (!s)
		return false;
	test_threads(4, fn, s);
	return storm_end(s);
}

TEST_CASE(objects_that_change_cpus_keep_their_contents)
{
	test_options(32768, 8);
	EXPECT(weathered(storm, 100000, 4));
}

TEST_CASE(reclaim_under_load_loses_nothing)
{
	test_options(16384, 4);
	EXPECT(weathered(storm_and_reclaim, 50000, 3));
}

TEST_CASE(a_failing_backend_under_load_loses_nothing)
{
	test_options(16384, 4);
	pool_fail_every = 3;
	EXPECT(weathered(storm, 50000, 4));
}

TEST_CASE(no_mode_loses_anything_under_load)
{
	static const unsigned int modes[] = {
		0, POOL_D_NO_GLOBAL,
		POOL_D_NO_GLOBAL | POOL_D_NO_CACHE,
	};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		test_options(16384, 8);
		test_mode(modes[i]);
		EXPECT(weathered(storm, 20000, 4));
	}
}

static void churn_bound(unsigned int i, void *arg)
{
	struct storm *s = arg;
	unsigned long r;

	if (i) {
		storm(i, s);
		return;
	}
	for (r = 0; plat_read(&s->running); r++) {
		pool_set_hot_size(r & 1 ? 65536 : 2048);
		plat_pause(true);
	}
	pool_set_hot_size(65536);
}

TEST_CASE(the_bound_may_change_under_load)
{
	test_options(65536, 8);
	EXPECT(weathered(churn_bound, 40000, 3));
}
