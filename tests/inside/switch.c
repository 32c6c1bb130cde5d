// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * switch.c - options that change while a pool is in use
 *
 * Layer:   tests, both worlds.
 * Context: the case's own thread and workers.
 */
#include "test.h"
#include "debug/profile.h"

static struct pool *plain(unsigned int size)
{
	pool_options.policy = POOL_POLICY_CONTINUE;
	return test_within(1 << 20, 8, size);
}

POOL_CASE(objects_of_before_a_switch_are_adopted, plain(64))
{
	unsigned int i;

	test_alloc_many(pool, test_objs, 600);
	test_free_many(pool, test_objs, 300);
	pool_switch(pool, POOL_D_INTEGRITY, 0);
	for (i = 0; i < 300; i++)
		((char *)test_objs[i])[3] ^= 1;
	test_free_many(pool, test_objs + 300, 300);
	EXPECT_EQ(test_faults(pool), 0);
	test_free(pool, test_objs[400]);
	EXPECT_EQ(test_faults(pool), 1);
	test_wave(pool, 600);
	EXPECT_EQ(test_faults(pool), 1);
}

POOL_CASE(what_was_sealed_is_checked_after_a_switch_back, plain(64))
{
	unsigned int i;

	pool_switch(pool, POOL_D_INTEGRITY, 0);
	test_wave(pool, 100);
	pool_switch(pool, 0, POOL_D_INTEGRITY);
	((char *)test_objs[7])[63] ^= 1;
	for (i = 0; i < 3; i++)
		test_wave(pool, 100);
	EXPECT_EQ(test_faults(pool), 1);
	test_quarantined = 1;
	EXPECT(test_local(pool)->hot.cap > 0);
}

/* Each call of a traced pool must write an event.  Hits write none, so there must be no hits. */
POOL_CASE(a_traced_pool_has_no_hits_and_keeps_its_caches, plain(64))
{
	void *obj;

	pool_fail_every = 0;
	test_wave(pool, 300);
	ASSERT(pool_set_debug(&pool->head, "trace"));
	test_wave(pool, 300);
	test_wave(pool, 300);
	EXPECT_EQ(test_local(pool)->hot.n, 0);
	EXPECT_EQ(test_local(pool)->hot.cap, 0);
	EXPECT_LE(250, test_sum(pool)->cached);
	EXPECT_LE(600, test_sum(pool)->spills);
	obj = test_alloc(pool);
	EXPECT(!pool_seal_of(obj));
	test_free(pool, obj);
	ASSERT(pool_set_debug(&pool->head, "-trace"));
	test_wave(pool, 300);
	EXPECT(test_local(pool)->hot.cap > 0);
	EXPECT_EQ(test_faults(pool), 0);
}

POOL_CASE(a_second_begin_of_checks_knows_nothing_of_the_first, plain(64))
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		pool_switch(pool, POOL_D_POISON, 0);
		test_alloc_many(pool, test_objs, 200);
		test_free_many(pool, test_objs, 100);
		pool_switch(pool, 0, POOL_D_POISON);
		test_free_many(pool, test_objs + 100, 100);
		test_wave(pool, 300);
	}
	EXPECT_EQ(test_faults(pool), 0);
}

POOL_CASE(all_pointers_are_judged_when_all_objects_are_known, plain(64))
{
	static unsigned char memory[64] __attribute__((aligned(64)));

	test_alloc_just(pool, test_objs, 50);
	pool_switch(pool, POOL_D_POISON, 0);
	test_free_many(pool, test_objs, 50);
	test_alloc_many(pool, test_objs, 50);
	test_free(pool, memory);
	EXPECT_EQ(plat_read(&pool->faults[POOL_FAULT_FOREIGN]), 1);
	test_free_many(pool, test_objs, 50);
	EXPECT_EQ(test_faults(pool), 1);
}

POOL_CASE(a_pool_told_not_to_cache_gives_all_back, plain(64))
{
	unsigned int i;

	test_wave(pool, 1000);
	pool_switch(pool, POOL_D_NO_CACHE, 0);
	for (i = 0; i < 20; i++)
		test_wave(pool, 100);
	EXPECT_EQ(test_sum(pool)->shared + test_sum(pool)->cached, 0);
	EXPECT(test_quiet(pool, 0));
	pool_switch(pool, 0, POOL_D_NO_CACHE);
	for (i = 0; i < 3; i++)
		test_wave(pool, 100);
	EXPECT(test_sum(pool)->cached > 0);
	pool_switch(pool, POOL_D_NO_GLOBAL, 0);
	test_wave(pool, 4000);
	EXPECT_EQ(test_sum(pool)->shared, 0);
}

/* The first pool finds empty clusters in the stash, the second one does not. */
POOLS_CASE(a_cpu_that_only_frees_gives_up_what_no_cache_may_have, 2, plain(64))
{
	test_alloc_just(pool, test_objs, 1000);
	test_free_many(pool, test_objs, 200);
	if (nth)
		pool_reclaim(NULL);
	pool_switch(pool, POOL_D_NO_CACHE, 0);
	test_free_many(pool, test_objs + 200, 800);
	EXPECT_EQ(test_sum(pool)->cached + test_sum(pool)->shared, 0);
}

PAIR_CASE(a_checked_pool_leaves_the_hits_of_others_alone, other, plain(64), pool, plain(64))
{
	struct pool_stats before, now;
	unsigned int i;

	pool_switch(pool, POOL_D_INTEGRITY | POOL_D_POISON, 0);
	test_wave(other, 2);
	pool_sum(other, &before);
	for (i = 0; i < 1000; i++) {
		void *obj = test_alloc(other);

		test_free(pool, test_alloc(pool));
		test_free(other, obj);
	}
	pool_sum(other, &now);
	EXPECT_EQ(now.fills + now.spills + now.gets + now.puts,
		  before.fills + before.spills + before.gets + before.puts);
	EXPECT_EQ(now.store_gets, before.store_gets);
	EXPECT(test_local(other)->hot.slots);
	EXPECT_EQ(test_local(pool)->hot.slots, 0);
}

POOL_CASE(generations_that_come_again_know_nothing_of_the_first, plain(64))
{
	unsigned int gen;
	void *obj;

	pool_switch(pool, POOL_D_POISON, 0);
	obj = test_alloc(pool);
	test_free(pool, obj);
	gen = pool->debug / POOL_D_GEN;
	pool_switch(pool, 0, POOL_D_POISON);
	obj = test_alloc(pool);
	pool->debug -= 3 * POOL_D_GEN;
	pool_switch(pool, POOL_D_POISON, 0);
	while (pool->debug / POOL_D_GEN != gen) {
		pool_switch(pool, 0, POOL_D_POISON);
		pool_switch(pool, POOL_D_POISON, 0);
	}
	test_free(pool, obj);
	EXPECT_EQ(test_faults(pool), 0);
}

/*
 * The number of the first generation comes again, and objects still have marks of that earlier
 * generation.
 */
POOL_CASE(what_is_no_object_is_found_after_many_generations, plain(64))
{
	static unsigned char memory[64] __attribute__((aligned(64)));

	pool_switch(pool, POOL_D_INTEGRITY, 0);
	test_alloc_just(pool, test_objs, 100);
	test_free_many(pool, test_objs + 50, 50);
	pool_switch(pool, 0, POOL_D_INTEGRITY);
	pool->debug += (POOL_D_GENS - 1) * POOL_D_GEN;
	pool_switch(pool, POOL_D_INTEGRITY, 0);
	pool_reclaim(&pool->head);
	test_free_many(pool, test_objs, 50);
	test_alloc_just(pool, test_objs, 100);
	test_free(pool, memory);
	EXPECT_EQ(plat_read(&pool->faults[POOL_FAULT_FOREIGN]), 1);
	test_free_many(pool, test_objs, 100);
	EXPECT_EQ(test_faults(pool), 1);
}

/* Return how many frees are counted for places that allocate. */
static unsigned long credited(void)
{
	struct pool_place place;
	unsigned long sum = 0;
	unsigned int nr;

	for (nr = 0; nr < POOL_PROFILE_BINS; nr++)
		if (pool_profile_read(nr, &place) && !place.known)
			sum += place.allocs ? place.frees : 0;
	return sum;
}

POOL_CASE(who_allocated_unseen_is_not_taken_for_who_did_before, plain(64))
{
	unsigned long before;
	void *obj;

	pool_switch(pool, POOL_D_MEMSTATS, 0);
	obj = test_alloc(pool);
	before = credited();
	test_free(pool, obj);
	EXPECT_EQ(credited(), before + 1);
	pool_switch(pool, 0, POOL_D_MEMSTATS);
	obj = test_alloc(pool);
	pool_switch(pool, POOL_D_MEMSTATS, 0);
	test_free(pool, obj);
	EXPECT_EQ(credited(), before + 1);
}

struct load {
	struct pool *pool;
	unsigned long running;
	unsigned long bad;
};

/* Allocate, write to and free objects, which no other worker may have meanwhile. */
static void use(struct load *load, unsigned int i, unsigned long *seed)
{
	unsigned long *objs[32];
	unsigned int n = 1 + test_random(seed) % 32;
	unsigned int j;

	for (j = 0; j < n; j++) {
		objs[j] = test_alloc(load->pool);
		if (objs[j])
			*objs[j] = i;
	}
	for (j = 0; j < n; j++) {
		if (objs[j] && *objs[j] != i)
			plat_word_add(&load->bad, 1);
		pool_free(&load->pool->head, objs[j]);
	}
}

static void toggle(struct load *load)
{
	static const unsigned int words[] = {
		POOL_D_INTEGRITY, POOL_D_POISON, POOL_D_COLD_FIRST,
		POOL_D_INTEGRITY | POOL_D_COLD_FIRST, POOL_D_NO_CACHE,
		POOL_D_NO_GLOBAL, POOL_D_MEMSTATS,
	};
	unsigned int i;

	for (i = 0; plat_read(&load->running); i++) {
		unsigned int word = words[i % ARRAY_LEN(words)];

		pool_switch(load->pool, word, 0);
		plat_pause(true);
		pool_switch(load->pool, 0, word);
		plat_pause(true);
	}
}

static void work(unsigned int i, void *arg)
{
	unsigned long seed = 88172645463325252ul + i;
	struct load *load = arg;
	unsigned long r;

	plat_cpu_ready(load->pool, 0);
	if (!i) {
		toggle(load);
		return;
	}
	for (r = 0; r < test_scale(20000); r++) {
		use(load, i, &seed);
		if (r % 64 == 0)
			plat_pause(true);
	}
	pool_word_sub(&load->running, 1);
}

POOL_CASE(switches_under_load_lose_nothing_and_find_nothing, plain(64))
{
	struct load load = { .pool = pool, .running = 3 };

	test_options(65536, 8);
	test_threads(4, work, &load);
	EXPECT_EQ(plat_read(&load.bad), 0);
	EXPECT_EQ(test_faults(pool), 0);
}

TEST_CASE(a_pool_that_was_switched_back_is_merged_with)
{
	struct pool_head *a, *b;

	test_mode(0);
	a = create_pool("a", 64, MEM_F_SHARED);
	ASSERT(a);
	EXPECT(pool_set_debug(a, "integrity"));
	b = create_pool("b", 64, MEM_F_SHARED);
	EXPECT(b && b != a);
	pool_destroy(b);
	EXPECT(pool_set_debug(a, "-integrity"));
	b = create_pool("b", 64, MEM_F_SHARED);
	EXPECT_PTR_EQ(b, a);
	pool_destroy(a);
	pool_destroy(a);
}

/* Worker 0 switches, the others allocate and free. */
static void switch_or_use(unsigned int i, void *arg)
{
	static const char * const turns[] = {
		"integrity", "no-cache", "-integrity", "no-global", "cache",
		"cold-first", "global", "hot-first",
	};
	struct pool *pool = arg;
	unsigned long r;
	void **objs = test_objs + i * TEST_SOME;

	for (r = 0; r < test_scale(i ? 4000 : 800); r++) {
		if (!i) {
			pool_set_debug(r & 1 ? &pool->head : NULL,
				       turns[r % 8]);
			continue;
		}
		test_alloc_many(pool, objs, TEST_SOME);
		test_free_many(pool, objs, TEST_SOME);
	}
}

POOL_CASE(switching_under_load_loses_nothing, test_in_mode(0, 64))
{
	test_threads(4, switch_or_use, pool);
}
