// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reserve.c - objects put aside for allocations that must not fail
 *
 * Layer:   API, above bulk.c.
 * Context: process context; pool_alloc_reserved() any.
 *
 * A reserve is an array and an index.  Taking is one atomic subtraction, which
 * gives each taker a slot of its own.  Nothing is ever put back, so no slot is
 * written while another call may read it.
 */
#include "plat.h"

struct pool_reserved {
	struct pool *pool;
	unsigned int size;		/* slots */
	plat_word_t taken;		/* slots taken, and tries to take one */
	void *obj[];
};

/* Free the memory of a reserve that could not be filled. */
static void free_reserve(struct pool_reserved **r)
{
	plat_mem_free(*r);
}

static struct pool_reserved *fill_reserve(struct pool *pool, unsigned int n)
{
	struct pool_reserved *r POOL_AT_END(free_reserve) =
		plat_mem_alloc(sizeof(*r) + n * sizeof(r->obj[0]),
			       PLAT_MEM_SLEEP);
	struct pool_reserved *filled;

	if (!r || !pool_alloc_bulk(&pool->head, 0, n, r->obj))
		return NULL;
	filled = r;
	r = NULL;
	return filled;
}

struct pool_reserved *pool_reserve(struct pool_head *head, unsigned int n)
{
	struct pool *pool = pool_of(head);
	struct pool_reserved *r;

	if (!head) {
		plat_log(PLAT_ERR, "a reserve without a pool is refused");
		return NULL;
	}
	if (!n || n > POOL_RESERVE_MAX) {
		plat_log(PLAT_ERR, "pool \"%s\": a reserve of %u is refused: 1 to %u",
			 pool->shown, n, POOL_RESERVE_MAX);
		return NULL;
	}
	r = fill_reserve(pool, n);
	if (!r)
		return NULL;
	r->pool = pool;
	r->size = n;
	plat_word_add(&pool->reserved, n);
	return r;
}

/*
 * Relaxed: the slots were written before any caller got the reserve.  The first test
 * keeps "taken" near the size of an empty reserve.
 */
void *pool_alloc_reserved(struct pool_reserved *r)
{
	unsigned long slot;

	if (plat_read(&r->taken) >= r->size)
		return NULL;
	slot = plat_word_add(&r->taken, 1) - 1;
	if (slot >= r->size)
		return NULL;
	pool_word_sub(&r->pool->reserved, 1);
	return r->obj[slot];
}

/* Objects left in a reserve keep its pool.  With none left it may be destroyed already. */
void pool_unreserve(struct pool_reserved *r)
{
	unsigned long taken;

	if (!r)
		return;
	taken = plat_read(&r->taken);
	if (taken > r->size)
		taken = r->size;
	if (taken < r->size) {
		pool_word_sub(&r->pool->reserved, r->size - taken);
		pool_free_bulk(&r->pool->head, 0,
			       r->size - (unsigned int)taken, r->obj + taken);
	}
	plat_mem_free(r);
}
