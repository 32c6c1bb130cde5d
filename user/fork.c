// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fork.c - make the pools of a forked child whole
 *
 * Layer:   beside common/, whose structs it mends; only user space has forks.
 * Context: dump and creation lock, registry and area mutex held, except in
 *	    pool_fork_end(); signals blocked.  So no thread creates a pool or an area
 *	    meanwhile, and no handler of this thread calls.
 *
 * All CPU locks and all buckets are held across the fork, so that the data which they protect is
 * whole in the child.  Other threads go on meanwhile with hot arrays, parked lists and the backend.
 * These threads do not exist in the child.  The child sees one moment, because a thread that writes
 * to an already copied page waits until the fork is over.  So an object is in one place or moving,
 * never in two places, and
 *
 *   an array found OPEN	is whole: no call was inside
 *   an array found HELD	is lost: a call may have been anywhere inside
 *   objects moving, or
 *   taken off a parked list	are lost: only the stack of a gone thread has their destination
 *
 * Lost objects are counted in pool->abandoned.  Objects of a cluster that was moving to the shared
 * pool are counted as lost even if they had just arrived.
 */
#include "main.h"
#include "seam/plat.h"

static void hold_buckets(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < pool->buckets; i++) {
		struct pool_bucket *b = &pool->bucket[i];
		struct pool_cluster *head;

		while ((head = plat_xchg_acquire(&b->head, POOL_BUSY)) ==
		       POOL_BUSY)
			plat_pause(true);
		b->fork_head = head;
	}
}

static void release_buckets(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < pool->buckets; i++)
		plat_write_release(&pool->bucket[i].head,
				   pool->bucket[i].fork_head);
}

/* Lock all CPUs and hold all buckets before a fork.  Holders of these never wait. */
void pool_fork_hold(void)
{
	struct pool *pool = NULL;
	struct pool_cpu *cpu;
	unsigned int i;

	pool_each_cpu(i, cpu)
		plat_cpu_lock(cpu);
	while ((pool = pool_registry_after(pool)))
		hold_buckets(pool);
}

/*
 * Release the CPU locks and buckets after the fork, in both processes.  The child clears the locks,
 * because they have the id of the parent's thread, and no waiter exists.
 */
void pool_fork_release(bool child)
{
	struct pool *pool = NULL;
	struct pool_cpu *cpu;
	unsigned int i;

	while ((pool = pool_registry_after(pool)))
		release_buckets(pool);
	pool_each_cpu(i, cpu) {
		if (child)
			plat_write(&cpu->lock.holder, 0u);
		else
			plat_cpu_unlock(cpu);
	}
}

/*
 * Correct the count of a parked list; returns how many objects are lost.  Parking counts an object
 * before it links it, and taking counts it after, so the difference was moving.
 */
static unsigned long mend_parked(const struct pool *pool,
				 struct pool_parked *parked)
{
	unsigned long had = plat_read(&parked->count);
	unsigned long n = 0;
	void *obj;

	for (obj = plat_read(&parked->head); obj; obj = *pool_link_of(pool, obj))
		n++;
	if (n >= had)
		return 0;
	plat_write(&parked->count, n);
	return had - n;
}

/* Mend a part; returns how many objects are lost.  @own: of this thread, which is in no call. */
static unsigned long mend_local(const struct pool *pool, struct pool_cpu *cpu,
				struct pool_local *local, bool own)
{
	unsigned long lost = mend_parked(pool, &local->parked);
	void *objs[POOL_CLUSTER_SIZE];
	unsigned long moving;

	if (!own && local->pool &&
	    plat_read(&local->hot.open) == POOL_HELD) {
		while (pool_hot_detach(cpu, local, objs) == POOL_CLUSTER_SIZE)
			;
		plat_write(&local->hot.open, POOL_OPEN);
	}
	moving = plat_read(&local->moving);
	if (moving)
		plat_write(&local->moving, 0);
	return lost + moving;
}

/* Recount the spare clusters.  The memory of those that were being moved is lost. */
static void mend_spares(struct pool *pool)
{
	struct pool_cluster *c;
	unsigned long n = 0;

	for (c = plat_read(&pool->spare); c; c = c->next)
		n += pool_count_empty(c);
	plat_write(&pool->spares, n);
}

/* Subtract objects that another thread was getting from the backend or returning to it. */
static void mend_allocated(struct pool *pool)
{
	plat_write(&pool->allocated, plat_read(&pool->store_gets) -
				     plat_read(&pool->store_puts));
}

static void mend_pool(struct pool *pool, const struct pool_cpu *own)
{
	unsigned long lost = mend_parked(pool, &pool->parked);
	struct pool_local *local;
	unsigned int i;

	pool_each_part(pool, i, local) {
		struct pool_cpu *cpu = plat_cpu_of(i);

		lost += mend_local(pool, cpu, local, cpu == own);
	}
	plat_word_add(&pool->abandoned, lost);
	mend_spares(pool);
	mend_allocated(pool);
	pool_word_sub(&pool->moving, plat_read(&pool->moving));
	plat_write(&pool->used_up, 0ul);
	/* Waiters do not exist in the child.  A new era reopens the arrays that they closed. */
	if (plat_read(&pool->waiting)) {
		plat_write(&pool->waiting, 0u);
		pool_era_ends();
	}
	pool->pins = 0;
	pool->orphan = !pool->users;
}

/* Keep the walks of this thread, and drop those of other threads. */
static void mend_walks(void)
{
	struct pool_list *node, *next;

	for (node = pool_walks.next; node != &pool_walks; node = next) {
		struct pool_walk *walk;

		walk = pool_list_entry(node, struct pool_walk, list);
		next = node->next;
		if (walk->thread != plat_thread())
			pool_list_del(node);
		else if (walk->at)
			walk->at->pins++;
	}
}

/*
 * Recompute the bytes that a CPU is charged with from its list of clusters, not from the lists of
 * pools, because some clusters may belong to a pool that is no longer listed.
 */
static void mend_charge(struct pool_cpu *cpu)
{
	unsigned long bytes = cpu->hot_bytes;
	struct pool_list *node;

	for (node = cpu->by_lru.next; node != &cpu->by_lru; node = node->next) {
		struct pool_cluster *c;

		c = pool_list_entry(node, struct pool_cluster, by_lru);
		bytes += (unsigned long)c->n * c->local->pool->head.size;
	}
	plat_write(&cpu->charged, bytes);
	plat_write(&cpu->refunded, 0ul);
}

/*
 * Mend all pools in the child: count lost objects, and correct charges.  @own: the CPU of this
 * thread; NULL: it has none.  Afterwards all other areas are ready for another owner.
 */
void pool_fork_mend(const struct pool_cpu *own)
{
	struct pool *pool = NULL;
	struct pool_cpu *cpu;
	unsigned int i;

	while ((pool = pool_registry_after(pool)))
		mend_pool(pool, own);
	mend_walks();
	plat_write(&pool_settling, 0ul);
	pool_each_cpu(i, cpu)
		mend_charge(cpu);
}

/* True if the forking thread forked from a callback for this pool. */
static bool is_walked(const struct pool *pool)
{
	bool walked;

	plat_mutex_lock(PLAT_REGISTRY);
	walked = pool_registry_walked(pool, NULL);
	plat_mutex_unlock(PLAT_REGISTRY);
	return walked;
}

/* Find a pool that lost its last registration and whose destroying thread is gone. */
static struct pool *next_orphan(void)
{
	struct pool *pool = NULL;

	do
		pool = pool_registry_next(pool);
	while (pool && (!pool->orphan || is_walked(pool)));
	if (pool)
		pool_registry_put(pool);
	return pool;
}

/*
 * Destroy, in the child, the pools that other threads were about to destroy.  Nothing is held any
 * more, and areas of other threads have no owner.  Three kinds of pools stay, and their
 * memory and offset are lost: pools not listed any more, pools not listed yet, and a pool that a
 * forking walk is at.
 */
void pool_fork_end(void)
{
	struct pool *pool;

	while ((pool = next_orphan())) {
		unsigned long used;

		pool_in_use(pool, &used);
		pool_end(pool, used);
	}
}
