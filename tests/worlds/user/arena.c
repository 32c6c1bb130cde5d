// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * arena.c - slabs: their memory, and when it goes back
 *
 * Layer:   tests of user/slab/arena.c.
 * Context: see test.h.  Steps that cannot be undone are done in a child.
 */
#include "cases_slab.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Returns how many pages of this range have memory. */
static unsigned int resident(void *at, size_t bytes)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < bytes; i += SLAB_PAGE) {
		unsigned char there = 0;

		if (!mincore((char *)at + i, SLAB_PAGE, &there))
			n += there & 1;
	}
	return n;
}

TEST_CASE(an_empty_slab_is_any_classes_next_one)
{
	struct slab_class *large = pool_slab_class(LARGE, 16);
	struct slab_class *small = pool_slab_class(48, 16);
	unsigned int slabs = 8, others = (slabs - 2) * (SLAB_BYTES / 48);
	void **objs = calloc(others, sizeof(*objs));
	size_t ready;

	ASSERT(objs);
	slab_get_many(large, test_objs, slabs * PER_SLAB);
	EXPECT_EQ(slab_put_many(test_objs, slabs * PER_SLAB), 0);
	ready = arena_now().ready;
	slab_get_many(small, objs, others);
	EXPECT_EQ(arena_now().ready, ready);
	EXPECT_EQ(slab_put_many(objs, others), 0);
	free(objs);
}

TEST_CASE(memory_that_is_not_needed_goes_back)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	unsigned int n = TEST_OBJS, there = 0, i;
	size_t used = arena_now().used;

	slab_get_many(class, test_objs, n);
	for (i = 0; i < n; i++)
		memset(test_objs[i], 1, LARGE);
	EXPECT_LE(used + n / PER_SLAB - 1, arena_now().used);
	EXPECT_EQ(slab_put_many(test_objs, n), 0);
	EXPECT_LE(arena_now().used, used + 1);
	EXPECT(!pool_page_over());
	plat_trim(true);
	for (i = 0; i < n; i++)
		there += resident((void *)((uintptr_t)test_objs[i] & -SLAB_PAGE),
				  SLAB_PAGE);
	EXPECT_EQ(there, 0);
	EXPECT_EQ(arena_now().kept, 0);
	EXPECT_LE(arena_now().used, used);
}

/* Each description is larger than two small pages, so it has a page of its own. */
static bool is_in_memory(struct slab_chunk *chunk)
{
	uintptr_t at = (uintptr_t)&chunk->slab[CHUNK_SLABS / 2];

	return resident((void *)(at & -SLAB_PAGE), SLAB_PAGE);
}

TEST_CASE(a_chunk_that_was_never_needed_has_no_description_in_memory)
{
	struct slab_class *class = pool_slab_class(64, 16);
	void *obj = test_slab_alloc(class);
	struct slab_chunk *chunk;
	unsigned int i;

	ASSERT(obj);
	if (sysconf(_SC_PAGESIZE) != SLAB_PAGE)
		SKIP_BECAUSE("pages are not small");
	chunk = pool_arena_slab(obj)->chunk;
	EXPECT(is_in_memory(chunk));
	while (test_readable((unsigned char *)chunk - 1))
		chunk--;
	for (i = 0; i < CHUNK_DESCRIBED; i++)
		EXPECT(!is_in_memory(&chunk[i]) || chunk[i].base);
	EXPECT_EQ(slab_put_many(&obj, 1), 0);
}

/* Returns on how many pages the first and the last bytes of two objects are. */
static size_t pages_of(const void *a, const void *b, size_t bytes)
{
	uintptr_t at[] = { (uintptr_t)a, (uintptr_t)a + bytes - 1,
			   (uintptr_t)b, (uintptr_t)b + bytes - 1 };
	size_t pages = 0;
	unsigned int i, k;

	for (i = 0; i < ARRAY_LEN(at); i++) {
		for (k = 0; k < i; k++)
			if (at[k] / SLAB_PAGE == at[i] / SLAB_PAGE)
				break;
		pages += k == i;
	}
	return pages;
}

TEST_CASE(what_is_not_written_to_takes_no_memory)
{
	struct slab_class *class = pool_slab_class(496, 16);
	void *objs[3];

	plat_trim(true);
	slab_get_many(class, objs, 3);
	EXPECT_PTR_EQ(slab_of(objs[0]), slab_of(objs[2]));
	EXPECT_EQ(resident(slab_of(objs[0]), SLAB_BYTES), 0);
	memset(objs[0], 1, 496);
	memset(objs[2], 1, 496);
	EXPECT_EQ(resident(slab_of(objs[0]), SLAB_BYTES),
		  pages_of(objs[0], objs[2], 496));
	EXPECT_EQ(slab_put_many(objs, 3), 0);
}

/* Kilobytes of memory that a process has, read from a file of /proc. */
static long resident_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long all, there = -1;

	if (!file || fscanf(file, "%ld %ld", &all, &there) != 2)
		return -1;
	fclose(file);
	return there * (SLAB_PAGE / 1024);
}

#define MILLION		1000000

/* The densest malloc() takes 63 MiB for these, of which 61 are the objects. */
static int is_dense(void *arg)
{
	struct pool *pool = arg;
	void **list = NULL;
	long before;
	int i;

	test_free(pool, test_alloc(pool));
	before = resident_kib();
	for (i = 0; i < MILLION; i++) {
		void **obj = test_alloc(pool);

		if (!obj)
			return 1;
		*obj = list;
		list = obj;
	}
	return before < 0 || resident_kib() - before > 66 * 1024;
}

POOL_CASE(a_million_small_objects_are_close_together, test_pool(64))
{
	if (!UNDER_CHECKER)
		EXPECT_EQ(slab_child(is_dense, pool), 0);
}

/* The limit lets no more memory become writable; malloc() has some that is free. */
static int use_without_growth(void *arg)
{
	static const struct rlimit none = { 0, 0 };
	struct pool *pool = arg;
	unsigned int out = 0, i;
	void *some[64];

#ifdef M_TRIM_THRESHOLD
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
#endif
	for (i = 0; i < 64; i++)
		some[i] = malloc(100000);
	for (i = 0; i < 64; i++)
		free(some[i]);
	if (setrlimit(RLIMIT_DATA, &none))
		return 1;
	for (i = 0; i < TEST_OBJS; i++) {
		test_objs[i] = test_alloc(pool);
		if (!test_objs[i])
			return 2;
		memset(test_objs[i], 1, 1000);
		out += !pool_arena_slab(test_objs[i]);
	}
	test_free_many(pool, test_objs, TEST_OBJS);
	pool_reclaim(&pool->head);
	return !out || !test_quiet(pool, 0);
}

POOL_CASE(where_the_arena_cannot_grow_malloc_serves, test_pool(1000))
{
	if (!UNDER_CHECKER)
		EXPECT_EQ(slab_child(use_without_growth, pool), 0);
}

/*
 * Slow machines use as many objects, too: the caches keep the freshest 8192 objects, on as many
 * pages, which would be a tenth of a smaller number.
 */
#define SCATTERED	800000

static void shuffle(void **objs, unsigned long n)
{
	unsigned long state = 1;

	while (n > 1) {
		unsigned long i = test_random(&state) % n--;
		void *obj = objs[i];

		objs[i] = objs[n];
		objs[n] = obj;
	}
}

/* Allocate @n and free them in any order; returns the memory in use in between. */
static long scatter(struct pool *pool, void **objs, unsigned long n)
{
	unsigned long i;
	long peak;

	for (i = 0; i < n; i++) {
		objs[i] = test_alloc(pool);
		memset(objs[i], 1, 64);
	}
	peak = resident_kib();
	shuffle(objs, n);
	test_free_many(pool, objs, (unsigned int)n);
	return peak;
}

/*
 * Returns 1 if more than a tenth of the peak is left.  All is done once with fewer objects
 * before memory is counted, since qemu-user keeps the translation of code that runs for
 * the first time.
 */
static int scatter_and_collect(void *arg)
{
	void **objs = calloc(SCATTERED, sizeof(*objs));
	struct pool *pool = arg;
	struct pool_stats before, now;
	long start, peak;

	if (!objs)
		return 2;
	memset(objs, 1, SCATTERED * sizeof(*objs));
	scatter(pool, objs, SCATTERED / 40);
	pool_reclaim(&pool->head);
	pool_gc(NULL);
	start = resident_kib();
	peak = scatter(pool, objs, SCATTERED);
	pool_sum(pool, &before);
	pool_gc(NULL);
	pool_sum(pool, &now);
	if (now.cached != before.cached || !test_quiet(pool, 0))
		return 3;
	return (resident_kib() - start) * 10 > peak - start;
}

POOL_CASE(a_gc_leaves_a_tenth_of_what_was_freed_in_any_order, test_pool(64))
{
	pool_fail_every = 0;
	if (!UNDER_CHECKER)
		EXPECT_EQ(slab_child(scatter_and_collect, pool), 0);
}
