// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * count.c - the memory that the library reports is the memory by which the process grew
 *
 * Layer:   tests of user/count.c, user/heap.c and common/show/dump_memory.c.
 * Context: see test.h.
 */
#include "main.h"
#include "../../inside/cases_dump.h"
#include "show/dump.h"

#include <stdio.h>

#define MOST	600000

static void *objs[MOST];

/* Use objects of this many pools, and then free all but @keep of each 100. */
struct scenario {
	const char *name;
	unsigned int size, n, pools, keep;
	bool random, collect;
	unsigned int debug;
};

static const struct scenario scenarios[] = {
	{ "small objects, all in use", 64, 500000, 1, 100, false, false, 0 },
	{ "all freed", 64, 500000, 1, 0, false, false, 0 },
	{ "all freed in any order", 256, 100000, 1, 0, true, false, 0 },
	{ "3 % left", 512, 100000, 1, 3, true, false, 0 },
	{ "3 % left, collected", 512, 100000, 1, 3, true, true, 0 },
	{ "10 % left of eight pools", 512, 100000, 8, 10, true, false, 0 },
	{ "30 % left of hundred pools", 1000, 50000, 100, 30, true, false, 0 },
	{ "large objects", 4000, 8000, 1, 100, false, false, 0 },
	{ "objects with a table", 64, 200000, 1, 100, false, false,
	  POOL_D_TAG | POOL_D_CALLER },
	{ "objects with pages of their own", 100, 8000, 1, 100, false, false, POOL_D_UAF },
};

/* Bytes of the process's memory that no file backs. */
static long long resident(void)
{
	FILE *statm = fopen("/proc/self/statm", "r");
	long long all = 0, shared = 0;

	if (!statm || fscanf(statm, "%*d %lld %lld", &all, &shared) != 2)
		all = 0;
	if (statm)
		fclose(statm);
	return (all - shared) * pool_start.page;
}

static long long explained(void)
{
	struct pool_dump_memory m;

	plat_memory(0, m.bytes);
	return (long long)pool_dump_resident(&m);
}

static void shuffle(void **list, unsigned int n)
{
	unsigned long state = 1;

	while (n > 1) {
		unsigned int k = (unsigned int)(test_random(&state) % n--);
		void *other = list[k];

		list[k] = list[n];
		list[n] = other;
	}
}

static void use(const struct scenario *s, struct pool **pools)
{
	unsigned int part = s->n / s->pools, i, k;

	for (k = 0; k < s->pools; k++) {
		void **mine = objs + (size_t)k * part;

		for (i = 0; i < part; i++) {
			mine[i] = pool_alloc(&pools[k]->head);
			memset(mine[i], 1, s->size);
		}
		if (s->random)
			shuffle(mine, part);
		for (i = part * s->keep / 100; i < part; i++)
			pool_free(&pools[k]->head, mine[i]);
	}
	if (s->collect)
		pool_gc(NULL);
}

static void end(const struct scenario *s, struct pool **pools)
{
	unsigned int part = s->n / s->pools, k;

	for (k = 0; k < s->pools; k++) {
		test_free_many(pools[k], objs + (size_t)k * part, part * s->keep / 100);
		pool_destroy(&pools[k]->head);
	}
}

static bool explains(const struct scenario *s)
{
	long long before = resident() - explained(), more, told;
	struct pool *pools[100];
	unsigned int k;

	for (k = 0; k < s->pools; k++) {
		pools[k] = test_checked(s->size, s->debug);
		if (!pools[k])
			return false;
	}
	use(s, pools);
	told = explained();
	more = resident() - before;
	end(s, pools);
	if (more - told > more / 10 || told - more > more / 10)
		fprintf(stderr, "# %s: %lld KiB, told %lld\n", s->name, more / 1024, told / 1024);
	return more - told <= more / 10 && told - more <= more / 10;
}

static void explain(unsigned int i)
{
	/* Checkers have memory of their own for each object. */
	if (UNDER_CHECKER)
		return;
	/* Clusters of two objects, once freed, leave holes in the heap, which malloc() has. */
	if (POOL_CLUSTER_SIZE < 8 && !scenarios[i].keep)
		return;
	memset(objs, 1, sizeof(objs));
	pool_fail_every = 0;
	explained();
	EXPECT(explains(&scenarios[i]));
}

#define EXPLAINS(name, i)	TEST_CASE(name) { explain(i); }

EXPLAINS(the_memory_of_objects_in_use_is_explained, 0)
EXPLAINS(the_memory_that_is_left_of_a_burst_is_explained, 1)
EXPLAINS(the_memory_of_a_burst_freed_in_any_order_is_explained, 2)
EXPLAINS(the_memory_of_few_survivors_is_explained, 3)
EXPLAINS(what_a_gc_leaves_is_explained, 4)
EXPLAINS(the_memory_of_eight_pools_is_explained, 5)
EXPLAINS(the_memory_of_a_hundred_pools_is_explained, 6)
EXPLAINS(the_memory_of_large_objects_is_explained, 7)
EXPLAINS(the_memory_of_tables_of_checks_is_explained, 8)
EXPLAINS(the_memory_of_guarded_objects_is_explained, 9)

TEST_CASE(classes_add_up_to_what_slabs_have)
{
	unsigned long long all[PLAT_MEMORY_KINDS], one[PLAT_MEMORY_KINDS], sum = 0;
	struct pool *small = test_pool(64), *other = test_pool(200);
	unsigned int i;

	ASSERT(small && other);
	test_wave(small, 1000);
	test_wave(other, 1000);
	EXPECT_EQ(plat_memory(0, all), 1);
	for (i = 1; plat_memory(i, one); i++)
		sum += one[PLAT_MEMORY_IN_USE] + one[PLAT_MEMORY_OBJECTS];
	EXPECT(i > 2 || UNDER_ASAN);
	EXPECT_EQ(all[PLAT_MEMORY_IN_USE] + all[PLAT_MEMORY_OBJECTS], sum);
	EXPECT_EQ(plat_memory(i + 1, one), 0);
	EXPECT_LE(all[PLAT_MEMORY_IN_USE], all[PLAT_MEMORY_ACCESSIBLE]);
	EXPECT_LE(all[PLAT_MEMORY_ACCESSIBLE], all[PLAT_MEMORY_RESERVED]);
	pool_destroy(&small->head);
	pool_destroy(&other->head);
}

POOL_CASE(each_format_of_a_dump_has_the_memory, test_pool(64))
{
	test_wave(pool, 100);
	ASSERT(dump("raw"));
	EXPECT(strstr(full, "\ntotal pools=1 ") && strstr(full, " reserved="));
	ASSERT(dump("json"));
	EXPECT(strstr(full, "\"memory\":{\"resident\":"));
	EXPECT(UNDER_ASAN || strstr(full, "\"classes\":[\n{\"stride\":64,\"in_use\":"));
	ASSERT(dump("prometheus"));
	EXPECT(strstr(full, "\nlibpool_memory_bytes{kind=\"descriptors\"} "));
	EXPECT(UNDER_ASAN || strstr(full, "\nlibpool_class_bytes{stride=\"64\",kind=\"objects\"} "));
	ASSERT(dump("detailed"));
	EXPECT(strstr(full, "\nmemory "));
	EXPECT(UNDER_ASAN || strstr(full, "\nslabs of 64B: in_use "));
}
