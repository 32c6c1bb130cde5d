/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * cases_dump.h - what the cases of dumps share
 *
 * Layer:   tests, both worlds; only of dump*.c, names.c and profile.c.
 */
#ifndef POOL_CASES_DUMP_H
#define POOL_CASES_DUMP_H

#include "test.h"

#define FULL_SIZE	(512 * 1024)

/* Too large for a stack. */
static char full[FULL_SIZE];

static inline struct pool_head *make(const char *name, unsigned int size)
{
	return create_pool(name, size, MEM_F_EXACT);
}

/* Allocate all @n objects that a pool then has, into test_objs[from] and behind. */
static inline void hold(struct pool_head *pool, unsigned int from,
			unsigned int n)
{
	test_alloc_just(pool_of(pool), test_objs + from, n);
}

static inline void drop(struct pool_head *pool, unsigned int from,
			unsigned int n)
{
	test_free_many(pool_of(pool), test_objs + from, n);
}

/* Create three pools, in an order that no option produces: c a b. */
static inline bool make_three(struct pool_head **pools)
{
	pool_fail_every = 0;
	pools[0] = make("c.three", 256);
	pools[1] = make("a.three", 32);
	pools[2] = make("b.one", 64);
	if (!pools[0] || !pools[1] || !pools[2])
		return false;
	hold(pools[0], 0, 1);
	hold(pools[1], 1, 1);
	hold(pools[2], 2, 10);
	return true;
}

static inline void end_three(struct pool_head **pools)
{
	unsigned int i;

	drop(pools[0], 0, 1);
	drop(pools[1], 1, 1);
	drop(pools[2], 2, 10);
	for (i = 0; i < 3; i++)
		pool_destroy(pools[i]);
}

/* THREE_CASE(name) - a case of the pools of make_three(). */
#define THREE_CASE(name)						\
	static void name##_of(TEST_HANDLE, struct pool_head **pools);	\
	TEST_CASE(name)							\
	{								\
		struct pool_head *pools[3];				\
									\
		ASSERT(make_three(pools));				\
		name##_of(TEST_PASSED, pools);				\
		end_three(pools);					\
	}								\
	static void name##_of(TEST_HANDLE, struct pool_head **pools __attribute__((unused)))

/* Dump into "full".  False if the text does not fit, or if its length is not the one returned. */
static inline bool dump(const char *options)
{
	int n = dump_pools_to_buf(full, sizeof(full), options);

	return n > 0 && n < FULL_SIZE && strlen(full) == (size_t)n;
}

/* Dump the raw table, which begins with its version, into "full". */
static inline bool dump_raw(const char *options)
{
	char words[128];

	snprintf(words, sizeof(words), "raw %s", options);
	return dump(words);
}

static inline const char *next_line(const char *line)
{
	while (*line && *line != '\n')
		line++;
	return *line ? line + 1 : line;
}

static inline bool begins(const char *line, const char *prefix)
{
	return !strncmp(line, prefix, strlen(prefix));
}

#endif /* POOL_CASES_DUMP_H */
