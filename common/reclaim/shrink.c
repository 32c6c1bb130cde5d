// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * shrink.c - release some unused memory, where memory is short
 *
 * Layer:   beside the four, above reclaim.c, which releases all of it.
 * Context: PLAT_ALLOC; outside of hot sections, no lock held.  With POOL_F_ATOMIC, as in the
 *	    kernel's reclaim, it waits for nothing: neither the registry nor a CPU.  Other threads
 *	    may run between two pools.
 *
 * It releases in this order, beginning with memory that is cheapest to get again:
 *
 *   1. empty clusters, of CPUs and of pools; and objects parked for all CPUs
 *   2. of shared pools, the objects beyond need
 *   3. of shared pools, the rest except spare objects
 *   4. of CPUs, the clusters that were not used for longest
 *
 * With POOL_F_FOREIGN no destructor runs, so objects with a destructor stay, or are parked.  Arrays
 * stay, because only their owners may enter them.  Pools release in proportion to what they have,
 * and CPUs take turns.  Each step releases no more than there was when it began.
 */
#include "seam/plat.h"

/* A walk over all pools, to release memory. */
struct shrinking {
	unsigned long (*over)(struct pool *pool);	/* bytes that a pool may release */
	unsigned int flags;
	unsigned long most;		/* bytes to release */
	unsigned long total;		/* bytes that all pools may release */
	unsigned long given;		/* bytes released so far */
};

/* True if the layers below the caches have objects or spare clusters.  Read unlocked. */
bool pool_may_give(const struct pool *pool)
{
	return plat_read(&pool->filled) || plat_read(&pool->parked.head) || plat_read(&pool->spare);
}

/* Other tasks may run after this many pools with nothing to release. */
#define IDLE_POOLS	64

/*
 * Call @fn for each pool with objects to release.  A caller that may not wait holds the registry
 * mutex, because a pin could not be released without it; false: that caller could not get the
 * mutex.
 */
static bool each_pool(struct shrinking *s, void (*fn)(struct pool *pool, struct shrinking *s))
{
	bool held = s->flags & POOL_F_ATOMIC;
	struct pool *pool = NULL;
	unsigned int idle = 0;

	if (s->flags & POOL_F_NESTED)
		return false;
	while ((pool = held ? pool_registry_after(pool) :
			      pool_registry_next_that(pool, pool_may_give))) {
		bool gives = pool_may_give(pool);

		if (gives)
			fn(pool, s);
		/* The mutex is held across perhaps thousands of pools, so let other tasks run. */
		if (held && (gives || !(++idle % IDLE_POOLS)))
			plat_resched();
	}
	return true;
}

/* Return how many objects of the shared pool may be released, so that spare ones stay. */
static unsigned long not_spare(struct pool *pool)
{
	unsigned long shared = pool_shared_count(pool);
	unsigned long spare = plat_read(&pool->min_avail);

	return shared > spare ? shared - spare : 0;
}

static unsigned long over_spare(struct pool *pool)
{
	return not_spare(pool) * pool->head.size;
}

static unsigned long over_spare_or_parked(struct pool *pool)
{
	return over_spare(pool) +
	       plat_read(&pool->parked.count) * pool->head.size;
}

static unsigned long over_need(struct pool *pool)
{
	unsigned long allocated = pool_allocated(pool);
	unsigned long target = plat_read(&pool->need_target);
	unsigned long most = not_spare(pool);
	unsigned long over = allocated > target ? allocated - target : 0;

	return (over < most ? over : most) * pool->head.size;
}

/* True if a call with these flags may return objects of a pool to its backend. */
static bool may_give(const struct pool *pool, unsigned int flags)
{
	return !pool_waits(pool, flags) &&
	       plat_backend_may(&pool->backend, NULL, flags);
}

static void add_up(struct pool *pool, struct shrinking *s)
{
	if (may_give(pool, s->flags))
		s->total += s->over(pool);
}

static void give_empty(struct pool *pool, struct shrinking *s)
{
	if (s->given < s->most)
		s->given += pool_cluster_trim(pool);
	if (s->given < s->most && may_give(pool, s->flags))
		s->given += pool_give_parked(pool, s->most - s->given, s->flags);
}

/*
 * Return @over * @most / @total: how many of its @over bytes a pool must release.  Halves the
 * factors until their product fits into a word.  Other calls may have made @total too low.
 */
static unsigned long share_of(unsigned long over, unsigned long most,
			      unsigned long total)
{
	unsigned int shift = 0;

	if (most >= total || over >= total)
		return over < most ? over : most;
	while (total >> shift >> sizeof(long) * 4)
		shift++;
	return (most >> shift) * (over >> shift) / (total >> shift) << shift;
}

/*
 * Release a pool's share of the bytes to release, rounded up to an object, but no more than the
 * pool may release.
 */
static void give_shared(struct pool *pool, struct shrinking *s)
{
	unsigned long over = s->over(pool);
	unsigned long left = s->given < s->most ? s->most - s->given : 0;
	unsigned long size = pool->head.size;
	unsigned long share;

	if (!over || !left || !may_give(pool, s->flags))
		return;
	share = share_of(over, s->most, s->total) + size;
	if (share > left)
		share = left;
	if (share > over)
		share = over;
	s->given += pool_drain_shared(pool, pool_shared_count(pool) - over / size, share,
				      s->flags & POOL_F_ATOMIC);
}

static void shrink_shared(struct shrinking *s, unsigned long (*over)(struct pool *pool))
{
	unsigned long most = s->most;

	s->over = over;
	s->total = 0;
	if (s->given >= s->most || !each_pool(s, add_up) || !s->total)
		return;
	s->most -= s->given;
	s->given = 0;
	each_pool(s, give_shared);
	s->given += most - s->most;
	s->most = most;
}

/* Return about how many bytes a CPU's clusters have. */
unsigned long pool_clustered_bytes(struct pool_cpu *cpu)
{
	unsigned long arrays = plat_read(&cpu->hot_bytes);
	unsigned long charged = pool_charged(cpu);

	return charged > arrays ? charged - arrays : 0;
}

static unsigned long clustered_anywhere(void)
{
	unsigned long bytes = 0;
	struct pool_cpu *cpu;
	unsigned int i;

	pool_each_cpu(i, cpu)
		bytes += pool_clustered_bytes(cpu);
	return bytes;
}

/*
 * True if a cluster is not newer than @old, and its objects need not be parked; with @old NULL any
 * cluster is old.  Time may wrap.
 */
static bool is_old(const struct pool_cluster *c, const unsigned long *old, unsigned int flags)
{
	return !old || ((long)(*old - c->stamp) >= 0 && !pool_waits(c->local->pool, flags));
}

/*
 * True if a call with these flags may return objects of a cluster: guarded ones only if it may
 * sleep.  The platform cannot be asked, because a CPU's lock is held.  The call has PLAT_ALLOC.
 */
static bool may_go(const struct pool *pool, unsigned int flags)
{
	return !(flags & POOL_F_ATOMIC) ||
	       !(plat_read(&pool->debug) & POOL_D_UAF);
}

/*
 * Find a CPU's oldest cluster whose objects the call may return; NULL: none is found.  Makes older
 * clusters the newest, a bounded number at a time.
 */
static struct pool_cluster *coldest_to_go(struct pool_cpu *cpu, unsigned int flags)
{
	struct pool_cluster *c = pool_cluster_coldest(cpu);
	unsigned int tries = POOL_EVICT_MOST;

	while (c && tries-- && !may_go(c->local->pool, flags)) {
		pool_list_first(&c->by_lru, &cpu->by_lru);
		c->stamp = cpu->visits;
		c = pool_cluster_coldest(cpu);
	}
	return c && may_go(c->local->pool, flags) ? c : NULL;
}

/*
 * Take a CPU's oldest cluster if it is of time @old or older, or @old is NULL.  NULL: there is no
 * such cluster, or another call holds the lock.  pool_release_taken() must follow.
 */
struct pool_cluster *pool_take_coldest(struct pool_cpu *cpu, const unsigned long *old,
				       unsigned int flags)
{
	struct pool_cluster *c;

	if (!plat_cpu_trylock(cpu))
		return NULL;
	c = coldest_to_go(cpu, flags);
	if (c && !is_old(c, old, flags))
		c = NULL;
	if (c) {
		plat_write(&c->local->evictions, c->local->evictions + 1);
		pool_trace_evict(c->local->pool, c->n);
		pool_cluster_detach(c);
	}
	plat_cpu_unlock(cpu);
	return c;
}

/*
 * Release a CPU's oldest cluster, of any pool; if @old is not NULL, only one of that time or older.
 * Adds to @given the bytes that the backend got; the rest became spare objects, or was parked.
 * Returns the bytes of the cluster; 0: none was taken.
 */
unsigned long pool_give_coldest(struct pool_cpu *cpu, const unsigned long *old,
				unsigned int flags, unsigned long *given)
{
	struct pool_cluster *c = pool_take_coldest(cpu, old, flags);
	unsigned long bytes;

	if (!c)
		return 0;
	/* The pool cannot end before its cluster is released. */
	bytes = (unsigned long)c->n * c->local->pool->head.size;
	*given += pool_release_taken(c, flags);
	return bytes;
}

/* Release one cluster of each CPU, while more is wanted.  Returns the bytes that were taken. */
static unsigned long round_of_cpus(struct shrinking *s)
{
	unsigned long taken = 0;
	struct pool_cpu *cpu;
	unsigned int i;

	pool_each_cpu(i, cpu) {
		if (s->given >= s->most)
			break;
		if (pool_clustered_bytes(cpu))
			taken += pool_give_coldest(cpu, NULL, s->flags, &s->given);
	}
	return taken;
}

/* Release clusters of CPUs, but no more than there were at first, as owners may go on spilling. */
static void shrink_cpus(struct shrinking *s)
{
	unsigned long bytes = clustered_anywhere();
	unsigned long taken = 1;

	while (s->given < s->most && bytes && taken) {
		taken = round_of_cpus(s);
		bytes -= taken < bytes ? taken : bytes;
		plat_resched();
	}
}

/*
 * Release about @most bytes of unused memory to the backend.  Returns the bytes that it got.
 * POOL_F_ATOMIC: do not wait; the caller holds the registry mutex.  POOL_F_NESTED: the caller could
 * not get it, so shared pools are skipped.  POOL_F_FOREIGN: the caller serves a call of some pool.
 */
unsigned long pool_shrink_bytes(unsigned long most, unsigned int flags)
{
	struct shrinking s = { .most = most, .flags = flags };

	if (!most || !plat_may(PLAT_ALLOC, flags))
		return 0;
	s.given = pool_drain_stashes(most, true);
	each_pool(&s, give_empty);
	shrink_shared(&s, over_need);
	shrink_shared(&s, over_spare);
	shrink_cpus(&s);
	return s.given;
}

/*
 * Set @bytes to about how much pool_shrink_bytes() could give, with the same @flags.  False: pools
 * could not be entered, so @bytes is too low.
 */
bool pool_unused_bytes(unsigned int flags, unsigned long *bytes)
{
	struct shrinking s = { .over = over_spare_or_parked, .flags = flags };
	bool known = each_pool(&s, add_up);

	*bytes = s.total + clustered_anywhere();
	return known;
}

/* Convert a number of pages to bytes; POOL_ALL if a word is too small for it. */
static unsigned long bytes_of(unsigned long pages, unsigned long page)
{
	return pages < POOL_ALL / page ? pages * page : POOL_ALL;
}

unsigned long pool_shrink(unsigned long pages)
{
	unsigned long page = pool_start.page;
	unsigned long given = pool_shrink_bytes(bytes_of(pages, page), 0);

	if (given)
		plat_trim(false);
	return given / page;
}
