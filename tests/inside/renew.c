// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * renew.c - options that are set before a declared pool is used
 *
 * Layer:   tests of common/life/renew.c and declared.c, both worlds.
 *
 * Declarations are made here by hand, as constructors and a module's init make them.
 */
#include "test.h"

#define DECLARED	4

static struct pool_head *declared[DECLARED];
static struct pool_decl decls[DECLARED];

/* Declare pool number @i. */
static bool declare(unsigned int i, const char *name, unsigned int size)
{
	decls[i] = (struct pool_decl){
		.ptr = &declared[i], .name = name, .size = size,
		.file = __FILE__, .line = __LINE__,
	};
	return pool_create_declared(&decls[i], NULL, POOL_ABI);
}

static void undeclare(void)
{
	unsigned int i;

	for (i = 0; i < DECLARED; i++)
		if (decls[i].ptr)
			pool_destroy_declared(&decls[i]);
	memset(decls, 0, sizeof(decls));
}

static void begin(unsigned int debug)
{
	pool_options.debug = debug;
	pool_options.policy = POOL_POLICY_CONTINUE;
	pool_fail_every = 0;
}

static unsigned int flags_of(struct pool_head *head)
{
	return pool_of(head)->debug & POOL_D_FLAGS;
}

static bool answers(const char *words, const char *wanted)
{
	char text[200];

	return pool_parse_debugging(words, text, sizeof(text)) == 1 &&
	       !strcmp(text, wanted);
}

/*
 * RENEW_CASE(name, debug) - a case of declared pools that begins with these options.  All of its
 * declarations are undone at its end, and then no pool may be left.
 */
#define RENEW_CASE(name, debug)						\
	static void name##_of(TEST_HANDLE);				\
	TEST_CASE(name)							\
	{								\
		begin(debug);						\
		name##_of(TEST_PASSED);					\
		undeclare();						\
		EXPECT_EQ(test_count_pools(), 0);			\
	}								\
	static void name##_of(TEST_HANDLE)

/* True if objects of a pool can be allocated, written to and freed. */
static bool works(struct pool_head *head)
{
	unsigned int i, n = 0;

	for (i = 0; i < TEST_SOME; i++) {
		test_objs[i] = pool_alloc(head);
		if (test_objs[i])
			memset(test_objs[i], 7, head->size);
		n += !!test_objs[i];
	}
	test_free_many(pool_of(head), test_objs, TEST_SOME);
	return n == TEST_SOME && test_quiet(pool_of(head), 0);
}

RENEW_CASE(options_reach_a_declared_pool_before_its_first_use, 0)
{
	struct pool_head *copy;
	void *obj;

	ASSERT(declare(0, "early", 61));
	copy = declared[0];
	EXPECT(answers("tag,caller,backup,integrity,no-global,cluster=1", ""));
	EXPECT_PTR_EQ(declared[0], copy);
	EXPECT_EQ(copy->size, 61);
	EXPECT_EQ(pool_of(copy)->cluster, 1);
	EXPECT_EQ(flags_of(copy), POOL_D_TAG | POOL_D_CALLER | POOL_D_BACKUP |
		  POOL_D_INTEGRITY | POOL_D_COLD_FIRST | POOL_D_NO_GLOBAL);
	EXPECT(works(copy));
	obj = test_alloc(pool_of(copy));
	test_free(pool_of(copy), obj);
	test_free(pool_of(copy), obj);
	EXPECT_EQ(plat_read(&pool_of(copy)->faults[POOL_FAULT_DOUBLE_FREE]),
		  1);
	EXPECT_EQ(test_faults(pool_of(copy)), 1);
}

/*
 * The declaration says "unshared", so the pool shares neither objects nor settings with pools of
 * equal size, not even after options have created all declared pools anew.
 */
RENEW_CASE(a_pool_that_is_declared_unshared_stays_its_own, 0)
{
	ASSERT(declare(0, "shared", 61) && declare(1, "shared", 61));
	decls[2] = decls[1];
	decls[2].ptr = &declared[2];
	decls[2].unshared = true;
	ASSERT(pool_create_declared(&decls[2], NULL, POOL_ABI));
	ASSERT(declare(3, "shared", 61));
	EXPECT_PTR_EQ(declared[1], declared[0]);
	EXPECT_PTR_EQ(declared[3], declared[0]);
	EXPECT(declared[2] != declared[0]);
	EXPECT(answers("tag,no-merge", ""));
	EXPECT(answers("no-tag,merge", ""));
	EXPECT_PTR_EQ(declared[3], declared[0]);
	EXPECT(declared[2] != declared[0]);
	EXPECT(pool_set_limit(declared[2], 5));
	EXPECT_EQ(pool_of(declared[0])->limit, 0);
	EXPECT(!pool_of(declared[2])->warned);
	EXPECT(pool_set_limit(declared[0], 5));
	EXPECT(pool_of(declared[0])->warned);
}

RENEW_CASE(a_declared_pool_may_change_often_before_its_first_use, 0)
{
	ASSERT(declare(0, "often", 61));
	EXPECT(answers("uaf", ""));
	EXPECT_EQ(flags_of(declared[0]), POOL_D_UAF | POOL_D_NO_CACHE);
	EXPECT(answers("no-uaf,cache,poison,buckets=1", ""));
	EXPECT_EQ(flags_of(declared[0]), POOL_D_POISON);
	EXPECT_EQ(declared[0]->size, pool_rounded(61, 0, 0));
	EXPECT_EQ(pool_of(declared[0])->buckets, 1);
	EXPECT(pool_configure("no-poison,uaf,tag"));
	EXPECT_EQ(flags_of(declared[0]),
		  POOL_D_UAF | POOL_D_NO_CACHE | POOL_D_TAG);
	EXPECT(works(declared[0]));
	EXPECT_EQ(test_faults(pool_of(declared[0])), 0);
}

RENEW_CASE(what_a_word_implied_goes_with_it_before_the_first_use, 0)
{
	bool was = pool_mem_stats;

	ASSERT(declare(0, "implied", 64));
	EXPECT(answers("tools", ""));
	EXPECT(answers("no-tools", ""));
	EXPECT_EQ(flags_of(declared[0]) & ~POOL_D_COMMON, 0);
	EXPECT(answers("cold-first,tools", ""));
	EXPECT(answers("no-tools", ""));
	EXPECT_EQ(flags_of(declared[0]) & ~POOL_D_COMMON, POOL_D_COLD_FIRST);
	EXPECT(answers("hot-first", ""));
	pool_mem_stats = true;
	EXPECT(answers("no-cache", ""));
	EXPECT(answers("cache", ""));
	pool_mem_stats = was;
	EXPECT_EQ(flags_of(declared[0]) & ~POOL_D_COMMON, 0);
}

RENEW_CASE(a_declared_pool_without_options_again_is_as_fast_as_before,
	   POOL_D_TAG | POOL_D_INTEGRITY | POOL_D_COLD_FIRST)
{
	ASSERT(declare(0, "plain", 64));
	EXPECT(answers("no-tag,no-integrity", ""));
	EXPECT_EQ(flags_of(declared[0]), 0);
	EXPECT(works(declared[0]));
	if (POOL_HOT_MAX > 2)
		EXPECT(test_local(pool_of(declared[0]))->hot.slots);
}

RENEW_CASE(a_declared_pool_that_was_used_is_named, 0)
{
	ASSERT(declare(0, "used", 64) && declare(1, "idle", 640));
	EXPECT(works(declared[0]));
	EXPECT(answers("tag,no-global", "no-global,tag: too late for 1 pool: used"));
	EXPECT_EQ(flags_of(declared[0]), 0);
	EXPECT_EQ(flags_of(declared[1]), POOL_D_TAG | POOL_D_NO_GLOBAL);
	EXPECT(works(declared[0]));
}

RENEW_CASE(declared_pools_that_are_one_part_when_merging_ends, 0)
{
	struct pool_head *copy;
	struct pool_stats now;

	ASSERT(declare(0, "a", 64) && declare(1, "b", 64) &&
	       declare(2, "c", 64) && declare(3, "b", 64));
	copy = declared[0];
	EXPECT(declared[1] == copy && declared[2] == copy);
	EXPECT(answers("no-merge,tag", ""));
	EXPECT_EQ(test_count_pools(), 3);
	EXPECT_PTR_EQ(declared[0], copy);
	EXPECT_PTR_EQ(declared[1], declared[3]);
	EXPECT(declared[1] != copy && declared[2] != copy &&
	       declared[1] != declared[2]);
	EXPECT_EQ(pool_of(declared[0])->users, 4);
	pool_stats_get(copy, &now, sizeof(now));
	EXPECT_EQ(now.registrations, 1);
	EXPECT_EQ(pool_of(declared[1])->users, 2);
	EXPECT(answers("no-merge", ""));
	EXPECT_EQ(strcmp(pool_of(declared[2])->name, "c"), 0);
	EXPECT_EQ(flags_of(declared[2]), POOL_D_TAG);
	EXPECT(works(declared[0]) && works(declared[1]) && works(declared[2]));
}

/* The program may have copied its pointer to the pool before its declaration left that pool. */
RENEW_CASE(a_pool_stays_for_each_declaration_that_has_left_it, 0)
{
	struct pool_head *copy;

	ASSERT(declare(0, "a", 64) && declare(1, "b", 64));
	copy = declared[1];
	EXPECT(answers("no-merge", ""));
	EXPECT(declared[1] != copy);
	pool_destroy_declared(&decls[0]);
	EXPECT_EQ(test_count_pools(), 2);
	EXPECT(works(copy) && works(declared[1]));
	EXPECT_EQ(pool_destroy_declared(&decls[1]), 0);
	EXPECT_EQ(test_count_pools(), 0);
}

/* First the declaration's new pool is in use, then the pool that the declaration has left. */
TEST_CASE(what_a_declaration_does_not_use_goes_whatever_else_it_uses)
{
	struct pool_head *copy, *in_use;
	unsigned int i;
	void *obj;

	for (i = 0; i < 2; i++) {
		begin(0);
		ASSERT(declare(0, "a", 64) && declare(1, "b", 64));
		copy = declared[1];
		EXPECT(answers("no-merge", ""));
		in_use = i ? copy : declared[1];
		obj = pool_alloc(in_use);
		EXPECT_EQ(pool_destroy_declared(&decls[0]), 0);
		EXPECT_EQ(pool_destroy_declared(&decls[1]), 1);
		EXPECT_EQ(test_count_pools(), 1);
		pool_free(in_use, obj);
		EXPECT_EQ(pool_destroy_declared(&decls[1]), 0);
		EXPECT_EQ(test_count_pools(), 0);
	}
}

/* Without options all four would be one pool; by name they are two. */
RENEW_CASE(declared_pools_of_near_sizes_that_part_stay_together_by_name, 0)
{
	ASSERT(declare(0, "a", 3232) && declare(1, "b", 3216) &&
	       declare(2, "b", 3200) && declare(3, "a", 3200));
	EXPECT_EQ(test_count_pools(), 1);
	EXPECT(answers("no-merge", ""));
	EXPECT_EQ(test_count_pools(), 2);
	EXPECT_PTR_EQ(declared[1], declared[2]);
	EXPECT_PTR_EQ(declared[0], declared[3]);
	EXPECT_EQ(declared[1]->size, 3216);
	EXPECT(works(declared[0]) && works(declared[1]));
}

/* The pools are declared in order of falling size, as the library does for a program. */
RENEW_CASE(declared_pools_of_near_sizes_unite_in_the_largest, POOL_D_NO_MERGE)
{
	ASSERT(declare(0, "a", 3232) && declare(1, "b", 3216) &&
	       declare(2, "c", 3200));
	EXPECT_EQ(test_count_pools(), 3);
	EXPECT(answers("merge", ""));
	EXPECT_PTR_EQ(declared[0], declared[1]);
	EXPECT_PTR_EQ(declared[0], declared[2]);
	EXPECT_EQ(declared[0]->size, 3232);
	EXPECT(works(declared[0]));
}

RENEW_CASE(sizes_that_are_not_rounded_any_more_part_declared_pools, 0)
{
	unsigned int size = 4 * POOL_SIZE_ROUND;

	ASSERT(declare(0, "a", size - 1) && declare(1, "b", size) &&
	       declare(2, "c", size - 1));
	EXPECT_PTR_EQ(declared[0], declared[1]);
	EXPECT(answers("tag", ""));
	EXPECT_EQ(declared[0]->size, size - 1);
	EXPECT_EQ(declared[1]->size, size);
	EXPECT_PTR_EQ(declared[0], declared[2]);
	EXPECT(works(declared[0]) && works(declared[1]));
}

RENEW_CASE(declared_pools_unite_when_merging_begins, POOL_D_NO_MERGE)
{
	struct pool_head *copy;

	ASSERT(declare(0, "a", 64) && declare(1, "b", 64) &&
	       declare(2, "c", 640));
	copy = declared[1];
	EXPECT(declared[0] != copy);
	EXPECT(answers("merge", ""));
	EXPECT_PTR_EQ(declared[0], declared[1]);
	EXPECT_EQ(pool_of(declared[0])->users, 2);
	EXPECT(works(declared[0]) && works(declared[2]));
	EXPECT(works(copy));
}

RENEW_CASE(more_buckets_make_another_pool_of_a_declared_one, 0)
{
	struct pool_head *copy;

	pool_options.buckets = 1;
	ASSERT(declare(0, "a", 64) && declare(1, "b", 64));
	copy = declared[0];
	EXPECT(answers("buckets=4", ""));
	EXPECT_EQ(pool_of(declared[0])->buckets, 4);
	EXPECT_PTR_EQ(declared[0], declared[1]);
	EXPECT(works(declared[0]) && works(copy));
}

static unsigned int gen_of(struct pool_head *head)
{
	return pool_of(head)->debug / POOL_D_GEN;
}

RENEW_CASE(a_declared_pool_that_changes_begins_a_generation_it_never_had, POOL_D_POISON)
{
	struct pool_head *copy;
	unsigned int first;

	ASSERT(declare(0, "again", 61));
	copy = declared[0];
	first = gen_of(copy);
	EXPECT(answers("cluster=1", ""));
	EXPECT_PTR_EQ(declared[0], copy);
	EXPECT_LE(first + 1, gen_of(copy));
	pool_of(copy)->debug |= ~(POOL_D_GEN - 1);
	EXPECT(answers("cluster=2", ""));
	EXPECT(declared[0] != copy);
	EXPECT(works(declared[0]) && works(copy));
}

RENEW_CASE(who_created_a_pool_keeps_it_when_the_declared_one_changes, 0)
{
	struct pool_head *mine;

	ASSERT(declare(0, "theirs", 64));
	mine = pool_create_at("mine", 64, MEM_F_SHARED, __FILE__, __LINE__, NULL,
			      POOL_ABI);
	EXPECT_PTR_EQ(mine, declared[0]);
	EXPECT(answers("tag", "tag: too late for 1 pool: theirs"));
	EXPECT(mine != declared[0]);
	EXPECT_EQ(flags_of(mine), 0);
	EXPECT_EQ(flags_of(declared[0]), POOL_D_TAG);
	EXPECT(works(mine) && works(declared[0]));
	EXPECT_PTR_EQ(pool_destroy_of(mine, NULL), NULL);
}

/* The pool shows the name of a declaration that is gone. */
RENEW_CASE(a_name_that_is_gone_keeps_no_declarations_together, 0)
{
	struct pool_head *a, *b;

	ASSERT(declare(0, "a", 320) && declare(1, "b", 320) && declare(2, "a", 320));
	EXPECT_PTR_EQ(declared[1], declared[2]);
	pool_destroy_declared(&decls[0]);
	EXPECT(answers("no-merge", ""));
	EXPECT(declared[1] != declared[2]);
	b = pool_create_at("b", 320, MEM_F_SHARED, __FILE__, __LINE__, NULL, POOL_ABI);
	a = pool_create_at("a", 320, MEM_F_SHARED, __FILE__, __LINE__, NULL, POOL_ABI);
	EXPECT_PTR_EQ(b, declared[1]);
	EXPECT_PTR_EQ(a, declared[2]);
	pool_destroy_of(a, NULL);
	pool_destroy_of(b, NULL);
}

RENEW_CASE(a_creation_joins_no_pool_whose_name_is_gone, 0)
{
	struct pool_head *a;

	ASSERT(declare(0, "a", 320) && declare(1, "b", 320));
	EXPECT(works(declared[1]));
	pool_destroy_declared(&decls[0]);
	begin(POOL_D_NO_MERGE);
	a = pool_create_at("a", 320, MEM_F_SHARED, __FILE__, __LINE__, NULL, POOL_ABI);
	EXPECT(a != declared[1]);
	pool_destroy_of(a, NULL);
}

RENEW_CASE(what_one_declared_pool_was_set_to_stays, 0)
{
	ASSERT(declare(0, "a", 64));
	EXPECT(pool_set_limit(declared[0], 3));
	EXPECT(pool_set_debug(declared[0], "poison"));
	EXPECT(answers("tag", ""));
	EXPECT_EQ(flags_of(declared[0]), POOL_D_TAG | POOL_D_POISON);
	EXPECT_EQ(pool_of(declared[0])->limit, 3);
}

RENEW_CASE(a_size_that_is_too_large_for_options_stays_as_it_is, 0)
{
	ASSERT(declare(0, "huge", PLAT_SIZE_MAX));
	EXPECT(answers("backup", "backup: too late for 1 pool: huge"));
	EXPECT_EQ(flags_of(declared[0]), 0);
}

static void configure(struct pool_head *pool, void *arg)
{
	(void)pool;
	*(unsigned int *)arg += pool_configure("tag") && pool_configure("no-tag");
}

/* Options that are set while a walk is at a pool change all pools except that pool. */
RENEW_CASE(options_may_be_set_in_a_walk_over_pools, 0)
{
	unsigned int n = 0;

	ASSERT(declare(0, "a", 64) && declare(1, "b", 640));
	pool_for_each(configure, &n);
	EXPECT_EQ(n, 2);
	EXPECT(works(declared[0]) && works(declared[1]));
}

/* Worker 0 sets options, the others use the pool for the first time. */
static void set_or_use(unsigned int i, void *arg)
{
	unsigned long *missed = arg;
	unsigned int round;
	void *objs[8];

	if (!i) {
		pool_configure("tag,integrity,poison");
		return;
	}
	for (round = 0; round < 4; round++) {
		struct pool_head *head = POOL_READ(declared[0]);
		unsigned int n, j;

		for (n = 0; n < ARRAY_LEN(objs); n++) {
			objs[n] = pool_alloc(head);
			if (!objs[n])
				test_swap(missed, 1);
			else
				memset(objs[n], (int)i, 64);
		}
		for (j = 0; j < n; j++)
			pool_free(head, objs[j]);
	}
}

TEST_CASE(a_first_use_while_options_are_set_is_before_or_after)
{
	unsigned long r, missed = 0;

	for (r = 0; r < test_scale(400); r++) {
		begin(0);
		ASSERT(declare(0, "race", 64));
		test_threads(3, set_or_use, &missed);
		EXPECT_EQ(missed, 0);
		EXPECT_EQ(test_faults(pool_of(declared[0])), 0);
		EXPECT(test_quiet(pool_of(declared[0]), 0));
		undeclare();
	}
}
