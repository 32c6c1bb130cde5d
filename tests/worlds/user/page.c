// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * page.c - pages with memory and no object: their number, and that frees return them
 *
 * Layer:   tests of user/slab/page.c, and of what common/shared/below.c keeps where objects lie
 *	    scattered.
 * Context: see test.h.  No case calls a function that returns memory, except between two parts
 *	    of a case.
 */
#include "cases_slab.h"
#include "main.h"

#define SMALL		64
#define OBJS		131072u
#define STRIDES		4

static void *objs[OBJS];
static void *kept[STRIDES][OBJS / STRIDES / 16];
static unsigned int bad;

/* Pages with objects in use, counted by the bits of free objects, and idle pages, of all slabs. */
static unsigned long in_use, idle;

static void count_slab(struct slab *slab)
{
	unsigned char on[SLAB_PAGES] = { 0 };
	unsigned int stride, shift, page, i;

	idle += (unsigned int)__builtin_popcount(slab->idle);
	if (!slab->shelf)
		return;
	stride = slab->shelf->class->stride;
	shift = slab->shelf->class->page_shift;
	for (i = 0; i < slab->objs; i++) {
		size_t at = (size_t)(slab->first - pool_arena_at(slab)) + i * stride;

		if (slab_is_free(slab, slab_bit_of(slab, i)))
			continue;
		for (page = at >> shift; page <= (at + stride - 1) >> shift; page++)
			on[page] = 1;
	}
	for (i = 0; i < SLAB_PAGES; i++) {
		in_use += on[i];
		bad += on[i] == !slab->on[i] || (on[i] && slab->idle >> i & 1);
	}
}

/* Compare the counts with the bits.  Returns how many pages are idle beyond those that may be. */
static unsigned long beyond(void)
{
	unsigned long most;

	in_use = 0;
	idle = 0;
	pool_arena_fork_hold();
	pool_arena_each(count_slab);
	pool_arena_fork_release();
	bad += idle != pool_page_idle();
	most = in_use / 4 + (2ul << 20) / pool_start.page;
	return idle > most ? idle - most : 0;
}

/* Allocate @n objects and write to them, then free all but one in @one_in, in any order. */
static unsigned int burst(struct slab_class *class, unsigned int n, unsigned int one_in,
			  void **left)
{
	unsigned long state = 1;
	unsigned int most = n / one_in, i;

	slab_get_many(class, objs, n);
	for (i = 0; i < n; i++)
		memset(objs[i], 1, class->stride);
	for (i = 0; i < n; i++) {
		unsigned long k = i + test_random(&state) % (n - i);
		void *obj = objs[k];

		objs[k] = objs[i];
		objs[i] = obj;
	}
	memcpy(left, objs, most * sizeof(*left));
	bad += slab_put_many(objs + most, n - most);
	return most;
}

/*
 * Bursts of different strides follow each other, so that a free to one class returns pages of
 * another class.
 */
TEST_CASE(pages_without_objects_are_a_quarter_of_the_others_at_most)
{
	static const unsigned int sizes[STRIDES] = { 528, 1008, SMALL, 272 };
	unsigned int n[STRIDES], i;

	plat_trim(true);
	bad = 0;
	for (i = 0; i < STRIDES; i++) {
		n[i] = burst(pool_slab_class(sizes[i], 16), OBJS / STRIDES, 32, kept[i]);
		EXPECT_EQ(beyond(), 0);
	}
	for (i = 0; i < STRIDES; i++)
		EXPECT_EQ(slab_put_many(kept[i], n[i]), 0);
	EXPECT_EQ(beyond() + bad, 0);
	plat_trim(true);
}

TEST_CASE(each_page_with_memory_and_no_object_is_counted)
{
	struct slab_class *class = pool_slab_class(SMALL, 16);
	unsigned long least, most;
	unsigned int n;

	plat_trim(true);
	bad = 0;
	beyond();
	least = in_use;
	EXPECT_EQ(idle, 0);
	n = burst(class, OBJS / STRIDES, SLAB_BYTES / SMALL / 3, kept[0]);
	beyond();
	most = in_use;
	EXPECT(idle);
	plat_trim(true);
	beyond();
	EXPECT_EQ(in_use, most);
	EXPECT_LE(idle, SLAB_PAGES);
	EXPECT_EQ(slab_put_many(kept[0], n), 0);
	plat_trim(true);
	beyond();
	EXPECT_EQ(in_use, least);
	EXPECT_EQ(idle + bad, 0);
}

/* madvise() fails as after mlockall().  The library must stop asking after a few slabs. */
TEST_CASE(a_program_that_has_locked_its_memory_is_left_alone)
{
	struct slab_class *class = pool_slab_class(SMALL, 16);
	unsigned int n;

	plat_trim(true);
	bad = 0;
	trim_locked = true;
	plat_write(&trim_calls, 0ul);
	n = burst(class, OBJS, 400, kept[0]);
	EXPECT(plat_read(&trim_calls));
	EXPECT_LE(plat_read(&trim_calls), 16 * (SLAB_PAGES + 1));
	trim_locked = false;
	plat_trim(true);
	EXPECT(!pool_page_over());
	EXPECT_EQ(slab_put_many(kept[0], n) + bad, 0);
	/*
	 * The madvise() of plat_trim() was the first that succeeded, so frees return pages again.
	 */
	n = burst(class, OBJS, 400, kept[0]);
	EXPECT_EQ(beyond(), 0);
	EXPECT_EQ(slab_put_many(kept[0], n) + bad, 0);
	plat_trim(true);
}

/* Keep one object of 32 in use; the caches have few objects in addition. */
TEST_CASE(what_a_shared_pool_keeps_lies_close_together)
{
	struct pool_head *pool;
	unsigned long state = 1;
	struct pool_stats now;
	unsigned int i;

	if (UNDER_CHECKER)
		SKIP_BECAUSE("a tool watches, so there are no slabs");
	pool_fail_every = 0;
	pool = create_pool("scattered", SMALL, MEM_F_EXACT);
	for (i = 0; i < OBJS; i++)
		objs[i] = pool_alloc(pool);
	for (i = 0; i < OBJS; i++) {
		unsigned long k = i + test_random(&state) % (OBJS - i);
		void *obj = objs[k];

		objs[k] = objs[i];
		objs[i] = obj;
	}
	for (i = OBJS / 32; i < OBJS; i++)
		pool_free(pool, objs[i]);
	pool_stats_get(pool, &now, sizeof(now));
	EXPECT_EQ(now.used, OBJS / 32);
	EXPECT_LE(now.shared, OBJS / 64);
	for (i = 0; i < OBJS / 32; i++)
		pool_free(pool, objs[i]);
	pool_destroy(pool);
	plat_trim(true);
}
