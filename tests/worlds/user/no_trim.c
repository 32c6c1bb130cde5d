// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * no_trim.c - when malloc_trim() is called, and the word "no-trim"
 *
 * Layer:   tests of user/heap.c.
 * Context: see test.h.  The library's calls of malloc_trim() come here and are counted.
 */
#include "main.h"
#include "test.h"

#include <stdlib.h>

/* Too large for slabs, and enough objects that malloc() gets memory back from frees. */
#define LARGE	(POOL_SLAB_MAX + 1024)
#define MANY	200

/* Some C libraries have no malloc_trim(). */
int __real_malloc_trim(size_t pad) __attribute__((weak));
int __wrap_malloc_trim(size_t pad);
static unsigned long trims;

int __wrap_malloc_trim(size_t pad)
{
	plat_word_add(&trims, 1);
	return __real_malloc_trim ? __real_malloc_trim(pad) : 0;
}

static void collect(void)
{
	pool_gc(NULL);
}

static void reclaim(void)
{
	pool_reclaim(NULL);
}

static void age(void)
{
	unsigned int rounds;

	for (rounds = 0; rounds < 8; rounds++)
		pool_age();
	pool_shrink(~0ul);
}

/* Use and free objects, then call @give; returns how often @give called malloc_trim(). */
static unsigned long trims_of(struct pool *pool, void (*give)(void))
{
	unsigned long before;

	test_wave(pool, MANY);
	before = plat_read(&trims);
	give();
	return plat_read(&trims) - before;
}

POOL_CASE(malloc_trim_is_called_unless_an_option_forbids_it, test_pool(LARGE))
{
	/* Skip builds with a checker, whose memory outside of pools is large. */
	EXPECT(UNDER_CHECKER || trims_of(pool, collect) > 0);
	EXPECT(UNDER_CHECKER || trims_of(pool, reclaim) > 0);
	EXPECT(pool_configure("no-trim"));
	EXPECT_EQ(trims_of(pool, collect), 0);
	EXPECT(pool_set_debug(NULL, "trim"));
	EXPECT(UNDER_CHECKER || trims_of(pool, collect) > 0);
	EXPECT(pool_set_debug(NULL, "no-trim"));
	EXPECT_EQ(trims_of(pool, reclaim), 0);
	EXPECT(!pool_set_debug(&pool->head, "trim"));
}

TEST_CASE(malloc_trim_is_not_called_for_what_did_not_go_back_to_malloc)
{
	struct pool *small, *large;

	if (UNDER_CHECKER)
		SKIP_BECAUSE("a tool watches, so all objects come from malloc()");
	small = test_pool(64);
	large = test_pool(LARGE);
	ASSERT(small && large);
	EXPECT_EQ(trims_of(small, collect), 0);
	EXPECT_EQ(trims_of(small, reclaim), 0);
	trims_of(large, reclaim);
	pool_destroy(&large->head);
	collect();
	EXPECT_EQ(trims_of(small, reclaim), 0);
	pool_destroy(&small->head);
}

POOL_CASE(ageing_and_shrinking_leave_the_memory_of_malloc_alone, test_pool(LARGE))
{
	EXPECT_EQ(trims_of(pool, age), 0);
}

POOL_CASE(malloc_trim_is_not_called_where_much_memory_is_no_object, test_pool(LARGE))
{
	size_t bytes = 64 << 20, i;
	char *volatile other = malloc(bytes);	/* otherwise clang removes malloc() and its free */

	ASSERT(other);
	for (i = 0; i < bytes; i += 4096)
		plat_write(&other[i], 1);
	EXPECT_EQ(trims_of(pool, collect), 0);
	EXPECT_EQ(trims_of(pool, reclaim), 0);
	free(other);
}
