// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * promise.c - what the document promises and only a program can see: memory of the system
 *
 * Layer:   tests, user space; only calls that users have, but for helpers.
 * Context: see test.h.
 */
#include "test.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Objects that come from slabs, of which four fill a page of 4096 bytes. */
#define SIZE		1024

/* Returns how many of these objects are in a page that has memory. */
static unsigned int resident(void **objs, unsigned int n)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	unsigned int there = 0;

	while (n--) {
		unsigned char has = 0;

		if (!mincore((void *)((uintptr_t)objs[n] & -page), 1, &has))
			there += has & 1;
	}
	return there;
}

/*
 * Count pages after pool_gc(), because a flush leaves some memory of free objects to the library.
 */
TEST_CASE(a_gc_gives_memory_of_free_objects_to_the_system)
{
	unsigned int i, before;
	struct pool *pool;

	if (UNDER_CHECKER)
		SKIP_BECAUSE("the checker keeps what is freed");
	test_options(4 * SIZE, 4);
	pool = test_pool(SIZE);
	ASSERT(pool);
	test_alloc_many(pool, test_objs, TEST_OBJS);
	for (i = 0; i < TEST_OBJS; i++)
		memset(test_objs[i], 1, SIZE);
	EXPECT_EQ(resident(test_objs, TEST_OBJS), TEST_OBJS);
	test_free_many(pool, test_objs, TEST_OBJS);
	pool_flush(&pool->head);
	before = resident(test_objs, TEST_OBJS);
	pool_gc(NULL);
	EXPECT(resident(test_objs, TEST_OBJS) < before);
	pool_destroy(&pool->head);
}

/* Larger than any free memory of the C library. */
#define LARGE		(8u << 20)

TEST_CASE(an_allocation_is_null_without_memory)
{
	struct rlimit was, none;
	struct pool_stats now;
	struct pool *pool;
	void *obj;

	if (UNDER_CHECKER)
		SKIP_BECAUSE("the checker needs memory itself");
	pool_fail_every = 0;
	pool = test_pool(LARGE);
	ASSERT(pool && !getrlimit(RLIMIT_AS, &was));
	none = was;
	none.rlim_cur = 1 << 20;
	ASSERT(!setrlimit(RLIMIT_AS, &none));
	obj = pool_alloc(&pool->head);
	ASSERT(!setrlimit(RLIMIT_AS, &was));
	EXPECT_PTR_EQ(obj, NULL);
	pool_stats_get(&pool->head, &now, sizeof(now));
	EXPECT_EQ(now.failed, 1);
	EXPECT_EQ(now.allocated, 0);
	obj = pool_alloc(&pool->head);
	EXPECT(obj);
	test_free(pool, obj);
	pool_destroy(&pool->head);
}

/* Only programs end pools in use: in kernels each module ends its own pools. */
TEST_CASE(destroying_all_ends_pools_in_use)
{
	struct pool_head *pools[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		pools[i] = create_pool("in use", 64 << i, 0);
		ASSERT(pools[i]);
		test_alloc_many(pool_of(pools[i]), test_objs + 20 * i, 20);
	}
	EXPECT_PTR_EQ(pool_destroy(pools[0]), pools[0]);
	pool_destroy_all();
	EXPECT_EQ(test_count_pools(), 0);
	EXPECT_EQ(pool_total_used(), 0);
}

/* True if a child that does something wrong to an object ends by abort() before it goes on. */
static bool is_ended(void (*wrong)(struct pool *pool, unsigned char *obj), unsigned int debug)
{
	struct rlimit no_core = { 0, 0 };
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		struct pool *pool;

		signal(SIGABRT, SIG_DFL);
		setrlimit(RLIMIT_CORE, &no_core);
		pool_options.debug = debug;
		pool = test_pool(64);
		wrong(pool, test_alloc(pool));
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGABRT;
}

static void free_twice(struct pool *pool, unsigned char *obj)
{
	test_free(pool, obj);
	test_free(pool, obj);
}

static void write_behind(struct pool *pool, unsigned char *obj)
{
	obj[64] ^= 1;
	test_free(pool, obj);
}

static void write_to_free(struct pool *pool, unsigned char *obj)
{
	test_free(pool, obj);
	obj[5] ^= 1;
	test_alloc(pool);
}

TEST_CASE(a_fault_ends_the_program_at_once)
{
	pool_fail_every = 0;
	EXPECT(is_ended(free_twice, POOL_D_TAG));
	EXPECT(is_ended(write_behind, POOL_D_TAG));
	EXPECT(is_ended(write_to_free, POOL_D_INTEGRITY));
}
