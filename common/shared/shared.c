// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * shared.c - the shared pool: buckets of clusters
 *
 * Layer:   local clusters -> [shared pool] -> backend
 * Context: any; *_one() outside of hot sections, no lock held.
 *
 *   bucket       cluster      cluster      cluster
 *  +------+     +------+     +------+     +------+
 *  | head |---->| next |---->| next |---->| NULL |
 *  +------+     | 8    |     | 64   |     | 64   |  objects
 *               +------+     +------+     +------+
 *
 * The BUSY protocol.  Steps of a call that changes a bucket:
 *
 *	HOLD	exchange head for the magic pointer POOL_BUSY (acquire).  If the result is
 *		POOL_BUSY, another call holds the bucket: skip it.
 *	CHANGE	take or link clusters, update the counts, then the bucket's bit in "filled"
 *	STORE	store the new head (release)
 *
 *   - One holder: after an exchange that gives another value than POOL_BUSY, all exchanges give
 *     POOL_BUSY until STORE.
 *   - Whole lists: only the holder follows or changes links.  The acquire of HOLD pairs with the
 *     last STORE, so it sees what the last holder wrote.  Heads are not compared: no ABA problem.
 *   - No waits: a call that finds BUSY tries the next bucket, and after the last one the next
 *     layer.  In the kernel interrupts are off from HOLD to STORE.  In programs a holder may be
 *     descheduled, which costs other calls this one bucket.
 *   - "filled" changes only while the bucket is held, and matches each head that HOLD returns, so
 *     bits can be added and subtracted.  A set bit without a cluster means that a call is between
 *     HOLD and STORE.
 *
 * Where memory has nodes, all nodes have equally many buckets, each node's next to one another.  A
 * cluster goes home: to the node of its newest object.  Misses take from buckets of their own node,
 * and then ask the backend, which gives memory of that node; only the last look goes to all.
 * Bucket "first ^ i", for i from 0 on, is first one of the same node, and then one of the others.
 */
#include "seam/plat.h"

/*
 * Return the number, within each node, of this CPU's bucket; other CPUs use the same one only if
 * there are more CPUs than buckets.
 */
static inline unsigned int own_bucket(const struct pool *pool)
{
	return plat_cpu_hint() & (plat_read(&pool->near) - 1);
}

/* True if all buckets are of one node, so that a caller need not ask which node it is on. */
static inline bool one_node(const struct pool *pool)
{
	return plat_read(&pool->near) == plat_read(&pool->buckets);
}

/* Return the bucket of a node that this CPU starts at. */
static inline unsigned int first_of(const struct pool *pool, unsigned int node)
{
	if (one_node(pool))
		return own_bucket(pool);
	if (node == POOL_NODE_HERE)
		node = plat_node_of(&pool->backend, NULL);
	node *= plat_read(&pool->near);
	return (node & (plat_read(&pool->buckets) - 1)) | own_bucket(pool);
}

/* Return the bucket of an object's node that this CPU starts at. */
static unsigned int first_for(const struct pool *pool, const void *obj)
{
	return first_of(pool, plat_node_of(&pool->backend, obj));
}

/* Hold a bucket; POOL_BUSY: it is held already. */
static struct pool_cluster *bucket_hold(struct pool_bucket *b)
{
	if (plat_read(&b->head) == POOL_BUSY)
		return POOL_BUSY;
	return plat_xchg_acquire(&b->head, POOL_BUSY);
}

/* Store @head as the first cluster of bucket @i, which ends the hold. */
static void bucket_release(struct pool *pool, unsigned int i,
			   struct pool_cluster *head)
{
	plat_write_release(&pool->bucket[i].head, head);
}

/*
 * Update the counts of a bucket that the caller holds: @n objects leave, or come.  The
 * release pairs with the acquire in reach.c: a reader that misses the objects sees that
 * they departed.
 */
static void count_get(struct pool_bucket *b, unsigned int n)
{
	plat_write_release(&b->gets, b->gets + 1);
	plat_write(&b->get_objs, b->get_objs + n);
	plat_write_release(&b->objs, b->objs - n);
	if (b->objs < b->least)
		b->least = b->objs;
}

static void count_put(struct pool_bucket *b, unsigned int n)
{
	plat_write(&b->objs, b->objs + n);
	plat_write(&b->puts, b->puts + 1);
	plat_write(&b->put_objs, b->put_objs + n);
}

/* Take the first cluster of bucket @i; NULL: the bucket is empty, or BUSY. */
static struct pool_cluster *bucket_get(struct pool *pool, unsigned int i,
				       unsigned long *moving)
{
	struct pool_bucket *b = &pool->bucket[i];
	struct plat_irq irq = plat_busy_enter();
	struct pool_cluster *c = bucket_hold(b);

	if (c && c != POOL_BUSY) {
		pool_depart(moving, c->n);
		count_get(b, c->n);
		if (!c->next)
			pool_word_sub(&pool->filled, 1ul << i);
		bucket_release(pool, i, c->next);
	} else if (!c) {
		bucket_release(pool, i, NULL);
	}
	plat_busy_leave(irq);
	return c == POOL_BUSY ? NULL : c;
}

/* Put a cluster into bucket @i, as the newest; false: BUSY. */
static bool bucket_put(struct pool *pool, unsigned int i,
		       struct pool_cluster *c)
{
	struct pool_bucket *b = &pool->bucket[i];
	struct plat_irq irq = plat_busy_enter();
	struct pool_cluster *head = bucket_hold(b);

	if (head != POOL_BUSY) {
		c->next = head;
		count_put(b, c->n);
		if (!head)
			plat_word_add(&pool->filled, 1ul << i);
		bucket_release(pool, i, c);
	}
	plat_busy_leave(irq);
	return head != POOL_BUSY;
}

/*
 * Take one object out of bucket @i's first cluster, in place; NULL: the bucket is empty,
 * or BUSY.  @emptied: set to that cluster if this was its last object.
 */
static void *bucket_get_one(struct pool *pool, unsigned int i,
			    struct pool_cluster **emptied)
{
	struct pool_bucket *b = &pool->bucket[i];
	struct plat_irq irq = plat_busy_enter();
	struct pool_cluster *c = bucket_hold(b);
	struct pool_cluster *head = c;
	void *obj = NULL;

	if (c && c != POOL_BUSY) {
		obj = pool_cluster_pop(c);
		count_get(b, 1);
		if (!c->n) {
			*emptied = c;
			head = c->next;
		}
		if (!head)
			pool_word_sub(&pool->filled, 1ul << i);
	}
	if (c != POOL_BUSY)
		bucket_release(pool, i, head);
	plat_busy_leave(irq);
	return obj;
}

/* Append one object to bucket @i's first cluster; false: BUSY, or no room for it. */
static bool bucket_put_one(struct pool *pool, unsigned int i, void *obj)
{
	struct pool_bucket *b = &pool->bucket[i];
	struct plat_irq irq = plat_busy_enter();
	unsigned int max = pool_cluster_max(pool);
	struct pool_cluster *c = bucket_hold(b);
	bool done = false;

	if (c && c != POOL_BUSY && pool_cluster_accepts(c, max, obj)) {
		c->obj[c->n++] = obj;
		count_put(b, 1);
		done = true;
	}
	if (c != POOL_BUSY)
		bucket_release(pool, i, c);
	plat_busy_leave(irq);
	return done;
}

/* Return how many objects the shared pool has.  Reads unlocked, so it is exact when quiet. */
unsigned long pool_shared_count(const struct pool *pool)
{
	unsigned long filled = plat_read(&pool->filled);
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; filled; filled >>= 1, i++)
		if (filled & 1)
			sum += plat_read(&pool->bucket[i].objs);
	return sum;
}

/* Approximate bytes of all shared pools, in a line of their own, since puts read it. */
static struct {
	unsigned long bytes;
} __attribute__((aligned(POOL_ALIGN))) all;

/*
 * Correct a pool's share of all.bytes if the share is wrong by more than POOL_NOTE_STEP, or must be
 * 0.
 */
static void note(struct pool *pool, unsigned long objs)
{
	unsigned long bytes = objs * pool->head.size;
	unsigned long old = plat_read(&pool->noted);

	if (old == bytes || (bytes && old - bytes + POOL_NOTE_STEP <= 2 * POOL_NOTE_STEP))
		return;
	old = plat_xchg_acquire(&pool->noted, bytes);
	plat_word_add(&all.bytes, bytes - old);
}

/* Correct a pool's share of all.bytes after objects were taken from its shared pool. */
void pool_shared_renote(struct pool *pool)
{
	if (plat_read(&pool->noted))
		note(pool, pool_shared_count(pool));
}

/* Return the bound of all shared pools together, for a pool with objects of @size bytes. */
static unsigned long most_of(unsigned int size)
{
	unsigned long most = plat_read(&pool_options.max_cached);

	if (most)
		return most;
	if (size <= POOL_SHARED_LARGE)
		return POOL_SHARED_MOST;
	if (size >= 4 * POOL_SHARED_LARGE)
		return 4 * POOL_SHARED_MOST;
	return POOL_SHARED_MOST / POOL_SHARED_LARGE * size;
}

/* True if all shared pools together exceed their bound.  @objs: in this shared pool now. */
bool pool_shared_full(struct pool *pool, unsigned long objs)
{
	note(pool, objs);
	return plat_read(&all.bytes) > most_of(pool->head.size);
}

/* True if the shared pool has fewer objects than it must keep.  Read unlocked. */
bool pool_lacks_spare(const struct pool *pool)
{
	return pool_shared_count(pool) < plat_read(&pool->min_avail);
}

/* Return the fewest objects that bucket @i had since the last call; 0 if it is BUSY. */
static unsigned long bucket_unused(struct pool *pool, unsigned int i)
{
	struct pool_bucket *b = &pool->bucket[i];
	struct plat_irq irq = plat_busy_enter();
	struct pool_cluster *head = bucket_hold(b);
	unsigned long least = 0;

	if (head != POOL_BUSY) {
		least = b->least;
		b->least = b->objs;
		bucket_release(pool, i, head);
	}
	plat_busy_leave(irq);
	return least;
}

/*
 * Return how many objects of the shared pool were not needed since the last call: the fewest that
 * each bucket had.  An empty bucket is not read, because its fewest are 0.
 */
unsigned long pool_shared_unused(struct pool *pool)
{
	unsigned long filled = plat_read(&pool->filled);
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; filled; filled >>= 1, i++)
		if (filled & 1)
			sum += bucket_unused(pool, i);
	return sum;
}

/* Take the newest cluster of one of the first *@n buckets; looks at each once.  NULL: none. */
static inline struct pool_cluster *get_cluster(struct pool *pool,
					       const unsigned int *n,
					       unsigned long *moving)
{
	unsigned long filled = plat_read(&pool->filled);
	unsigned int most = plat_read(n);
	struct pool_cluster *c = NULL;
	unsigned int first, i;

	if (!filled)
		return NULL;
	first = first_of(pool, POOL_NODE_HERE);
	for (i = 0; i < most && !c; i++)
		if (filled & (1ul << (first ^ i)))
			c = bucket_get(pool, first ^ i, moving);
	if (c && !plat_read(&pool->filled))
		pool_shared_renote(pool);
	return c;
}

/*
 * Take one whole cluster of this CPU's node; NULL: there was none.  @moving: the count to which the
 * cluster's objects are added.  Starts at this CPU's bucket and looks once at each that is not
 * empty.  Any context; also in a hot section, under the CPU lock.
 */
struct pool_cluster *pool_refill_local_from_shared(struct pool *pool,
						   unsigned long *moving)
{
	return get_cluster(pool, &pool->near, moving);
}

/* Take one whole cluster of any node, to release its objects to the backend.  @moving as above. */
struct pool_cluster *pool_shared_get(struct pool *pool, unsigned long *moving)
{
	return get_cluster(pool, &pool->buckets, moving);
}

/* Put a cluster into a bucket of any node, from @first on. */
static __attribute__((__noinline__))
bool put_cluster(struct pool *pool, struct pool_cluster *c, unsigned int first)
{
	unsigned int buckets = plat_read(&pool->buckets);
	unsigned int i;

	for (i = 0; i < buckets; i++)
		if (bucket_put(pool, first ^ i, c))
			return true;
	return false;
}

static __attribute__((__noinline__))
bool put_home(struct pool *pool, struct pool_cluster *c)
{
	return put_cluster(pool, c, first_for(pool, c->obj[c->n - 1]));
}

/*
 * Put one whole cluster, not empty, into the shared pool.  False: all buckets were BUSY, or the
 * pool shares nothing, and the caller still has the cluster.  Starts at this CPU's bucket of the
 * node of its objects, and tries each once.  Any context; also in a hot section, under the CPU
 * lock.
 */
bool pool_put_to_shared_cache(struct pool *pool, struct pool_cluster *c)
{
	if (!pool_shares(pool))
		return false;
	if (one_node(pool))
		return put_cluster(pool, c, own_bucket(pool));
	return put_home(pool, c);
}

/* Return the bits of @n buckets, a power of two: first ^ 0, first ^ 1, ... first ^ (n - 1). */
static unsigned long bits_of(unsigned int first, unsigned int n)
{
	return (~0ul >> (POOL_BUCKETS_MAX - n)) << (first & ~(n - 1));
}

/* Take an object from @n buckets, trying each that is not empty once. */
static void *get_one_round(struct pool *pool, unsigned int first,
			   unsigned int n, unsigned long filled,
			   struct pool_cluster **emptied)
{
	void *obj = NULL;
	unsigned int i;

	for (i = 0; i < n && !obj; i++)
		if (filled & (1ul << (first ^ i)))
			obj = bucket_get_one(pool, first ^ i, emptied);
	return obj;
}

/*
 * Take one object of @n buckets, first those of @node.  With POOL_F_NESTED one round; else looks
 * again, a bounded number of times, at buckets that are BUSY and not empty, so that the last object
 * is found.
 */
static void *get_one(struct pool *pool, unsigned int node, unsigned int n,
		     unsigned int flags)
{
	unsigned int tries = flags & POOL_F_NESTED ? 1 : POOL_BUSY_TRIES;
	struct pool_cluster *emptied = NULL;
	unsigned int first;
	void *obj = NULL;

	if (!plat_read(&pool->filled))
		return NULL;
	first = first_of(pool, node);
	while (tries-- && !obj) {
		unsigned long filled = plat_read(&pool->filled) &
				       bits_of(first, n);

		if (!filled)
			return NULL;
		obj = get_one_round(pool, first, n, filled, &emptied);
		if (!obj)
			plat_pause(false);
	}
	if (emptied) {
		pool_shared_renote(pool);
		pool_cluster_put(pool, emptied, flags);
	}
	return obj;
}

/*
 * Take one object of any node, this CPU's first; NULL: none was found.  Any context; outside of hot
 * sections, no lock held.
 */
void *pool_shared_get_one(struct pool *pool, unsigned int flags)
{
	return get_one(pool, POOL_NODE_HERE, plat_read(&pool->buckets), flags);
}

/*
 * Take one object of @node, which may be POOL_NODE_HERE; NULL: none was found.  Any context;
 * outside of hot sections, no lock held.
 */
void *pool_shared_get_near(struct pool *pool, unsigned int node,
			   unsigned int flags)
{
	return get_one(pool, node, plat_read(&pool->near), flags);
}

/* Append one object to a cluster of bucket @first ^ @i, for @i below @end. */
static bool put_one(struct pool *pool, unsigned int first, unsigned int i,
		    unsigned int end, void *obj)
{
	for (; i < end; i++)
		if (bucket_put_one(pool, first ^ i, obj))
			return true;
	return false;
}

/*
 * Put one object into the first cluster of a bucket of its node that has room, else into an empty
 * cluster of its own if there is one, else into any bucket.  False: there is no place for it.
 * Any context; outside of hot sections, no lock held.
 */
bool pool_shared_put_one(struct pool *pool, void *obj, unsigned int flags)
{
	struct pool_cluster *c;
	unsigned int first;

	if (!pool_shares(pool))
		return false;
	first = first_for(pool, obj);
	if (put_one(pool, first, 0, plat_read(&pool->near), obj))
		return true;
	c = pool_cluster_get_one(pool, flags);
	if (!c)
		return put_one(pool, first, plat_read(&pool->near), plat_read(&pool->buckets), obj);
	c->obj[c->n++] = obj;
	if (pool_put_to_shared_cache(pool, c))
		return true;
	c->n = 0;
	pool_cluster_put(pool, c, flags);
	return false;
}
