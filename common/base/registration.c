// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * registration.c - the creations that each pool serves
 *
 * Layer:   above the four; above registry.c.
 * Context: process context; may sleep.
 *
 * The registry mutex protects the lists of all pools.
 */
#include "seam/plat.h"

/* Add a registration.  Registry mutex held, unless it is the first one of a new pool. */
void pool_reg_add(struct pool *pool, struct pool_reg *reg)
{
	pool_list_add(&reg->list, &pool->regs);
	plat_write(&pool->flags, pool->flags | reg->flags);
	pool->joins++;
	plat_write(&pool->vacated, pool->vacated + reg->vacated);
	plat_write(&pool->users, pool->users + 1);
}

/* Remove a registration.  Registry mutex held. */
void pool_reg_unlink(struct pool *pool, struct pool_reg *reg)
{
	pool_list_del(&reg->list);
	plat_write(&pool->vacated, pool->vacated - reg->vacated);
	plat_write(&pool->users, pool->users - 1);
}

/* Return the oldest registration that has not moved away; NULL: none.  Registry mutex held. */
struct pool_reg *pool_reg_oldest(struct pool *pool)
{
	struct pool_list *node = pool->regs.prev;

	while (node != &pool->regs && pool_reg_of(node)->vacated)
		node = node->prev;
	return node == &pool->regs ? NULL : pool_reg_of(node);
}

/*
 * Move a registration to @gone, to be freed without the mutex, which is held.  The pool keeps its
 * flags: pool_destroy() does not tell which of its caller's registrations ends, so a user who asked
 * for MEM_F_EXACT may still exist.
 */
static void drop(struct pool *pool, struct pool_reg *reg,
		 struct pool_list *gone)
{
	pool_reg_unlink(pool, reg);
	pool_list_add(&reg->list, gone);
}

/* Free a list of dropped registrations. */
void pool_regs_free(struct pool_list *gone)
{
	while (!pool_list_empty(gone)) {
		struct pool_list *node = gone->next;

		pool_list_del(node);
		plat_mem_free(pool_reg_of(node));
	}
}

/* The address of this stands for the owner of registrations whose owner went away. */
static const char nobody;

/* Rate how well a registration fits @owner, for to_drop(); 0: it is another owner's. */
static unsigned int fits_owner(const struct pool_reg *reg, const void *owner)
{
	if (reg->owner == owner)
		return reg->decl ? 3 : 4;
	if (owner && reg->owner != &nobody)
		return 0;
	return reg->decl ? 1 : 2;
}

/* Find the registration that pool_registry_drop() must release.  Registry mutex held. */
static struct pool_reg *to_drop(struct pool *pool, const struct pool_decl *decl,
				const void *owner)
{
	struct pool_list *node;
	struct pool_reg *best = NULL;
	unsigned int most = 0;

	for (node = pool->regs.next; node != &pool->regs; node = node->next) {
		struct pool_reg *reg = pool_reg_of(node);
		unsigned int fit = decl ? reg->decl == decl : fits_owner(reg, owner);

		if (fit > most) {
			most = fit;
			best = reg;
		}
	}
	return best;
}

/*
 * Release one registration: that of @decl, or, if @decl is NULL, one of @owner.  Chooses the newest
 * that was not declared, or, if all were declared, the newest.  If @owner has none, chooses in the
 * same way among registrations whose owner went away, and if @owner is NULL, among those of all
 * owners.
 *
 * @seen: how many registrations there had ever been when the caller saw the pool unused; 0: the
 * caller did not.  The last registration is released only if none was added since, because a user
 * that came and went since may have left objects.  Set to how many there have been by now.
 *
 * Returns POOL_DROPPED, also if there is no such registration.  POOL_ENDS: it was the last one, and
 * the caller must destroy the pool.  POOL_KEPT: it is the last one, and stays.
 */
enum pool_drop pool_registry_drop(struct pool *pool,
				  const struct pool_decl *decl,
				  const void *owner, unsigned long *seen)
{
	struct pool_list gone = { &gone, &gone };
	enum pool_drop what = POOL_DROPPED;
	struct pool_reg *reg;

	plat_mutex_lock(PLAT_REGISTRY);
	reg = to_drop(pool, decl, owner);
	if (reg && pool->users == 1)
		what = *seen == pool->joins ? POOL_ENDS : POOL_KEPT;
	*seen = pool->joins;
	if (reg && what != POOL_KEPT)
		drop(pool, reg, &gone);
	plat_mutex_unlock(PLAT_REGISTRY);
	pool_regs_free(&gone);
	return what;
}

/*
 * Find the pool of the lowest id, from @id on, with which a declaration is registered; NULL: none.
 * The registration keeps the pool.  Declaring code must search, because pool_destroy_all(), or one
 * pool_destroy() too many, may have released the registration and destroyed the pool.
 */
struct pool *pool_registry_of(const struct pool_decl *decl, unsigned long long id)
{
	struct pool *pool = NULL, *found = NULL;

	plat_mutex_lock(PLAT_REGISTRY);
	while ((pool = pool_registry_after(pool)))
		if (pool->id >= id && (!found || pool->id < found->id) &&
		    to_drop(pool, decl, NULL))
			found = pool;
	plat_mutex_unlock(PLAT_REGISTRY);
	return found;
}

/* True if a pool has a registration that pool_destroy_of() may release for an owner. */
bool pool_registry_may_drop(struct pool *pool, const void *owner)
{
	bool may;

	plat_mutex_lock(PLAT_REGISTRY);
	may = to_drop(pool, NULL, owner);
	plat_mutex_unlock(PLAT_REGISTRY);
	return may;
}

/* Clear pointers to a declaration in one pool.  Registry mutex held. */
static void forget(struct pool *pool, const struct pool_decl *decl)
{
	struct pool_list *node;

	for (node = pool->regs.next; node != &pool->regs; node = node->next)
		if (pool_reg_of(node)->decl == decl)
			pool_reg_of(node)->decl = NULL;
}

/* Clear all pointers to a declaration that is being unloaded; its registrations may stay. */
void pool_registry_forget(const struct pool_decl *decl)
{
	struct pool *pool = NULL;

	plat_mutex_lock(PLAT_REGISTRY);
	while ((pool = pool_registry_after(pool)))
		forget(pool, decl);
	plat_mutex_unlock(PLAT_REGISTRY);
}

/* True if a call for @owner and @whose releases this registration.  Registry mutex held. */
static bool is_meant(const struct pool *pool, const struct pool_reg *reg,
		     const void *owner, enum pool_whose whose)
{
	if (whose == POOL_ANYBODYS)
		return true;
	return reg->owner == owner &&
	       (whose == POOL_OWNED || pool->ctor || pool->dtor);
}

/* Drop the registrations of @owner and @whose; true: none is left.  Registry mutex held. */
static bool drop_owned(struct pool *pool, const void *owner,
		       enum pool_whose whose, struct pool_list *gone)
{
	struct pool_list *node = pool->regs.next;

	while (node != &pool->regs) {
		struct pool_reg *reg = pool_reg_of(node);

		node = node->next;
		if (is_meant(pool, reg, owner, whose))
			drop(pool, reg, gone);
	}
	return !pool->users;
}

/*
 * Release registrations of an owner, or of all owners, as @whose says.  Returns a pool that lost
 * its last registration; the caller must destroy it and call again.  NULL: all are released.
 */
struct pool *pool_registry_drop_owned(const void *owner, enum pool_whose whose)
{
	struct pool_list gone = { &gone, &gone };
	struct pool *pool = NULL;

	plat_mutex_lock(PLAT_REGISTRY);
	do
		pool = pool_registry_after(pool);
	while (pool && !(pool->users && drop_owned(pool, owner, whose, &gone)));
	plat_mutex_unlock(PLAT_REGISTRY);
	pool_regs_free(&gone);
	return pool;
}

/* Take a pool's registrations from an owner; returns their number.  Registry mutex held. */
static unsigned int disown(struct pool *pool, const void *owner)
{
	struct pool_list *node;
	unsigned int n = 0;

	for (node = pool->regs.next; node != &pool->regs; node = node->next) {
		struct pool_reg *reg = pool_reg_of(node);

		if (reg->owner != owner)
			continue;
		reg->owner = &nobody;
		reg->decl = NULL;
		n++;
	}
	return n;
}

/*
 * Take all registrations from an owner that goes away, so that a later owner at the same address
 * does not have them.  Returns their number.
 */
unsigned int pool_registry_disown(const void *owner)
{
	struct pool *pool = NULL;
	unsigned int n = 0;

	plat_mutex_lock(PLAT_REGISTRY);
	while ((pool = pool_registry_after(pool)))
		n += disown(pool, owner);
	plat_mutex_unlock(PLAT_REGISTRY);
	return n;
}
