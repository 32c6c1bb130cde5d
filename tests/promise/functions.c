// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * functions.c - promises of section 5: what each function does
 *
 * Layer:   tests, both worlds; public headers only.
 */
#include "case.h"

/* A program may keep the calls in a table, with the types of the document. */
TEST_CASE(documented_calls_have_addresses_and_types)
{
	struct pool_head *(*create)(char *, unsigned int, unsigned int) =
		create_pool;
	void *(*destroy)(struct pool_head *) = pool_destroy;
	void (*destroy_all)(void) = pool_destroy_all;
	void *(*alloc_flags)(struct pool_head *, unsigned int) = __pool_alloc;
	void *(*alloc)(struct pool_head *) = pool_alloc;
	void *(*alloc_nocache)(struct pool_head *) = pool_alloc_nocache;
	void *(*zalloc)(struct pool_head *) = pool_zalloc;
	void (*free_one)(struct pool_head *, void *) = pool_free;
	void (*flush)(struct pool_head *) = pool_flush;
	void (*gc)(struct pool_head *) = pool_gc;
	void (*dump_to_trash)(void) = dump_pools_to_trash;
	void (*dump)(void) = dump_pools;
	int (*failures)(void) = pool_total_failures;
	unsigned long long (*total_allocated)(void) = pool_total_allocated;
	unsigned long long (*total_used)(void) = pool_total_used;
	static char name[16] = "by address";
	struct pool_head *pool;

	test_inject(0);
	pool = create(name, 64, 0);
	ASSERT(pool);
	free_one(pool, alloc(pool));
	free_one(pool, zalloc(pool));
	free_one(pool, alloc_flags(pool, 0));
	free_one(pool, alloc_nocache(pool));
	flush(pool);
	gc(NULL);
	dump_to_trash();
	EXPECT(dump);
	EXPECT_EQ(failures(), 0);
	EXPECT(total_allocated() >= total_used());
	EXPECT_PTR_EQ(destroy(pool), NULL);
	EXPECT(create(name, 64, 0));
	destroy_all();
	EXPECT_EQ(test_count_pools(), 0);
}

static struct pool_head *long_name(void)
{
	static char name[5000];

	memset(name, 'n', sizeof(name) - 1);
	return create_pool(name, 64, 0);
}

HEAD_CASE(names_of_any_length_are_taken, long_name())
{
	EXPECT_EQ(strcmp(head_sum(pool)->name, "nnnnnnnnnnn"), 0);
}

/* Create a pool that may be merged. */
static struct pool_head *shared(const char *name, unsigned int size)
{
	return create_pool(name, size, MEM_F_SHARED);
}

/* Create a pool without caches that may be merged. */
static struct pool_head *plain(unsigned int size, unsigned int flags)
{
	struct pool_attr attr = {
		.name = "plain", .size = size, .flags = MEM_F_SHARED | flags,
		.mode = POOL_M_NO_CACHE,
	};

	return create_pool_ext(&attr);
}

TEST_CASE(pools_merge_only_if_both_are_shared)
{
	struct pool_head *lone = create_pool("lone", 64, 0);
	struct pool_head *a = shared("a", 64);
	struct pool_head *other = create_pool("other", 64, 0);
	struct pool_head *b = shared("b", 64);

	ASSERT(lone && a && other && b);
	EXPECT_PTR_EQ(a, b);
	EXPECT_EQ(test_count_pools(), 3);
	EXPECT_EQ(head_sum(lone)->registrations, 1);
	EXPECT_EQ(head_sum(other)->registrations, 1);
	pool_destroy_all();
}

/* Names are compared whole, though only eleven bytes of them are kept. */
TEST_CASE(without_merging_only_equal_names_are_one_pool)
{
	static const char *const names[] = {
		"abcdefghijk-one", "abcdefghijk-two", "abcdefghijk", "abcdefghij", "abcdefghijl",
		"abcdefghijk-oneone", "abcdefghijk-eno", "abcdefghijk-One",
	};
	struct pool_head *pools[ARRAY_LEN(names)];
	unsigned int i, other;

	ASSERT(pool_configure("no-merge"));
	for (i = 0; i < ARRAY_LEN(names); i++) {
		pools[i] = shared(names[i], 64);
		ASSERT(pools[i]);
		for (other = 0; other < i; other++)
			EXPECT(pools[i] != pools[other]);
	}
	for (i = 0; i < ARRAY_LEN(names); i++)
		EXPECT_PTR_EQ(shared(names[i], 60), pools[i]);
	EXPECT_EQ(test_count_pools(), ARRAY_LEN(names));
	ASSERT(pool_configure("merge"));
	EXPECT_PTR_EQ(shared("any", 64), pools[0]);
	ASSERT(pool_configure("no-merge"));
	EXPECT(shared("any", 64) != pools[0]);
	pool_destroy_all();
}

TEST_CASE(exact_pools_neither_round_nor_join_near_ones)
{
	struct pool_head *a = plain(3203, MEM_F_EXACT);
	struct pool_head *b = plain(3203, MEM_F_EXACT);
	struct pool_head *near = plain(3202, MEM_F_EXACT);
	struct pool_head *c = plain(6416, MEM_F_EXACT);
	struct pool_head *d, *e;

	ASSERT(a && b && near && c);
	EXPECT_PTR_EQ(a, b);
	EXPECT(a != near);
	EXPECT_EQ(a->size, 3203);
	d = plain(6416, 0);
	e = plain(6400, 0);
	ASSERT(d && e);
	EXPECT_PTR_EQ(c, d);
	EXPECT(c != e);
	EXPECT_EQ(e->size, 6400);
	EXPECT(plain(6384, MEM_F_EXACT) != e);
	EXPECT_EQ(test_count_pools(), 5);
	pool_destroy_all();
}

TEST_CASE(each_destruction_gives_one_registration_back)
{
	struct pool_head *a = shared("a", 64);
	void *obj = a ? head_alloc(a) : NULL;

	ASSERT(obj);
	EXPECT_PTR_EQ(shared("b", 64), a);
	EXPECT_PTR_EQ(shared("c", 64), a);
	EXPECT_EQ(head_sum(a)->registrations, 3);
	EXPECT_PTR_EQ(pool_destroy(a), NULL);
	EXPECT_PTR_EQ(pool_destroy(a), NULL);
	EXPECT_EQ(head_sum(a)->registrations, 1);
	EXPECT_PTR_EQ(pool_destroy(a), a);
	EXPECT_EQ(head_sum(a)->registrations, 1);
	EXPECT_PTR_EQ(shared("d", 64), a);
	EXPECT_PTR_EQ(pool_destroy(a), NULL);
	pool_free(a, obj);
	EXPECT_PTR_EQ(pool_destroy(a), NULL);
	EXPECT_EQ(test_count_pools(), 0);
}

HEAD_CASE(a_pool_in_use_comes_back_usable, head_make(64))
{
	head_alloc_many(pool, test_objs, TEST_SOME);
	head_free_many(pool, test_objs + 3, TEST_SOME - 3);
	EXPECT_PTR_EQ(pool_destroy(pool), pool);
	EXPECT(head_quiet(pool, 3));
	memset(test_objs[0], 1, 64);
	head_alloc_many(pool, test_objs + 3, TEST_SOME - 3);
	head_free_many(pool, test_objs, TEST_SOME);
}

TEST_CASE(destroying_all_leaves_no_pool)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		struct pool_head *pool = head_make(16 << i);

		ASSERT(pool);
		head_wave(pool, 200);
	}
	pool_destroy_all();
	EXPECT_EQ(test_count_pools(), 0);
	EXPECT_EQ(pool_total_allocated(), 0);
	EXPECT_EQ(test_charged(), 0);
}

/* True if one allocation took its object from the highest layer that had one. */
static bool took_from_the_highest(const struct pool_stats *before, const struct pool_stats *now)
{
	if (before->cached)
		return now->cached == before->cached - 1 && now->shared == before->shared &&
		       now->store_gets == before->store_gets;
	if (before->shared)
		return now->cached + now->shared == before->shared - 1 &&
		       now->store_gets == before->store_gets;
	return now->store_gets > before->store_gets;
}

HEAD_CASE(an_allocation_asks_the_cache_then_the_shared_pool_then_the_system,
	  head_within(16384, 8, 64))
{
	unsigned int i, cached = 0, shared = 0, none = 0;
	struct pool_stats before, now;

	test_inject(0);
	head_wave(pool, 1000);
	head_numbers(pool, &before);
	for (i = 0; i < 1100; i++) {
		test_objs[i] = pool_alloc(pool);
		head_numbers(pool, &now);
		EXPECT(took_from_the_highest(&before, &now));
		cached += before.cached > 0;
		shared += !before.cached && before.shared;
		none += !before.cached && !before.shared;
		before = now;
	}
	EXPECT(cached && shared && none);
	head_free_many(pool, test_objs, 1100);
}

static bool is_all(const unsigned char *obj, unsigned char byte)
{
	unsigned int i;

	for (i = 0; i < 70; i++)
		if (obj[i] != byte)
			return false;
	return true;
}

/* True if all bytes of a new object are @byte. */
static bool brings(struct pool_head *pool, unsigned char byte)
{
	unsigned char *obj = head_alloc(pool);
	bool full = obj && is_all(obj, byte);

	pool_free(pool, obj);
	return full;
}

/* Bytes that are not poisoned keep their values, or are zero where the kernel wipes objects. */
HEAD_CASE(poison_fills_what_is_allocated, head_checked("poison,tag", 70))
{
	unsigned char *obj;

	EXPECT(brings(pool, 'P'));
	EXPECT(pool_configure("poison=0xa5"));
	EXPECT(brings(pool, 0xa5));
	EXPECT(pool_configure("poison=0x5b"));
	obj = __pool_alloc(pool, POOL_F_NO_POISON);
	EXPECT(is_all(obj, 0xa5) || is_all(obj, 0));
	pool_free(pool, obj);
	EXPECT(pool_configure("poison=1"));
	obj = __pool_alloc(pool, POOL_F_MUST_ZERO);
	EXPECT(is_all(obj, 0));
	pool_free(pool, obj);
	EXPECT_EQ(head_faults(pool), 0);
}

/* Create a pool with these options, with a free object that its user has filled. */
static struct pool_head *filled(const char *words)
{
	struct pool_head *pool = head_with(words, 64);
	void *obj;

	if (!pool)
		return NULL;
	obj = __pool_alloc(pool, POOL_F_NO_FAIL);
	if (obj)
		memset(obj, 0xa5, 64);
	pool_free(pool, obj);
	return pool;
}

/* True if both calls return NULL, or objects of equal contents. */
static bool are_alike(const void *one, const void *other)
{
	return one && other ? !memcmp(one, other, 64) : one == other;
}

/* Each flag of __pool_alloc() would make a difference under one of these options. */
TEST_CASE(an_allocation_without_flags_is_the_plain_call)
{
	static const char *const words[] = {
		"no-poison", "poison=0x31", "no-poison,fail_alloc=100",
	};
	unsigned int i;

	test_inject(0);
	for (i = 0; i < ARRAY_LEN(words); i++) {
		struct pool_head *one = filled(words[i]);
		struct pool_head *other = filled(words[i]);
		void *a, *b;

		ASSERT(one && other);
		a = pool_alloc(one);
		b = __pool_alloc(other, 0);
		EXPECT(are_alike(a, b));
		pool_free(one, a);
		pool_free(other, b);
		pool_destroy(one);
		pool_destroy(other);
	}
	EXPECT(pool_configure("no-fail,no-poison"));
}

HEAD_CASE(zalloc_clears_recycled_objects, head_make(128))
{
	unsigned char *obj = head_alloc(pool);
	unsigned int i, sum = 0;

	ASSERT(obj);
	memset(obj, 0xa5, 128);
	pool_free(pool, obj);
	EXPECT_PTR_EQ(pool_zalloc(pool), obj);
	for (i = 0; i < 128; i++)
		sum += obj[i];
	EXPECT_EQ(sum, 0);
	pool_free(pool, obj);
}

HEAD_CASE(nocache_leaves_the_caches_alone, head_make(64))
{
	void *obj;

	test_inject(0);
	pool_free(pool, head_alloc(pool));
	obj = pool_alloc_nocache(pool);
	EXPECT_EQ(head_sum(pool)->cached, 1);
	EXPECT_EQ(head_sum(pool)->used, 1);
	pool_free(pool, obj);
}

HEAD_CASE(flush_empties_the_shared_pool_only, head_within(16384, 8, 64))
{
	struct pool_stats before, now;

	head_wave(pool, 1000);
	head_numbers(pool, &before);
	EXPECT(before.shared > 0);
	pool_flush(pool);
	head_numbers(pool, &now);
	EXPECT_EQ(now.shared, 0);
	EXPECT_EQ(now.cached, before.cached);
	EXPECT_EQ(now.allocated, before.cached);
}

HEAD_CASE(spare_objects_survive_a_gc_but_not_a_flush, head_within(0, 8, 64))
{
	test_inject(0);
	EXPECT(pool_set_min_avail(pool, 37));
	head_wave(pool, 1000);
	pool_gc(NULL);
	EXPECT_EQ(head_sum(pool)->shared, 37);
	EXPECT_EQ(head_sum(pool)->min_avail, 37);
	pool_gc(NULL);
	pool_reclaim(pool);
	EXPECT_EQ(head_sum(pool)->shared, 37);
	pool_flush(pool);
	EXPECT_EQ(head_sum(pool)->shared, 0);
	EXPECT_EQ(head_sum(pool)->allocated, 0);
}

/* The table needs more bytes than the trash has: each pool has a line of 50 bytes or more. */
TEST_CASE(the_trash_holds_the_table_as_far_as_it_fits)
{
	static struct pool_head *many[400];
	static char full[8192];
	const unsigned int size = 16384;
	unsigned int i;

	test_inject(0);
	many[0] = head_make(64);
	ASSERT(many[0]);
	dump_pools_to_trash();
	ASSERT(dump_pools_to_buf(full, sizeof(full), "") < (int)sizeof(full));
	EXPECT_EQ(strcmp(pool_trash(), full), 0);
	for (i = 1; i < ARRAY_LEN(many); i++) {
		many[i] = head_make(64);
		ASSERT(many[i]);
	}
	dump_pools_to_trash();
	EXPECT(strlen(pool_trash()) < size);
	EXPECT_LE(size - 256, strlen(pool_trash()));
	EXPECT(strstr(pool_trash(), "\ntruncated\ntotal of 400 pools: "));
	for (i = 0; i < ARRAY_LEN(many); i++)
		pool_destroy(many[i]);
}

TEST_CASE(totals_sum_up_all_pools)
{
	struct pool_head *a, *b;
	unsigned int i;

	test_inject(0);
	a = head_make(64);
	b = head_make(1024);
	ASSERT(a && b);
	head_alloc_just(a, test_objs, 10);
	head_alloc_just(b, test_objs + 10, 5);
	EXPECT_EQ(pool_total_allocated(), 10 * 64 + 5 * 1024);
	EXPECT_EQ(pool_total_used(), 10 * 64 + 5 * 1024);
	EXPECT_EQ(pool_total_failures(), 0);
	EXPECT(pool_set_limit(a, 10) && pool_set_limit(b, 5));
	for (i = 0; i < 4; i++)
		EXPECT_PTR_EQ(pool_alloc(i ? b : a), NULL);
	EXPECT_EQ(pool_total_failures(), 4);
	EXPECT(pool_set_limit(a, 0) && pool_set_limit(b, 0));
	head_free_many(a, test_objs, 10);
	head_free_many(b, test_objs + 10, 5);
	EXPECT_EQ(pool_total_used(), 10 * 64 + 5 * 1024);
	pool_destroy(a);
	pool_destroy(b);
	EXPECT_EQ(pool_total_used(), 0);
}
