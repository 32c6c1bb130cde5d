// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stats.c - sum up the numbers of a pool for readers
 *
 * Layer:   beside the four; reads all of them, writes only the largest sums that readers got.
 * Context: any; nothing is locked or disturbed, except by pool_in_use().
 *
 * Every number has one owner, which writes it plainly, or several, which write it by
 * an atomic instruction.  Readers read the numbers one after the other.  The sums are
 * exact when the pool is quiet.
 *
 * Counters of events never fall.  When a CPU goes, its counts move to the pool:
 *
 *	reclaim.c   clears a count of the CPU's part, then adds it to the pool's
 *	reader      reads the pool's count, then those of the parts
 *
 * So a sum may miss events meanwhile, but has none twice.  Each reader therefore returns the
 * largest sum that any reader has got: risen().
 */
#include "seam/plat.h"

static void add_local(struct pool_local *local, struct pool_stats *sum)
{
	unsigned long moving = plat_read_acquire(&local->moving);

	sum->moving += moving;
	sum->cached += moving + plat_read(&local->clustered) +
		       plat_read(&local->hot.n);
	sum->parked += plat_read(&local->parked.count);
	sum->fills += plat_read(&local->fills);
	sum->spills += plat_read(&local->spills);
	sum->evictions += plat_read(&local->evictions);
	sum->nested += plat_read(&local->nested);
}

static void add_bucket(struct pool_bucket *b, struct pool_stats *sum)
{
	sum->shared += plat_read(&b->objs);
	sum->gets += plat_read(&b->gets);
	sum->get_objs += plat_read(&b->get_objs);
	sum->puts += plat_read(&b->puts);
	sum->put_objs += plat_read(&b->put_objs);
}

/*
 * Add CPU @i's part.  While a cluster is detached, or a spill ends, objects are counted twice for a
 * few instructions, except for a reader that holds the CPU's lock.
 */
static void look_at_cpu(struct pool_local *local, unsigned int i, bool locked,
			struct pool_stats *sum)
{
	struct pool_cpu *cpu = locked ? plat_cpu_of(i) : NULL;

	if (!cpu) {
		add_local(local, sum);
		return;
	}
	plat_cpu_lock(cpu);
	add_local(local, sum);
	plat_cpu_unlock(cpu);
}

/* Return "allocated" without POOL_RENEWING, which renew.c sets only while nothing is allocated. */
unsigned long pool_allocated(const struct pool *pool)
{
	return plat_read(&pool->allocated) & ~POOL_RENEWING;
}

/* Read a count of CPUs that are gone, before those of the parts are read. */
static unsigned long long count_gone(const unsigned long *gone)
{
	return plat_read_acquire(gone);
}

/*
 * Return the larger one of @sum and of the largest sum returned so far, and keep it.  Counts are
 * words, so their sums wrap as words do: only a small fall is hidden, because on 32-bit machines
 * half of the range may pass between two readings.
 */
static unsigned long long risen(unsigned long *seen, unsigned long long sum)
{
	unsigned long now = (unsigned long)sum;
	unsigned long most = plat_read(seen);

	while (now != most && most - now > ~0ul / 8)
		if (plat_cmpxchg(seen, &most, now))
			return now;
	return most;
}

/* Return how many creations the pool serves.  Read unlocked, so both counts may be changing. */
static unsigned int serves(const struct pool *pool)
{
	unsigned int vacated = plat_read(&pool->vacated);
	unsigned int users = plat_read(&pool->users);

	return users > vacated ? users - vacated : 0;
}

static void look(struct pool *pool, bool locked, struct pool_stats *sum)
{
	struct pool_local *local;
	unsigned int i;

	*sum = (struct pool_stats){
		.object_size = plat_read(&pool->head.size),
		.alignment = pool->align,
		.id = pool->id,
		.registrations = serves(pool),
		.limit = plat_read(&pool->limit),
		.min_avail = plat_read(&pool->min_avail),
		.need = plat_read(&pool->need_target),
	};
	pool_copy_name(sum->name, pool->name);
	sum->allocated = pool_allocated(pool);
	sum->store_gets = plat_read(&pool->store_gets);
	sum->store_puts = plat_read(&pool->store_puts);
	sum->failed = plat_read(&pool->failed);
	sum->refused = plat_read(&pool->refused);
	sum->injected = plat_read(&pool->injected);
	sum->allocs = plat_read(&pool->allocs);
	sum->reserved = plat_read(&pool->reserved);
	sum->moving = plat_read_acquire(&pool->moving);
	sum->parked = plat_read(&pool->parked.count);
	sum->fills = count_gone(&pool->gone_fills);
	sum->spills = count_gone(&pool->gone_spills);
	sum->evictions = count_gone(&pool->gone_evictions);
	sum->nested = count_gone(&pool->nested);
	sum->abandoned = plat_read(&pool->abandoned);
	sum->quarantined = plat_read(&pool->quarantined);
	for (i = 0; i < POOL_FAULT_KINDS; i++)
		sum->faults[i] = plat_read(&pool->faults[i]);
	for (i = 0; i < plat_read(&pool->buckets); i++)
		add_bucket(&pool->bucket[i], sum);
	pool_each_part(pool, i, local)
		look_at_cpu(local, i, locked, sum);
	if (sum->allocated > sum->cached + sum->shared)
		sum->used = sum->allocated - sum->cached - sum->shared;
	if (sum->abandoned > sum->used)
		sum->abandoned = sum->used;
}

/*
 * Sum up a pool's numbers.  Objects that move from one layer to the next may be missed or counted
 * twice while they do.  The acquire of "moving" pairs with the release of pool_cluster_settled():
 * a reader that sees 0 also sees where the objects went.
 */
void pool_sum(struct pool *pool, struct pool_stats *sum)
{
	look(pool, false, sum);
	sum->fills = risen(&pool->seen_fills, sum->fills);
	sum->spills = risen(&pool->seen_spills, sum->spills);
	sum->evictions = risen(&pool->seen_evictions, sum->evictions);
	sum->nested = risen(&pool->seen_nested, sum->nested);
}

void pool_stats_get(struct pool_head *head, struct pool_stats *stats,
		    size_t size)
{
	unsigned char *to = (unsigned char *)stats;
	struct pool_stats now;
	size_t i;

	pool_sum(pool_of(head), &now);
	now.size = size < sizeof(now) ? size : sizeof(now);
	for (i = 0; i < size; i++)
		to[i] = i < sizeof(now) ? ((unsigned char *)&now)[i] : 0;
}

/* True if no object left a CPU or the shared pool between two looks. */
static bool still(const struct pool_stats *before,
		  const struct pool_stats *now)
{
	return !before->moving && !now->moving &&
	       before->evictions == now->evictions &&
	       before->allocated == now->allocated &&
	       before->shared == now->shared &&
	       before->cached == now->cached && before->parked == now->parked;
}

/*
 * Wait until no walk is at the pool, because a walk may have taken objects of it.  False, without a
 * wait, if the pool has more than one user.  A creation that becomes a user has pinned the pool,
 * and ends the wait when it unpins it.
 */
static bool wait_for_walks(struct pool *pool)
{
	bool alone;

	plat_mutex_lock(PLAT_REGISTRY);
	while (pool->pins && pool->users < 2)
		plat_registry_wait();
	alone = pool->users < 2;
	plat_mutex_unlock(PLAT_REGISTRY);
	return alone;
}

/*
 * Count the objects that users have of a pool that is not called.  Process context.
 *
 * Other code may still move its objects: slow paths of other pools evict its clusters, a thread
 * that exits drains its caches, a gc releases shared objects.  One reading misses moving objects,
 * or counts them twice.  So a number is returned only if two readings agree, nothing moves, and no
 * walk is at the pool between them.  A walk that ended before that moment disturbed only the
 * first reading, and one that began after it only the second, so then the readings differ.
 *
 * Returns true, with their number in @used.  It does not include parked objects, nor those that a
 * fork lost or that are in quarantine, which have no user and can never be freed.  False, with no
 * number, when another creation registers with the pool: then it is called, perhaps without a
 * pause.
 */
bool pool_in_use(struct pool *pool, unsigned long *used)
{
	struct pool_stats before, now;
	unsigned long long idle;
	bool alone;

	look(pool, true, &now);
	for (;;) {
		before = now;
		alone = wait_for_walks(pool);
		look(pool, true, &now);
		if (!alone || still(&before, &now))
			break;
		plat_pause(true);
	}
	idle = now.parked + now.abandoned + now.quarantined;
	*used = now.used > idle ? (unsigned long)(now.used - idle) : 0;
	return alone;
}

static unsigned long add_up_to_max(unsigned long sum, unsigned long n)
{
	return n < INT_MAX - sum ? sum + n : INT_MAX;
}

int pool_total_failures(void)
{
	unsigned long sum = 0;
	struct pool *pool = NULL;

	while ((pool = pool_registry_next(pool))) {
		sum = add_up_to_max(sum, plat_read(&pool->failed));
		sum = add_up_to_max(sum, plat_read(&pool->refused));
		sum = add_up_to_max(sum, plat_read(&pool->injected));
	}
	return (int)sum;
}

unsigned long long pool_total_allocated(void)
{
	unsigned long long sum = 0;
	struct pool *pool = NULL;

	while ((pool = pool_registry_next(pool)))
		sum += (unsigned long long)pool_allocated(pool) *
		       pool->head.size;
	return sum;
}

unsigned long long pool_total_used(void)
{
	unsigned long long sum = 0;
	struct pool *pool = NULL;
	struct pool_stats now;

	while ((pool = pool_registry_next(pool))) {
		pool_sum(pool, &now);
		sum += (unsigned long long)(now.used + now.cached) *
		       pool->head.size;
	}
	return sum;
}
