/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * test.h - the interface of cases; the only file that knows Check and KUnit
 *
 * Layer:   tests; every file of inside/ is compiled for both worlds.
 * Context: cases run in a plain thread or a kthread that stays on its CPU.
 *
 * A case is TEST_CASE(name_that_reads_like_a_sentence) in a file and one line in inside/cases.list.
 * It frees all its objects and pools.  After an EXPECT that fails the case may continue or not, so
 * it must work in both ways.  Workers of test_threads() have no framework, so they count errors.
 */
#ifndef POOL_TEST_H
#define POOL_TEST_H

#include "seam/plat.h"

#ifdef __KERNEL__

#include <kunit/test.h>

/* The cases of a suite are one declaration. */
#define SUITE(...)		void
#define CASE(name)		name(struct kunit *test),
#define END(suite)		end_of_##suite(struct kunit *test)
#include "../inside/cases.list"
#include "../worlds/kernel/cases.list"
#undef SUITE
#undef CASE
#undef END

#define TEST_CASE(name)		void name(struct kunit *test)
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

/* Pass a value from CPU to CPU through a word. */
#define test_swap(p, v)		xchg(p, v)

/* For cases in which callers that cannot be preempted get new objects. */
#define SKIP_ON_RT()							\
	do {								\
		if (IS_ENABLED(CONFIG_PREEMPT_RT))			\
			kunit_skip(test, "the slab is not called there"); \
	} while (0)

#else

#include <check.h>
#include <string.h>

#define TEST_CASE(name)		void name(int check_unused); \
				void name(int check_unused \
					  __attribute__((unused)))
#define EXPECT(cond)		ck_assert_msg(cond, "%s", #cond)
#define EXPECT_EQ(a, b)		ck_assert_uint_eq(a, b)
#define EXPECT_LE(a, b)		ck_assert_uint_le(a, b)
#define EXPECT_PTR_EQ(a, b)	ck_assert_ptr_eq(a, b)
#define ASSERT(cond)		ck_assert_msg(cond, "%s", #cond)

#define test_swap(p, v)		__atomic_exchange_n(p, v, __ATOMIC_ACQ_REL)

/* For cases that cannot run in a build: they have neither passed nor failed. */
#define SKIP_BECAUSE(why)						\
	do {								\
		test_skip(__func__, why);				\
		return;							\
	} while (0)
void test_skip(const char *name, const char *why);

#endif

#define ARRAY_LEN(a)		(sizeof(a) / sizeof((a)[0]))

/* True if a byte can be read without a fault. */
static inline bool test_readable(const void *p)
{
	char byte;

	return plat_peek(&byte, p, 1);
}

/* Sleep for some milliseconds, on a word that nobody wakes. */
static inline void test_sleep(unsigned int ms)
{
	unsigned int word = 0;

	plat_wait(&word, 0, ms);
}

/* More objects than an array has slots: once they are freed, some are in clusters. */
#define TEST_SOME	(POOL_HOT_SLOTS + 32)

/* How many objects a case can keep at once in test_objs. */
#define TEST_OBJS	4096

extern void *test_objs[TEST_OBJS];

/* helpers.c */
void test_begin(void);
bool test_end(void);
void test_options(unsigned long hot_size, unsigned int cluster);
void test_mode(unsigned int mode);
struct pool *test_pool(unsigned int size);
unsigned int test_count_pools(void);
void *test_alloc_list(struct pool *pool, unsigned long n);
unsigned long test_free_list(struct pool *pool, void *list);
struct pool *test_checked(unsigned int size, unsigned int debug);
unsigned long test_faults(struct pool *pool);
bool test_reports_elsewhere(struct pool *pool);
void *test_alloc(struct pool *pool);
void test_free(struct pool *pool, void *obj);
void test_alloc_many(struct pool *pool, void **objs, unsigned int n);
void test_alloc_just(struct pool *pool, void **objs, unsigned int n);
void test_free_many(struct pool *pool, void **objs, unsigned int n);
void test_wave(struct pool *pool, unsigned int n);
/* A pool whose array here is whole, with @n objects in use in test_objs; NULL: none was made. */
struct pool *test_whole(unsigned int *n);
bool test_wave_good(struct pool *pool, unsigned int n,
		    bool (*good)(const unsigned char *obj));
bool test_backend(struct plat_backend *backend, unsigned int id, unsigned int size,
		  unsigned int align, unsigned int debug);
void *test_backend_alloc(struct plat_backend *backend, unsigned int flags);
enum pool_fault test_backend_free(struct plat_backend *backend, void *obj);
struct pool_cluster *test_take_shared(struct pool *pool);
struct pool_local *test_local(struct pool *pool);
struct pool *test_clustered_pool(void);
struct pool_cpu *test_cpu(void);
unsigned int test_nr_cpus(void);	/* one more than the highest number there ever was */
struct pool_cluster *test_cluster_new(void);
struct pool_cluster *test_cluster_box(void);	/* with another one in it */
unsigned long test_charged(void);
bool test_quiet(struct pool *pool, unsigned long used);
bool test_bound_holds(void);
unsigned long test_random(unsigned long *state);

/*
 * The runners.  test_threads() runs fn(0..n-1, arg) at once and returns when all have returned;
 * each of the first test_cpus() has its own CPU.  test_scale() lowers the number of iterations in
 * slow builds.  test_lend_signal() lets calls empty the arrays of other CPUs; kernels have
 * interrupts.
 */
void test_threads(unsigned int n, void (*fn)(unsigned int i, void *arg),
		  void *arg);
unsigned int test_cpus(void);
unsigned long test_scale(unsigned long iterations);
bool test_lend_signal(void);

/*
 * gcc says which checker a build has; clang's are not among the flavours.  Checkers
 * use memory, addresses and mappings of their own, and time.
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

#ifndef __KERNEL__

/* worlds/user/user.c: captures what fn(arg) writes to stderr. */
void captured(char *text, size_t size, void (*fn)(void *), void *arg);
unsigned int count_lines(const char *text);
void drop_memory(char *dump);

#endif

#endif /* POOL_TEST_H */
