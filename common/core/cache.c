// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cache.c - this CPU's caches of a pool: get and put, of one object or of many
 *
 * Layer:   hot array -> [local clusters] -> shared pool
 * Context: any.  Under the guard and the CPU lock pointers are copied, for one call
 *	    at most POOL_HOT_SLOTS of each kind; what must be released is carried out.
 *
 * Who asks for more than the array has gets it from the newest clusters, and the
 * array what is left of the last one: a fill.  Who brings more than the array takes
 * has its coldest half, or more, moved to the newest cluster or to a new one: a
 * spill.  Both let the array grow first, and make room under the byte bound where
 * they need it: age.c.  One object is many of one.
 *
 * An empty cluster is got before it is needed: a visit that leaves the stash low
 * fetches some, outside.
 */
#include "plat.h"

/* So many empty clusters a CPU fetches. */
#define STASH_FETCH	4

static unsigned int smaller(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Take @n objects, coldest first, or all there are, from the array's fresh end. */
static unsigned int take_hot(struct pool_here *here, unsigned int n,
			     void **objs)
{
	n = smaller(n, plat_read(&here->local->hot.n));
	if (n)
		pool_hot_take(here->local, objs, n);
	return n;
}

/* Take one object of a cluster: the coldest where that is wished. */
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
 * Take up to @n objects of a cluster, and fill the array, which is empty, if that is
 * fewer than there are; but see ahead().  Without an array, or where they are sealed, take
 * just one.
 * Lowers c->n.
 */
static inline __attribute__((__always_inline__))
unsigned int take_clustered(struct pool_here *here, struct pool_cluster *c,
			    unsigned int n, void **objs)
{
	unsigned int cap = plat_read(&here->local->hot.cap);

	if (!cap || pool_seal_of(c->obj[0])) {
		*objs = take_one(here->pool, c);
		return 1;
	}
	n = smaller(n, c->n);
	c->n -= n;
	pool_copy(objs, c->obj + c->n, n);
	if (here->local->surplus) {
		here->local->surplus -= smaller(n, here->local->surplus);
		return n;
	}
	cap = smaller(cap, c->n);
	c->n -= cap;
	if (cap)
		pool_hot_append(here->local, c->obj + c->n, cap);
	return n;
}

/* The cluster that the next objects come from; NULL: none here. */
static struct pool_cluster *next_cluster(const struct pool_here *here)
{
	const struct pool_local *local = here->local;

	if (!plat_read(&local->hot.cap) &&
	    (plat_read(&here->pool->debug) & POOL_D_COLD_FIRST))
		return pool_cluster_oldest(local);
	return pool_cluster_newest(local);
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
static unsigned int fill_local(struct pool_here *here, struct pool_cluster *c,
			       unsigned int n, void **objs,
			       struct pool_carried *out)
{
	unsigned int had = c->n;

	n = take_clustered(here, c, n, objs);
	plat_write(&here->local->fills, here->local->fills + 1);
	pool_cluster_taken(here->cpu, c, had - c->n);
	if (!c->n)
		carry_empty(here, c, out);
	return n;
}

/*
 * Keep what a fill left of a cluster that is on no list: on the lists if it fits,
 * else back in the shared pool.  Returns how many objects are carried out.
 */
static unsigned int keep_rest(struct pool_here *here, struct pool_cluster *c,
			      struct pool_carried *out)
{
	unsigned long bytes = (unsigned long)c->n * here->pool->head.size;

	if (!c->n) {
		carry_empty(here, c, out);
		return 0;
	}
	if (c->n <= here->local->max && pool_age_room(here, bytes, out)) {
		pool_cluster_insert(here->cpu, here->local, c);
		return 0;
	}
	if (pool_put_to_shared_cache(here->pool, c))
		return 0;
	c->local = here->local;
	out->rest = c;
	return c->n;
}

/* Get one object from the shared pool, and what else is in its cluster. */
static unsigned int fill_shared(struct pool_here *here, void **objs,
				struct pool_carried *out)
{
	struct pool_local *local = here->local;
	struct pool_cluster *c;
	unsigned int had;

	c = pool_refill_local_from_shared(here->pool, &local->moving);
	if (!c)
		return 0;
	had = c->n;
	pool_age_grow(here, out);
	take_clustered(here, c, 1, objs);
	plat_write(&local->fills, local->fills + 1);
	pool_arrive(&local->moving, had - keep_rest(here, c, out));
	return 1;
}

/*
 * Get @n objects, which the array does not have, or fewer: one from wherever there is
 * one, several from here.  Who asks for several does not unseal.
 */
static unsigned int fill(struct pool_here *here, unsigned int n, void **objs,
			 struct pool_carried *out)
{
	struct pool_cluster *c = next_cluster(here);
	unsigned int got = 0;

	if (!c)
		return n == 1 ? fill_shared(here, objs, out) : 0;
	pool_age_grow(here, out);
	c = next_cluster(here);
	while (c && (n == 1 || !pool_seal_of(c->obj[0]))) {
		got += fill_local(here, c, n - got, objs + got, out);
		if (got == n)
			break;
		c = next_cluster(here);
	}
	return got;
}

/* Give the stash of this CPU some empty clusters. */
static void restock(struct pool *pool, unsigned int flags)
{
	struct pool_cluster *chain = pool_cluster_get(pool, STASH_FETCH, flags);
	unsigned int nested = 0;
	struct pool_here here;

	if (!chain)
		return;
	if (pool_here_enter(&here, pool, &nested)) {
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

/* Bring away what of a fill was not kept, which is not charged. */
static void carry_rest(struct pool *pool, struct pool_cluster *c,
		       unsigned int flags)
{
	struct pool_local *local = c->local;
	unsigned int n = c->n;

	pool_put_cluster_down(pool, c, flags);
	pool_arrive(&local->moving, n);
}

/* Bring away what a visit carried out. */
static void carry(struct pool *pool, struct pool_carried *out,
		  unsigned int flags)
{
	while (out->down) {
		struct pool_cluster *c = out->down;

		out->down = c->next;
		carry_down(c, flags);
	}
	if (out->rest)
		carry_rest(pool, out->rest, flags);
	pool_cluster_put_all(pool, out->empty, flags);
	if (out->low)
		restock(pool, flags);
	if (out->parked)
		pool_unpark_here(pool, flags);
}

/* Most visits carry nothing out. */
static bool carries(const struct pool_carried *out)
{
	return (unsigned long)out->down | (unsigned long)out->rest |
	       (unsigned long)out->empty | out->low | out->parked;
}

/**
 * pool_get_from_cache() - Get objects from this CPU's caches.
 * @pool: the pool.
 * @n: how many, at least 1.
 * @objs: where to.
 * @flags: of the call; POOL_F_NESTED is added where a holder was interrupted.
 *
 * Who asks for one gets it from the shared pool, too, by the cluster.  Who asks for more
 * gets none that is sealed.
 *
 * Return: how many; the caller goes down a layer for the others.
 */
unsigned int pool_get_from_cache(struct pool *pool, unsigned int n,
				 void **objs, unsigned int *flags)
{
	struct pool_carried out = { .low = false };
	struct pool_here here;
	unsigned int got;

	if (!pool_here_enter(&here, pool, flags))
		return 0;
	got = take_hot(&here, n, objs);
	if (got < n && pool_visit_begin(&here, &out)) {
		got += fill(&here, n - got, objs + got, &out);
		pool_visit_end(&here, &out);
	}
	pool_here_leave(&here);
	if (carries(&out))
		carry(pool, &out, *flags);
	return got;
}

/* No more than @n, and not across @mark, where there are @have. */
static unsigned int up_to(unsigned long mark, unsigned long have, unsigned int n)
{
	return have <= mark && n > mark - have ? (unsigned int)(mark - have) : n;
}

/*
 * How many objects come ahead of a miss, with an array of @room slots: with the one that
 * is asked for half of them.  Not across what an array holds, nor what the bound does: who
 * uses just that would find one too many, and spill, or evict, in each round.  None where
 * half of the bound is in use, by whichever pools: there is no room for what may not be
 * needed.
 *
 * What of the last batch is not needed would also lie below all that swings from then on.
 * So where there was no spill before, that many objects come without others that fill
 * the array.
 */
static unsigned int ahead(struct pool_local *local, unsigned int room)
{
	unsigned long bound = plat_read(&pool_options.hot_size);
	unsigned long fit = bound / local->pool->head.size;
	unsigned int n = room > 1 ? room / 2 - 1 : 0;

	local->grown++;
	n = up_to(local->most, local->grown, n);
	n = up_to(fit, local->grown, n);
	if (plat_read(&local->cpu->charged) > bound / 2)
		n = 0;
	local->grown += n;
	if (!local->spills)
		local->surplus = n;
	return n;
}

/**
 * pool_cache_wants() - How many objects a miss is to get ahead, beside its own.
 * @pool: the pool.
 * @flags: of the call.
 *
 * Half of the array's room at once, so that frees fit as well as allocations.  The
 * array grows for the next time: who takes one object gets one, who goes on gets more
 * and more.  Nothing is evicted: the room that is there is charged, and the array does
 * not grow where others would have to give way.
 *
 * Return: how many, fewer than POOL_HOT_SLOTS / 2; 0: none.
 */
unsigned int pool_cache_wants(struct pool *pool, unsigned int flags)
{
	struct pool_carried out = { .rounds = POOL_EVICT_MOST };
	struct pool_here here;
	unsigned int room, n;

	if (!pool_here_enter(&here, pool, &flags))
		return 0;
	room = plat_read(&here.local->hot.room);
	if (room < here.local->most && pool_visit_begin(&here, &out)) {
		pool_age_grow(&here, &out);
		pool_visit_end(&here, &out);
	}
	n = ahead(here.local, room);
	pool_here_leave(&here);
	if (carries(&out))
		carry(pool, &out, flags);
	return n;
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
 * Move up to @n objects, coldest first, to one cluster: the newest, or a new one.  A
 * cluster's objects are all sealed, or none is.  Returns how many; 0: there is no
 * room, or no empty cluster.
 */
static unsigned int spill(struct pool_here *here, unsigned int n, void **objs,
			  struct pool_carried *out)
{
	struct pool_local *local = here->local;
	struct pool_cluster *c;

	if (n > local->max)
		n = local->max;
	if (!pool_age_room(here, (unsigned long)n * here->pool->head.size, out))
		return 0;
	c = open_cluster(here, pool_seal_of(*objs));
	if (!c)
		c = new_cluster(here);
	if (!c)
		return 0;
	if (n > local->max - c->n)
		n = local->max - c->n;
	pool_cluster_add(here->cpu, c, objs, n);
	plat_write(&local->spills, local->spills + 1);
	return n;
}

/*
 * Make room for @n objects on top of the @have that the array has, of @room slots: the
 * array's coldest half goes, or all that must; then the caller's coldest.  Returns how
 * many of the caller's went.
 */
static unsigned int spill_over(struct pool_here *here, unsigned int have,
			       unsigned int room, unsigned int n, void **objs,
			       struct pool_carried *out)
{
	unsigned int over = have + n - room;
	unsigned int went = 0;
	unsigned int most, some;

	do {
		void **from = have ? here->local->slot : objs + went;

		most = over > have / 2 ? over : have / 2;
		some = spill(here, have ? smaller(most, have) : over, from, out);
		if (!some)
			break;
		if (have) {
			pool_hot_forget(here->local, some);
			have -= some;
		} else {
			went += some;
		}
		over -= smaller(some, over);
	} while (over);
	return went;
}

/*
 * Put @n objects, coldest first, into the array and into clusters, so that the array
 * has the freshest.  It takes only those that are plain.  Its room counts, not its
 * capacity, which a switch may take meanwhile.
 */
static unsigned int put_here(struct pool_here *here, unsigned int n,
			     void **objs, struct pool_carried *out)
{
	unsigned int word = plat_read(&here->pool->debug);
	struct pool_local *local = here->local;
	unsigned int have = 0, room = 0;
	unsigned int went = 0;

	if (word & POOL_D_NO_CACHE)
		return 0;
	if (!(word & POOL_D_CLOSED) && !pool_seal_of(*objs)) {
		pool_age_grow(here, out);
		have = plat_read(&local->hot.n);
		room = plat_read(&local->hot.room);
	}
	if (have + n > room)
		went = spill_over(here, have, room, n, objs, out);
	if (!room)
		return went;
	n = smaller(n - went, room - plat_read(&local->hot.n));
	if (n)
		pool_hot_append(local, objs + went, n);
	return went + n;
}

/* Put all of @n objects into the array, if it takes that many of that kind. */
static bool put_hot(struct pool_here *here, unsigned int n, void **objs)
{
	struct pool_local *local = here->local;

	if (plat_read(&local->hot.n) + n > plat_read(&local->hot.cap) ||
	    pool_is_closed(here->pool) || pool_seal_of(*objs))
		return false;
	pool_hot_append(local, objs, n);
	return true;
}

/**
 * pool_put_to_cache() - Put free objects into this CPU's caches.
 * @pool: the pool.
 * @n: how many, 1 to POOL_HOT_SLOTS; more than one only of those that are plain.
 * @objs: the objects, coldest first.
 * @flags: of the call; POOL_F_NESTED is added where a holder was interrupted.
 *
 * Return: how many were put, the first ones; the caller goes down a layer with the
 * others.
 */
unsigned int pool_put_to_cache(struct pool *pool, unsigned int n, void **objs,
			       unsigned int *flags)
{
	struct pool_carried out = { .low = false };
	struct pool_here here;
	unsigned int done = 0;

	if (!pool_here_enter(&here, pool, flags))
		return 0;
	if (put_hot(&here, n, objs)) {
		done = n;
	} else if (pool_visit_begin(&here, &out)) {
		done = put_here(&here, n, objs, &out);
		out.parked = plat_read(&here.local->parked.head) ||
			     plat_read(&pool->parked.head);
		pool_visit_end(&here, &out);
	}
	pool_here_leave(&here);
	if (carries(&out))
		carry(pool, &out, *flags);
	return done;
}
