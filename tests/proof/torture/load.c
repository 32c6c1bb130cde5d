// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * load.c - what units do with pools
 *
 * Layer:   torture.
 * Context: torture_step() any, NMIs included; torture_round() a thread of its own.
 *
 * Each call of one of these functions is short, so that interrupts do not starve the machine.
 */
#include <linux/gfp.h>
#include <linux/mempool.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "torture.h"

/* Most objects of a bulk call; they are on the stack. */
#define BULK	12

/* Bytes of a wave; few objects if they are large. */
#define WAVE_BYTES	32768

static unsigned int flags_of(const struct torture_unit *unit)
{
	return unit->kind == TORTURE_THREAD || unit->kind >= TORTURE_HOTPLUG ?
	       0 : POOL_F_ATOMIC;
}

/* The pool to which half of all calls go for a while, so that calls contend. */
static unsigned int aim;

void torture_aim(unsigned int pool)
{
	WRITE_ONCE(aim, pool % torture_nr_pools);
}

/* A call that would use a slow pool uses another one, except for one call in this many. */
#define SELDOM		16

static struct torture_pool *any_pool(struct torture_unit *unit)
{
	u32 random = torture_random(unit);
	unsigned int i = random / 2 % torture_nr_pools;

	if (random % 2)
		i = READ_ONCE(aim);
	if (torture_pools[i].slow && random / 64 % SELDOM)
		i = (i + 1) % torture_nr_pools;
	return &torture_pools[i];
}

static void **any_slot(struct torture_unit *unit, struct torture_pool *pool)
{
	return &pool->slot[torture_random(unit) % (nr_cpu_ids * TORTURE_SLOTS)];
}

/* Note an object that was allocated; a NULL is counted. */
static void *came(struct torture_unit *unit, const struct torture_pool *pool,
		  void *obj)
{
	if (obj)
		torture_own(unit, pool, obj);
	else
		torture_count(&unit->none);
	return obj;
}

static void *get(struct torture_unit *unit, struct torture_pool *pool)
{
	return came(unit, pool, __pool_alloc(pool->head, flags_of(unit)));
}

static void put(struct torture_unit *unit, struct torture_pool *pool, void *obj)
{
	if (!obj)
		return;
	torture_disown(pool, obj);
	__pool_free(pool->head, obj, flags_of(unit));
}

/*
 * True if this unit may use the slots of a pool: NMIs must not call call_rcu(), which frees objects
 * of some slots.
 */
static bool has_slots(const struct torture_unit *unit, const struct torture_pool *pool)
{
	return !pool->rcu || unit->kind != TORTURE_NMI;
}

/* Put an object into a slot, and free the slot's previous object. */
static void replace(struct torture_unit *unit, struct torture_pool *pool,
		    void **slot, void *obj)
{
	obj = xchg(slot, obj);
	if (!obj || !pool->rcu) {
		put(unit, pool, obj);
		return;
	}
	torture_disown(pool, obj);
	pool_free_rcu(pool->head, obj, torture_rcu_of(pool, obj));
}

static void hand_on(struct torture_unit *unit, struct torture_pool *pool, void *obj)
{
	if (has_slots(unit, pool))
		replace(unit, pool, any_slot(unit, pool), obj);
	else
		put(unit, pool, obj);
}

static void *get_atomic(struct torture_unit *unit, struct torture_pool *pool)
{
	return came(unit, pool, __pool_alloc(pool->head, POOL_F_ATOMIC));
}

/*
 * A reader of RCU frees what it sees, as others may at any time, and allocates.  The pool hands
 * out first what was freed last, so an object that is freed too early is seen to change.
 */
static void watch(struct torture_unit *unit, struct torture_pool *pool)
{
	void **slot = any_slot(unit, pool);
	const void *obj;
	u64 seen;

	rcu_read_lock();
	obj = READ_ONCE(*slot);
	if (obj && has_slots(unit, pool)) {
		seen = torture_see(pool, obj);
		replace(unit, pool, slot, get_atomic(unit, pool));
		put(unit, pool, get_atomic(unit, pool));
		if (torture_see(pool, obj) != seen)
			torture_wrong(TORTURE_READER, pool, "object",
				      torture_see(pool, obj), seen);
	}
	rcu_read_unlock();
}

/* Allocate and free, as most users do. */
static void pairs(struct torture_unit *unit, struct torture_pool *pool)
{
	void *one = get(unit, pool);
	void *two = get(unit, pool);

	put(unit, pool, one);
	put(unit, pool, two);
}

static void zeroed(struct torture_unit *unit, struct torture_pool *pool)
{
	unsigned long *obj;

	if (pool->built || (pool->flags & MEM_F_TYPESAFE))
		return;
	obj = __pool_alloc(pool->head, flags_of(unit) | POOL_F_MUST_ZERO);
	if (obj && memchr_inv(obj, 0, pool->size))
		torture_wrong(TORTURE_ZERO, pool, "first word", obj[0], 0);
	put(unit, pool, came(unit, pool, obj));
}

static void bulk(struct torture_unit *unit, struct torture_pool *pool)
{
	unsigned int n = 1 + torture_random(unit) % BULK, i;
	void *objs[BULK];

	if (torture_random(unit) % 2)
		n = pool_alloc_bulk_some(pool->head, flags_of(unit), n, objs);
	else if (!pool_alloc_bulk(pool->head, flags_of(unit), n, objs))
		n = 0;
	if (!n)
		torture_count(&unit->none);
	for (i = 0; i < n; i++)
		torture_own(unit, pool, objs[i]);
	for (i = 0; i < n; i++)
		torture_disown(pool, objs[i]);
	pool_free_bulk(pool->head, flags_of(unit), n, objs);
}

/* Allocate near this node, with or without __GFP_THISNODE, which refuses other nodes. */
static void near(struct torture_unit *unit, struct torture_pool *pool)
{
	gfp_t gfp = flags_of(unit) ? GFP_NOWAIT : GFP_KERNEL | __GFP_NORETRY;
	u32 random = torture_random(unit);

	if (random % 2)
		gfp |= __GFP_THISNODE;
	hand_on(unit, pool, came(unit, pool,
				 pool_alloc_node(pool->head, gfp | __GFP_NOWARN,
						 random % 3 ? numa_mem_id() : NUMA_NO_NODE)));
}

/* Take an object of the reserve; every other object refills it. */
static void reserved(struct torture_unit *unit, struct torture_pool *pool)
{
	struct pool_reserved *reserve;
	void *obj = NULL;

	rcu_read_lock();
	/* Pairs with the release in torture_renew_reserve(). */
	reserve = smp_load_acquire(&pool->reserve);
	if (reserve)
		obj = torture_random(unit) % 2 ? pool_alloc_reserved(reserve) :
		      pool_alloc_reserved_timeout(reserve, POOL_F_ATOMIC, 1);
	if (obj)
		torture_own(unit, pool, obj);
	if (obj && torture_random(unit) % 2) {
		torture_disown(pool, obj);
		pool_free_reserved(reserve, obj, flags_of(unit));
		obj = NULL;
	}
	rcu_read_unlock();
	if (obj)
		hand_on(unit, pool, obj);
}

void torture_step(struct torture_unit *unit)
{
	struct torture_pool *pool = any_pool(unit);

	torture_count(&unit->rounds);
	switch (torture_random(unit) % 17) {
	case 0 ... 5:
		if (pool->rcu || (pool->flags & MEM_F_TYPESAFE))
			watch(unit, pool);
		hand_on(unit, pool, get(unit, pool));
		break;
	case 6 ... 10:
		pairs(unit, pool);
		break;
	case 11:
		hand_on(unit, pool, NULL);
		break;
	case 12:
		zeroed(unit, pool);
		break;
	case 13:
		reserved(unit, pool);
		break;
	case 14:
		near(unit, pool);
		break;
	default:
		bulk(unit, pool);
	}
}

/* Allocate and free many objects, so that caches overflow and run empty. */
static void wave(struct torture_unit *unit, struct torture_pool *pool)
{
	unsigned int most = min(WAVE_BYTES / pool->size, TORTURE_KEPT + 0u);
	unsigned int n = 1 + torture_random(unit) % most, i;

	for (i = 0; i < n; i++)
		unit->kept[i] = get(unit, pool);
	for (i = 0; i < n; i++)
		put(unit, pool, unit->kept[i]);
}

/* Wait for an object of the reserve; frees of other units refill it. */
static void last_resort(struct torture_unit *unit, struct torture_pool *pool)
{
	void *obj = came(unit, pool,
			 pool_alloc_reserved_timeout(pool->lasting, 0, 3));

	if (!obj)
		return;
	torture_disown(pool, obj);
	pool_free_reserved(pool->lasting, obj, 0);
}

/* Allocate from a mempool: all its objects come back, so an allocation that may wait succeeds. */
static void through_mempool(struct torture_unit *unit, struct torture_pool *pool)
{
	bool waits = torture_random(unit) % 2;
	void *obj = mempool_alloc(pool->mempool, waits ? GFP_KERNEL : GFP_NOWAIT);

	if (!came(unit, pool, obj))
		return;
	torture_disown(pool, obj);
	mempool_free(obj, pool->mempool);
}

/* The calls that only threads may make. */
static void other_calls(struct torture_unit *unit, struct torture_pool *pool)
{
	void *obj;

	switch (torture_random(unit) % 6) {
	case 0:
		last_resort(unit, pool);
		return;
	case 1:
		through_mempool(unit, pool);
		return;
	case 2:
		obj = pool_alloc_nocache(pool->head);
		break;
	case 3:
		obj = pool_alloc_timeout(pool->head, 0, 3);
		break;
	case 4:
		obj = pool_alloc_gfp(pool->head, GFP_NOWAIT | __GFP_NOWARN);
		break;
	default:
		obj = pool_alloc_gfp(pool->head, GFP_KERNEL | __GFP_NORETRY |
				     __GFP_NOWARN);
	}
	hand_on(unit, pool, came(unit, pool, obj));
}

void torture_round(struct torture_unit *unit)
{
	struct torture_pool *pool = any_pool(unit);
	unsigned int n;

	switch (torture_random(unit) % 8) {
	case 0:
		wave(unit, pool);
		torture_count(&unit->rounds);
		break;
	case 1:
		other_calls(unit, pool);
		torture_count(&unit->rounds);
		break;
	case 2 ... 3:
		for (n = 0; n < min(32u, WAVE_BYTES / pool->size); n++)
			pairs(unit, pool);
		torture_count(&unit->rounds);
		break;
	default:
		for (n = 0; n < 8; n++)
			torture_step(unit);
	}
}
