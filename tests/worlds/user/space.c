// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * space.c - how much address space is left to a program
 *
 * Layer:   tests of user/slab/chunk.c and of the areas of threads.
 * Context: see test.h.  Steps that cannot be undone are done in a child.
 */
#include "cases_slab.h"
#include "main.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB		(1024ul * 1024)

/* Returns the bytes of address space of this process. */
unsigned long space(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (file) {
		if (fscanf(file, "%lu", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return pages * (unsigned long)sysconf(_SC_PAGESIZE);
}

/* Allocate objects, linked to a list, until there are @want. */
static void grow_list(struct pool *pool, void **list, unsigned long *have,
		      unsigned long want)
{
	for (; *have < want; ++*have) {
		void **obj = test_alloc(pool);

		if (!obj)
			return;
		*obj = *list;
		*list = obj;
	}
}

/* Begin without objects, then allocate 1 to 64 MiB of them. */
POOL_CASE(address_space_is_in_proportion_to_what_is_allocated, test_pool(1024))
{
	unsigned long have = 0, want;
	void *list = NULL;

	pool_fail_every = 0;
	grow_list(pool, &list, &have, 1);
	if (!UNDER_CHECKER)
		EXPECT_LE(space(), 64 * MIB);
	for (want = 1024; want <= 65536 / (UNDER_CHECKER ? 16 : 1); want *= 4) {
		grow_list(pool, &list, &have, want);
		EXPECT_EQ(have, want);
		if (!UNDER_CHECKER)
			EXPECT_LE(space(), 2 * want * 1024 + 64 * MIB);
	}
	while (list) {
		void *next = *(void **)list;

		test_free(pool, list);
		list = next;
	}
}

TEST_CASE(an_empty_chunk_gives_its_addresses_back)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	size_t reserved;
	void *obj;

	plat_trim(true);
	reserved = arena_now().reserved;
	slab_get_many(class, test_objs, TEST_OBJS);
	EXPECT_LE(reserved + TEST_OBJS / PER_SLAB - CHUNK_SLABS,
		  arena_now().reserved);
	obj = test_objs[TEST_OBJS - 1];
	EXPECT_EQ(slab_put_many(test_objs, TEST_OBJS - 1), 0);
	plat_trim(true);
	EXPECT(pool_arena_slab(obj));
	EXPECT_LE(arena_now().reserved, reserved + CHUNK_SLABS);
	EXPECT_EQ(slab_put_many(&obj, 1), 0);
	plat_trim(true);
	EXPECT_LE(arena_now().reserved, reserved);
	slab_get_many(class, test_objs, TEST_OBJS);
	EXPECT_EQ(slab_put_many(test_objs, TEST_OBJS), 0);
}

static bool is_nobodys(uintptr_t at)
{
	return !pool_arena_slab((void *)at);
}

TEST_CASE(addresses_of_others_are_in_no_slab)
{
	struct slab_class *class = pool_slab_class(64, 16);
	char *obj = test_slab_alloc(class), *base;
	void *block = malloc(100);
	unsigned int bit;

	ASSERT(obj && block);
	base = (char *)((uintptr_t)obj & ~(CHUNK_BYTES - 1));
	EXPECT(pool_arena_slab(base) && pool_arena_slab(base + CHUNK_BYTES - 1));
	EXPECT(is_nobodys(0) && is_nobodys(1) && is_nobodys(UINTPTR_MAX));
	EXPECT(is_nobodys((uintptr_t)block) && is_nobodys((uintptr_t)&obj));
	EXPECT(is_nobodys((uintptr_t)&class) && is_nobodys((uintptr_t)space));
	/* Addresses that differ from the object's in one bit, as tagged pointers do. */
	for (bit = CHUNK_SHIFT + 8; bit < 8 * sizeof(obj); bit++)
		EXPECT(is_nobodys((uintptr_t)obj ^ (uintptr_t)1 << bit));
	EXPECT_EQ(slab_put_many((void **)&obj, 1), 0);
	free(block);
}

static void *nothing(void *arg)
{
	return arg;
}

/* The limit is what a program without pools uses, and a little more. */
static int use_under_limit(void *arg)
{
	struct rlimit limit = { 0, 0 };
	struct pool *pool = arg;
	pthread_t thread;
	void *block;

	limit.rlim_cur = limit.rlim_max = 192 * MIB;
	if (!test_alloc(pool) || setrlimit(RLIMIT_AS, &limit))
		return 1;
	block = malloc(16 * MIB);
	if (!block)
		return 2;
	free(block);
	if (pthread_create(&thread, NULL, nothing, NULL))
		return 3;
	pthread_join(thread, NULL);
	return test_alloc(pool) ? 0 : 4;
}

POOL_CASE(a_limit_of_address_space_set_late_leaves_room_for_others, test_pool(64))
{
	if (UNDER_CHECKER)
		SKIP_BECAUSE("checkers have mappings of their own");
	pool_fail_every = 0;
	EXPECT_EQ(slab_child(use_under_limit, pool), 0);
}

/* The names that the library would give to its mappings. */
static const char *names[16];
static const char *named_at[16];
static unsigned long named_bytes[16];
static unsigned int asked;
static bool watched, without_names;

int __real_prctl(int what, unsigned long a, unsigned long b, unsigned long c,
		 unsigned long d);
int __wrap_prctl(int what, unsigned long a, unsigned long b, unsigned long c,
		 unsigned long d);

int __wrap_prctl(int what, unsigned long a, unsigned long b, unsigned long c,
		 unsigned long d)
{
	if (!watched)
		return __real_prctl(what, a, b, c, d);
	if (asked < 16) {
		named_at[asked] = (const char *)b;
		named_bytes[asked] = c;
		names[asked++] = (const char *)d;
	}
	errno = EINVAL;
	return without_names ? -1 : 0;
}

static bool has_name(const void *at, const char *name)
{
	unsigned int i;

	for (i = 0; i < asked; i++)
		if ((uintptr_t)at - (uintptr_t)named_at[i] < named_bytes[i] &&
		    !strcmp(names[i], name))
			return true;
	return false;
}

/* Take objects until there is a slab more than before. */
static const void *new_slab(void)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	size_t reserved = arena_now().reserved;
	const void *obj;

	do
		obj = test_slab_alloc(class);
	while (obj && arena_now().reserved == reserved);
	return obj;
}

static const void *new_area(void)
{
	unsigned int before = plat_area_count;
	const void *area;

	do
		area = pool_area_get();
	while (area && plat_area_count == before);
	return area;
}

static void watch_names(bool refuse)
{
	pool_map_nameless = false;
	without_names = refuse;
	watched = true;
}

static int name_mappings(void *arg)
{
	(void)arg;
	watch_names(false);
	if (!has_name(new_slab(), "libpool:slabs"))
		return 1;
	return !has_name(new_area(), "libpool:areas");
}

TEST_CASE(mappings_say_whose_they_are)
{
	EXPECT_EQ(slab_child(name_mappings, NULL), 0);
}

static int name_in_vain(void *arg)
{
	(void)arg;
	watch_names(true);
	errno = 0;
	return !new_slab() || !new_area() || asked != 1 || errno;
}

TEST_CASE(a_kernel_without_names_is_asked_once)
{
	EXPECT_EQ(slab_child(name_in_vain, NULL), 0);
}

static pthread_barrier_t limited;

/* Free in a thread whose first calls are frees, which ask for an area. */
static void *free_all(void *arg)
{
	unsigned int i, wrong = 0;

	pthread_barrier_wait(&limited);
	for (i = 0; i < TEST_OBJS; i++) {
		errno = EAGAIN;
		test_free(arg, test_objs[i]);
		wrong += errno != EAGAIN;
	}
	return wrong ? arg : NULL;
}

/* Leave no free area, and no addresses for a new area or for clusters. */
static int free_without_memory(void *arg)
{
	static const struct rlimit none;
	pthread_t thread;
	void *wrong;

	test_alloc_many(arg, test_objs, TEST_OBJS);
	pthread_barrier_init(&limited, NULL, 2);
	if (!new_area() || pthread_create(&thread, NULL, free_all, arg) ||
	    setrlimit(RLIMIT_AS, &none))
		return 1;
	pthread_barrier_wait(&limited);
	pthread_join(thread, &wrong);
	return wrong ? 2 : 0;
}

POOL_CASE(a_free_keeps_errno_where_the_system_has_no_memory, test_pool(64))
{
	if (UNDER_CHECKER)
		SKIP_BECAUSE("checkers have mappings of their own");
	pool_fail_every = 0;
	EXPECT_EQ(slab_child(free_without_memory, pool), 0);
}
