// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * gone.c - report calls with pools that were destroyed
 *
 * Layer:   beside the four.
 * Context: each function says its own.
 *
 * The struct of a checked pool is kept for a while after its destruction, with closed arrays, so
 * that calls with the old pointer reach the checks, which see that the pool has no registration.  A
 * ring keeps the last POOL_GONE_MAX structs: some hundred KiB, and nothing without checks.
 */
#include "seam/plat.h"

#define POOL_GONE_MAX	64

/* A ring of the structs, protected by the registry mutex. */
static struct pool *gone[POOL_GONE_MAX];
static unsigned int oldest;

/* Put the struct of a destroyed pool into the ring; returns the oldest, which leaves the ring. */
static struct pool *keep(struct pool *pool)
{
	struct pool *out;

	plat_mutex_lock(PLAT_REGISTRY);
	out = gone[oldest];
	gone[oldest] = pool;
	oldest = (oldest + 1) % POOL_GONE_MAX;
	plat_mutex_unlock(PLAT_REGISTRY);
	return out;
}

/* Free the struct of a destroyed pool, or keep it if the pool was checked.  May sleep. */
void pool_gone_free(struct pool *pool)
{
	pool->cached = false;
	if (plat_read(&pool->debug) & POOL_D_CHECKED)
		pool = keep(pool);
	plat_mem_free(pool);
}

/* Free all structs of the ring, when no call can use their pools any more.  May sleep. */
void pool_gone_free_all(void)
{
	unsigned int i;

	for (i = 0; i < POOL_GONE_MAX; i++)
		plat_mem_free(keep(NULL));
}

/*
 * Report a call with a destroyed pool.  @obj: the object that the call frees, or NULL.  False: the
 * pool exists, or was not checked, so that its struct is not in the ring.  Any context.
 */
bool pool_gone_report(struct pool *pool, void *obj, unsigned int flags, void *caller)
{
	struct pool_fault_info info = {
		.kind = POOL_FAULT_DESTROYED, .pool = pool, .caller = caller, .flags = flags,
		.obj = obj ? obj : &pool->head,
	};

	if (!(plat_read(&pool->debug) & POOL_D_CHECKED) || plat_read(&pool->users))
		return false;
	pool_report(&info);
	return true;
}
