// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cache.c - between the hot array, this CPU's clusters and the shared pool
 *
 * Layer:   hot array -> [local clusters] -> shared pool
 * Context: any.  Under the guard and the CPU lock pointers are copied, at most
 *	    POOL_HOT_SLOTS of them; what must be released is carried out.
 *
 * A fill takes the freshest objects of the newest cluster.  A spill moves the
 * coldest half of the array into the newest cluster, or into a new one; before
 * that it makes room under the byte bound, one evicted cluster per round, and
 * between two rounds everything is left, so that nothing is remembered.  A fill
 * from the shared pool makes room for the next one.
 */
#include "plat.h"

/* What a fill carries out of the guard; NULL: nothing. */
struct carried {
	struct pool_cluster *rest;	/* empty, or with what was not kept */
	struct pool_cluster *victim;	/* evicted */
};

/* Take one object out of a cluster, at the end that the options want. */
static void *take_one(const struct pool *pool, struct pool_cluster *c)
{
	void *coldest = c->obj[0];
	unsigned int i;

	if (!(plat_read(&pool->debug) & POOL_D_COLD_FIRST))
		return pool_cluster_pop(c);
	for (i = 1; i < c->n; i++)
		c->obj[i - 1] = c->obj[i];
	pool_cluster_pop(c);
	return coldest;
}

/*
 * Move what fits of a cluster's fresh end into the empty array and return the
 * freshest; without an array, or where they are sealed, take just one.  Lowers
 * c->n.
 */
static void *take_freshest(struct pool_here *here, struct pool_cluster *c)
{
	unsigned int n = plat_read(&here->local->hot.cap);

	if (here->was != POOL_OPEN || !n || pool_seal_of(c->obj[0]))
		return take_one(here->pool, c);
	if (n > c->n)
		n = c->n;
	c->n -= n;
	pool_hot_append(here->local, c->obj + c->n, n);
	return pool_hot_pop(here);
}

/* Fill from a cluster on this CPU's lists. */
static void *fill_local(struct pool_here *here, struct pool_cluster *c)
{
	unsigned int had = c->n;
	void *obj = take_freshest(here, c);

	pool_cluster_taken(here->cpu, c, had - c->n);
	pool_hot_grow(here);
	return obj;
}

/*
 * Keep what a fill left of a cluster that is on no list: emptied in the stash,
 * else on the lists if it fits, else back in the shared pool.  False: nowhere.
 */
static bool keep_rest(struct pool_here *here, struct pool_cluster *c)
{
	unsigned long bytes = (unsigned long)c->n * here->pool->head.size;

	if (!c->n)
		return pool_cluster_stash(here->cpu, c);
	if (c->n > pool_cluster_max(here->pool) ||
	    !pool_cluster_fits(here->cpu, bytes))
		return pool_put_to_shared_cache(here->pool, c);
	pool_cluster_insert(here->cpu, here->local, c);
	return true;
}

/**
 * pool_cluster_to_evict() - Which cluster must go first, if one must.
 * @here: entered and locked.
 * @bytes: what is about to be charged.
 *
 * Above the bound the oldest cluster of all pools goes; below it none does.  So
 * what lies idle goes first, and what a busy pool has stays as long as all that
 * is younger than it fits.
 *
 * Return: the cluster, still on the lists; NULL: none must, or there is none.
 */
struct pool_cluster *pool_cluster_to_evict(struct pool_here *here,
					   unsigned long bytes)
{
	unsigned long bound = plat_read(&pool_options.hot_size);
	unsigned long after = plat_word_read(&here->cpu->charged) + bytes;

	return after > bound ? pool_cluster_coldest(here->cpu) : NULL;
}

/* Detach that cluster.  It is to be brought away outside and settled. */
static struct pool_cluster *pool_evict_last_items(struct pool_here *here,
						  unsigned long bytes)
{
	struct pool_cluster *c = pool_cluster_to_evict(here, bytes);

	if (c) {
		plat_write(&c->local->evictions, c->local->evictions + 1);
		pool_cluster_detach(c);
	}
	return c;
}

/* Bring an evicted cluster, of any pool, down a layer. */
static void bring_away(struct pool_cluster *c, unsigned int flags)
{
	struct pool_local *local = c->local;
	unsigned int n = c->n;

	pool_put_cluster_below(local->pool, c, flags);
	pool_cluster_settled(local, n);
}

/*
 * Fill from the shared pool.  While the cluster is in hand its objects are counted
 * nowhere; "in_hand" says so to who looks for the last free one.
 */
static void *fill_shared(struct pool_here *here, struct pool_cluster **rest)
{
	struct pool_local *local = here->local;
	struct pool_cluster *c;
	void *obj = NULL;

	plat_write(&local->in_hand, true);
	c = pool_refill_local_from_shared(here->pool);
	if (c) {
		if (here->was == POOL_CLOSED)
			pool_hot_grow(here);
		obj = take_freshest(here, c);
		plat_write(&local->fills, local->fills + 1);
		if (!keep_rest(here, c))
			*rest = c;
		if (*rest && c->n)
			plat_word_add(&here->pool->leaving, 1);
	}
	plat_write_release(&local->in_hand, false);
	return obj;
}

/*
 * The next cluster of this pool will need room: at the bound the array could not
 * grow otherwise, and what it does not take would go back each time.
 */
static struct pool_cluster *make_room(struct pool_here *here)
{
	unsigned int max = pool_cluster_max(here->pool);

	return pool_evict_last_items(here, (unsigned long)max *
					   here->pool->head.size);
}

/*
 * Fill the array, which is empty or closed, and return one object.  @out: to be
 * brought away outside.  Opens no array before there is an object of the pool in
 * hand: merge.c counts on that.
 */
static void *fill(struct pool_here *here, struct carried *out)
{
	struct pool_local *local = here->local;
	struct pool_cluster *c = pool_cluster_newest(local);
	void *obj;

	if (c && (plat_read(&here->pool->debug) & POOL_D_COLD_FIRST))
		c = pool_cluster_oldest(local);
	if (!c) {
		obj = fill_shared(here, &out->rest);
		if (obj)
			out->victim = make_room(here);
		return obj;
	}
	if (here->was == POOL_CLOSED)
		pool_hot_grow(here);
	obj = fill_local(here, c);
	plat_write(&local->fills, local->fills + 1);
	if (!c->n && !keep_rest(here, c))
		out->rest = c;
	return obj;
}

/* Bring what a fill could not keep down a layer: see fill_shared(). */
static void put_rest(struct pool *pool, struct pool_cluster *c,
		     unsigned int flags)
{
	bool leaving = c->n;

	pool_put_cluster_below(pool, c, flags);
	if (leaving)
		plat_word_sub_release(&pool->leaving, 1);
}

/**
 * pool_get_from_cache() - Get an object from this CPU's caches.
 * @pool: the pool.
 * @flags: of the call; POOL_F_NESTED is added where a holder was interrupted.
 *
 * Refills from the shared pool, one cluster, where the caches are empty.
 *
 * Return: an object; NULL: the caller goes down a layer.
 */
void *pool_get_from_cache(struct pool *pool, unsigned int *flags)
{
	struct carried out = { NULL, NULL };
	struct pool_here here;
	void *obj;

	if (!pool_here_enter(&here, pool)) {
		*flags |= POOL_F_NESTED;
		return NULL;
	}
	obj = pool_hot_pop(&here);
	if (!obj && pool_here_lock(&here)) {
		obj = pool_hot_pop(&here);
		if (!obj)
			obj = fill(&here, &out);
		pool_clock_tick(&here);
		pool_here_unlock(&here);
	}
	pool_here_leave(&here);
	if (out.rest)
		put_rest(pool, out.rest, *flags);
	if (out.victim)
		bring_away(out.victim, *flags);
	return obj;
}

/* What one try to put an object into the cache came to. */
enum put {
	PUT_DONE,
	PUT_EVICT,		/* bring the cluster away, try again */
	PUT_NEED,		/* find an empty cluster, try again */
	PUT_DOWN,		/* the object goes down a layer */
};

/* How many objects are in the array that may be spilled for @obj. */
static unsigned int spillable(struct pool_here *here, bool plain)
{
	return plain && here->was == POOL_OPEN ?
	       plat_read(&here->local->hot.n) : 0;
}

/*
 * Move the coldest half of the array to a cluster and put @obj on top, also where
 * a switch has taken the capacity meanwhile; without an array, or where @obj must
 * not go there, @obj itself goes to the cluster.  A cluster's objects are all
 * sealed, or none is.
 */
static enum put spill(struct pool_here *here, void *obj, bool plain,
		      struct pool_cluster **victim)
{
	struct pool_local *local = here->local;
	struct pool_cluster *c = pool_cluster_newest(local);
	unsigned int max = pool_cluster_max(here->pool);
	unsigned int have = spillable(here, plain);
	unsigned int n = have > 1 ? have / 2 : 1;
	bool sealed = !have && pool_seal_of(obj);
	unsigned long bytes;

	if (c && (c->n >= max || !pool_seal_of(c->obj[0]) != !sealed))
		c = NULL;
	if (n > max - (c ? c->n : 0))
		n = max - (c ? c->n : 0);
	bytes = (unsigned long)n * here->pool->head.size;
	*victim = pool_evict_last_items(here, bytes);
	if (*victim)
		return PUT_EVICT;
	if (!pool_cluster_fits(here->cpu, bytes))
		return PUT_DOWN;
	if (!c) {
		c = pool_cluster_unstash(here->cpu);
		if (!c)
			return PUT_NEED;
		pool_cluster_reset(c, local);
	}
	plat_write(&local->spills, local->spills + 1);
	pool_cluster_add(here->cpu, c, have ? local->slot : &obj, n);
	if (have) {
		pool_hot_forget(local, n);
		pool_hot_append(local, &obj, 1);
	}
	return PUT_DONE;
}

/*
 * Objects above the bound are not cached, but it may have been lowered: then
 * what is here goes, and the array needs empty clusters to shrink into.
 */
static enum put shed(struct pool_here *here, struct pool_cluster **victim)
{
	*victim = pool_evict_last_items(here, 0);
	if (*victim)
		return PUT_EVICT;
	if (here->was == POOL_OPEN && !here->cpu->stashed)
		return PUT_NEED;
	return PUT_DOWN;
}

/* Put an object where there is room; the array takes those that are plain. */
static enum put put_here(struct pool_here *here, void *obj,
			 struct pool_cluster **victim)
{
	struct pool *pool = here->pool;
	bool plain = !pool_is_closed(pool) && !pool_seal_of(obj);

	if (pool->head.size > plat_read(&pool_options.hot_size) ||
	    (plat_read(&pool->debug) & POOL_D_NO_CACHE))
		return shed(here, victim);
	if (plain && (pool_hot_push(here, obj) ||
		      (pool_hot_grow(here) && pool_hot_push(here, obj))))
		return PUT_DONE;
	return spill(here, obj, plain, victim);
}

/*
 * Try once.  @spares: in, a chain of empty clusters to use; out, what is left.
 * @victim: out, with PUT_EVICT.
 */
static enum put put_once(struct pool *pool, void *obj, unsigned int *flags,
			 struct pool_cluster **spares,
			 struct pool_cluster **victim)
{
	enum put what = PUT_DOWN;
	struct pool_here here;

	if (!pool_here_enter(&here, pool)) {
		*flags |= POOL_F_NESTED;
		return PUT_DOWN;
	}
	if (!pool_is_closed(pool) && !pool_seal_of(obj) &&
	    pool_hot_push(&here, obj)) {
		what = PUT_DONE;
	} else if (pool_here_lock(&here)) {
		if (*spares)
			*spares = pool_cluster_stash_all(here.cpu, *spares);
		what = put_here(&here, obj, victim);
		pool_clock_tick(&here);
		pool_here_unlock(&here);
	}
	pool_here_leave(&here);
	return what;
}

/**
 * pool_put_to_cache() - Put a free object into this CPU's caches.
 * @pool: the pool.
 * @obj: the object.
 * @flags: of the call; POOL_F_NESTED is added where a holder was interrupted.
 *
 * Return: false: the caller goes down a layer with the object.
 */
bool pool_put_to_cache(struct pool *pool, void *obj, unsigned int *flags)
{
	struct pool_cluster *spares = NULL;
	enum put what = PUT_EVICT;
	struct pool_cluster *victim;
	unsigned int round;

	for (round = 0; round < POOL_PUT_ROUNDS; round++) {
		what = put_once(pool, obj, flags, &spares, &victim);
		if (what == PUT_EVICT)
			bring_away(victim, *flags);
		else if (what == PUT_NEED)
			spares = pool_cluster_get(pool, *flags);
		if (what != PUT_EVICT && (what != PUT_NEED || !spares))
			break;
	}
	if (spares)
		pool_cluster_put_all(pool, spares, *flags);
	return what == PUT_DONE;
}
