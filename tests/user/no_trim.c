// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * no_trim.c - the word "no-trim": malloc_trim() is not called
 *
 * Layer:   tests of user/plat.c.
 * Context: see test.h.  The library's calls of malloc_trim() come here and are counted.
 */
#include "test.h"

/* Not every C library has it. */
int __real_malloc_trim(size_t pad) __attribute__((weak));
int __wrap_malloc_trim(size_t pad);
static unsigned long trims;

int __wrap_malloc_trim(size_t pad)
{
	plat_word_add(&trims, 1);
	return __real_malloc_trim ? __real_malloc_trim(pad) : 0;
}

/* Memory is given back in all ways; returns how often malloc_trim() was called for it. */
static unsigned long trims_of_all(struct pool *pool)
{
	unsigned long before = plat_read(&trims);

	test_wave(pool, 1000);
	pool_gc(NULL);
	test_wave(pool, 1000);
	pool_flush(&pool->head);
	pool_shrink(~0ul);
	pool_age();
	return plat_read(&trims) - before;
}

TEST_CASE(malloc_trim_is_called_unless_an_option_forbids_it)
{
	struct pool *pool = test_pool(64);

	ASSERT(pool);
	EXPECT(trims_of_all(pool) > 0);
	EXPECT(pool_configure("no-trim"));
	EXPECT_EQ(trims_of_all(pool), 0);
	EXPECT(pool_set_debug(NULL, "trim"));
	EXPECT(trims_of_all(pool) > 0);
	EXPECT(pool_set_debug(NULL, "no-trim"));
	EXPECT_EQ(trims_of_all(pool), 0);
	EXPECT(!pool_set_debug(&pool->head, "trim"));
	pool_destroy(&pool->head);
}
