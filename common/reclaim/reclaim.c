// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reclaim.c - empty caches and the shared pool as a whole
 *
 * Layer:   beside the four: flush, gc, reclaim, CPUs that are gone, destruction; and the pieces
 *	    that shrink.c releases.
 * Context: process context.  Outside of hot sections, no lock held; each lock is held for one
 *	    cluster, or as many objects of an array, at a time.
 */
#include "seam/plat.h"

/* Set up a struct pool_cpu, all zero until now, before other code sees it. */
void pool_cpu_init(struct pool_cpu *cpu)
{
	pool_list_init(&cpu->by_lru);
	pool_list_init(&cpu->by_age);
	pool_list_init(&cpu->parts);
	cpu->set_up = 0;
}

/*
 * Take the newest cluster of a CPU's part; NULL: there is none.  Reschedules first, because callers
 * take many, one by one.
 */
static struct pool_cluster *take_cluster(struct pool_cpu *cpu,
					 struct pool_local *local)
{
	struct pool_cluster *c;

	plat_resched();
	plat_cpu_lock(cpu);
	c = pool_cluster_detach_newest(local);
	plat_cpu_unlock(cpu);
	return c;
}

/*
 * Close an array without an owner, and copy up to a cluster of its objects out.  If the CPU @lives,
 * a visit of another pool may have released the lock while it moves objects of the array, so wait
 * for these.
 */
static unsigned int take_array(struct pool_cpu *cpu, struct pool_local *local,
			       void **objs, bool lives)
{
	unsigned int n = 0;

	plat_cpu_lock(cpu);
	while (lives && plat_read_acquire(&local->moving)) {
		plat_cpu_unlock(cpu);
		pool_settle(&local->moving);
		plat_cpu_lock(cpu);
	}
	if (local->pool)
		n = pool_hot_detach(cpu, local, objs);
	/* Count a departure of 0 objects, so that readers notice that objects go to the backend. */
	if (n)
		pool_clustered_less(local, 0);
	plat_cpu_unlock(cpu);
	return n;
}

/*
 * Move all objects that a pool has on a CPU without an owner to the layers below, one array or
 * cluster at a time, because a fork loses objects that are still moving.
 */
static void drain_local(struct pool *pool, struct pool_cpu *cpu,
			struct pool_local *local, bool lives)
{
	void *objs[POOL_CLUSTER_SIZE];
	struct pool_cluster *c;
	unsigned int n, i;

	do {
		n = take_array(cpu, local, objs, lives);
		for (i = n; i; i--) {
			pool_put_below(pool, objs[i - 1], 0);
			pool_cluster_settled(local, 1);
		}
	} while (n == POOL_CLUSTER_SIZE);
	pool_parked_release(pool, &local->parked);
	while ((c = take_cluster(cpu, local))) {
		unsigned int moved = c->n;

		pool_put_cluster_below(pool, c, 0);
		pool_cluster_settled(local, moved);
	}
}

/*
 * True if a CPU without an owner has no slots, clusters or parked objects of this pool, and no
 * objects of its part are moving.
 */
static bool is_drained(struct pool_local *local)
{
	return !plat_read(&local->hot.slots) &&
	       pool_list_empty(&local->by_pool) &&
	       !plat_read_acquire(&local->moving) &&
	       !plat_read_acquire(&local->parked.count);
}

/* More departures than other code can count while hand_on_departures() runs. */
#define HAND_ON	0x100000ul

/*
 * Move a part's departures to its pool, so that the sum of both never falls: reach.c.  First adds
 * more than the part's own to the pool's count, then clears the part's, then adds again.  1 is
 * announced as moving meanwhile, though no object moves, so that a reader whose two readings are
 * both in between sees something moving.
 */
static void hand_on_departures(struct pool *pool, struct pool_local *local)
{
	unsigned long jump = local->departures + HAND_ON;

	pool_depart(&pool->moving, 1);
	plat_word_add(&pool->gone_departures, jump);
	plat_fence();
	plat_write(&local->departures, 0);
	plat_fence();
	plat_word_add(&pool->gone_departures, jump);
	pool_arrive(&pool->moving, 1);
}

/*
 * Move a count from a part to its pool.  Readers look at the pool first, so they may miss these
 * events meanwhile, but never count them twice: stats.c.
 */
static void hand_on(unsigned long *count, unsigned long *gone)
{
	unsigned long n = plat_read(count);

	if (!n)
		return;
	pool_word_sub(count, n);
	plat_word_sub_release(gone, 0 - n);
}

static void hand_on_counts(struct pool *pool, struct pool_local *local)
{
	hand_on_departures(pool, local);
	hand_on(&local->fills, &pool->gone_fills);
	hand_on(&local->spills, &pool->gone_spills);
	hand_on(&local->evictions, &pool->gone_evictions);
	hand_on(&local->nested, &pool->nested);
}

/*
 * Clear a drained part, so that it is like one that was never set up, and its memory can be
 * released in user space.  All other fields are zero already.
 */
static void forget_local(struct pool *pool, struct pool_cpu *cpu,
			 struct pool_local *local)
{
	unsigned int i;

	plat_cpu_lock(cpu);
	if (local->pool && is_drained(local)) {
		hand_on_counts(pool, local);
		for (i = 0; i < POOL_HOT_SLOTS; i++)
			local->slot[i] = NULL;
		local->by_pool = (struct pool_list){ NULL, NULL };
		local->by_age = local->by_pool;
		local->stamp = 0;
		local->most = 0;
		local->reopen = 0;
		local->max = 0;
		local->era = 0;
		local->grown = 0;
		local->surplus = 0;
		plat_write(&local->hot.open, POOL_HELD);
		plat_write(&local->cpu, NULL);
		pool_list_unlink(&local->by_cpu);
		local->by_cpu = (struct pool_list){ NULL, NULL };
		plat_write(&cpu->set_up, cpu->set_up - 1);
		plat_write(&local->pool, NULL);
	}
	plat_cpu_unlock(cpu);
}

/* Take an emptied cluster of a CPU; NULL: there is none. */
static struct pool_cluster *take_empty(struct pool_cpu *cpu)
{
	struct pool_cluster *c;

	plat_cpu_lock(cpu);
	c = pool_cluster_unstash(cpu);
	plat_cpu_unlock(cpu);
	return c;
}

/* Take an emptied cluster if nobody holds the lock; NULL: somebody does, or there is none. */
static struct pool_cluster *try_empty(struct pool_cpu *cpu)
{
	struct pool_cluster *c;

	if (!plat_cpu_trylock(cpu))
		return NULL;
	c = pool_cluster_unstash(cpu);
	plat_cpu_unlock(cpu);
	return c;
}

/*
 * Free the emptied clusters of a CPU, but no more than a stash has room for, because its owner may
 * add some meanwhile.  @tries: do not wait for the CPU's lock.  Returns the bytes freed.
 */
unsigned long pool_drain_stash(struct pool_cpu *cpu, bool tries)
{
	struct pool_cluster *c;
	unsigned int n = 0;

	do {
		c = tries ? try_empty(cpu) : take_empty(cpu);
		if (c)
			plat_mem_free(c);
	} while (c && ++n < POOL_STASH_MAX);
	return n * sizeof(*c);
}

/*
 * Pin the pool of the first part on a CPU's list, and make this part the last.  NULL: there is no
 * part, or its pool is ending, and the thread that ends the pool empties the part.
 */
static struct pool_local *rotate_parts(struct pool_cpu *cpu)
{
	struct pool_local *local = NULL;

	plat_mutex_lock(PLAT_REGISTRY);
	plat_cpu_lock(cpu);
	if (!pool_list_empty(&cpu->parts)) {
		local = pool_list_entry(cpu->parts.next, struct pool_local, by_cpu);
		pool_list_unlink(&local->by_cpu);
		pool_list_add_last(&local->by_cpu, &cpu->parts);
		if (!pool_registry_pin(local->pool))
			local = NULL;
	}
	plat_cpu_unlock(cpu);
	plat_mutex_unlock(PLAT_REGISTRY);
	return local;
}

/*
 * Drain the caches of a CPU without an owner: the CPU is offline, or the thread has released its
 * area.  Parked objects return to the platform, since other CPUs rarely look for them.  Walks only
 * parts that are set up, each once; none is set up meanwhile.
 *
 * True: all parts are cleared, so walks may skip the CPU.  False: another call is moving a cluster
 * of the CPU, or is destroying a pool that has a part there.
 */
bool pool_cpu_gone(unsigned int i)
{
	struct pool_cpu *cpu = plat_cpu_of(i);
	unsigned int left = plat_read(&cpu->set_up);

	while (left--) {
		struct pool_local *local = rotate_parts(cpu);
		struct pool *pool;

		if (!local)
			continue;
		pool = local->pool;
		drain_local(pool, cpu, local, false);
		forget_local(pool, cpu, local);
		pool_wake(pool);
		pool_registry_put(pool);
		plat_resched();
	}
	pool_drain_stash(cpu, false);
	return !plat_read(&cpu->set_up);
}

/*
 * Empty all layers of a pool that is no longer called, and end its parts.  Waits for slow paths of
 * other pools that may still be evicting its clusters, or ageing it.
 */
void pool_drain(struct pool *pool)
{
	struct pool_local *local;
	unsigned int i;

	pool_settle(&pool->moving);
	pool_each_part(pool, i, local) {
		drain_local(pool, plat_cpu_of(i), local, true);
		pool_settle(&local->moving);
	}
	pool_drain_shared(pool, 0, POOL_ALL, false);
	pool_drain_parked(pool);
	pool_each_part(pool, i, local)
		forget_local(pool, plat_cpu_of(i), local);
}

/*
 * Free emptied clusters of CPUs until about @most bytes were freed.  @tries: skip CPUs whose lock
 * is held.  Returns the bytes freed.
 */
unsigned long pool_drain_stashes(unsigned long most, bool tries)
{
	unsigned long given = 0;
	struct pool_cpu *cpu;
	unsigned int i;

	pool_each_cpu(i, cpu) {
		if (given >= most)
			break;
		given += pool_drain_stash(cpu, tries);
	}
	return given;
}

/*
 * Return @keep objects of a cluster to the shared pool that it came from, whose buckets are BUSY
 * only briefly, and the others to the platform.  Returns how many the platform got.
 */
static unsigned int release_but(struct pool *pool, struct pool_cluster *c,
				unsigned int keep, bool tries)
{
	unsigned int left = POOL_BUSY_TRIES;
	unsigned int n = c->n;

	pool_backend_put_cluster(pool, c, keep);
	while (c->n && left--) {
		if (pool_put_to_shared_cache(pool, c))
			return n - keep;
		plat_pause(!tries);
	}
	pool_backend_put_cluster(pool, c, 0);
	plat_mem_free(c);
	return n;
}

/*
 * Return how many objects of the shared pool may be released so that @spare stay.  @left: how many
 * the caller still may release; lowered to the present number of objects if that is less.
 */
static unsigned long may_go(const struct pool *pool, unsigned long *left,
			    unsigned long spare)
{
	unsigned long now = pool_shared_count(pool);

	if (*left > now)
		*left = now;
	return *left > spare ? *left - spare : 0;
}

/* Release objects of the shared pool as pool_drain_shared() does, but keep spare clusters. */
unsigned long pool_drain_some(struct pool *pool, unsigned long spare,
			      unsigned long most, bool tries)
{
	unsigned long left = pool_shared_count(pool);
	unsigned long given = 0, over;
	struct pool_cluster *c;

	while (given < most && (over = may_go(pool, &left, spare)) &&
	       (c = pool_shared_get(pool, &pool->moving))) {
		unsigned int n = c->n;
		unsigned int keep = n > over ? (unsigned int)(n - over) : 0;

		left -= n < left ? n : left;
		given += (unsigned long)release_but(pool, c, keep, tries) *
			 pool->head.size;
		pool_arrive(&pool->moving, n);
		if (!tries)
			plat_resched();
	}
	pool_shared_renote(pool);
	return given;
}

/*
 * Return objects of the shared pool to the platform, except @spare of them, until about @most bytes
 * were returned, and free spare clusters.  Objects that other calls put meanwhile may stay.
 * @tries: do not sleep between clusters.  Returns the bytes that the platform got.
 */
unsigned long pool_drain_shared(struct pool *pool, unsigned long spare,
				unsigned long most, bool tries)
{
	unsigned long given = pool_drain_some(pool, spare, most, tries);

	return given + pool_cluster_trim(pool);
}

/*
 * Release a cluster that was taken off a CPU's lists, and that counts as moving: to the shared pool
 * while that lacks spare objects, else to the platform, or to a parked list.  Nothing is held.  The
 * pool may be destroyed afterwards.  Returns the bytes that the platform got.
 */
unsigned long pool_release_taken(struct pool_cluster *c, unsigned int flags)
{
	struct pool_local *local = c->local;
	struct pool *pool = local->pool;
	unsigned long size = pool->head.size;
	unsigned int n = c->n, given = 0;
	bool kept = pool_lacks_spare(pool) &&
		    pool_put_to_shared_cache(pool, c);

	if (!kept) {
		if (!pool_waits(pool, flags)) {
			pool_backend_put_cluster(pool, c, 0);
			given = n;
		}
		pool_park_cluster(pool, c);
		plat_mem_free(c);
	}
	pool_cluster_settled(local, n);
	return kept ? 0 : given * size + sizeof(*c);
}

void pool_flush(struct pool_head *head)
{
	pool_might_sleep(0);
	if (head)
		pool_drain_shared(pool_of(head), 0, POOL_ALL, false);
}

/* Release parked objects, and those of the shared pool except spare ones. */
static void collect(struct pool *pool)
{
	pool_unpark_below(pool);
	pool_drain_shared(pool, plat_read(&pool->min_avail), POOL_ALL, false);
}

void pool_gc(struct pool_head *unused)
{
	struct pool *pool = NULL;

	(void)unused;
	while ((pool = pool_registry_next(pool)))
		collect(pool);
	while ((pool = pool_registry_next(pool)))
		pool_pack(pool);
	plat_trim(true);
}

/*
 * Take the clusters that a CPU has now of a pool.  Clusters that the owner makes meanwhile
 * may stay.  clustered is read unlocked, since it only bounds the loop.
 */
static void reclaim_local(struct pool_cpu *cpu, struct pool_local *local)
{
	unsigned long left = plat_read(&local->clustered);
	struct pool_cluster *c;

	while (left && (c = take_cluster(cpu, local))) {
		left -= c->n < left ? c->n : left;
		pool_release_taken(c, 0);
	}
}

static void reclaim_locals(struct pool *pool)
{
	struct pool_local *local;
	unsigned int i;

	pool_each_part(pool, i, local)
		reclaim_local(plat_cpu_of(i), local);
}

/*
 * How many times CPUs are asked to empty their arrays: an array loses a cluster of objects each
 * time, or one object if there is no empty cluster.
 */
#define RECLAIM_ASKS	(POOL_HOT_MAX + 4)

static void reclaim(struct pool *pool)
{
	unsigned int asks = 0;

	reclaim_locals(pool);
	while (asks++ < RECLAIM_ASKS && plat_empty_arrays(pool, POOL_FOREVER))
		reclaim_locals(pool);
	collect(pool);
}

void pool_reclaim(struct pool_head *head)
{
	struct pool *pool = NULL;

	pool_might_sleep(0);
	if (head) {
		reclaim(pool_of(head));
		return;
	}
	while ((pool = pool_registry_next(pool)))
		reclaim(pool);
	pool_drain_stashes(POOL_ALL, false);
	plat_trim(true);
}
