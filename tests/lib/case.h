/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * case.h - what a case is, and what cases have that know public headers only
 *
 * Layer:   tests; the only file that knows Check and KUnit.  Files of promise/ include this, all
 *	    other cases test.h, which has the private headers of common/ too.
 * Context: cases run in a plain thread or a kthread that stays on its CPU.  This holds for each
 *	    file of cases whose head names no other context.
 *
 * A case is TEST_CASE(name_that_reads_like_a_sentence) in a file and one line in the cases.list
 * of its folder.  It frees all its objects and pools.  After an EXPECT that fails the case may
 * continue or not, so it must work in both ways.  Workers of test_threads() have no framework, so
 * they count errors.
 */
#ifndef POOL_CASE_H
#define POOL_CASE_H

#include "pool.h"

#ifdef __KERNEL__

#include <kunit/test.h>

/* Declare all cases of a suite at once: void one(...), two(...), end_of_suite(...). */
#define SUITE(...)		void
#define CASE(name)		name(struct kunit *test),
#define END(suite)		end_of_##suite(struct kunit *test)
#include "../promise/cases.list"
#include "../inside/cases.list"
#include "../worlds/kernel/cases.list"
#undef SUITE
#undef CASE
#undef END

#define TEST_CASE(name)		void name(struct kunit *test)
#define TEST_HANDLE		struct kunit *test
#define TEST_PASSED		test
#define EXPECT(cond)		KUNIT_EXPECT_TRUE(test, cond)
#define EXPECT_EQ(a, b) \
	KUNIT_EXPECT_EQ(test, (unsigned long)(a), (unsigned long)(b))
#define EXPECT_LE(a, b) \
	KUNIT_EXPECT_LE(test, (unsigned long)(a), (unsigned long)(b))
#define EXPECT_PTR_EQ(a, b) \
	KUNIT_EXPECT_PTR_EQ(test, (void *)(a), (void *)(b))
#define ASSERT(cond)		KUNIT_ASSERT_TRUE(test, cond)

/* True if only this suite runs, for cases that change the kernel. */
bool test_alone(void);

/* Store a value in a word that other CPUs read, and return the old one. */
#define test_swap(p, v)		xchg(p, v)

/* Return @make, the pool of a case.  Skip the case for the reason @why unless it @can run. */
#define ONLY_IF(can, why, make)						\
	({								\
		if (!(can))						\
			kunit_skip(test, why);				\
		make;							\
	})

/* For cases whose callers cannot be preempted and need new objects of the slab. */
#define IF_NOT_RT(make) \
	ONLY_IF(!IS_ENABLED(CONFIG_PREEMPT_RT), "the slab is not called there", make)

#else

#include <check.h>
#include <stdio.h>
#include <string.h>

#define TEST_CASE(name)		void name(int check_unused); \
				void name(int check_unused \
					  __attribute__((unused)))
#define TEST_HANDLE		int check_unused __attribute__((unused))
#define TEST_PASSED		check_unused
#define EXPECT(cond)		ck_assert_msg(cond, "%s", #cond)
#define EXPECT_EQ(a, b)		ck_assert_uint_eq(a, b)
#define EXPECT_LE(a, b)		ck_assert_uint_le(a, b)
#define EXPECT_PTR_EQ(a, b)	ck_assert_ptr_eq(a, b)
#define ASSERT(cond)		ck_assert_msg(cond, "%s", #cond)

#define test_swap(p, v)		__atomic_exchange_n(p, v, __ATOMIC_ACQ_REL)

/* End a case that cannot run in this build: it has neither passed nor failed. */
#define SKIP_BECAUSE(why)						\
	do {								\
		test_skip(__func__, why);				\
		return;							\
	} while (0)
void test_skip(const char *name, const char *why);

#endif

#define ARRAY_LEN(a)		(sizeof(a) / sizeof((a)[0]))

/* More objects than an array has slots: once they are freed, some are in clusters. */
#define TEST_SOME	(POOL_HOT_SLOTS + 32)

/* How many objects a case can keep at once in test_objs. */
#define TEST_OBJS	4096

extern void *test_objs[TEST_OBJS];

/*
 * The runners.  test_threads() runs fn(0..n-1, arg) at once and returns when all have returned;
 * each of the first test_cpus() has its own CPU.  test_scale() lowers the number of iterations in
 * slow builds.
 */
void test_threads(unsigned int n, void (*fn)(unsigned int i, void *arg),
		  void *arg);
unsigned int test_cpus(void);
unsigned long test_scale(unsigned long iterations);

/*
 * 1 in a build with this checker, which gcc says by a macro; clang has no such builds here.
 * Checkers need memory, addresses, mappings and time of their own.
 */
#ifdef __SANITIZE_THREAD__
#define UNDER_TSAN	1
#else
#define UNDER_TSAN	0
#endif
#ifdef __SANITIZE_ADDRESS__
#define UNDER_ASAN	1
#else
#define UNDER_ASAN	0
#endif
#define UNDER_CHECKER	(UNDER_ASAN || UNDER_TSAN)

/* Functions for pools that are known by their heads only, as users know them. */
struct pool_head *head_make(unsigned int size);		/* of exactly @size bytes */
struct pool_head *head_with(const char *words, unsigned int size);
struct pool_head *head_within(unsigned long hot_size, unsigned int cluster, unsigned int size);
struct pool_head *head_checked(const char *words, unsigned int size);	/* faults only count */
void *head_alloc(struct pool_head *pool);
void head_alloc_many(struct pool_head *pool, void **objs, unsigned int n);
void head_alloc_just(struct pool_head *pool, void **objs, unsigned int n);
void head_free_many(struct pool_head *pool, void **objs, unsigned int n);
void head_wave(struct pool_head *pool, unsigned int n);
bool head_quiet(struct pool_head *pool, unsigned long used);
unsigned long head_found(struct pool_head *pool, enum pool_fault kind);
unsigned long head_faults(struct pool_head *pool);	/* of all kinds */

static inline void head_numbers(struct pool_head *pool, struct pool_stats *now)
{
	pool_stats_get(pool, now, sizeof(*now));
}

/* Return a pool's numbers, until the next call; for the case's own thread. */
const struct pool_stats *head_sum(struct pool_head *pool);

/*
 * HEAD_CASE(name, make) - a case of one pool, which @make creates and the case calls "pool".  At
 * its end all objects must be free, except as many in quarantine as test_quarantined says, and the
 * numbers must add up; then the pool is destroyed.  HEADS_CASE() runs the case @n times, each time
 * with a new pool; @make and the case have the number of the round in "nth".
 */
extern unsigned long test_quarantined;	/* set by a case that has objects quarantined */
#define HEAD_CASE(name, make)		CASE_OF_POOLS(name, 1, make, struct pool_head, pool)
#define HEADS_CASE(name, n, make)	CASE_OF_POOLS(name, n, make, struct pool_head, pool)

#define CASE_OF_POOLS(name, n, make, type, head)			\
	static void name##_of(TEST_HANDLE, type *pool, unsigned int nth);	\
	TEST_CASE(name)							\
	{								\
		unsigned int nth;					\
									\
		for (nth = 0; nth < (n); nth++) {			\
			type *pool = make;				\
									\
			ASSERT(pool);					\
			name##_of(TEST_PASSED, pool, nth);		\
			ENDS_QUIETLY(head);				\
		}							\
	}								\
	static void name##_of(TEST_HANDLE, type *pool __attribute__((unused)), \
			      unsigned int nth __attribute__((unused)))

#define ENDS_QUIETLY(head)						\
	do {								\
		EXPECT(head_quiet(head, test_quarantined));		\
		test_quarantined = 0;					\
		EXPECT_PTR_EQ(pool_destroy(head), NULL);		\
	} while (0)

/* helpers.c: functions that need private headers */
void test_options(unsigned long hot_size, unsigned int cluster);
void test_nothing_on(void);		/* all options off, whatever the build has */
void test_inject(unsigned int every);	/* fail each @every-th call of the backend; 0: none */
unsigned int test_round(void);		/* sizes are rounded up to multiples of this */
unsigned int test_cluster(void);	/* objects of a cluster, after test_options() */
void test_destroy_every(void);		/* also pools with objects in use */
bool test_readable(const void *p);	/* true if it can be read without a fault */
unsigned int test_count_pools(void);
unsigned long test_charged(void);
bool test_bound_holds(void);
unsigned long test_random(unsigned long *state);

#endif /* POOL_CASE_H */
