// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * idle.c - what was not needed for a while goes
 *
 * Layer:   beside the four, above shrink.c, whose pieces it uses.
 * Context: process context; neither guard nor lock held.
 *
 * The unit of time is the time between two calls of pool_age(): ten seconds, or whatever
 * the caller likes.  What was not needed in between is known already:
 *
 *   - each bucket keeps the least number of objects that it had: so many were not needed
 *   - each cluster knows the visit that used it: those older than the last call were not
 *
 * Half of it goes with each call.  The first call only begins the count, so an idle pool is
 * at a 32nd after the sixth.  A pool that is used again soon finds the greater part.  What
 * was used in between stays whole.  A hit notes nothing for this.
 */
#include "seam/plat.h"

static unsigned long half(unsigned long n)
{
	return n - n / 2;
}

/*
 * What is parked for all CPUs, and half of what the shared pool did not need.  A pool that has
 * nothing there needs no spare clusters for it either.
 */
static unsigned long age_shared(struct pool *pool)
{
	unsigned long unused = pool_shared_unused(pool);
	unsigned long shared = pool_shared_count(pool);
	unsigned long spare = plat_read(&pool->min_avail);
	unsigned long stay = shared > half(unused) ? shared - half(unused) : 0;
	unsigned long given = pool_give_parked(pool, POOL_ALL, 0);

	if (!unused && shared)
		return given;
	given += pool_drain_shared(pool, stay > spare ? stay : spare, POOL_ALL, false);
	/* What was taken just now, and partly put back, was not needed: count anew. */
	pool_shared_unused(pool);
	return given;
}

/*
 * Note the time of a CPU.  @old is the time of the last call, @busy whether the CPU was
 * used since.  False: its lock cannot be had now.
 */
static bool note_time(struct pool_cpu *cpu, unsigned long *old, bool *busy)
{
	if (!plat_cpu_trylock(cpu))
		return false;
	*old = cpu->aged;
	*busy = cpu->visits != cpu->aged;
	cpu->aged = cpu->visits;
	plat_cpu_unlock(cpu);
	return true;
}

/* Begin a CPU's share of a pass.  Returns bytes of its clusters that may go, if older than @old. */
unsigned long pool_cpu_unused(struct pool_cpu *cpu, unsigned long *old)
{
	unsigned long most = half(pool_clustered_bytes(cpu));
	bool busy;

	return note_time(cpu, old, &busy) ? most : 0;
}

/*
 * Give back half of a CPU's clusters, as far as they were not used.  A CPU that was not used
 * at all gives its empty clusters, too.  Other threads may run between two clusters.  Returns
 * whether it was used.
 */
static bool age_cpu(struct pool_cpu *cpu, unsigned long *given)
{
	unsigned long most = half(pool_clustered_bytes(cpu));
	unsigned long taken = 0, bytes = 1;
	unsigned long old;
	bool busy;

	if (!note_time(cpu, &old, &busy))
		return true;
	while (taken < most && bytes) {
		bytes = pool_give_coldest(cpu, &old, 0, given);
		taken += bytes;
		plat_resched();
	}
	if (!busy)
		*given += pool_drain_stash(cpu, true);
	return busy;
}

/*
 * Give back half of what was not needed since the last call.  @more is set to whether there is,
 * or may be soon, more to give.  Returns the bytes that the backend got.
 */
unsigned long pool_age_bytes(bool *more)
{
	struct pool *pool = NULL;
	unsigned long given = 0;
	struct pool_cpu *cpu;
	unsigned long left;
	bool busy = false;
	unsigned int i;

	pool_each_cpu(i, cpu)
		busy |= age_cpu(cpu, &given);
	while ((pool = pool_registry_next_that(pool, pool_may_give)))
		given += age_shared(pool);
	pool_unused_bytes(0, &left);
	*more = busy || left;
	return given;
}

bool pool_age(void)
{
	bool more;

	if (pool_age_bytes(&more))
		plat_trim(false);
	return more;
}
