// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * attr.c - pools with more than a name and a size
 *
 * Layer:   tests of common/life/create.c, attr.c, parked.c and backend.c.
 */
#include "cases_life.h"

/*
 * LIFE_CASE(name, make) - a case of a pool whose constructor and destructor count: when the pool is
 * destroyed, each object must have been destructed.
 */
#define LIFE_CASE(name, make)						\
	static void name##_of(TEST_HANDLE, struct pool *pool);		\
	TEST_CASE(name)							\
	{								\
		struct pool *pool = make;				\
									\
		ASSERT(pool);						\
		name##_of(TEST_PASSED, pool);				\
		ENDS_QUIETLY(&pool->head);				\
		EXPECT(life_is_even());					\
	}								\
	static void name##_of(TEST_HANDLE, struct pool *pool)

static bool all_aligned(struct pool *pool, unsigned int n, unsigned int align)
{
	unsigned int i, bad = 0;

	test_alloc_many(pool, test_objs, n);
	for (i = 0; i < n; i++) {
		bad += !test_objs[i] || (unsigned long)test_objs[i] % align;
		if (test_objs[i])
			memset(test_objs[i], 1, pool->head.size);
	}
	test_free_many(pool, test_objs, n);
	return !bad;
}

/* True if objects from the cache, clusters, the parked list and the backend are aligned. */
static bool stays_aligned(struct pool *pool, unsigned int align)
{
	bool good = all_aligned(pool, 40, align);
	void *obj = test_alloc(pool);

	if (obj)
		pool_park(pool, obj);
	good = good && all_aligned(pool, 40, align);
	pool_reclaim(&pool->head);
	return good && all_aligned(pool, 40, align) && test_quiet(pool, 0);
}

TEST_CASE(every_alignment_up_to_a_page_holds_for_every_size)
{
	static const unsigned int sizes[] = {
		1, 8, 24, 96, 100, 512, 1000, 2048, 3000, 4096, 5000, 0,
	};
	unsigned int align, i;

	test_options(32768, 8);
	for (align = 1; align <= pool_start.page; align *= 2)
		for (i = 0; sizes[i]; i++) {
			struct pool_attr attr = {
				.name = "aligned", .size = sizes[i],
				.flags = MEM_F_EXACT, .align = align,
			};
			struct pool_head *pool = create_pool_ext(&attr);

			ASSERT(pool);
			EXPECT_EQ(pool->size, sizes[i]);
			EXPECT(stays_aligned(pool_of(pool), align));
			EXPECT_PTR_EQ(pool_destroy(pool), NULL);
		}
}

TEST_CASE(alignments_are_listed_and_small_ones_are_raised)
{
	static const unsigned int aligns[][2] = { { 256, 256 }, { 1, POOL_ALIGN_MIN } };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(aligns); i++) {
		struct pool_attr attr = { .name = "x", .size = 64, .align = aligns[i][0] };
		struct pool *pool = test_made(&attr);

		ASSERT(pool);
		EXPECT_EQ(test_sum(pool)->alignment, aligns[i][1]);
		pool_destroy(&pool->head);
	}
}

LIFE_CASE(objects_are_constructed_once_and_undone_once, constructed(100, POOL_M_DEFAULT))
{
	pool_fail_every = 0;
	EXPECT(wave_intact(pool, 30));
	EXPECT_EQ(life.made, 30);
	EXPECT(wave_intact(pool, 30));
	EXPECT_EQ(life.made, 30);
	EXPECT_EQ(life.undone, 0);
	EXPECT(wave_intact(pool, 60));
	EXPECT_EQ(test_sum(pool)->store_gets, life.made);
	EXPECT_EQ(test_sum(pool)->store_puts, life.undone);
}

TEST_CASE(constructed_state_survives_all_layers)
{
	static const unsigned int modes[] = {
		POOL_M_GLOBAL, POOL_M_NO_GLOBAL, POOL_M_NO_CACHE,
	};
	unsigned int i, round;

	test_options(16384, 8);
	for (i = 0; i < 3; i++) {
		struct pool *pool = constructed(72, modes[i]);

		ASSERT(pool);
		for (round = 0; round < 3; round++)
			EXPECT(wave_intact(pool, 600));
		pool_gc(NULL);
		EXPECT(wave_intact(pool, 600));
		pool_reclaim(&pool->head);
		EXPECT(wave_intact(pool, 600));
		ENDS_QUIETLY(&pool->head);
		EXPECT(life_is_even());
	}
}

/* A parked object's link is behind its bytes, so even an object of one byte stays as it was. */
TEST_CASE(parking_leaves_constructed_state_alone)
{
	static const unsigned int sizes[] = { 1, 3, 7, 8, 9, 15, 40, 4096, 0 };
	unsigned int i, k, good;

	for (i = 0; sizes[i]; i++) {
		struct pool *pool = constructed(sizes[i], POOL_M_DEFAULT);

		ASSERT(pool);
		test_alloc_many(pool, test_objs, 20);
		for (k = 0; k < 20; k++)
			pool_park(pool, test_objs[k]);
		for (good = 0, k = 0; k < 20; k++)
			good += intact(test_objs[k]);
		EXPECT_EQ(good, 20);
		EXPECT_EQ(plat_read(&test_local(pool)->parked.count), 20);
		EXPECT(test_quiet(pool, 0));
		EXPECT(wave_intact(pool, 30));
		for (k = 0; k < 20; k++)
			pool_park(pool, test_alloc(pool));
		EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
		EXPECT(life_is_even());
	}
}

TEST_CASE(destroying_undoes_objects_in_every_layer)
{
	struct pool *pool;

	test_options(16384, 8);
	pool_fail_every = 0;
	pool = constructed(64, POOL_M_GLOBAL);
	ASSERT(pool);
	EXPECT(wave_intact(pool, 300));
	test_alloc_many(pool, test_objs, 4);
	EXPECT(pool_shared_put_one(pool, test_objs[0], 0));
	pool_park(pool, test_objs[1]);
	test_free(pool, test_objs[2]);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), &pool->head);
	EXPECT(intact(test_objs[3]));
	EXPECT(test_sum(pool)->cached && test_sum(pool)->shared);
	test_free(pool, test_objs[3]);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	EXPECT(life_is_even());
}

TEST_CASE(objects_in_use_are_not_undone_on_exit)
{
	struct pool *pool = constructed(64, POOL_M_DEFAULT);
	struct plat_backend backend;
	void *obj;

	ASSERT(pool);
	EXPECT(wave_intact(pool, 10));
	obj = test_alloc(pool);
	ASSERT(obj);
	backend = pool->backend;
	pool_destroy_all();
	EXPECT(intact(obj));
	EXPECT_EQ(life.made, life.undone + 1);
	EXPECT_EQ(life.bad, 0);
	test_backend_free(&backend, obj);
	plat_backend_destroy(&backend, 0);
}

LIFE_CASE(nocache_constructs_too, constructed(33, POOL_M_DEFAULT))
{
	void *obj;

	pool_fail_every = 0;
	obj = pool_alloc_nocache(&pool->head);
	ASSERT(obj);
	EXPECT(intact(obj));
	EXPECT_EQ(life.made, 1);
	test_free(pool, obj);
}

LIFE_CASE(a_constructed_pool_refuses_to_zero, constructed(64, POOL_M_DEFAULT))
{
	unsigned long long failed;
	void *objs[2];

	EXPECT(wave_intact(pool, 5));
	failed = test_sum(pool)->failed;
	EXPECT_PTR_EQ(pool_zalloc(&pool->head), NULL);
	EXPECT_PTR_EQ(__pool_alloc(&pool->head, POOL_F_MUST_ZERO), NULL);
	EXPECT_PTR_EQ(__pool_alloc(&pool->head, POOL_F_MUST_ZERO |
				   POOL_F_ATOMIC), NULL);
	EXPECT(!pool_alloc_bulk(&pool->head, POOL_F_MUST_ZERO, 2, objs));
	EXPECT_EQ(test_sum(pool)->failed, failed + 4);
	EXPECT(test_quiet(pool, 0));
	EXPECT(wave_intact(pool, 5));
}

/* The first pool has only a constructor, the second one only a destructor. */
TEST_CASE(either_of_constructor_and_destructor_may_be_missing)
{
	struct pool *pool = living(64, POOL_M_DEFAULT, construct, NULL);

	ASSERT(pool);
	EXPECT(wave_intact(pool, 20));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	EXPECT(life.made >= 20 && !life.undone);
	pool = living(64, POOL_M_DEFAULT, NULL, destruct);
	ASSERT(pool);
	test_alloc_many(pool, test_objs, 20);
	for (life.made = 0; life.made < 20; life.made++)
		memset(test_objs[life.made], MADE, 64);
	test_free_many(pool, test_objs, 20);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	EXPECT(life_is_even());
}

/* A parked object's link must not overwrite what its user left for the destructor. */
LIFE_CASE(parking_leaves_alone_what_a_destructor_will_see,
	  living(40, POOL_M_DEFAULT, NULL, destruct))
{
	void *obj = test_alloc(pool);

	ASSERT(obj);
	life.made = 1;
	memset(obj, MADE, 40);
	pool_park(pool, obj);
	EXPECT(intact(obj));
}

TEST_CASE(each_pool_may_have_a_mode_of_its_own)
{
	static const unsigned int modes[] = {
		POOL_M_GLOBAL, POOL_M_NO_GLOBAL, POOL_M_NO_CACHE, POOL_M_DEFAULT,
	};
	static const char * const words[] = {
		"global", "no-global", "no-cache",
	};
	unsigned int word, i;

	for (word = 0; word < 3; word++)
		for (i = 0; i < 4; i++) {
			struct pool_attr attr = { .name = "mode", .size = 64, .mode = modes[i] };
			unsigned int want = i < 3 ? i : word;
			struct pool *pool;

			ASSERT(pool_configure(words[word]));
			pool = test_made(&attr);
			ASSERT(pool);
			EXPECT(pool_shares(pool) == (want == 0));
			EXPECT(pool_is_closed(pool) == (want == 2));
			test_wave(pool, 50);
			ENDS_QUIETLY(&pool->head);
		}
}

/* An access to a free object in a cache would not fault, so "uaf" wins over the pool's mode. */
TEST_CASE(a_mode_gives_no_caches_to_a_pool_with_uaf)
{
	static const struct pool_attr attr = { .name = "uaf", .size = 64, .mode = POOL_M_GLOBAL };
	static const char * const words[] = { "uaf", "uaf,cache" };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(words); i++) {
		struct pool *pool;

		ASSERT(pool_configure(words[i]));
		pool = test_made(&attr);
		ASSERT(pool);
		EXPECT_EQ(!(pool->debug & POOL_D_NO_CACHE), i);
		EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	}
}

static const struct pool_attr limited = {
	.name = "x", .size = 64, .limit = 10, .min_avail = 10,
};

/*
 * Set a limit and a number of spare objects; a value that does not fit the other one is refused and
 * changes nothing.
 */
POOL_CASE(limit_and_spares_are_set_as_far_as_they_fit_each_other, test_made(&limited))
{
	struct pool_head *head = &pool->head;

	EXPECT_EQ(pool->limit, 10);
	EXPECT_EQ(pool->min_avail, 10);
	EXPECT(!pool_set_limit(head, 9));
	EXPECT(!pool_set_limit(head, 1));
	EXPECT(!pool_set_min_avail(head, 11));
	EXPECT(!pool_set_min_avail(head, ~0u));
	EXPECT_EQ(pool->limit, 10);
	EXPECT_EQ(pool->min_avail, 10);
	EXPECT(pool_set_limit(head, ~0u));
	EXPECT(pool_set_min_avail(head, ~0u));
	EXPECT(pool_set_limit(head, 0));
	EXPECT(pool_set_min_avail(head, 0));
	EXPECT(pool_set_limit(head, 1));
	EXPECT(pool_set_min_avail(head, 1));
	EXPECT_EQ(pool->limit, 1);
	EXPECT_EQ(pool->min_avail, 1);
}

static const struct pool_attr fine = { .name = "fine", .size = 64 };

/* True if these attributes are refused. */
static bool refused(struct pool_attr attr)
{
	struct pool_head *pool = create_pool_ext(&attr);

	pool_destroy(pool);
	return !pool;
}

/* Each struct differs from a right one in one member, or in two that do not fit each other. */
TEST_CASE(bad_attributes_create_nothing)
{
	struct pool_attr attr = fine;
	unsigned int page = pool_start.page;

	EXPECT(!refused(attr));
	attr.align = page;
	EXPECT(!refused(attr));
	for (attr.align = 2 * page; attr.align; attr.align *= 2)
		EXPECT(refused(attr));
	for (attr.align = 3; attr.align < page; attr.align *= 2)
		EXPECT(refused(attr));
	attr.align = ~0u;
	EXPECT(refused(attr));
	EXPECT(refused((struct pool_attr){ .name = "x", .size = 64, .mode = POOL_M_NO_CACHE + 1 }));
	EXPECT(refused((struct pool_attr){ .name = "x", .size = 64, .mode = ~0u }));
	EXPECT(refused((struct pool_attr){ .name = "x", .size = 64, .min_avail = 6, .limit = 5 }));
	EXPECT(refused((struct pool_attr){ .name = "x", .size = 64, .flags = PLAT_MEM_FLAGS + 1 }));
	EXPECT(refused((struct pool_attr){ .size = 64 }));
	EXPECT(refused((struct pool_attr){ .name = "x" }));
	EXPECT(refused((struct pool_attr){ .name = "x", .size = PLAT_SIZE_MAX + 1 }));
	EXPECT_PTR_EQ(pool_registry_next(NULL), NULL);
}

/* Attributes of another version or size, all bytes 0xee, are refused before any member is read. */
TEST_CASE(attributes_of_another_version_are_not_looked_into)
{
	struct pool_attr wild;

	memset(&wild, 0xee, sizeof(wild));
	EXPECT_PTR_EQ(pool_create_ext_at(NULL, sizeof(wild), "f", 1,
					 POOL_OWNER, POOL_ABI), NULL);
	EXPECT_PTR_EQ(pool_create_ext_at(&wild, sizeof(wild), "f", 2,
					 POOL_OWNER, POOL_ABI + 1), NULL);
	EXPECT_PTR_EQ(pool_create_ext_at(&wild, sizeof(wild) - 1, "f", 3,
					 POOL_OWNER, POOL_ABI), NULL);
	EXPECT_PTR_EQ(pool_create_ext_at(&wild, 0, "f", 4, POOL_OWNER,
					 POOL_ABI), NULL);
	EXPECT_PTR_EQ(pool_registry_next(NULL), NULL);
}
