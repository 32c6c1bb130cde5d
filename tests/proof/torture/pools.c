// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pools.c - the pools that all units use, and what must be true of them
 *
 * Layer:   torture.
 * Context: process context; may sleep.
 */
#include <linux/delay.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "torture.h"

/* Times that numbers are read until a pool is quiet, 20 ms apart. */
#define TRIES	500

struct torture_pool torture_pools[] = {
	{ .name = "t_tiny", .size = 16 },
	{ .name = "t_small", .size = 64 },
	{ .name = "t_mid", .size = 256 },
	{ .name = "t_large", .size = 1024 },
	{ .name = "t_huge", .size = 5000 },
	{ .name = "t_noglobal", .size = 96, .mode = POOL_M_NO_GLOBAL },
	{ .name = "t_nocache", .size = 128, .mode = POOL_M_NO_CACHE },
	{ .name = "t_limit", .size = 64, .limit = 14 },
	{ .name = "t_built", .size = 192, .built = true },
	{ .name = "t_tag", .size = 64, .options = "tag,caller,backup" },
	{ .name = "t_checked", .size = 80, .options = "integrity,poison" },
	{ .name = "t_harden", .size = 112, .options = "harden" },
	{ .name = "t_uaf", .size = 4000, .options = "uaf", .slow = true },
	{ .name = "t_rcu", .size = 96, .rcu = true },
	{ .name = "t_typesafe", .size = 48, .flags = MEM_F_TYPESAFE },
};

const unsigned int torture_nr_pools = ARRAY_SIZE(torture_pools);

/* The opposite of each option above. */
#define DEFAULTS	"no-tag,no-caller,no-backup,no-integrity,hot-first,no-poison," \
			"no-harden,no-uaf,cache"

/* Make reserves and mempools, which keep objects of the pool from the beginning to the end. */
static bool make_stocks(struct torture_pool *pool)
{
	pool->lasting = pool_reserve(pool->head, TORTURE_LASTING);
	pool->mempool = mempool_create(TORTURE_MEMPOOL, pool_mempool_alloc,
				       pool_mempool_free, pool->head);
	return pool->lasting && pool->mempool;
}

static bool make(struct torture_pool *pool)
{
	struct pool_attr attr = {
		.name = pool->name,
		.size = pool->size,
		.flags = MEM_F_EXACT | pool->flags,
		.mode = pool->mode,
		.limit = pool->limit * nr_cpu_ids,
		.ctor = pool->built ? torture_construct : NULL,
		.dtor = pool->built ? torture_destruct : NULL,
		.arg = pool,
	};

	pool->slot = kcalloc(nr_cpu_ids * TORTURE_SLOTS, sizeof(void *),
			     GFP_KERNEL);
	if (pool->options && !pool_configure(pool->options))
		return false;
	pool->head = create_pool_ext(&attr);
	if (pool->options && !pool_configure(DEFAULTS))
		return false;
	return pool->slot && pool->head && make_stocks(pool);
}

bool torture_pools_make(void)
{
	unsigned int i;

	for (i = 0; i < torture_nr_pools; i++) {
		torture_pools[i].id = i;
		if (!make(&torture_pools[i]))
			return false;
	}
	return true;
}

/* Wait for readers of the old reserve before it ends. */
void torture_renew_reserve(struct torture_pool *pool)
{
	struct pool_reserved *old = xchg(&pool->reserve, NULL);

	synchronize_rcu_expedited();
	pool_unreserve(old);
	/* Pairs with the acquire in load.c. */
	smp_store_release(&pool->reserve,
			  pool_reserve(pool->head, TORTURE_RESERVE));
}

/* Free what is in slots, reserves and mempools; no other unit runs any more. */
void torture_pools_empty(struct torture_unit *unit)
{
	unsigned int i, n;

	for (i = 0; i < torture_nr_pools; i++) {
		struct torture_pool *pool = &torture_pools[i];

		mempool_destroy(pool->mempool);
		pool_unreserve(pool->lasting);
		pool_unreserve(xchg(&pool->reserve, NULL));
		for (n = 0; n < nr_cpu_ids * TORTURE_SLOTS; n++) {
			void *obj = xchg(&pool->slot[n], NULL);

			if (!obj)
				continue;
			torture_disown(pool, obj);
			pool_free(pool->head, obj);
		}
	}
}

static unsigned long faults_of(const struct pool_stats *now)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < POOL_FAULT_KINDS; i++)
		sum += now->faults[i];
	return sum;
}

/* Report numbers of a pool that must hold at any time and do not. */
void torture_pool_looks_right(const struct torture_pool *pool)
{
	struct pool_stats now;

	pool_stats_get(pool->head, &now, sizeof(now));
	if (faults_of(&now))
		torture_wrong(TORTURE_FAULT, pool, "faults", faults_of(&now), 0);
	if (pool->limit && now.allocated > pool->limit * nr_cpu_ids)
		torture_wrong(TORTURE_LIMIT, pool, "allocated", now.allocated,
			      pool->limit * nr_cpu_ids);
}

/* Count calls that interrupted another call of their pool. */
unsigned long torture_pools_nested(void)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < torture_nr_pools; i++) {
		struct pool_stats now;

		pool_stats_get(torture_pools[i].head, &now, sizeof(now));
		sum += now.nested;
	}
	return sum;
}

/* Drain the pool and read its numbers; true if they add up, and all objects are free. */
static bool is_quiet(struct torture_pool *pool, struct pool_stats *now)
{
	pool_reclaim(pool->head);
	pool_stats_get(pool->head, now, sizeof(*now));
	return !now->used && now->allocated == now->cached + now->shared &&
		(!pool->built ||
		 atomic_long_read(&pool->built_now) == now->allocated);
}

static void judge(struct torture_pool *pool)
{
	struct pool_stats now;
	unsigned int tries;

	for (tries = 0; tries < TRIES && !is_quiet(pool, &now); tries++)
		msleep(20);
	if (now.used)
		torture_wrong(TORTURE_COUNT, pool, "used", now.used, 0);
	if (now.allocated != now.used + now.cached + now.shared)
		torture_wrong(TORTURE_COUNT, pool, "allocated", now.allocated,
			      now.used + now.cached + now.shared);
	if (pool->built && atomic_long_read(&pool->built_now) != now.allocated)
		torture_wrong(TORTURE_COUNT, pool, "constructed",
			      atomic_long_read(&pool->built_now), now.allocated);
	torture_pool_looks_right(pool);
}

void torture_pools_judge(void)
{
	unsigned int i;

	for (i = 0; i < torture_nr_pools; i++)
		judge(&torture_pools[i]);
}

void torture_pools_destroy(void)
{
	unsigned int i;

	for (i = 0; i < torture_nr_pools; i++) {
		struct torture_pool *pool = &torture_pools[i];

		if (pool_destroy(pool->head))
			torture_wrong(TORTURE_COUNT, pool, "objects left", 1, 0);
		else if (atomic_long_read(&pool->built_now))
			torture_wrong(TORTURE_COUNT, pool, "never destructed",
				      atomic_long_read(&pool->built_now), 0);
		pool->head = NULL;
		kfree(pool->slot);
	}
}
