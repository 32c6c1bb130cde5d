// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * renew.c - make declared pools anew while they have not been used
 *
 * Layer:   above the four, beside merge.c.
 * Context: process context; may sleep.
 *
 * A declared pool is made before its program or module can set options.  So
 * a change of options reaches it as long as it never had an object:
 *
 *   the change asks for                   what is done
 *   other option bits, or cluster,        the pool changes in place
 *   or fewer buckets
 *   creations to split: no-merge, sizes    the first one keeps the pool, the others
 *   that are no longer rounded            go to pools that fit them
 *   pools to unite: merge, sizes that     the younger one's creations go to the
 *   are rounded; more buckets             older pool, or to a new one
 *
 * The declared variable always points to the right pool.  A pointer copied before stays
 * valid: a pool that a declaration has left is kept until the declaration ends.
 *
 * All is prepared under the creation lock: a model that the pool becomes, and new pools that are
 * not listed yet.  The change is made under the registry mutex, where the pool must still be
 * unused: the top bit of "allocated" keeps it at 0, so that no object can be made meanwhile.
 *
 * Pools are renewed in the order of their creation.  Declared pools were made in order of falling
 * size, so a pool is renewed after those that its creations may move to.
 */
#include "seam/plat.h"
#include "options/options.h"

/* How a declared pool is made anew.  Creation lock held. */
struct renewal {
	struct pool *pool;		/* pinned */
	struct pool *model;		/* what the pool becomes; NULL: it stays as it is */
	struct pool_list fresh;		/* new pools, by_registry, not listed */
	struct pool_list copies;	/* memory for copies of registrations that move away */
	struct pool_reg oldest;		/* a copy of the oldest registration */
	struct pool_options options;	/* with the new option bits */
	unsigned int was;		/* the old option bits */
	unsigned int size;		/* the new size */
	unsigned long long last;	/* id of the newest pool before the change */
	unsigned int declared;		/* registrations that may leave */
	bool resizes;			/* the change switches the rounding of sizes */
	bool unites;			/* the change may unite pools */
};

static bool is_declared(const struct pool_reg *reg)
{
	return reg->decl && !reg->vacated;
}

/* Count the registrations of declarations that may leave.  Registry mutex held. */
static unsigned int count_declared(struct pool *pool)
{
	struct pool_list *node;
	unsigned int n = 0;

	for (node = pool->regs.next; node != &pool->regs; node = node->next)
		n += is_declared(pool_reg_of(node));
	return n;
}

/*
 * True if a pool exists only for copies of pointers, because its declarations have moved to other
 * pools.  Registry mutex held.
 */
bool pool_is_vacated(struct pool *pool)
{
	return pool->users && !pool_reg_oldest(pool);
}

/*
 * Fill in the request for a pool that fits a registration, with the present options.  Renewed pools
 * have no constructor, so "arg" keeps the owner until the pool is listed.
 */
static void want_of(const struct renewal *r, struct pool_reg *reg,
		    struct pool_request *request)
{
	*request = (struct pool_request){
		.attr = {
			.size = pool_rounded(reg->size, reg->flags,
					     r->options.debug),
			.align = reg->align,
			.flags = reg->flags,
			.limit = r->pool->limit,
			.min_avail = r->pool->min_avail,
			.arg = (void *)(unsigned long)reg->owner,
		},
		.reg = reg,
		.options = r->options,
	};
	pool_copy_name(request->name, reg->name);
	request->name_sum = reg->name_sum;
}

/* True if a registration may stay with its pool after the change.  Registry mutex held. */
static bool stays(const struct renewal *r, const struct pool_reg *reg)
{
	unsigned int debug = r->options.debug;

	if (!r->model)
		return false;
	if (reg->decl == r->oldest.decl)
		return true;
	if (r->resizes &&
	    pool_rounded(reg->size, reg->flags, debug) != r->size)
		return false;
	if ((debug & POOL_D_NO_MERGE) && reg->name_sum != r->oldest.name_sum)
		return false;
	return (debug & POOL_D_MERGE_MODULES) || reg->owner == r->oldest.owner;
}

static struct pool *find_fresh(const struct renewal *r,
			       const struct pool_request *request)
{
	unsigned int debug = r->options.debug;
	struct pool_list *node;

	for (node = r->fresh.next; node != &r->fresh; node = node->next) {
		struct pool *pool = pool_list_entry(node, struct pool,
						    by_registry);

		if (pool_size_fits(pool, request) &&
		    (!(debug & POOL_D_NO_MERGE) ||
		     pool->name_sum == request->name_sum) &&
		    (debug & POOL_D_MERGE_MODULES ||
		     pool->arg == request->attr.arg))
			return pool;
	}
	return NULL;
}

/*
 * Return the pool to which a registration moves: a listed one that fits, except those that are
 * still to be renewed, else a new one.  NULL: it stays, or no pool fits yet.  Registry mutex held.
 */
static struct pool *target_of(const struct renewal *r, struct pool_reg *reg)
{
	struct pool_request request;
	struct pool *to = NULL;

	if (!is_declared(reg))
		return NULL;
	want_of(r, reg, &request);
	if (!stays(r, reg) || r->unites)
		to = pool_find_match(&request, r->pool->id, r->last);
	if (!to && !stays(r, reg))
		to = find_fresh(r, &request);
	return to;
}

/*
 * Find the first registration that must leave and that no pool fits yet.  @copy receives a copy,
 * because the registration may be released meanwhile.
 */
static bool next_homeless(const struct renewal *r, struct pool_reg *copy)
{
	struct pool_list *node;
	bool found = false;

	plat_mutex_lock(PLAT_REGISTRY);
	for (node = r->pool->regs.prev; node != &r->pool->regs && !found;
	     node = node->prev) {
		struct pool_reg *reg = pool_reg_of(node);

		found = is_declared(reg) && !stays(r, reg) && !target_of(r, reg);
		if (found)
			*copy = *reg;
	}
	plat_mutex_unlock(PLAT_REGISTRY);
	return found;
}

/* Create pools for all registrations that must leave; false: out of memory. */
static bool prepare_fresh(struct renewal *r)
{
	struct pool_request request;
	struct pool_reg reg;
	const char *why;

	while (next_homeless(r, &reg)) {
		struct pool *pool;

		want_of(r, &reg, &request);
		pool = pool_assemble(&request, &why);
		if (!pool)
			return false;
		plat_show(pool, true);
		pool_list_add_last(&pool->by_registry, &r->fresh);
	}
	return true;
}

/*
 * True if the pool cannot become its model: it has too few buckets, or its generation is the last
 * one, after which pool_object_table_begin() lasts long.
 */
static bool lacks_room(const struct pool *pool, const struct pool *model)
{
	return model->buckets > pool->buckets ||
	       pool_next_generation(pool->debug) < pool->debug;
}

/* Create the model that the pool becomes, or, if it cannot, a new pool.  False: out of memory. */
static bool prepare_model(struct renewal *r)
{
	struct pool_request request;
	const char *why;

	want_of(r, &r->oldest, &request);
	r->size = r->resizes ? request.attr.size : r->pool->head.size;
	request.attr.size = r->size;
	r->model = pool_assemble(&request, &why);
	if (r->model && lacks_room(r->pool, r->model)) {
		plat_show(r->model, true);
		pool_list_add_last(&r->model->by_registry, &r->fresh);
		r->model = NULL;
		return true;
	}
	return r->model;
}

/*
 * Point the public head at closed arrays if the pool becomes hardened, at its own arrays if it was.
 * Hits read the pointer unlocked.  The pool is unused, so all arrays are empty, and calls that read
 * the old pointer miss.
 */
static void become_hardened_or_not(struct pool *pool, const struct pool *model)
{
	__typeof__(pool->head.hot) hot = pool->own.hot;

	if (model->debug & POOL_D_HARDEN)
		hot = model->head.hot;
	if (pool->head.hot != hot)
		plat_write(&pool->head.hot, hot);
}

/*
 * Turn the pool into its model.  Registry mutex held, and POOL_RENEWING set.  The new generation is
 * that after the pool's own, since the table may have entries of the model's number.
 */
static void become(struct renewal *r)
{
	struct pool *pool = r->pool, *model = r->model;
	struct plat_backend backend = pool->backend;
	unsigned int bits;

	pool->backend = model->backend;
	model->backend = backend;
	bits = pool_next_generation(pool->debug & ~(POOL_D_GEN - 1));
	bits |= model->debug & (POOL_D_GEN - 1);
	pool_object_table_begin(pool, bits);
	plat_write(&pool->object_table.whole, model->object_table.whole);
	plat_write(&pool->debug, bits);
	become_hardened_or_not(pool, model);
	plat_write(&pool->head.size, r->size);
	pool_registry_resize(pool);
	pool->link = model->link;
	if (pool->cluster != model->cluster)
		plat_write(&pool->cluster, model->cluster);
	if (pool->buckets != model->buckets)
		plat_write(&pool->buckets, model->buckets);
	if (pool->near != model->near)
		plat_write(&pool->near, model->near);
	pool_era_ends();
}

/* Change the pool, if it is still unused; false: it is not.  Registry mutex held. */
static bool exchange(struct renewal *r)
{
	struct plat_irq irq = plat_busy_enter();
	struct pool *pool = r->pool;
	unsigned long none = 0;
	bool unused = false;

	if (plat_cmpxchg(&pool->allocated, &none, POOL_RENEWING)) {
		unused = !plat_read(&pool->store_gets);
		if (unused && r->model)
			become(r);
		plat_word_sub_release(&pool->allocated, POOL_RENEWING);
	}
	plat_busy_leave(irq);
	return unused;
}

/*
 * Move a registration to another pool.  A copy stays, which keeps the old pool for code that has
 * copied the pointer, until the declaration is released.
 */
static void move_to(struct renewal *r, struct pool_reg *reg, struct pool *to)
{
	struct pool_reg *copy = pool_reg_of(r->copies.next);

	pool_list_del(&copy->list);
	*copy = *reg;
	copy->vacated = true;
	pool_reg_add(r->pool, copy);
	pool_reg_unlink(r->pool, reg);
	if (pool_is_vacated(r->pool))
		plat_write(&r->pool->flags, r->pool->flags & ~MEM_F_SHARED);
	pool_reg_add(to, reg);
	plat_write(reg->decl->ptr, &to->head);
}

/* Move all registrations that leave the pool, oldest first.  Registry mutex held. */
static void move_all(struct renewal *r)
{
	struct pool_list *node = r->pool->regs.prev;

	while (node != &r->pool->regs) {
		struct pool_reg *reg = pool_reg_of(node);
		struct pool *to = target_of(r, reg);

		node = node->prev;
		if (to)
			move_to(r, reg, to);
	}
}

/* List the new pools that have a registration now.  Registry mutex held. */
static void list_fresh(struct renewal *r)
{
	struct pool_list *node = r->fresh.next;

	while (node != &r->fresh) {
		struct pool *pool = pool_list_entry(node, struct pool,
						    by_registry);

		node = node->next;
		if (!pool->users)
			continue;
		pool->arg = NULL;
		pool_list_del(&pool->by_registry);
		pool_registry_list(pool);
	}
}

/*
 * Make the change, unless the pool was used or switched meanwhile.  Waits a bounded time for walks
 * of other threads, because these may wait for the creation lock; not for a walk of this thread,
 * which cannot end before this call.
 */
static void commit(struct renewal *r)
{
	unsigned int tries = PLAT_LAST_TRIES;
	bool alone = false;

	while (!alone && tries--) {
		plat_mutex_lock(PLAT_REGISTRY);
		alone = r->pool->pins == 1;
		if (pool_registry_walked(r->pool, plat_thread()))
			tries = 0;
		if (alone && r->pool->debug == r->was && r->pool->users &&
		    exchange(r)) {
			move_all(r);
			list_fresh(r);
		}
		plat_mutex_unlock(PLAT_REGISTRY);
		if (!alone && tries)
			plat_pause(true);
	}
}

/* Discard new pools that were not needed, and the model, which has the pool's old backend. */
static void clean_up(struct renewal *r)
{
	while (!pool_list_empty(&r->fresh)) {
		struct pool *pool = pool_list_entry(r->fresh.next, struct pool, by_registry);

		pool_list_del(&pool->by_registry);
		plat_show(pool, false);
		pool_discard(pool);
	}
	if (r->model)
		pool_discard(r->model);
	pool_regs_free(&r->copies);
}

/* True if the change affects a pool's layout or its merging.  Registry mutex held. */
static bool is_outdated(struct renewal *r, const struct pool_change *change)
{
	unsigned int debug = r->options.debug;
	unsigned int splits = (debug & POOL_D_NO_MERGE) |
			     (~debug & POOL_D_MERGE_MODULES);

	return ((r->was ^ debug) & POOL_D_FLAGS & ~POOL_D_COMMON) ||
	       (pool_merged_apart(r->pool) & splits) ||
	       pool_change_late_keys(r->pool, change);
}

/* Begin with a pool; false: the change does not affect it.  @keeps: it has undeclared users. */
static bool begin(struct renewal *r, const struct pool_change *change,
		  bool *keeps)
{
	struct pool *pool = r->pool;
	unsigned int gone;
	bool wanted;

	plat_mutex_lock(PLAT_REGISTRY);
	pool_options_get(&r->options);
	r->was = pool->debug;
	gone = r->was & change->clear;
	/* Clear the flags that a cleared word had set, too, unless the options set them. */
	gone |= pool_bits_of(gone) & ~r->options.debug;
	r->options.debug = pool_bits_of(((r->was & POOL_D_FLAGS & ~gone) | change->set) &
					~POOL_D_COMMON) |
			   (r->options.debug & POOL_D_COMMON);
	r->resizes = !(r->was & POOL_D_EXACT) != !(r->options.debug & POOL_D_EXACT);
	r->declared = count_declared(pool);
	*keeps = r->declared < pool->users - pool->vacated;
	if (r->declared)
		r->oldest = *pool_reg_oldest(pool);
	r->unites = !*keeps &&
		    ((change->clear & POOL_D_NO_MERGE) || (change->set & POOL_D_MERGE_MODULES) ||
		     (r->was & POOL_D_EXACT && r->resizes));
	wanted = r->declared && !plat_read(&pool->store_gets) &&
		 (r->unites || is_outdated(r, change));
	plat_mutex_unlock(PLAT_REGISTRY);
	return wanted;
}

/* Make memory for a copy of each registration that may leave; false: out of memory. */
static bool prepare_copies(struct renewal *r)
{
	while (r->declared--) {
		struct pool_reg *copy = plat_mem_alloc(sizeof(*copy), PLAT_MEM_SLEEP);

		if (!copy)
			return false;
		pool_list_add(&copy->list, &r->copies);
	}
	return true;
}

static void renew(struct pool *pool, const struct pool_change *change,
		  unsigned long long last)
{
	struct renewal r = { .pool = pool, .last = last };
	bool keeps;

	pool_list_init(&r.fresh);
	pool_list_init(&r.copies);
	if (!begin(&r, change, &keeps))
		return;
	if (prepare_copies(&r) && (keeps || prepare_model(&r)) && prepare_fresh(&r))
		commit(&r);
	clean_up(&r);
}

/*
 * Apply a stored change to declared pools that were never used.  A pool stays as it is if memory is
 * short, or while walks of other threads are at it.  Creation lock held.
 */
void pool_declared_renew(const struct pool_change *change)
{
	unsigned long long last = pool_serial;
	struct pool *pool = NULL;

	if (!(change->set | change->clear | change->touched))
		return;
	while ((pool = pool_registry_next(pool)))
		if (pool->id <= last)
			renew(pool, change, last);
}
