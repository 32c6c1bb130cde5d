// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reserve.c - objects put aside for allocations that must not fail
 *
 * Layer:   API, above bulk.c; slots.c has the objects.
 * Context: process context; pool_alloc_reserved() and pool_free_reserved() any.
 *
 * An object in a reserve is free.  Like any freed object it is checked, filled and sealed when it
 * enters the reserve, and checked when it leaves it.
 */
#include "seam/plat.h"

/* Allocate a reserve of @n empty slots. */
static struct pool_reserved *new_reserve(struct pool *pool, unsigned int n)
{
	struct pool_reserved *r = plat_mem_alloc(sizeof(*r) + n * sizeof(r->slot[0]),
						 PLAT_MEM_SLEEP);

	if (r) {
		r->pool = pool;
		r->size = n;
		plat_write(&r->room, (unsigned long)n);
	}
	return r;
}

/* Free an object to the reserve, and wake a waiter; without an empty slot, to the pool. */
static void free_to_reserve(struct pool_reserved *r, void *obj,
			    unsigned int flags, void *caller)
{
	struct pool *pool = r->pool;

	obj = pool_check_free(pool, obj, flags, caller);
	if (!obj)
		return;
	if (!pool_slots_put(r, obj))
		pool_put_one(pool, obj, flags);
	pool_wake_reserve(pool);
}

/* Put an object into each slot of a new reserve; false: there were not enough objects. */
static bool fill(struct pool_reserved *r, void *caller)
{
	unsigned int n;

	for (n = r->size; n; n--) {
		void *obj = pool_alloc_from(&r->pool->head, 0, caller);

		if (!obj)
			return false;
		free_to_reserve(r, obj, 0, caller);
		plat_resched();
	}
	return true;
}

/* Undo a reserve whose slots cannot be filled, or whose object's constructor did not return. */
static void give_up(struct pool_reserved **r)
{
	pool_unreserve(*r);
}

/* Make a reserve with an object in each slot; NULL: nothing stays allocated. */
static struct pool_reserved *full_reserve(struct pool *pool, unsigned int n, void *caller)
{
	struct pool_reserved *r POOL_AT_END(give_up) = new_reserve(pool, n);
	struct pool_reserved *full = NULL;

	if (r && fill(r, caller)) {
		full = r;
		r = NULL;
	}
	return full;
}

struct pool_reserved *pool_reserve(struct pool_head *head, unsigned int n)
{
	struct pool *pool;

	pool_might_alloc(0);
	if (!head) {
		plat_log(PLAT_ERR, "a reserve without a pool is refused");
		return NULL;
	}
	pool = pool_of(head);
	if (!n || n > POOL_RESERVE_MAX) {
		plat_log(PLAT_ERR, "pool \"%s\": a reserve of %u is refused: 1 to %u",
			 pool->shown, n, POOL_RESERVE_MAX);
		return NULL;
	}
	return full_reserve(pool, n, __builtin_return_address(0));
}

/* Allocate an object of the reserve.  Quarantines a corrupted object and takes the next one. */
void *pool_alloc_reserved(struct pool_reserved *r)
{
	void *caller = __builtin_return_address(0);
	void *obj;

	if (!r)
		return NULL;
	do {
		obj = pool_slots_take(r);
	} while (obj && !pool_checked(r->pool, &obj, POOL_F_ATOMIC, caller));
	return obj;
}

/* Free an object to the pool because the reserve is full, most often by a hit. */
static void free_beyond(struct pool_head *head, void *obj, unsigned int flags,
			void *caller)
{
	if (pool_wipes_in(head) || !pool_hot_put(head, obj))
		pool_free_from(head, obj, flags, caller);
}

void pool_free_reserved(struct pool_reserved *r, void *obj, unsigned int flags)
{
	void *caller = __builtin_return_address(0);

	if (!obj)
		return;
	if (!r) {
		if (plat_may(PLAT_WAIT, flags))
			plat_log(PLAT_ERR, "a free to no reserve is refused");
		return;
	}
	if (plat_read(&r->room))
		free_to_reserve(r, obj, flags & POOL_F_ALL, caller);
	else
		free_beyond(&r->pool->head, obj, flags, caller);
}

/* Free the objects that the reserve still has.  If it has none, its pool may be gone already. */
void pool_unreserve(struct pool_reserved *r)
{
	void *obj;

	pool_might_sleep(0);
	if (!r)
		return;
	while ((obj = pool_slots_take(r))) {
		pool_put_one(r->pool, obj, 0);
		pool_wake(r->pool);
		plat_resched();
	}
	plat_mem_free(r);
}
