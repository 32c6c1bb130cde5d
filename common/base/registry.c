// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * registry.c - the list of pools, and of the creations they serve
 *
 * Layer:   above the four.
 * Context: process context; may sleep.
 *
 * The registry mutex protects the list.  A walk holds no lock between two pools: it pins the pool
 * that it is at, and a destruction waits until no walk pins the pool.  A pool whose last
 * registration was released stays listed until then, but new creations cannot share it.
 */
#include "seam/plat.h"

/* Registry mutex.  In order of creation, as ids are.  pool_pass_at: pass.c saw it last; or NULL. */
static struct pool_list pools = { &pools, &pools };
struct pool *pool_pass_at;

static struct pool *of_registry(struct pool_list *node)
{
	return pool_list_entry(node, struct pool, by_registry);
}

/* Registry mutex.  Each list has pools of one size, or of sizes that differ by 1/64 to 1/32. */
static struct pool_list sizes[27 * 32 + 64];

static struct pool_list *list_of(unsigned int size)
{
	struct pool_list *head;
	unsigned int log = 0;

	while (size >> log >= 64)
		log++;
	head = &sizes[log * 32 + (size >> log)];
	if (!head->next)
		pool_list_init(head);
	return head;
}

/* List a pool by its size, or list it anew after the size changed.  Registry mutex held. */
void pool_registry_resize(struct pool *pool)
{
	if (pool->by_size.next)
		pool_list_unlink(&pool->by_size);
	pool_list_add_last(&pool->by_size, list_of(pool->head.size));
}

/*
 * Walk over the pools of @least to @most bytes, and a few others of about these sizes: the one
 * after @prev; with NULL the first.  NULL: there is none.  Registry mutex held.
 */
struct pool *pool_registry_sized(struct pool *prev, unsigned int least, unsigned int most)
{
	struct pool_list *head = list_of(prev ? prev->head.size : least);
	struct pool_list *node = prev ? prev->by_size.next : head->next;

	while (node == head && head != list_of(most)) {
		if (!(++head)->next)
			pool_list_init(head);
		node = head->next;
	}
	return node == head ? NULL : pool_list_entry(node, struct pool, by_size);
}

/* List a pool.  Registry mutex held. */
void pool_registry_list(struct pool *pool)
{
	pool_list_add_last(&pool->by_registry, &pools);
	pool_registry_resize(pool);
}

/* List a new pool.  Creation lock held, so that ids ascend along the list. */
void pool_registry_add(struct pool *pool)
{
	plat_mutex_lock(PLAT_REGISTRY);
	pool_registry_list(pool);
	plat_mutex_unlock(PLAT_REGISTRY);
}

/* Return the pool after @prev, or the first for NULL; NULL: none is left.  Registry mutex held. */
struct pool *pool_registry_after(struct pool *prev)
{
	struct pool_list *node = prev ? prev->by_registry.next : pools.next;

	return node == &pools ? NULL : of_registry(node);
}

/*
 * Walk over all pools: pin the pool after @prev, and unpin @prev; with NULL the walk starts.
 * NULL: @prev was the last one.  Between two pools other threads may run.  A caller that stops
 * earlier must pool_registry_put() the pool.
 */
struct pool *pool_registry_next(struct pool *prev)
{
	return pool_registry_next_that(prev, NULL);
}

/*
 * Walk over the pools for which @is is true, or over all for NULL.  Each 256th of the other pools
 * is returned, too, so that the mutex is held for a bounded time.
 */
struct pool *pool_registry_next_that(struct pool *prev, bool (*is)(const struct pool *pool))
{
	struct pool *pool = prev;
	unsigned int n = 256;

	plat_mutex_lock(PLAT_REGISTRY);
	do
		pool = pool_registry_after(pool);
	while (pool && is && !is(pool) && --n);
	if (pool)
		pool->pins++;
	if (prev)
		prev->pins--;
	plat_mutex_unlock(PLAT_REGISTRY);
	if (prev)
		plat_resched();
	return pool;
}

/* True if a name is NAME~ID of this pool. */
static bool is_exactly(const struct pool *pool, const char *name, size_t len)
{
	char exact[POOL_EXACT_LEN + 1];

	pool_show_exact(exact, pool->shown, pool->id);
	return pool_spells(name, len, exact);
}

/*
 * Walk over the pools of a name, as pool_registry_next() does over all.  @name, of @len bytes: a
 * pool's name as it is or as it is shown; or NAME~ID, for one of these; or "all".
 */
struct pool *pool_registry_named(struct pool *prev, const char *name, size_t len)
{
	struct pool *pool = prev;

	do {
		pool = pool_registry_next(pool);
	} while (pool && !pool_spells(name, len, "all") &&
		 !pool_spells(name, len, pool->name) &&
		 !pool_spells(name, len, pool->shown) &&
		 !is_exactly(pool, name, len));
	return pool;
}

/* Pin a pool; false: it is not listed any more.  Registry mutex held. */
bool pool_registry_pin(struct pool *pool)
{
	bool listed = !pool_list_empty(&pool->by_registry);

	pool->pins += listed;
	return listed;
}

void pool_registry_put(struct pool *pool)
{
	plat_mutex_lock(PLAT_REGISTRY);
	pool->pins--;
	plat_mutex_unlock(PLAT_REGISTRY);
}

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

/* Its address is the owner of registrations whose own owner went away. */
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

/* Find the registration that pool_registry_drop() means.  Registry mutex held. */
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
 * Release one registration: that of @decl, or, if @decl is NULL, one of @owner.  Of these it is the
 * newest that was not declared, or, if all were declared, the newest.  If @owner has none, one
 * whose owner went away is chosen in the same way, and if @owner is NULL, one of any owner.
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
	struct pool *found = NULL;
	struct pool_list *node;

	plat_mutex_lock(PLAT_REGISTRY);
	for (node = pools.next; node != &pools; node = node->next) {
		struct pool *pool = of_registry(node);

		if (pool->id >= id && (!found || pool->id < found->id) &&
		    to_drop(pool, decl, NULL))
			found = pool;
	}
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
	struct pool_list *node;

	plat_mutex_lock(PLAT_REGISTRY);
	for (node = pools.next; node != &pools; node = node->next)
		forget(of_registry(node), decl);
	plat_mutex_unlock(PLAT_REGISTRY);
}

/* True if a call means this registration.  Registry mutex held. */
static bool is_meant(const struct pool *pool, const struct pool_reg *reg,
		     const void *owner, enum pool_whose whose)
{
	if (whose == POOL_ANYBODYS)
		return true;
	return reg->owner == owner &&
	       (whose == POOL_OWNED || pool->ctor || pool->dtor);
}

/* Drop the registrations that a call means; true: none is left.  Registry mutex held. */
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
	struct pool *found = NULL;
	struct pool_list *node;

	plat_mutex_lock(PLAT_REGISTRY);
	for (node = pools.next; node != &pools && !found; node = node->next) {
		struct pool *pool = of_registry(node);

		if (pool->users && drop_owned(pool, owner, whose, &gone))
			found = pool;
	}
	plat_mutex_unlock(PLAT_REGISTRY);
	pool_regs_free(&gone);
	return found;
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
	struct pool_list *node;
	unsigned int n = 0;

	plat_mutex_lock(PLAT_REGISTRY);
	for (node = pools.next; node != &pools; node = node->next)
		n += disown(of_registry(node), owner);
	plat_mutex_unlock(PLAT_REGISTRY);
	return n;
}

/*
 * Registry mutex: the walks that call functions of users, which may fork, or never return.  In the
 * child of a fork, the walks of its thread keep their pins, and the others are dropped:
 * user/fork.c.
 */
struct pool_list pool_walks = { &pool_walks, &pool_walks };

/*
 * True if a walk that calls a function of a user is at this pool.  @thread: only walks of
 * this thread count; NULL: of any thread.  Registry mutex held.
 */
bool pool_registry_walked(const struct pool *pool, const void *thread)
{
	struct pool_list *node;

	for (node = pool_walks.next; node != &pool_walks; node = node->next) {
		struct pool_walk *walk;

		walk = pool_list_entry(node, struct pool_walk, list);
		if (walk->at == pool && (!thread || walk->thread == thread))
			return true;
	}
	return false;
}

static bool walk_next(struct pool_walk *walk)
{
	struct pool *next;

	plat_mutex_lock(PLAT_REGISTRY);
	next = pool_registry_after(walk->at);
	if (next)
		next->pins++;
	if (walk->at)
		walk->at->pins--;
	walk->at = next;
	plat_mutex_unlock(PLAT_REGISTRY);
	plat_resched();
	return next;
}

static void walk_begin(struct pool_walk *walk)
{
	plat_mutex_lock(PLAT_REGISTRY);
	pool_list_add(&walk->list, &pool_walks);
	plat_mutex_unlock(PLAT_REGISTRY);
}

static void walk_end(struct pool_walk *walk)
{
	plat_mutex_lock(PLAT_REGISTRY);
	if (walk->at)
		walk->at->pins--;
	pool_list_del(&walk->list);
	plat_mutex_unlock(PLAT_REGISTRY);
}

void pool_for_each(void (*fn)(struct pool_head *pool, void *arg), void *arg)
{
	struct pool_walk walk POOL_AT_END(walk_end) = {
		.thread = plat_thread(),
	};

	walk_begin(&walk);
	while (walk_next(&walk))
		fn(&walk.at->head, arg);
}

/*
 * Take a pool without registrations off the lists.  Waits for walks that are at it.  True: it
 * was the last pool.
 */
bool pool_registry_remove(struct pool *pool)
{
	bool last;

	plat_mutex_lock(PLAT_REGISTRY);
	while (pool->pins)
		plat_registry_wait();
	if (pool_pass_at == pool)
		pool_pass_at = NULL;
	pool_list_del(&pool->by_registry);
	pool_list_unlink(&pool->by_size);
	pool_list_del(&pool->by_dump);
	last = pool_list_empty(&pools);
	plat_mutex_unlock(PLAT_REGISTRY);
	return last;
}
