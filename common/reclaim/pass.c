// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pass.c - age all pools in small steps, each in a call of some pool
 *
 * Layer:   beside the four; idle.c ages all at once, and knows what was not needed.
 * Context: said per function.
 *
 * A pass goes over all CPUs, and then over all pools, in bounded steps:
 *
 *	the registry mutex is tried, never waited for
 *	pool_pass_next()	finds a piece: a cluster, or a pool that it keeps from ending
 *	the mutex is released
 *	pool_pass_give()	releases the piece to the backend
 *
 * The objects of such a cluster count as moving in its part.  A pool counts one object more as
 * moving until the step leaves it.  pool_drain() waits for both.
 */
#include "seam/plat.h"

/*
 * The most CPUs or pools that a step looks at, and the most clusters of objects that it releases.
 */
#define PASS_LOOKS	16
#define PASS_CLUSTERS	4

/*
 * The position of the pass, together with pool_pass_at, which the end of that pool clears.
 * Registry mutex.
 */
static struct {
	bool at_pools;		/* the pass has done all CPUs, and is at the pools */
	unsigned int cpu;	/* number of the last CPU done; UINT_MAX: none */
	unsigned long old;	/* "visits" of that CPU at the pass before */
	unsigned long left;	/* bytes of the CPU, or objects of the pool, still to be released */
} pass = { .cpu = UINT_MAX };

static unsigned long less(unsigned long left, unsigned long by)
{
	return left > by ? left - by : 0;
}

/* Take an old cluster of the pass's CPU, if more of its clusters must be released. */
static void find_cluster(struct pool_step *step)
{
	struct pool_cpu *cpu = plat_cpu_of(pass.cpu);

	step->cluster = cpu ? pool_take_coldest(cpu, &pass.old, POOL_F_FOREIGN) : NULL;
	if (step->cluster)
		pass.left = less(pass.left, pool_bytes(step->cluster->local->pool,
						       step->cluster->n));
	else
		pass.left = 0;
}

static void step_cpus(struct pool_step *step)
{
	unsigned int looks = PASS_LOOKS;
	struct pool_cpu *cpu;
	bool busy;

	while (!pass.left && looks--) {
		cpu = pool_cpu_below(&pass.cpu);
		if (!cpu) {
			pass.at_pools = true;
			return;
		}
		pass.left = pool_cpu_unused(cpu, &pass.old, &busy);
	}
	if (pass.left)
		find_cluster(step);
}

/* True if a call of another pool can release objects of this pool to the backend. */
static bool gives(const struct pool *pool)
{
	return pool_may_give(pool) && !pool_waits(pool, POOL_F_FOREIGN);
}

/* Find, among the next few pools, one with objects to release; false: there are no more pools. */
static bool find_pool(void)
{
	unsigned int looks = PASS_LOOKS;

	do
		pool_pass_at = pool_registry_after(pool_pass_at);
	while (pool_pass_at && !gives(pool_pass_at) && --looks);
	if (!pool_pass_at)
		return false;
	if (gives(pool_pass_at))
		pass.left = (pool_shared_unused(pool_pass_at) + 1) / 2;
	return true;
}

static bool step_pools(struct pool_step *step)
{
	struct pool *pool;

	if (!pool_pass_at)
		pass.left = 0;
	if (!pass.left && !find_pool())
		return false;
	pool = pool_pass_at;
	if (!pass.left && (plat_read(&pool->filled) || !gives(pool)))
		return true;
	step->most = pool_smaller(PASS_CLUSTERS * pool->cluster,
				  pass.left < UINT_MAX ? (unsigned int)pass.left : UINT_MAX);
	pass.left -= step->most;
	pool_depart(&pool->moving, 1);
	step->pool = pool;
	return true;
}

/*
 * Find the next piece, if that needs no long search.  Registry mutex held; CPU locks are only
 * tried.  False: the pass is over.
 */
bool pool_pass_next(struct pool_step *step)
{
	bool more = true;

	*step = (struct pool_step){ .pool = NULL };
	if (!pass.at_pools)
		step_cpus(step);
	else
		more = step_pools(step);
	pass.at_pools &= more;
	return more;
}

/* Release the piece to the backend.  PLAT_ALLOC; outside of hot sections, no lock or mutex held. */
void pool_pass_give(const struct pool_step *step)
{
	struct pool *pool = step->pool;
	unsigned long shared, spare;

	if (step->cluster)
		pool_release_taken(step->cluster, POOL_F_FOREIGN);
	if (!pool)
		return;
	shared = less(pool_shared_count(pool), step->most);
	spare = plat_read(&pool->min_avail);
	pool_drain_some(pool, shared > spare ? shared : spare, step->most * pool->head.size, true);
	if (!plat_read(&pool->filled))
		pool_cluster_trim_some(pool);
	pool_arrive_last(&pool->moving, 1);
}
