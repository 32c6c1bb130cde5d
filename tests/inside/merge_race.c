// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * merge_race.c - creating, destroying and using equal pools, all at once
 *
 * Layer:   tests of common/life/create.c, merge.c and registry.c.
 */
#include "test.h"

static struct pool_head *shared(unsigned int size, unsigned int mode)
{
	struct pool_attr attr = {
		.name = "shared", .size = size, .flags = MEM_F_SHARED,
		.mode = mode,
	};

	return create_pool_ext(&attr);
}

/* Create, use and destroy a pool that equals those of others; count in @bad what goes wrong. */
static void live(unsigned int i, unsigned int mode, unsigned long *bad)
{
	struct pool_head *pool = shared(64, mode);
	unsigned char *objs[20];
	unsigned int k;

	if (!pool) {
		plat_word_add(bad, 1);
		return;
	}
	for (k = 0; k < 20; k++) {
		objs[k] = test_alloc(pool_of(pool));
		if (objs[k])
			memset(objs[k], (int)i, 64);
	}
	for (k = 0; k < 20; k++) {
		if (objs[k] && (objs[k][0] != i || objs[k][63] != i))
			plat_word_add(bad, 1);
		pool_free(pool, objs[k]);
	}
	if (pool->size != 64 || pool_destroy(pool))
		plat_word_add(bad, 1);
}

static void live_often(unsigned int i, void *arg)
{
	struct crowd *c = arg;
	unsigned long r;

	for (r = 0; r < test_scale(300); r++)
		live(i, POOL_M_GLOBAL, &c->bad);
	for (r = 0; r < test_scale(300); r++)
		live(i, POOL_M_NO_CACHE, &c->bad);
}

TEST_CASE(equal_pools_come_and_go_at_once)
{
	EXPECT_EQ(test_crowd(4, live_often, NULL), 0);
	EXPECT_PTR_EQ(pool_registry_next(NULL), NULL);
	EXPECT_EQ(pool_total_allocated(), 0);
}

struct storm {
	struct pool_head *pool;
	unsigned long done;
	unsigned long bad;
};

/* Create pools of sizes around 16000: smaller ones must join that pool, larger ones must not. */
static void come_and_go(struct storm *s)
{
	unsigned long r;

	for (r = 0; r < test_scale(4000); r++) {
		unsigned int size = 15984 + 16 * (unsigned int)(r % 3);
		struct pool_head *pool = shared(size, POOL_M_NO_CACHE);
		bool joins = pool == s->pool;
		bool fits = size <= 16000;

		if (!pool || joins != fits || pool_destroy(pool))
			plat_word_add(&s->bad, 1);
	}
	plat_word_add(&s->done, 1);
}

static void use_whole(unsigned int i, struct storm *s)
{
	unsigned char *obj = pool_alloc(s->pool);

	if (!obj)
		return;
	memset(obj, (int)i, 16000);
	if (obj[0] != i || obj[15999] != i ||
	    plat_read(&s->pool->size) != 16000)
		plat_word_add(&s->bad, 1);
	pool_free(s->pool, obj);
}

static void come_or_use(unsigned int i, void *arg)
{
	struct storm *s = arg;
	unsigned int k;

	if (!i)
		come_and_go(s);
	while (i && !plat_read(&s->done)) {
		for (k = 0; k < 8 * i; k++)
			use_whole(i, s);
		plat_pause(true);
	}
}

TEST_CASE(a_pool_in_use_keeps_its_size_whoever_comes)
{
	struct storm s = { .pool = shared(16000, POOL_M_NO_CACHE) };

	ASSERT(s.pool);
	test_threads(3, come_or_use, &s);
	EXPECT_EQ(plat_read(&s.bad), 0);
	EXPECT(test_quiet(pool_of(s.pool), 0));
	EXPECT_PTR_EQ(pool_destroy(s.pool), NULL);
}

static void live_near(unsigned int i, void *arg)
{
	struct crowd *c = arg;
	unsigned long r;

	for (r = 0; r < test_scale(300); r++) {
		unsigned int size = 3200 + 16 * ((unsigned int)(r + i) % 3);
		struct pool_head *pool = shared(size, POOL_M_GLOBAL);
		unsigned char *obj;

		if (!pool || pool->size < size) {
			plat_word_add(&c->bad, 1);
			continue;
		}
		obj = test_alloc(pool_of(pool));
		if (obj)
			memset(obj, 1, pool->size);
		pool_free(pool, obj);
		if (pool_destroy(pool))
			plat_word_add(&c->bad, 1);
	}
}

TEST_CASE(near_pools_come_and_go_at_once)
{
	test_options(16384, 8);
	EXPECT_EQ(test_crowd(4, live_near, NULL), 0);
	EXPECT_PTR_EQ(pool_registry_next(NULL), NULL);
}

struct leaving {
	struct pool_head *pool;
	unsigned long started;
	unsigned long done;
	unsigned long bad;
};

/* Wait until another worker is done; false after 2000 pauses, which are ticks in a kernel. */
static bool comes(const unsigned long *done)
{
	unsigned int tries = 2000;
	unsigned int k;

	while (!plat_read(done) && tries--) {
		for (k = 0; k < 20000; k++)
			plat_pause(false);
		plat_pause(true);
	}
	return plat_read(done);
}

/* Worker 0 ends the last registration, while worker 1 makes another one. */
static void leave_or_join(unsigned int i, void *arg)
{
	struct leaving *l = arg;
	unsigned int k;

	if (!i) {
		plat_word_add(&l->started, 1);
		if (pool_destroy(l->pool))
			plat_word_add(&l->bad, 1);
		plat_word_add(&l->done, 1);
		return;
	}
	test_await(&l->started, 1);
	for (k = 0; k < 20; k++)
		plat_pause(true);
	if (shared(64, POOL_M_GLOBAL) != l->pool)
		plat_word_add(&l->bad, 1);
	if (!comes(&l->done))
		plat_word_add(&l->bad, 1);
	pool_registry_put(pool_of(l->pool));
}

/*
 * A walk that is at the pool prevents the count of its objects.  When another registration has come
 * meanwhile, the destruction must end without waiting for that walk.
 */
TEST_CASE(a_destruction_that_is_not_the_last_any_more_ends)
{
	struct leaving l = { .pool = shared(64, POOL_M_GLOBAL) };
	struct pool *pinned;

	ASSERT(l.pool);
	pinned = pool_registry_next(NULL);
	ASSERT(pinned == pool_of(l.pool));
	test_threads(2, leave_or_join, &l);
	EXPECT_EQ(plat_read(&l.bad), 0);
	EXPECT_EQ(plat_read(&l.done), 1);
	EXPECT_PTR_EQ(pool_destroy(l.pool), NULL);
}

struct visit {
	struct pool_head *at;
	struct pool_head *made;
	unsigned long there;
	unsigned long done;
	bool in_time;
};

/* Wait at the pool until the creation ends, which must not wait for this walk. */
static void stay_at(struct pool_head *pool, void *arg)
{
	struct visit *v = arg;

	if (pool != v->at)
		return;
	plat_word_add(&v->there, 1);
	v->in_time = comes(&v->done);
}

/* Worker 0 walks over the pools, the other one creates a pool of a near size. */
static void walk_or_create(unsigned int i, void *arg)
{
	struct visit *v = arg;

	if (!i) {
		pool_for_each(stay_at, v);
		return;
	}
	test_await(&v->there, 1);
	v->made = shared(3184, POOL_M_NO_CACHE);
	plat_word_add(&v->done, 1);
}

/*
 * A function that a walk calls may fork or set options, both of which wait for creations.  If a
 * creation waited for the walk, they would wait for each other.
 */
TEST_CASE(a_creation_does_not_wait_for_a_walk_that_calls_a_function)
{
	struct visit v = { .at = shared(3200, POOL_M_NO_CACHE) };

	ASSERT(v.at);
	test_threads(2, walk_or_create, &v);
	EXPECT(v.in_time);
	EXPECT_PTR_EQ(v.made, v.at);
	pool_destroy_all();
}
