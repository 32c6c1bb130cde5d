// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * registry.c - the list of pools, and of the creations they serve
 *
 * Layer:   above the four.
 * Context: process context; may sleep.
 *
 * The registry mutex guards the list.  A walk holds no lock between two pools: it pins the pool it
 * is at, and a destruction waits until no walk pins the pool.  A pool whose last registration was
 * given back stays listed until then, but no new creation gets it.
 */
#include "plat.h"

/* Registry mutex.  In order of creation, which is that of ids, oldest first. */
static struct pool_list pools = { &pools, &pools };

static struct pool *of_registry(struct pool_list *node)
{
	return pool_list_entry(node, struct pool, by_registry);
}

/* Registry mutex.  Pools of about a size: 1 byte, or a 32nd to a 64th of it. */
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

/* List a pool by its size, again where that has changed.  Registry mutex held. */
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

/* pool_registry_add() without the lock.  Registry mutex held. */
void pool_registry_list(struct pool *pool)
{
	pool_list_add_last(&pool->by_registry, &pools);
	pool_registry_resize(pool);
}

/* List a pool; the creation lock makes ids ascend along the list. */
void pool_registry_add(struct pool *pool)
{
	plat_mutex_lock(PLAT_REGISTRY);
	pool_registry_list(pool);
	plat_mutex_unlock(PLAT_REGISTRY);
}

/* The pool after @prev; with NULL the first.  NULL: there is none.  Registry mutex held. */
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
 * The same over pools for which @is is true; NULL: over all.  Each 256th of the others is returned,
 * too, so that the mutex is held for a bounded time.
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

/* Does NAME~ID mean this pool? */
static bool is_exactly(const struct pool *pool, const char *name, size_t len)
{
	char exact[POOL_EXACT_LEN + 1];

	pool_show_exact(exact, pool->shown, pool->id);
	return pool_spells(name, len, exact);
}

/*
 * Walk over the pools of a name, as pool_registry_next() does over all.  @name, of @len bytes, is
 * what they are called, as it is or as it is shown; NAME~ID: one of these; "all": all pools.
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
	plat_write(&pool->left, pool->left + reg->left);
	plat_write(&pool->users, pool->users + 1);
}

/* Remove a registration.  Registry mutex held. */
void pool_reg_unlink(struct pool *pool, struct pool_reg *reg)
{
	pool_list_del(&reg->list);
	plat_write(&pool->left, pool->left - reg->left);
	plat_write(&pool->users, pool->users - 1);
}

/* The oldest registration whose declaration is not elsewhere; NULL: none.  Registry mutex held. */
struct pool_reg *pool_reg_oldest(struct pool *pool)
{
	struct pool_list *node = pool->regs.prev;

	while (node != &pool->regs && pool_reg_of(node)->left)
		node = node->prev;
	return node == &pool->regs ? NULL : pool_reg_of(node);
}

/*
 * Move a registration to @gone, to be freed outside.  Registry mutex held.  The
 * pool keeps its flags: pool_destroy() does not say which of its caller's registrations
 * it means, so one with MEM_F_EXACT may still exist.
 */
static void drop(struct pool *pool, struct pool_reg *reg,
		 struct pool_list *gone)
{
	pool_reg_unlink(pool, reg);
	pool_list_add(&reg->list, gone);
}

/* Free registrations of a list that is no pool's. */
void pool_regs_free(struct pool_list *gone)
{
	while (!pool_list_empty(gone)) {
		struct pool_list *node = gone->next;

		pool_list_del(node);
		plat_mem_free(pool_reg_of(node));
	}
}

/* The owner of registrations whose own owner is gone.  Its address is unique. */
static const char nobody;

/* How well does a registration fit what @owner gives back?  0: it is another owner's. */
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
 * Give one registration back, of a pool with at least one: that of @decl.  If @decl is NULL, it
 * is one of @owner: the newest that was not declared, or, where there are only declared ones, the
 * newest.  If @owner has none, one whose owner is gone is chosen in the same way.  If @owner is
 * NULL and has none, one of any owner is.
 *
 * @seen: how many registrations there had ever been when the caller saw the pool unused; 0: it
 * did not.  The last one is given back only if there was none since, because its user may be gone
 * again, and have left work behind.  @seen is set to how many there have been by now.
 *
 * Returns POOL_DROPPED, also when there is no such registration.  POOL_ENDS: it was the last one,
 * and the pool belongs to the caller, which must end it.  POOL_KEPT: it is the last one.
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
 * Find the pool of the lowest id, @id or more, that a declaration is registered with; NULL: none.
 * The pool stays until this registration is given back.  pool_destroy_all(), or one pool_destroy()
 * too many, may have given it back and ended the pool.  So code that declares looks here.
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

/* Has a pool a registration that pool_destroy_of() may give back for an owner? */
bool pool_registry_may_drop(struct pool *pool, const void *owner)
{
	bool may;

	plat_mutex_lock(PLAT_REGISTRY);
	may = to_drop(pool, NULL, owner);
	plat_mutex_unlock(PLAT_REGISTRY);
	return may;
}

/* Forget a declaration of one pool.  Registry mutex held. */
static void forget(struct pool *pool, const struct pool_decl *decl)
{
	struct pool_list *node;

	for (node = pool->regs.next; node != &pool->regs; node = node->next)
		if (pool_reg_of(node)->decl == decl)
			pool_reg_of(node)->decl = NULL;
}

/* Forget a declaration that goes away.  Its remaining registrations belong to no declaration. */
void pool_registry_forget(const struct pool_decl *decl)
{
	struct pool_list *node;

	plat_mutex_lock(PLAT_REGISTRY);
	for (node = pools.next; node != &pools; node = node->next)
		forget(of_registry(node), decl);
	plat_mutex_unlock(PLAT_REGISTRY);
}

/* Does a call mean this registration of this pool?  Registry mutex held. */
static bool is_meant(const struct pool *pool, const struct pool_reg *reg,
		     const void *owner, enum pool_whose whose)
{
	if (whose == POOL_ANYBODYS)
		return true;
	return reg->owner == owner &&
	       (whose == POOL_OWNED || pool->ctor || pool->dtor);
}

/* Drop what a call means of a pool; true: none is left.  Registry mutex held. */
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
 * Give back all registrations of an owner that @whose means, or those of all owners.  Returns a
 * pool that lost its last one.  It belongs to the caller, which must end it and call again.
 * NULL: there are no more.
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

/* Returns how many registrations of @owner there were.  Registry mutex held. */
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
 * Take all registrations away from their owner.  Afterwards a later owner at the same address
 * does not have them.  Returns how many there were.
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
 * Registry mutex: walks whose user's function may fork, or never return.  The child of
 * a fork keeps the pins of its only thread, see user/fork.c.
 */
struct pool_list pool_visits = { &pool_visits, &pool_visits };

/*
 * Is a walk that calls a user's function at this pool?  @thread: only a walk of this
 * thread counts; NULL: one of any thread.  Registry mutex held.
 */
bool pool_registry_visited(const struct pool *pool, const void *thread)
{
	struct pool_list *node;

	for (node = pool_visits.next; node != &pool_visits; node = node->next) {
		struct pool_visit *visit;

		visit = pool_list_entry(node, struct pool_visit, list);
		if (visit->at == pool && (!thread || visit->thread == thread))
			return true;
	}
	return false;
}

static bool visit_next(struct pool_visit *visit)
{
	struct pool *next;

	plat_mutex_lock(PLAT_REGISTRY);
	next = pool_registry_after(visit->at);
	if (next)
		next->pins++;
	if (visit->at)
		visit->at->pins--;
	visit->at = next;
	plat_mutex_unlock(PLAT_REGISTRY);
	plat_resched();
	return next;
}

static void visit_begin(struct pool_visit *visit)
{
	plat_mutex_lock(PLAT_REGISTRY);
	pool_list_add(&visit->list, &pool_visits);
	plat_mutex_unlock(PLAT_REGISTRY);
}

static void visit_end(struct pool_visit *visit)
{
	plat_mutex_lock(PLAT_REGISTRY);
	if (visit->at)
		visit->at->pins--;
	pool_list_del(&visit->list);
	plat_mutex_unlock(PLAT_REGISTRY);
}

void pool_for_each(void (*fn)(struct pool_head *pool, void *arg), void *arg)
{
	struct pool_visit visit POOL_AT_END(visit_end) = {
		.thread = plat_thread(),
	};

	visit_begin(&visit);
	while (visit_next(&visit))
		fn(&visit.at->head, arg);
}

/*
 * Take a pool without registrations off the lists.  Waits for walks that are at the pool.
 * Returns whether it was the last pool.
 */
bool pool_registry_remove(struct pool *pool)
{
	bool last;

	plat_mutex_lock(PLAT_REGISTRY);
	while (pool->pins)
		plat_registry_wait();
	pool_list_del(&pool->by_registry);
	pool_list_unlink(&pool->by_size);
	pool_list_del(&pool->by_dump);
	last = pool_list_empty(&pools);
	plat_mutex_unlock(PLAT_REGISTRY);
	return last;
}
