// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * builds.c - promises of section 6: what build options, and the words that they stand for, do
 *
 * Layer:   tests, both worlds; public headers only.
 */
#include "case.h"

/* Bits of pool_debugging, as pool_debug.h lists them. */
#define NO_CACHE	0x20
#define UAF		0x200

TEST_CASE(uaf_takes_the_caches_and_cache_brings_them_back)
{
	test_nothing_on();
	EXPECT(pool_configure("uaf"));
	EXPECT_EQ(pool_debugging, UAF | NO_CACHE);
	EXPECT(pool_configure("no-uaf"));
	EXPECT_EQ(pool_debugging, NO_CACHE);
	EXPECT(pool_configure("cache,uaf,cache"));
	EXPECT_EQ(pool_debugging, UAF);
	EXPECT(pool_configure("cache,uaf"));
	EXPECT_EQ(pool_debugging, UAF | NO_CACHE);
}

/* Two functions without tail calls, so that each is the caller of what it calls. */
static __attribute__((__noinline__)) void *get_there(struct pool_head *pool)
{
	void *obj = pool_alloc(pool);

	pool_barrier();
	return obj;
}

static __attribute__((__noinline__)) void put_there(struct pool_head *pool, void *obj)
{
	pool_free(pool, obj);
	pool_barrier();
}

/* True if an address is less than 1 KiB behind the beginning of a function. */
static bool is_in(const void *at, unsigned long fn)
{
	return (unsigned long)at - fn < 1024;
}

HEAD_CASE(who_allocated_and_who_freed_is_read_behind_the_object, head_checked("caller", 64))
{
	void **caller;
	char *obj;

	test_inject(0);
	obj = get_there(pool);
	ASSERT(obj);
	caller = (void **)(void *)(obj + 64);
	/*
	 * With ThreadSanitizer pool_alloc() makes no tail call, so that pool_alloc() is the caller.
	 */
	EXPECT(is_in(caller[0], (unsigned long)get_there) || UNDER_TSAN);
	EXPECT_PTR_EQ(caller[1], NULL);
	put_there(pool, obj);
	EXPECT(is_in(caller[0], (unsigned long)get_there) || UNDER_TSAN);
	EXPECT(is_in(caller[1], (unsigned long)put_there) || UNDER_TSAN);
}
