// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tools.c - what AddressSanitizer lets touch each byte of an object
 *
 * Layer:   tests of user/extra/tool.c; and how a report finds an object.
 * Context: see test.h; builds without AddressSanitizer see that nothing breaks.
 */
#include "test.h"

/* All parts that can be behind objects. */
#define BEHIND	(POOL_D_TAG | POOL_D_CALLER | POOL_D_BACKUP)

static const unsigned int sizes[] = { 1, 7, 8, 13, 61, 64, 100 };
static const unsigned int options[] = {
	0, BEHIND, POOL_D_INTEGRITY | POOL_D_POISON, POOL_D_NO_CACHE,
	POOL_D_NO_GLOBAL | POOL_D_BACKUP | POOL_D_INTEGRITY,
};

int __asan_address_is_poisoned(const void *p) __attribute__((weak));

/* Returns how many of these bytes a tool lets the program touch; @want if no tool watches. */
static unsigned int shown(const void *p, unsigned int size, unsigned int want)
{
	unsigned int n = 0, i;

	if (!__asan_address_is_poisoned)
		return want;
	for (i = 0; i < size; i++)
		n += !__asan_address_is_poisoned((const char *)p + i);
	return n;
}

static struct pool *watched(unsigned int size, unsigned int debug)
{
	pool_options.debug = POOL_D_TOOLS | debug;
	return test_pool(size);
}

static unsigned int total_of(struct pool *pool)
{
	struct pool_layout l;

	pool_layout_of(pool, pool->head.size, &l);
	return l.total;
}

/* Objects in use, and then free, in that order, twice. */
static void see_bytes(struct pool *pool)
{
	unsigned int size = pool->head.size, total = total_of(pool), i;

	for (i = 0; i < 2; i++) {
		char *obj = test_alloc(pool);

		EXPECT_EQ(shown(obj, size, size), size);
		EXPECT_EQ(shown(obj + size, total - size, 0), 0);
		test_free(pool, obj);
		EXPECT_EQ(shown(obj, total, 0), 0);
	}
}

TEST_CASE(an_object_in_use_is_its_users_to_the_byte)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		for (j = 0; j < ARRAY_LEN(options); j++) {
			struct pool *pool = watched(sizes[i], options[j]);

			see_bytes(pool);
			EXPECT(test_quiet(pool, 0));
			EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
		}
	}
}

/* Fail if a tool lets the program touch an object of this layer. */
static void see_hidden(struct pool *pool, unsigned int n)
{
	unsigned int i, bad = 0;

	for (i = 0; i < n; i++)
		bad += shown(test_objs[i], pool->head.size, 0);
	EXPECT_EQ(bad, 0);
}

TEST_CASE(free_objects_are_hidden_in_the_caches_and_the_shared_pool)
{
	struct pool *pool;

	test_options(4096, 4);
	pool = watched(64, 0);
	test_wave(pool, 200);
	EXPECT(test_local(pool)->clustered);
	EXPECT(pool_shared_count(pool));
	see_hidden(pool, 200);
	test_alloc_many(pool, test_objs, 200);
	EXPECT_EQ(shown(test_objs[199], 64, 64), 64);
	test_free_many(pool, test_objs, 200);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/* In constructed objects the link is behind the object. */
TEST_CASE(of_a_parked_object_the_link_alone_is_shown)
{
	unsigned int word = sizeof(void *);
	struct pool *pool = watched(64, BEHIND);
	void *obj = test_alloc(pool);

	obj = pool_check_free(pool, obj, 0, NULL);
	obj = (char *)obj - pool_seal_of(obj);
	pool_park(pool, obj);
	EXPECT_EQ(shown(obj, total_of(pool), word), word);
	EXPECT_EQ(shown(pool_link_of(pool, obj), word, word), word);
	pool_unpark_here(pool, 0);
	EXPECT_EQ(shown(obj, total_of(pool), 0), 0);
	EXPECT(test_quiet(pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

static void keep(void *obj, void *arg)
{
	*(void **)obj = arg;
}

TEST_CASE(parked_constructed_objects_stay_as_they_are_and_hidden)
{
	struct pool_attr attr = {
		.name = "built", .size = 24, .ctor = keep, .arg = &attr,
	};
	unsigned int word = sizeof(void *);
	struct pool *pool;
	void **obj;

	pool_options.debug = POOL_D_TOOLS;
	pool = pool_of(create_pool_ext(&attr));
	obj = test_alloc(pool);
	pool_park(pool, pool_check_free(pool, obj, 0, NULL));
	EXPECT_EQ(shown(obj, total_of(pool), word), word);
	EXPECT_EQ(shown(obj, 24, 0), 0);
	obj = test_alloc(pool);
	EXPECT_EQ(shown(obj, 24, 24), 24);
	EXPECT_PTR_EQ(*obj, &attr);
	test_free(pool, obj);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/*
 * Write to objects that went back to the backend: a tool reports parts that the pool left hidden.
 */
TEST_CASE(what_the_backend_gets_back_is_shown)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		struct pool *pool = watched(64, i & 1 ? BEHIND : 0);
		void *p;

		test_wave(pool, 20);
		EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
		p = plat_mem_alloc(128, PLAT_MEM_SLEEP);
		ASSERT(p);
		memset(p, 1, 128);
		plat_mem_free(p);
	}
}

TEST_CASE(a_corrupted_object_is_told_of_and_stays_hidden)
{
	struct pool *pool;
	char *obj;

	pool_options.policy = POOL_POLICY_CONTINUE;
	pool = watched(61, BEHIND);
	obj = test_alloc(pool);
	plat_annotate(pool, obj, total_of(pool), 0, PLAT_SHOWN);
	obj[61] ^= 1;
	test_free(pool, obj);
	EXPECT_EQ(plat_read(&pool->faults[POOL_FAULT_OVERFLOW]), 1);
	EXPECT_EQ(shown(obj, total_of(pool), 0), 0);
	plat_annotate(pool, obj, total_of(pool), 0, PLAT_SHOWN);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	plat_mem_free(obj);
}

/* Addresses in front of an object, and behind it, must not be found as its own. */
static void finds_among(unsigned int size, unsigned int n)
{
	static void *many[100000];
	struct pool *pool = test_checked(size, POOL_D_POISON);
	unsigned int i;

	ASSERT(pool);
	for (i = 0; i < n; i++)
		many[i] = test_alloc(pool);
	for (i = 0; i < n; i += n / 100) {
		char *p = many[i];

		EXPECT_PTR_EQ(pool_state_around(pool, p), p);
		EXPECT_PTR_EQ(pool_state_around(pool, p + size - 1), p);
		EXPECT(pool_state_around(pool, p + size) != p);
		EXPECT(pool_state_around(pool, p - 1) != p);
	}
	for (i = 0; i < n; i++)
		test_free(pool, many[i]);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/* With this many objects the table has several parts.  For large objects each slot is searched. */
TEST_CASE(a_report_finds_the_object_around_a_pointer_among_many)
{
	finds_among(64, 100000);
	finds_among(4096, 2000);
}
