// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * registry.c - the list of pools
 *
 * Layer:   above the four.
 * Context: process context; may sleep.
 *
 * The registry mutex protects the list.  A walk holds no lock between two pools: it pins the pool
 * that it is at, and a destruction waits until no walk pins the pool.  A pool whose last
 * registration was released stays listed until then, but new creations cannot share it.
 */
#include "seam/plat.h"

/* All pools in order of ids, and the pool that pass.c saw last, or NULL.  Registry mutex. */
static struct pool_list pools = { &pools, &pools };
struct pool *pool_pass_at;

static struct pool *of_registry(struct pool_list *node)
{
	return pool_list_entry(node, struct pool, by_registry);
}

/*
 * Lists of pools by size, up to 63 bytes one list for each size; above that the sizes of a list
 * differ by less than a 32nd.  Registry mutex.
 */
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
 * Return the pool after @prev, or the first for NULL, of those with @least to @most bytes and a few
 * others of about these sizes.  NULL: none is left.  Registry mutex held.
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
 * pool's name as stored or as shown; or NAME~ID, for one pool of that name; or "all".
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

/*
 * The walks that call functions of users, which may fork, or never return.  Registry mutex.  In the
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
