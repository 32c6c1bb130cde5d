// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * guard.c - objects with pages of their own
 *
 * Layer:   tests of user/guard.c, kernel/guard.c, common/debug/guard_fill.c, and of pools
 *	    that have them.
 *
 * No case accesses a forbidden byte; test_readable() is asked instead.
 */
#include "cases_guard.h"
#include "main.h"

/* 1 if addresses of freed objects are kept from use for a while; kernels decide by MAY_KEEP. */
#ifndef __KERNEL__
#define HELD		1
#elif !defined(CONFIG_UML) && (defined(CONFIG_X86_64) || defined(CONFIG_ARM64))
#define HELD		1
#else
#define HELD		0
#endif

/* The least number of objects that are freed before an address is used again. */
#define NOT_AGAIN	(HELD ? 200 : 8)

static unsigned long page(void)
{
	return pool_start.page;
}

unsigned char *guard_page_of(const void *p)
{
	return (unsigned char *)((unsigned long)p & ~(page() - 1));
}

/* Return the first byte behind the pages of an object. */
static unsigned char *end_of(const void *obj, unsigned int size)
{
	return guard_page_of((const unsigned char *)obj + size - 1) + page();
}

bool guard_backend_open(struct plat_backend *backend, unsigned int size,
			unsigned int align)
{
	return test_backend(backend, 3000000, size, align, POOL_D_UAF);
}

/* True if all pages of an object can be read, or none if not @readable, and none beside them. */
bool guard_pages_are(bool readable, const void *obj, unsigned int size)
{
	unsigned char *end = end_of(obj, size);
	unsigned char *p;

	for (p = guard_page_of(obj); p < end; p += page())
		if (test_readable(p) != readable)
			return false;
	return !test_readable(guard_page_of(obj) - 1) && !test_readable(end);
}

/* True if one object is aligned, ends with its pages, and cannot be accessed after its free. */
static bool one_is_good(unsigned int size, unsigned int align)
{
	struct plat_backend backend;
	unsigned char *obj;
	bool good;

	if (!guard_backend_open(&backend, size, align))
		return false;
	obj = test_backend_alloc(&backend, 0);
	if (!obj)
		return false;
	good = !((unsigned long)obj & (align - 1)) &&
	       (unsigned long)(end_of(obj, size) - (obj + size)) < align &&
	       guard_pages_are(true, obj, size);
	memset(obj, 0xff, size);
	test_backend_free(&backend, obj);
	good = good && guard_pages_are(false, obj, size);
	plat_backend_destroy(&backend, 0);
	return good;
}

TEST_CASE(guarded_objects_end_where_their_pages_do_and_vanish_when_freed)
{
	static const unsigned int sizes[] = {
		1, 16, 17, 100, 1024, 4080, 4095, 4096, 4097, 8192, 8193, 12287,
		12288, 0
	};
	unsigned int align, i;

	for (align = POOL_ALIGN_MIN; align <= page(); align *= 2)
		for (i = 0; sizes[i]; i++)
			EXPECT(one_is_good(sizes[i], align));
}

/* True if @obj is among the last @n addresses of @seen. */
static bool among(const void *obj, void **seen, unsigned int n)
{
	while (n--)
		if (seen[n] == obj)
			return true;
	return false;
}

TEST_CASE(the_address_of_a_freed_object_is_not_used_again_soon)
{
	unsigned int i, again = 0;
	struct plat_backend backend;

	ASSERT(guard_backend_open(&backend, 64, 16));
	for (i = 0; i < NOT_AGAIN; i++) {
		test_objs[i] = test_backend_alloc(&backend, 0);
		ASSERT(test_objs[i]);
		again += among(test_objs[i], test_objs, i);
		test_backend_free(&backend, test_objs[i]);
	}
	EXPECT_EQ(again, 0);
	for (i = 0; i < NOT_AGAIN; i++)
		again += test_readable(test_objs[i]);
	EXPECT_EQ(again, 0);
	plat_backend_destroy(&backend, 0);
}

TEST_CASE(no_more_address_space_is_kept_than_is_allowed)
{
	unsigned int i, above = 0;
	struct plat_backend backend;

	pool_options.uaf_keep = 40 * page();
	ASSERT(guard_backend_open(&backend, 5000, 16));
	for (i = 0; i < 100; i++) {
		void *obj = test_backend_alloc(&backend, 0);

		ASSERT(obj);
		test_backend_free(&backend, obj);
		above += i && pool_guard_kept() > pool_options.uaf_keep;
	}
	EXPECT_EQ(above, 0);
	if (HELD)
		EXPECT(pool_guard_kept() > 20 * page());
	else
		EXPECT_EQ(pool_guard_kept(), 0);
	pool_options.uaf_keep = 0;
	test_backend_free(&backend, test_backend_alloc(&backend, 0));
	EXPECT_EQ(pool_guard_kept(), 0);
	plat_backend_destroy(&backend, 0);
}

/* Change the byte obj[@at] and restore it.  True if the check finds exactly that byte. */
static bool is_found(const struct plat_backend *backend, unsigned char *obj, long at)
{
	long where = 12345;
	bool found;

	obj[at] = (unsigned char)(obj[at] + 1);
	found = !plat_guard_check(backend, obj, &where) && where == at;
	obj[at] = (unsigned char)(obj[at] - 1);
	return found && plat_guard_check(backend, obj, &where);
}

TEST_CASE(a_byte_written_beside_a_guarded_object_is_found)
{
	struct plat_backend backend;
	unsigned char *obj;
	long where, behind;

	ASSERT(guard_backend_open(&backend, 100, 64));
	obj = test_backend_alloc(&backend, 0);
	ASSERT(obj);
	behind = end_of(obj, 100) - obj;
	EXPECT_EQ(behind, 128);
	memset(obj, 0, 100);
	EXPECT(plat_guard_check(&backend, obj, &where));
	EXPECT(is_found(&backend, obj, 100));
	EXPECT(is_found(&backend, obj, behind - 1));
	EXPECT(is_found(&backend, obj, -1));
	EXPECT(is_found(&backend, obj, guard_page_of(obj) - obj));
	memset(obj - 8, 0, 8);
	EXPECT(!plat_guard_check(&backend, obj, &where));
	EXPECT(where == -1 || where == -2);
	test_backend_free(&backend, obj);
	plat_backend_destroy(&backend, 0);
}

TEST_CASE(an_object_that_is_not_guarded_has_nothing_to_check)
{
	struct plat_backend backend;
	long where;
	void *obj;

	ASSERT(test_backend(&backend, 3000001, 64, 16, 0));
	obj = test_backend_alloc(&backend, 0);
	ASSERT(obj);
	EXPECT(plat_backend_may(&backend, obj, 0));
	EXPECT(plat_guard_check(&backend, obj, &where));
	test_backend_free(&backend, obj);
	plat_backend_destroy(&backend, 0);
}

TEST_CASE(what_can_be_read_is_told_from_what_cannot)
{
	char here = 0;

	EXPECT(test_readable(&here));
	EXPECT(!test_readable(NULL));
}

/* True if each object has a page of its own. */
static bool are_apart(void **objs, unsigned int n)
{
	unsigned int i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			if (guard_page_of(objs[i]) == guard_page_of(objs[j]))
				return false;
	return true;
}

static unsigned int count_readable(void **objs, unsigned int n)
{
	unsigned int readable = 0;

	while (n--)
		readable += test_readable(objs[n]);
	return readable;
}

POOL_CASE(a_guarded_pool_is_made_used_and_destroyed,
	  test_in_mode(POOL_D_UAF | POOL_D_NO_CACHE | POOL_D_NO_GLOBAL, 100))
{
	test_alloc_many(pool, test_objs, 50);
	EXPECT(are_apart(test_objs, 50));
	EXPECT_EQ(count_readable(test_objs, 50), 50);
	EXPECT(test_quiet(pool, 50));
	test_free_many(pool, test_objs, 50);
	EXPECT_EQ(count_readable(test_objs, 50), 0);
	EXPECT_EQ(pool_allocated(pool), 0);
}

TEST_CASE(a_guarded_pool_may_have_caches)
{
	struct pool *pool;

	test_mode(POOL_D_UAF);
	pool = test_pool(100);
	ASSERT(pool);
	test_wave(pool, 50);
	EXPECT(test_quiet(pool, 0));
	test_wave(pool, 50);
	pool_flush(&pool->head);
	EXPECT(test_quiet(pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	EXPECT_EQ(count_readable(test_objs, 50), 0);
}

TEST_CASE(one_pool_of_guarded_objects_is_apart_from_all_others)
{
	struct pool_head *plain, *guarded, *other;
	void *obj;

	pool_fail_every = 0;
	test_mode(0);
	plain = create_pool("plain", 112, MEM_F_SHARED);
	guarded = create_pool("guarded", 112, MEM_F_SHARED | MEM_F_UAF);
	other = create_aligned_pool("other", 112, 64, MEM_F_SHARED | MEM_F_UAF);
	ASSERT(plain && guarded && other);
	EXPECT(guarded != plain && guarded != other);
	EXPECT_EQ(pool_of(plain)->debug & POOL_D_UAF, 0);
	EXPECT_EQ(pool_of(guarded)->debug & POOL_D_FLAGS, POOL_D_UAF | POOL_D_NO_CACHE);
	EXPECT(pool_set_debug(NULL, "cache"));
	EXPECT(pool_set_debug(guarded, "cache"));
	EXPECT(pool_of(guarded)->debug & POOL_D_NO_CACHE);
	obj = pool_alloc(guarded);
	ASSERT(obj && test_readable(obj));
	pool_free(guarded, obj);
	EXPECT(!test_readable(obj));
	pool_destroy(other);
	pool_destroy(guarded);
	pool_destroy(plain);
}

TEST_CASE(a_checked_end_is_checked_to_the_byte)
{
	static const unsigned int modes[] = { POOL_D_UAF, POOL_D_TAG };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct pool_head *a, *b, *c;

		test_mode(modes[i]);
		a = create_pool("a", 100, MEM_F_SHARED);
		b = create_pool("b", 101, MEM_F_SHARED);
		c = create_pool("c", 100, MEM_F_SHARED);
		ASSERT(a && b && c);
		EXPECT_EQ(a->size, 100);
		EXPECT_EQ(b->size, 101);
		EXPECT(a != b);
		EXPECT_PTR_EQ(a, c);
		pool_destroy(a);
		pool_destroy(b);
		pool_destroy(c);
	}
}

/* Allocate, fill, check and free objects. */
void guard_use(unsigned int i, void *arg)
{
	struct crowd *c = arg;
	unsigned char *objs[8];
	unsigned long r;
	unsigned int k;
	long where;

	for (r = 0; r < test_scale(400); r++) {
		for (k = 0; k < 8; k++) {
			objs[k] = test_alloc(c->pool);
			if (objs[k])
				memset(objs[k], (int)(i + k), 100);
		}
		for (k = 0; k < 8; k++) {
			if (!objs[k] || objs[k][99] != i + k ||
			    !plat_guard_check(&c->pool->backend, objs[k], &where))
				plat_word_add(&c->bad, 1);
			test_free(c->pool, objs[k]);
		}
	}
}

/*
 * The end of the pool frees its cached objects, after which the kept address space must be within
 * its bound.
 */
TEST_CASE(many_use_guarded_objects_at_once)
{
	static const unsigned int modes[] = {
		POOL_D_UAF, POOL_D_UAF | POOL_D_NO_CACHE | POOL_D_NO_GLOBAL,
	};
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct pool *pool = test_in_mode(modes[i], 100);

		ASSERT(pool);
		pool_options.uaf_keep = 100 * page();
		EXPECT_EQ(test_crowd(4, guard_use, pool), 0);
		ENDS_QUIETLY(&pool->head);
		EXPECT_LE(pool_guard_kept(), pool_options.uaf_keep);
	}
}
