// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * large.c - slabs of objects of 1 to 64 KiB
 *
 * Layer:   tests of user/slab/class.c, and of slab.c with one to a few objects in a slab.
 * Context: see test.h.
 */
#include "cases_slab.h"
#include "main.h"

#include <sys/mman.h>

#define OBJS	256u

static const unsigned int sizes[] = {
	1025, 2048, 4096, 5000, 8192, 10000, 16000, 16384, 20480, 30000, 32768, 33792, 50000, 65536,
};

#define SIZES	(sizeof(sizes) / sizeof(*sizes))

static void *objs[OBJS];

/* Returns how many whole pages from @from to @to have memory. */
static unsigned long resident(const char *from, const char *to)
{
	uintptr_t at = ((uintptr_t)from + SLAB_PAGE - 1) & -(uintptr_t)SLAB_PAGE;
	unsigned long n = 0;

	for (; at + SLAB_PAGE <= (uintptr_t)to; at += SLAB_PAGE) {
		unsigned char there = 0;

		n += !mincore((void *)at, SLAB_PAGE, &there) && (there & 1);
	}
	return n;
}

TEST_CASE(a_stride_is_at_most_a_32nd_and_a_line_above_the_size)
{
	unsigned int size;

	for (size = 1025; size <= POOL_SLAB_MAX; size++) {
		const struct slab_class *class = pool_slab_class(size, 16);

		EXPECT_LE(size, class->stride);
		EXPECT_LE(class->stride, size + size / 32 + SLAB_ALIGN);
		EXPECT_LE(class->stride, SLAB_BYTES);
	}
	for (size = 0; pool_slab_class_at(size); size++)
		;
	EXPECT_LE(size, SLAB_CLASSES);
}

/* First objects begin at different pages, to spread their lines over all sets of caches. */
TEST_CASE(slabs_of_large_objects_begin_at_all_pages_that_are_left)
{
	struct slab_class *class = pool_slab_class(18000, 16);
	unsigned int pages = (SLAB_BYTES % class->stride >> class->page_shift) + 1;
	unsigned int seen = 0, i;

	slab_get_many(class, objs, OBJS);
	for (i = 0; i < OBJS; i++) {
		const struct slab *slab = pool_arena_slab(objs[i]);

		seen |= 1u << ((slab->first - pool_arena_at(slab)) >> class->page_shift);
	}
	EXPECT_EQ(seen, (1u << pages) - 1);
	EXPECT_EQ(slab_put_many(objs, OBJS), 0);
	plat_trim(true);
}

TEST_CASE(wrong_frees_of_large_objects_are_found)
{
	unsigned int i;

	for (i = 0; i < SIZES; i++) {
		struct slab_class *class = pool_slab_class(sizes[i], 16);
		const struct slab *slab;
		char *obj = test_slab_alloc(class), *end;

		ASSERT(obj);
		slab = pool_arena_slab(obj);
		end = (char *)slab->first + (size_t)slab->objs * class->stride;
		EXPECT_EQ(slab_put(obj + 16), POOL_FAULT_INTERIOR);
		EXPECT_EQ(slab_put(obj + sizes[i] / 2), POOL_FAULT_INTERIOR);
		EXPECT_EQ(slab_put(obj + sizes[i] - 1), POOL_FAULT_INTERIOR);
		if (end < (char *)pool_arena_at(slab) + SLAB_BYTES)
			EXPECT_EQ(slab_put(end), POOL_FAULT_FOREIGN);
		if (slab->first > pool_arena_at(slab))
			EXPECT_EQ(slab_put(slab->first - 1), POOL_FAULT_FOREIGN);
		EXPECT_EQ(slab_put(obj), POOL_FAULT_KINDS);
		EXPECT(slab_put(obj) != POOL_FAULT_KINDS);
		plat_trim(true);
		EXPECT_EQ(slab_put(obj), POOL_FAULT_FOREIGN);
	}
}

/* Every third object of full slabs is freed.  All pages without another object must be returned. */
TEST_CASE(pages_of_a_large_object_go_back_while_its_neighbours_stay)
{
	struct slab_class *class = pool_slab_class(16384, 16);
	unsigned long had = 0, has = 0;
	unsigned int i;

	slab_get_many(class, objs, OBJS);
	for (i = 0; i < OBJS; i++)
		memset(objs[i], 1, 16384);
	for (i = 0; i < OBJS; i += 3) {
		had += resident(objs[i], (char *)objs[i] + 16384);
		EXPECT_EQ(slab_put(objs[i]), POOL_FAULT_KINDS);
	}
	plat_trim(true);
	for (i = 0; i < OBJS; i++) {
		unsigned long n = resident(objs[i], (char *)objs[i] + 16384);

		has += i % 3 ? 0 : n;
		EXPECT(!(i % 3) || n >= 3);
	}
	EXPECT_LE(OBJS, had);
	EXPECT_EQ(has, 0);
	for (i = 0; i < OBJS; i++)
		EXPECT(!(i % 3) || slab_put(objs[i]) == POOL_FAULT_KINDS);
	plat_trim(true);
}

/* Memory is not asked for ahead, since the program may use the first bytes of objects only. */
TEST_CASE(pages_of_large_objects_that_nobody_writes_to_take_no_memory)
{
	struct slab_class *class = pool_slab_class(33000, 16);
	unsigned int i;

	plat_trim(true);
	ahead_calls = 0;
	slab_get_many(class, objs, OBJS);
	for (i = 0; i < OBJS; i++) {
		char *slab = slab_of(objs[i]);

		*(char *)objs[i] = 1;
		EXPECT_LE(resident(slab, slab + SLAB_BYTES), 1);
		memset(objs[i], 1, 33000);
		EXPECT_LE(resident(slab, slab + SLAB_BYTES), 9);
	}
	EXPECT_EQ(ahead_calls, 0);
	EXPECT_EQ(slab_put_many(objs, OBJS), 0);
	plat_trim(true);
}

/* Each free of the only object of a slab returns the slab to the arena, which must reuse it. */
TEST_CASE(slabs_of_one_or_two_objects_are_used_again)
{
	struct slab_class *class[2] = { pool_slab_class(30000, 16), pool_slab_class(65536, 16) };
	size_t reserved = arena_now().reserved;
	unsigned int i, k;

	for (k = 0; k < 10; k++) {
		for (i = 0; i < OBJS; i++) {
			objs[i] = test_slab_alloc(class[(i + k) % 2]);
			ASSERT(objs[i]);
		}
		for (i = 0; i < OBJS; i += 2)
			EXPECT_EQ(slab_put(objs[i]), POOL_FAULT_KINDS);
		for (i = 1; i < OBJS; i += 2)
			EXPECT_EQ(slab_put(objs[i]), POOL_FAULT_KINDS);
	}
	EXPECT_LE(arena_now().reserved, reserved + OBJS + CHUNK_SLABS);
	plat_trim(true);
}

/* 65536 bytes come from a slab, one byte more from malloc(). */
TEST_CASE(objects_come_from_slabs_up_to_64_KiB)
{
	struct pool *slabs, *blocks;
	void *obj[2];

	pool_fail_every = 0;
	slabs = test_pool(65536);
	blocks = test_pool(65537);
	ASSERT(slabs && blocks);
	obj[0] = test_alloc(slabs);
	obj[1] = test_alloc(blocks);
	EXPECT_EQ(pool_arena_slab(obj[0]) != NULL, !tool_sees_blocks());
	EXPECT(!pool_arena_slab(obj[1]));
	memset(obj[0], 1, 65536);
	memset(obj[1], 1, 65537);
	test_free(slabs, obj[0]);
	test_free(blocks, obj[1]);
	EXPECT(test_quiet(slabs, 0) && test_quiet(blocks, 0));
	pool_destroy(&slabs->head);
	pool_destroy(&blocks->head);
}
