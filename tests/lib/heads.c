// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * heads.c - functions for cases that know only the heads of pools
 *
 * Layer:   tests, both worlds.
 * Context: the case's own thread, or a worker's.
 */
#include "test.h"

struct pool_head *head_make(unsigned int size)
{
	return create_pool("test", size, MEM_F_EXACT);
}

/* Create a pool after setting these options; NULL if @words are wrong. */
struct pool_head *head_with(const char *words, unsigned int size)
{
	return pool_configure(words) ? head_make(size) : NULL;
}

struct pool_head *head_within(unsigned long hot_size, unsigned int cluster, unsigned int size)
{
	test_options(hot_size, cluster);
	return head_make(size);
}

struct pool_head *head_checked(const char *words, unsigned int size)
{
	test_nothing_on();
	pool_options.policy = POOL_POLICY_CONTINUE;
	return head_with(words, size);
}

const struct pool_stats *head_sum(struct pool_head *pool)
{
	static struct pool_stats now;

	head_numbers(pool, &now);
	return &now;
}

unsigned long head_found(struct pool_head *pool, enum pool_fault kind)
{
	return plat_read(&pool_of(pool)->faults[kind]);
}

unsigned long head_faults(struct pool_head *pool)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < POOL_FAULT_KINDS; i++)
		sum += head_found(pool, (enum pool_fault)i);
	return sum;
}

/* Allocate an object, even where every n-th backend call fails. */
void *head_alloc(struct pool_head *pool)
{
	unsigned int tries = 100;
	void *obj = NULL;

	while (!obj && tries--)
		obj = pool_alloc(pool);
	return obj;
}

void head_alloc_many(struct pool_head *pool, void **objs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		objs[i] = head_alloc(pool);
}

/* Allocate @n objects and no others: calls without caches get none ahead. */
void head_alloc_just(struct pool_head *pool, void **objs, unsigned int n)
{
	unsigned int i, tries;

	for (i = 0; i < n; i++) {
		objs[i] = NULL;
		for (tries = 0; !objs[i] && tries < 100; tries++)
			objs[i] = pool_alloc_nocache(pool);
	}
}

void head_free_many(struct pool_head *pool, void **objs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		pool_free(pool, objs[i]);
}

/* Allocate @n objects and free them; most stay in this CPU's caches. */
void head_wave(struct pool_head *pool, unsigned int n)
{
	head_alloc_many(pool, test_objs, n);
	head_free_many(pool, test_objs, n);
}
