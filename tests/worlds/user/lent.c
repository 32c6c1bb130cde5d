// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * lent.c - the marks of hardened pools whose objects come from slabs
 *
 * Layer:   tests of user/slab/lent.c.
 * Context: the case's own thread; the policy only counts faults.
 */
#include "cases_slab.h"

static unsigned long found(struct pool *pool, enum pool_fault kind)
{
	return plat_read(&pool->faults[kind]);
}

/* Returns a hardened pool; NULL where a tool watches, because pools have no slabs there. */
static struct pool *with_marks(unsigned int size)
{
	struct pool *pool;

	if (UNDER_CHECKER)
		return NULL;
	test_options(1 << 20, 8);
	pool = test_checked(size, POOL_D_HARDEN);
	ASSERT(pool && pool->backend.lent);
	return pool;
}

#define SKIP_WITHOUT(pool)						\
	do {								\
		if (!(pool))						\
			SKIP_BECAUSE("a tool watches, so there are no marks"); \
	} while (0)

static void free_one(unsigned int i, void *pool)
{
	pool_free(&((struct pool *)pool)->head, test_objs[i]);
}

/* The object is in the array, in clusters, in another thread's caches, and in its slab. */
TEST_CASE(a_second_free_is_found_wherever_the_object_is)
{
	struct pool *pool = with_marks(64);
	unsigned int i;

	SKIP_WITHOUT(pool);
	test_alloc_many(pool, test_objs, 500);
	test_threads(1, free_one, pool);
	free_one(0, pool);
	test_free_many(pool, test_objs + 1, 499);
	for (i = 0; i < 500; i++)
		free_one(i, pool);
	EXPECT_EQ(found(pool, POOL_FAULT_DOUBLE_FREE), 501);
	EXPECT(test_quiet(pool, 0));
	test_objs[500] = test_alloc(pool);
	pool_reclaim(&pool->head);
	free_one(7, pool);
	EXPECT_EQ(test_faults(pool), 502);
	test_free(pool, test_objs[500]);
	EXPECT(test_quiet(pool, 0));
	pool_destroy(&pool->head);
}

TEST_CASE(all_pointers_but_those_of_objects_in_use_are_refused)
{
	struct pool *pool = with_marks(80);
	char *obj, here[64];
	unsigned int at;

	SKIP_WITHOUT(pool);
	obj = test_alloc(pool);
	ASSERT(obj);
	for (at = 1; at < 80; at++)
		pool_free(&pool->head, obj + at);
	EXPECT_EQ(found(pool, POOL_FAULT_INTERIOR), 79);
	pool_free(&pool->head, here - (uintptr_t)here % 16 + 16);
	EXPECT_EQ(found(pool, POOL_FAULT_FOREIGN), 1);
	EXPECT(test_quiet(pool, 1));
	test_free(pool, obj);
	EXPECT_EQ(test_faults(pool), 80);
	pool_destroy(&pool->head);
}

/* True if a free of one pool's object to another pool is found, and leaves both as they were. */
static bool finds_wrong_pool(struct pool *pool, struct pool *other)
{
	void *obj = test_alloc(pool);
	bool well;

	pool_free(&other->head, obj);
	well = found(other, POOL_FAULT_WRONG_POOL) == 1 &&
	       test_quiet(other, 0) && test_quiet(pool, 1);
	test_free(pool, obj);
	well = well && !test_faults(pool);
	pool_destroy(&pool->head);
	pool_destroy(&other->head);
	return well;
}

TEST_CASE(a_free_to_a_pool_of_equal_objects_is_found)
{
	struct pool *pool = with_marks(64);

	SKIP_WITHOUT(pool);
	EXPECT(finds_wrong_pool(pool, with_marks(64)));
}

/* Unnoticed, the free would reach the slab, whose next user would get an object in use. */
TEST_CASE(an_object_of_a_hardened_pool_comes_to_its_slab_by_no_other_pool)
{
	struct pool *pool = with_marks(64);

	SKIP_WITHOUT(pool);
	EXPECT(finds_wrong_pool(pool, test_checked(64, POOL_D_NO_CACHE)));
}

/* The table begins late, so it would accept an unknown pointer that the marks did not refuse. */
TEST_CASE(what_marks_refuse_no_table_takes_for_an_object)
{
	struct pool *pool = with_marks(64);
	char here[64], *wrong = here - (uintptr_t)here % 16 + 16;
	void *obj;

	SKIP_WITHOUT(pool);
	obj = test_alloc(pool);
	EXPECT(pool_set_debug(&pool->head, "+integrity"));
	pool_free(&pool->head, wrong);
	pool_free(&pool->head, wrong);
	EXPECT_EQ(found(pool, POOL_FAULT_FOREIGN), 2);
	test_free(pool, obj);
	EXPECT_EQ(test_faults(pool), 2);
	pool_destroy(&pool->head);
}

/* Two threads free an object at once, and one of them is right. */
static void free_same(unsigned int i, void *pool)
{
	(void)i;
	pool_free(&((struct pool *)pool)->head, test_objs[0]);
}

TEST_CASE(of_four_threads_that_free_a_marked_object_one_is_right)
{
	struct pool *pool = with_marks(64);
	unsigned int i;

	SKIP_WITHOUT(pool);
	for (i = 1; i <= 100; i++) {
		test_objs[0] = test_alloc(pool);
		test_threads(4, free_same, pool);
		EXPECT_EQ(found(pool, POOL_FAULT_DOUBLE_FREE), 3 * i);
	}
	EXPECT(test_quiet(pool, 0));
	pool_destroy(&pool->head);
}

static bool is_closed_off(const unsigned char *from, size_t bytes)
{
	return test_readable(from) && test_readable(from + bytes - 1) &&
	       !test_readable(from - 1) &&
	       !test_readable(from + (bytes + SLAB_PAGE - 1) / SLAB_PAGE * SLAB_PAGE);
}

/* Descriptions of slabs, the map, and marks have inaccessible pages around them. */
TEST_CASE(what_is_known_of_slabs_is_never_beside_objects)
{
	struct pool *pool = with_marks(64);
	struct slab_chunk *chunk, **leaf;
	void *obj;

	SKIP_WITHOUT(pool);
	obj = test_alloc(pool);
	ASSERT(obj);
	chunk = pool_arena_slab(obj)->chunk;
	leaf = pool_chunk_root[(uintptr_t)obj >> CHUNK_SHIFT >> LEAF_BITS];
	EXPECT(is_closed_off(chunk->lent, LENT_BYTES));
	EXPECT(is_closed_off((unsigned char *)leaf,
			     CHUNK_LEAVES * sizeof(*leaf)));
	while (test_readable((unsigned char *)chunk - 1))
		chunk--;
	EXPECT(is_closed_off((unsigned char *)chunk,
			     CHUNK_DESCRIBED * sizeof(*chunk)));
	EXPECT(!pool_arena_slab(chunk));
	test_free(pool, obj);
	pool_destroy(&pool->head);
}
