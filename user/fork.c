// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fork.c - make the pools of a forked child whole
 *
 * Layer:   beside common/, whose structs it mends; only user space has forks.
 * Context: dump and creation lock, registry and area mutex held, except in
 *	    pool_fork_end(); signals blocked.  So no thread creates a pool or an area
 *	    meanwhile, and no handler of this thread calls.
 *
 * All CPU locks and all buckets are held across the fork, so that what they
 * guard is whole in the child.  Other threads go on meanwhile as far as hot
 * arrays, parked lists and the backend let them.  In the child they are gone, wherever
 * they were.  The child sees one moment: a thread that writes to a page which is copied
 * already waits until the fork is over.  So an object is in one place or moving, never
 * in two places, and
 *
 *   an array found OPEN	is whole: no call was inside
 *   an array found HELD	is lost: a call may have been anywhere inside
 *   objects moving, or
 *   taken off a parked list	are lost: only the stack of a gone thread knows where to
 *
 * Lost objects are counted in pool->abandoned.  The objects of a cluster that was
 * being brought down are counted as lost even if they had just arrived.
 */
#include "main.h"
#include "plat.h"

static void hold_buckets(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < pool->buckets; i++) {
		struct pool_bucket *b = &pool->bucket[i];
		struct pool_cluster *head;

		while ((head = plat_xchg_acquire(&b->head, POOL_BUSY)) ==
		       POOL_BUSY)
			plat_pause(true);
		b->kept = head;
	}
}

static void release_buckets(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < pool->buckets; i++)
		plat_write_release(&pool->bucket[i].head,
				   pool->bucket[i].kept);
}

/* Before the fork: hold all locks.  Waits for holders, which never wait themselves. */
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
 * After the fork, in both processes: let go.  The child's thread has another id than the
 * one in its locks, and the threads that wait for them do not exist there.
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
 * Count what is parked.  Parking counts first and links then, and taking counts last.  So
 * the difference was moving.
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

/* Mend a pool's part in one area; @own: the area of this thread, which is in no call. */
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

/* The memory of clusters that were being pushed or taken is lost. */
static void mend_spares(struct pool *pool)
{
	struct pool_cluster *c;
	unsigned long n = 0;

	for (c = plat_read(&pool->spare); c; c = c->next)
		n += pool_count_empty(c);
	plat_write(&pool->spares, n);
}

/* Objects that a gone thread was getting or giving back are no longer counted. */
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
	/* Their threads are gone.  A further era opens what they had closed. */
	if (plat_read(&pool->waiting)) {
		plat_write(&pool->waiting, 0u);
		pool_era_ends();
	}
	pool->pins = 0;
	pool->orphan = !pool->users;
}

/* Walks of this thread go on.  Walks of all other threads are gone. */
static void mend_visits(void)
{
	struct pool_list *node, *next;

	for (node = pool_visits.next; node != &pool_visits; node = next) {
		struct pool_visit *visit;

		visit = pool_list_entry(node, struct pool_visit, list);
		next = node->next;
		if (visit->thread != plat_thread())
			pool_list_del(node);
		else if (visit->at)
			visit->at->pins++;
	}
}

/*
 * Charge a CPU with what is on its lists.  The lists of the CPU are used, not those of
 * pools, since some clusters may belong to a pool whose destruction had begun.
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
 * In the child: count and uncharge what was lost.  @own is the forking thread's CPU part; NULL:
 * it has none.  Afterwards all other areas are without an owner, and ready for pool_cpu_gone().
 */
void pool_fork_mend(const struct pool_cpu *own)
{
	struct pool *pool = NULL;
	struct pool_cpu *cpu;
	unsigned int i;

	while ((pool = pool_registry_after(pool)))
		mend_pool(pool, own);
	mend_visits();
	pool_each_cpu(i, cpu)
		mend_charge(cpu);
}

/* Is a walk that has forked at this pool?  It goes on in the child, after the fork. */
static bool is_walked(const struct pool *pool)
{
	bool walked;

	plat_mutex_lock(PLAT_REGISTRY);
	walked = pool_registry_visited(pool, NULL);
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
 * In the child: end the pools that gone threads were about to end.  Nothing is held any more, and
 * all areas without an owner have been drained.  Pools that are no longer listed, or not yet,
 * remain as they are.  So does a pool at which a walk is that has forked.  Their memory, and
 * their place among the local parts, is lost.
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
