// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * idle.c - release objects that were not needed for a while
 *
 * Layer:   beside the four, above shrink.c, whose pieces it uses.
 * Context: process context; outside of hot sections, no lock held.
 *
 * The unit of time is the interval between two calls of pool_age(), ten seconds by default.  Slow
 * paths already record which objects were not needed in an interval, so hits do nothing for this:
 *
 *   - each bucket records the least number of objects that it had; that many were not needed
 *   - each cluster records the visit that used it last; it was not needed if that is older than
 *     the last call
 *   - each array records its owner's last visit, and is compared in the same way
 *
 * Each call releases half of the objects of buckets and clusters, so that a pool that is used again
 * soon finds the rest.  The first call only starts the records, so after six calls a 32nd of the
 * objects is left.  An array loses its free slots, or a cluster of objects, where its owner finds
 * them until they have aged as clusters do.  Which arrays can be reached depends on the platform.
 */
#include "seam/plat.h"

static unsigned long half(unsigned long n)
{
	return n - n / 2;
}

/*
 * Release the objects parked for all CPUs, half of what the shared pool did not need, and the spare
 * clusters of a pool whose shared pool is empty.
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
	/*
	 * Restart the records, because objects that were just taken and partly put back were not
	 * needed.
	 */
	pool_shared_unused(pool);
	return given;
}

/*
 * Start ageing a CPU: record its number of visits for the next call.  @old receives the number
 * recorded by the last call, @busy whether it has changed since, or another call holds the CPU's
 * lock.  Returns how many bytes of its clusters, if older than @old, may be released.
 */
unsigned long pool_cpu_unused(struct pool_cpu *cpu, unsigned long *old, bool *busy)
{
	unsigned long most = half(pool_clustered_bytes(cpu));

	*busy = true;
	if (!plat_cpu_trylock(cpu))
		return 0;
	*old = cpu->aged;
	*busy = cpu->visits != cpu->aged;
	cpu->aged = cpu->visits;
	plat_cpu_unlock(cpu);
	return most;
}

/*
 * Release clusters of a CPU that were not used, up to half of all; if the CPU was not used, also
 * its empty clusters.  Reschedules between two clusters.  Returns whether the CPU was used.
 */
static bool age_cpu(struct pool_cpu *cpu, unsigned long *given)
{
	unsigned long taken = 0, bytes = 1;
	unsigned long old, most;
	bool busy;

	most = pool_cpu_unused(cpu, &old, &busy);
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
 * Release half of the objects that were not needed since the last call.  Returns their bytes.
 * @more receives whether a later call may release more.
 */
unsigned long pool_age_bytes(bool *more)
{
	struct pool *pool = NULL;
	unsigned long given = 0;
	struct pool_cpu *cpu;
	unsigned long left;
	bool busy = false;
	unsigned int i;

	/* Arrays come first, because the time of the last ageing is overwritten below. */
	plat_empty_arrays(NULL, POOL_FOREVER);
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
