// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * lost.c - which owner of a lost object kmemleak names
 *
 * Layer:   tests of kernel/tools.c.
 *
 * kmemleak shows its findings only in a file, which only processes can read.  So the case runs a
 * shell.  The objects are found again in the end, so that the list is empty then.
 */
#include "test.h"

#include <linux/delay.h>
#include <linux/kmod.h>
#include <linux/umh.h>

#define SIZE	200u
#define OBJS	64u
#define LOST	8u

/* kmemleak reports nothing that is younger than five seconds. */
#define OLD_MS	6000u

#define LIST	"/sys/kernel/debug/kmemleak"

/* The complements of the addresses, so that kmemleak does not take them for pointers. */
static unsigned long lost[LOST];

/* True if the command ended with 0. */
static bool shell_says(char *command)
{
	char *argv[4] = { "/bin/sh", "-c", command, NULL };
	char *env[2] = { "PATH=/bin:/usr/bin", NULL };

	return !call_usermodehelper(argv[0], argv, env, UMH_WAIT_PROC);
}

static noinline void first_owner(struct pool *pool)
{
	test_alloc_many(pool, test_objs, OBJS);
	/*
	 * Keep the compiler from making the call above a tail call, so that this function is on the
	 * stack.
	 */
	barrier();
}

static noinline void second_owner(struct pool *pool)
{
	unsigned int i;

	test_alloc_many(pool, test_objs, OBJS);
	for (i = 0; i < LOST; i++)
		lost[i] = ~(unsigned long)test_objs[i];
}

/*
 * Lose objects, in a thread whose stack is gone afterwards.  The objects that it frees overwrite
 * the pool's own pointers to the lost ones.
 */
static void lose(unsigned int i, void *arg)
{
	struct pool *pool = arg;

	(void)i;
	first_owner(pool);
	test_free_many(pool, test_objs, OBJS);
	second_owner(pool);
	test_free_many(pool, test_objs + LOST, OBJS - LOST);
	memset(test_objs, 0, sizeof(test_objs));
	test_wave(pool, OBJS - LOST);
	memset(test_objs, 0, sizeof(test_objs));
	pool_flush(&pool->head);
}

TEST_CASE(kmemleak_names_the_owner_that_lost_an_object)
{
	struct pool *pool;
	unsigned int i;

	/* Other suites have objects that no pointer leads to, until their cases end. */
	if (!test_alone())
		kunit_skip(test, "it needs a kernel in which no other suite runs");
	if (!IS_ENABLED(CONFIG_DEBUG_KMEMLEAK) || !shell_says("echo scan >" LIST))
		kunit_skip(test, "this kernel has no kmemleak");
	pool = test_checked(SIZE, POOL_D_TOOLS);
	ASSERT(pool);
	test_threads(1, lose, pool);
	msleep(OLD_MS);
	/* The first scan sees that nobody writes to the objects, the second one reports them. */
	EXPECT(shell_says("echo scan >" LIST " && echo scan >" LIST));
	EXPECT(shell_says("grep -q second_owner " LIST));
	EXPECT(!shell_says("grep -q first_owner " LIST));
	for (i = 0; i < LOST; i++)
		test_free(pool, (void *)~lost[i]);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}
