// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cache.c - between the hot array, this CPU's clusters and the shared pool
 *
 * Layer:   hot array -> [local clusters] -> shared pool
 * Context: any.  Under the guard and the CPU lock pointers are copied, at most
 *	    POOL_HOT_SLOTS of them; what must be released is carried out.
 *
 * A fill takes the freshest objects of the newest cluster.  A spill moves the
 * coldest half of the array into the newest cluster, or into a new one.  Both let the
 * array grow first, and make room under the byte bound where they need it: age.c.
 *
 * An empty cluster is got before it is needed: a visit that leaves the stash low
 * fetches some, outside.
 */
#include "plat.h"

/* So many empty clusters a CPU fetches. */
#define STASH_FETCH	4

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

	if (!n || pool_seal_of(c->obj[0]))
		return take_one(here->pool, c);
	if (n > c->n)
		n = c->n;
	c->n -= n;
	pool_hot_append(here->local, c->obj + c->n, n);
	return pool_hot_pop(here);
}

/* The cluster that the next objects come from; NULL: none here. */
static struct pool_cluster *next_cluster(const struct pool_here *here)
{
	if (plat_read(&here->pool->debug) & POOL_D_COLD_FIRST)
		return pool_cluster_oldest(here->local);
	return pool_cluster_newest(here->local);
}

static void carry_empty(struct pool_here *here, struct pool_cluster *c,
			struct pool_carried *out)
{
	if (pool_cluster_stash(here->cpu, c))
		return;
	c->next = out->empty;
	out->empty = c;
}

/* Fill from a cluster on this CPU's lists. */
static void *fill_local(struct pool_here *here, struct pool_cluster *c,
			struct pool_carried *out)
{
	unsigned int had = c->n;
	void *obj = take_freshest(here, c);

	pool_cluster_taken(here->cpu, c, had - c->n);
	if (!c->n)
		carry_empty(here, c, out);
	return obj;
}

/*
 * Keep what a fill left of a cluster that is on no list: emptied in the stash,
 * else on the lists if it fits, else back in the shared pool, else it is carried out.
 */
static void keep_rest(struct pool_here *here, struct pool_cluster *c,
		      struct pool_carried *out)
{
	unsigned long bytes = (unsigned long)c->n * here->pool->head.size;

	if (!c->n) {
		carry_empty(here, c, out);
	} else if (c->n <= here->local->max &&
		   pool_age_room(here, bytes, out)) {
		pool_cluster_insert(here->cpu, here->local, c);
	} else if (!pool_put_to_shared_cache(here->pool, c)) {
		plat_word_add(&here->pool->leaving, 1);
		out->rest = c;
	}
}

/*
 * Fill from the shared pool.  While the cluster is in hand its objects are counted
 * nowhere; "in_hand" says so to who looks for the last free one.
 */
static void *fill_shared(struct pool_here *here, struct pool_carried *out)
{
	struct pool_local *local = here->local;
	struct pool_cluster *c;
	void *obj = NULL;

	plat_write(&local->in_hand, true);
	c = pool_refill_local_from_shared(here->pool);
	if (c) {
		pool_hot_grow(here, out);
		obj = take_freshest(here, c);
		keep_rest(here, c, out);
	}
	plat_write_release(&local->in_hand, false);
	return obj;
}

/*
 * Fill the array, which is empty or closed, and return one object.  Opens no array
 * before there is an object of the pool: merge.c counts on that.
 */
static void *fill(struct pool_here *here, struct pool_carried *out)
{
	struct pool_local *local = here->local;
	struct pool_cluster *c = next_cluster(here);
	void *obj;

	if (c) {
		pool_hot_grow(here, out);
		c = next_cluster(here);
	}
	obj = c ? fill_local(here, c, out) : fill_shared(here, out);
	if (obj)
		plat_write(&local->fills, local->fills + 1);
	return obj;
}

/* Give the stash of this CPU some empty clusters. */
static void restock(struct pool *pool, unsigned int flags)
{
	struct pool_cluster *chain = pool_cluster_get(pool, STASH_FETCH, flags);
	struct pool_here here;

	if (!chain)
		return;
	if (pool_here_enter(&here, pool, &flags)) {
		if (pool_here_lock(&here)) {
			chain = pool_cluster_stash_all(here.cpu, chain);
			pool_here_unlock(&here);
		}
		pool_here_leave(&here);
	}
	pool_cluster_put_all(pool, chain, flags);
}

/* Bring an evicted cluster, of any pool, away. */
static void carry_down(struct pool_cluster *c, unsigned int flags)
{
	struct pool_local *local = c->local;
	unsigned int n = c->n;

	pool_put_cluster_down(local->pool, c, flags);
	pool_cluster_settled(local, n);
}

/**
 * pool_carry() - Bring away what a visit carried out.
 * @pool: whose visit it was.
 * @out: what it carried; nothing of it is left.
 * @flags: of the call.
 *
 * Context: any; neither guard nor lock held.
 */
void pool_carry(struct pool *pool, struct pool_carried *out,
		unsigned int flags)
{
	while (out->down) {
		struct pool_cluster *c = out->down;

		out->down = c->next;
		carry_down(c, flags);
	}
	if (out->rest) {
		pool_put_cluster_down(pool, out->rest, flags);
		plat_word_sub_release(&pool->leaving, 1);
	}
	pool_cluster_put_all(pool, out->empty, flags);
	if (out->low)
		restock(pool, flags);
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
	struct pool_carried out = { .low = false };
	struct pool_here here;
	void *obj;

	if (!pool_here_enter(&here, pool, flags))
		return NULL;
	obj = pool_hot_pop(&here);
	if (!obj && pool_visit_begin(&here, &out)) {
		obj = fill(&here, &out);
		pool_visit_end(&here, &out);
	}
	pool_here_leave(&here);
	if (pool_carries(&out))
		pool_carry(pool, &out, *flags);
	return obj;
}

/* How many objects are in the array that may be spilled for a plain one. */
static unsigned int spillable(struct pool_here *here, bool plain)
{
	return plain ? plat_read(&here->local->hot.n) : 0;
}

/* The newest cluster, if it takes more of that kind; NULL: it does not. */
static struct pool_cluster *open_cluster(const struct pool_here *here,
					 bool sealed)
{
	struct pool_cluster *c = pool_cluster_newest(here->local);

	return c && c->n < here->local->max &&
	       !pool_seal_of(c->obj[0]) == !sealed ? c : NULL;
}

/* An empty cluster; NULL: there is none. */
static struct pool_cluster *new_cluster(struct pool_here *here)
{
	struct pool_cluster *c = pool_cluster_unstash(here->cpu);

	if (c)
		pool_cluster_reset(c, here->local);
	return c;
}

/*
 * Move the coldest half of the array to a cluster and put @obj on top, also where
 * a switch has taken the capacity meanwhile; without an array, or where @obj must
 * not go there, @obj itself goes to the cluster.  A cluster's objects are all
 * sealed, or none is.
 */
static bool spill(struct pool_here *here, void *obj, bool plain,
		  struct pool_carried *out)
{
	struct pool_local *local = here->local;
	unsigned int have = spillable(here, plain);
	unsigned int n = have > 1 ? have / 2 : 1;
	bool sealed = !have && pool_seal_of(obj);
	struct pool_cluster *c;

	if (n > local->max)
		n = local->max;
	if (!pool_age_room(here, (unsigned long)n * here->pool->head.size, out))
		return false;
	c = open_cluster(here, sealed);
	if (!c)
		c = new_cluster(here);
	if (!c)
		return false;
	if (n > local->max - c->n)
		n = local->max - c->n;
	plat_write(&local->spills, local->spills + 1);
	pool_cluster_add(here->cpu, c, have ? local->slot : &obj, n);
	if (have) {
		pool_hot_forget(local, n);
		pool_hot_append(local, &obj, 1);
	}
	return true;
}

/* Put an object where there is room; the array takes those that are plain. */
static bool put_here(struct pool_here *here, void *obj,
		     struct pool_carried *out)
{
	unsigned int word = plat_read(&here->pool->debug);
	bool plain = !(word & POOL_D_CLOSED) && !pool_seal_of(obj);

	if (word & POOL_D_NO_CACHE)
		return false;
	if (plain && pool_hot_grow(here, out) && pool_hot_push(here, obj))
		return true;
	return spill(here, obj, plain, out);
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
	struct pool_carried out = { .low = false };
	struct pool_here here;
	bool done;

	if (!pool_here_enter(&here, pool, flags))
		return false;
	done = !pool_is_closed(pool) && !pool_seal_of(obj) &&
	       pool_hot_push(&here, obj);
	if (!done && pool_visit_begin(&here, &out)) {
		done = put_here(&here, obj, &out);
		pool_visit_end(&here, &out);
	}
	pool_here_leave(&here);
	if (pool_carries(&out))
		pool_carry(pool, &out, *flags);
	return done;
}
