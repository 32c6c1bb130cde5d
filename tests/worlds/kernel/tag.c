// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tag.c - for which line the kernel counts the memory of objects
 *
 * Layer:   tests of pool_tag.h, and of what kernel/ asks the slab for.
 *
 * /proc is mounted.
 */
#include "test.h"
#include "helper_files.h"

#include <linux/ctype.h>
#include <linux/slab.h>

#define IF_PROFILED(make) \
	ONLY_IF(IS_ENABLED(CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT), \
		"this kernel does not count memory by line", make)

/* Bytes of /proc/allocinfo: more than the lines of the kernel and of its modules have. */
#define PROFILE_SIZE	(4u << 20)

/* Return the text of /proc/allocinfo, for kvfree(); NULL if it cannot be read. */
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

/* Return the bytes of the line whose numbers end at @end. */
static long bytes_of(const char *text, const char *end)
{
	long bytes, calls;

	while (end > text && end[-1] != '\n')
		end--;
	return sscanf(end, "%ld %ld", &bytes, &calls) == 2 && calls ? bytes : 0;
}

/* Return the bytes of all lines of a function. */
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

/* TAGGED(name, call) - a function of this name, for whose line the kernel counts @call. */
#define TAGGED(name, call)						\
	static void *name(struct pool_head *pool)			\
	{								\
		return call;						\
	}

TAGGED(tagged_alloc, pool_alloc(pool))
TAGGED(tagged_alloc_flags, __pool_alloc(pool, POOL_F_ATOMIC))
TAGGED(tagged_zalloc, pool_zalloc(pool))
TAGGED(tagged_nocache, pool_alloc_nocache(pool))
TAGGED(tagged_timeout, pool_alloc_timeout(pool, 0, 1))
TAGGED(tagged_gfp, pool_alloc_gfp(pool, GFP_KERNEL))
TAGGED(tagged_node, pool_alloc_node(pool, GFP_KERNEL, numa_mem_id()))
TAGGED(tagged_reserved, pool_alloc_reserved_timeout(reserve, 0, 1))

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

static void *tagged_reserve(struct pool_head *pool)
{
	reserve = pool_reserve(pool, 1);
	return pool_alloc_reserved(reserve);
}

#define WAY(name)	{ #name, name }

static const struct {
	const char *function;
	void *(*alloc)(struct pool_head *pool);
} ways[] = {
	WAY(tagged_alloc), WAY(tagged_alloc_flags), WAY(tagged_zalloc), WAY(tagged_nocache),
	WAY(tagged_timeout), WAY(tagged_bulk), WAY(tagged_bulk_some), WAY(tagged_gfp),
	WAY(tagged_node), WAY(tagged_reserve), WAY(tagged_reserved),
};

/* A pool that gets each of its objects from the slab. */
static const struct pool_attr uncached = { .name = "tagged", .size = 64, .mode = POOL_M_NO_CACHE };

POOL_CASE(the_slab_counts_objects_for_the_line_that_asked_for_them,
	  IF_PROFILED(test_made(&uncached)))
{
	unsigned int i;
	char *text;

	pool_fail_every = 0;
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		test_objs[i] = ways[i].alloc(&pool->head);
	text = read_profile();
	ASSERT(text);
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		KUNIT_EXPECT_GE_MSG(test, bytes_in(text, ways[i].function), 64l,
				    "%s", ways[i].function);
		test_free(pool, test_objs[i]);
	}
	kvfree(text);
	pool_unreserve(reserve);
	text = read_profile();
	ASSERT(text);
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		KUNIT_EXPECT_EQ_MSG(test, bytes_in(text, ways[i].function), 0l,
				    "%s", ways[i].function);
	kvfree(text);
}

TEST_CASE(an_object_that_is_handed_on_stays_with_the_line_that_got_it)
{
	struct pool_attr attr = {
		.name = "tagged", .size = 64, .mode = POOL_M_GLOBAL, .limit = 1,
	};
	struct pool_head *pool;
	void *obj;

	pool_fail_every = 0;
	pool = IF_PROFILED(create_pool_ext(&attr));
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

POOL_CASE(a_call_by_a_pointer_is_counted_for_the_pool, IF_PROFILED(test_made(&uncached)))
{
	void *(*alloc)(struct pool_head *pool) = pool_alloc_nocache;
	long before = now_in("plat_backend_alloc");
	void *obj;

	pool_fail_every = 0;
	obj = alloc(&pool->head);
	EXPECT(now_in("plat_backend_alloc") >= before + 64);
	test_free(pool, obj);
}
