/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * test.h - declarations for cases that look inside
 *
 * Layer:   tests; every file of inside/ is compiled for both worlds.
 * Context: as case.h.
 */
#ifndef POOL_TEST_H
#define POOL_TEST_H

#include "case.h"
#include "seam/plat.h"

/* Sleep for some milliseconds, by waiting for a word that nobody changes. */
static inline void test_sleep(unsigned int ms)
{
	unsigned int word = 0;

	plat_wait(&word, 0, ms);
}

static inline unsigned long test_min(unsigned long a, unsigned long b)
{
	return a < b ? a : b;
}

/* Let other threads run until a word that they count in is @least or more. */
static inline void test_await(const unsigned long *word, unsigned long least)
{
	while (plat_read_acquire(word) < least)
		plat_pause(true);
}

/* HEAD_CASE() and HEADS_CASE() of a struct pool. */
#define POOL_CASE(name, make)		CASE_OF_POOLS(name, 1, make, struct pool, &pool->head)
#define POOLS_CASE(name, n, make)	CASE_OF_POOLS(name, n, make, struct pool, &pool->head)

/* PAIR_CASE(name, one, make_one, two, make_two) - a case of two pools, called @one and @two. */
#define PAIR_CASE(name, one, make_one, two, make_two)			\
	static void name##_of(TEST_HANDLE, struct pool *one, struct pool *two); \
	TEST_CASE(name)							\
	{								\
		struct pool *one = make_one;				\
		struct pool *two = make_two;				\
									\
		ASSERT(one && two);					\
		name##_of(TEST_PASSED, one, two);			\
		ENDS_QUIETLY(&(one)->head);				\
		ENDS_QUIETLY(&(two)->head);				\
	}								\
	static void name##_of(TEST_HANDLE, struct pool *one, struct pool *two)

/* The pool that several workers use, and the count of what went wrong. */
struct crowd {
	struct pool *pool;
	unsigned long bad;
};

/* Run fn(0..@n-1, &crowd) at once, as test_threads() does; return how often something was wrong. */
unsigned long test_crowd(unsigned int n, void (*fn)(unsigned int i, void *arg), struct pool *pool);

/* helpers.c */
void test_begin(void);
bool test_end(void);
void test_mode(unsigned int mode);
struct pool *test_pool(unsigned int size);
struct pool *test_within(unsigned long hot_size, unsigned int cluster, unsigned int size);
struct pool *test_bare(unsigned int size);	/* with all options off */
struct pool *test_in_mode(unsigned int debug, unsigned int size);
struct pool *test_made(const struct pool_attr *attr);
/* Pools of which no backend call fails. */
struct pool *test_sure(unsigned int size);
struct pool *test_sure_within(unsigned long hot_size, unsigned int cluster, unsigned int size);
void *test_alloc_list(struct pool *pool, unsigned long n);
unsigned long test_free_list(struct pool *pool, void *list);
struct pool *test_checked(unsigned int size, unsigned int debug);
struct pool *test_checked_within(unsigned long hot_size, unsigned int cluster, unsigned int size,
				 unsigned int debug);
bool test_reports_elsewhere(struct pool *pool);
/* Create a pool whose array on this CPU is full, with @n objects in use in test_objs. */
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
unsigned int test_nr_cpus(void);	/* one more than the highest CPU number so far */
struct pool_cluster *test_cluster_new(void);
struct pool_cluster *test_cluster_box(void);	/* with another empty cluster in it */
bool test_lend_signal(void);	/* true if calls may empty other CPUs' arrays */

/* The functions of case.h, for a struct pool. */
static inline void *test_alloc(struct pool *pool)
{
	return head_alloc(&pool->head);
}

static inline void test_free(struct pool *pool, void *obj)
{
	pool_free(&pool->head, obj);
}

static inline void test_alloc_many(struct pool *pool, void **objs, unsigned int n)
{
	head_alloc_many(&pool->head, objs, n);
}

static inline void test_alloc_just(struct pool *pool, void **objs, unsigned int n)
{
	head_alloc_just(&pool->head, objs, n);
}

static inline void test_free_many(struct pool *pool, void **objs, unsigned int n)
{
	head_free_many(&pool->head, objs, n);
}

static inline void test_wave(struct pool *pool, unsigned int n)
{
	head_wave(&pool->head, n);
}

static inline const struct pool_stats *test_sum(struct pool *pool)
{
	return head_sum(&pool->head);
}

static inline unsigned long test_found(struct pool *pool, enum pool_fault kind)
{
	return head_found(&pool->head, kind);
}

static inline unsigned long test_faults(struct pool *pool)
{
	return head_faults(&pool->head);
}

static inline bool test_quiet(struct pool *pool, unsigned long used)
{
	return head_quiet(&pool->head, used);
}

#ifndef __KERNEL__

/* worlds/user/user.c: capture what fn(arg) writes to stderr. */
void captured(char *text, size_t size, void (*fn)(void *), void *arg);
unsigned int count_lines(const char *text);
void drop_memory(char *dump);

#endif

#endif /* POOL_TEST_H */
