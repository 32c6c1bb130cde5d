// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tag.c - for which line the kernel counts the memory of objects
 *
 * Layer:   tests of pool_tag.h, and of what kernel/ asks the slab for.
 * Context: see test.h.  /proc is mounted.
 */
#include "test.h"
#include "helper_files.h"

#include <linux/ctype.h>
#include <linux/slab.h>

#define NEEDS_PROFILE()							\
	do {								\
		if (!IS_ENABLED(CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT)) \
			kunit_skip(test, "this kernel does not count memory by line"); \
	} while (0)

/* More than all lines of the kernel and of its modules. */
#define PROFILE_SIZE	(4u << 20)

/* Read /proc/allocinfo; NULL if it cannot be read.  The caller frees the text by kvfree(). */
static char *read_profile(void)
{
	struct file *file = open_as_init("/proc/allocinfo", O_RDONLY);
	loff_t at = 0;
	char *text;

	if (IS_ERR(file))
		return NULL;
	text = kvzalloc(PROFILE_SIZE, GFP_KERNEL);
	while (text && kernel_read(file, text + at, PROFILE_SIZE - 1 - at, &at) > 0)
		;
	filp_close(file, NULL);
	return text;
}

/* The bytes of the line that ends at @end, behind which its function is named. */
static long bytes_of(const char *text, const char *end)
{
	long bytes, calls;

	while (end > text && end[-1] != '\n')
		end--;
	return sscanf(end, "%ld %ld", &bytes, &calls) == 2 && calls ? bytes : 0;
}

/* The bytes of all lines of a function. */
static long bytes_in(const char *text, const char *function)
{
	size_t len = strlen(function);
	const char *at = text;
	long sum = 0;

	while ((at = strstr(at, " func:"))) {
		const char *name = at + strlen(" func:");

		if (!strncmp(name, function, len) && isspace(name[len]))
			sum += bytes_of(text, at);
		at = name;
	}
	return sum;
}

static long now_in(const char *function)
{
	char *text = read_profile();
	long bytes = text ? bytes_in(text, function) : -1;

	kvfree(text);
	return bytes;
}

static struct pool_reserved *reserve;

static void *tagged_alloc(struct pool_head *pool)
{
	return pool_alloc(pool);
}

static void *tagged_alloc_flags(struct pool_head *pool)
{
	return __pool_alloc(pool, POOL_F_ATOMIC);
}

static void *tagged_zalloc(struct pool_head *pool)
{
	return pool_zalloc(pool);
}

static void *tagged_nocache(struct pool_head *pool)
{
	return pool_alloc_nocache(pool);
}

static void *tagged_timeout(struct pool_head *pool)
{
	return pool_alloc_timeout(pool, 0, 1);
}

static void *tagged_bulk(struct pool_head *pool)
{
	void *obj;

	return pool_alloc_bulk(pool, 0, 1, &obj) ? obj : NULL;
}

static void *tagged_bulk_some(struct pool_head *pool)
{
	void *obj;

	return pool_alloc_bulk_some(pool, 0, 1, &obj) ? obj : NULL;
}

static void *tagged_gfp(struct pool_head *pool)
{
	return pool_alloc_gfp(pool, GFP_KERNEL);
}

static void *tagged_node(struct pool_head *pool)
{
	return pool_alloc_node(pool, GFP_KERNEL, numa_mem_id());
}

static void *tagged_reserve(struct pool_head *pool)
{
	reserve = pool_reserve(pool, 1);
	return pool_alloc_reserved(reserve);
}

static void *tagged_reserved(struct pool_head *pool)
{
	return pool_alloc_reserved_timeout(reserve, 0, 1);
}

static const struct {
	const char *function;
	void *(*alloc)(struct pool_head *pool);
} ways[] = {
	{ "tagged_alloc", tagged_alloc },
	{ "tagged_alloc_flags", tagged_alloc_flags },
	{ "tagged_zalloc", tagged_zalloc },
	{ "tagged_nocache", tagged_nocache },
	{ "tagged_timeout", tagged_timeout },
	{ "tagged_bulk", tagged_bulk },
	{ "tagged_bulk_some", tagged_bulk_some },
	{ "tagged_gfp", tagged_gfp },
	{ "tagged_node", tagged_node },
	{ "tagged_reserve", tagged_reserve },
	{ "tagged_reserved", tagged_reserved },
};

TEST_CASE(the_slab_counts_objects_for_the_line_that_asked_for_them)
{
	struct pool_attr attr = {
		.name = "tagged", .size = 64, .mode = POOL_M_NO_CACHE,
	};
	struct pool_head *pool;
	unsigned int i;
	char *text;

	NEEDS_PROFILE();
	pool_fail_every = 0;
	pool = create_pool_ext(&attr);
	ASSERT(pool);
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		test_objs[i] = ways[i].alloc(pool);
	text = read_profile();
	ASSERT(text);
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		KUNIT_EXPECT_GE_MSG(test, bytes_in(text, ways[i].function), 64l,
				    "%s", ways[i].function);
		pool_free(pool, test_objs[i]);
	}
	kvfree(text);
	pool_unreserve(reserve);
	text = read_profile();
	ASSERT(text);
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		KUNIT_EXPECT_EQ_MSG(test, bytes_in(text, ways[i].function), 0l,
				    "%s", ways[i].function);
	kvfree(text);
	EXPECT_PTR_EQ(pool_destroy(pool), NULL);
}

TEST_CASE(an_object_that_is_handed_on_stays_with_the_line_that_got_it)
{
	struct pool_attr attr = {
		.name = "tagged", .size = 64, .mode = POOL_M_GLOBAL, .limit = 1,
	};
	struct pool_head *pool;
	void *obj;

	NEEDS_PROFILE();
	pool_fail_every = 0;
	pool = create_pool_ext(&attr);
	ASSERT(pool);
	obj = tagged_alloc(pool);
	EXPECT(now_in("tagged_alloc") >= 64);
	pool_free(pool, obj);
	EXPECT_PTR_EQ(tagged_zalloc(pool), obj);
	EXPECT(now_in("tagged_alloc") >= 64);
	EXPECT_EQ(now_in("tagged_zalloc"), 0);
	pool_free(pool, obj);
	EXPECT_PTR_EQ(pool_destroy(pool), NULL);
	EXPECT_EQ(now_in("tagged_alloc"), 0);
}

TEST_CASE(a_call_by_a_pointer_is_counted_for_the_pool)
{
	void *(*alloc)(struct pool_head *pool) = pool_alloc_nocache;
	struct pool_attr attr = {
		.name = "tagged", .size = 64, .mode = POOL_M_NO_CACHE,
	};
	struct pool_head *pool;
	long before;
	void *obj;

	NEEDS_PROFILE();
	pool_fail_every = 0;
	pool = create_pool_ext(&attr);
	ASSERT(pool);
	before = now_in("plat_backend_alloc");
	obj = alloc(pool);
	EXPECT(now_in("plat_backend_alloc") >= before + 64);
	pool_free(pool, obj);
	EXPECT_PTR_EQ(pool_destroy(pool), NULL);
}
