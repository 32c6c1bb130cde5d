// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * peer_layout.c - the documented layout: calls that do not hit
 *
 * Layer:   the peer "layout".
 * Context: plain threads.
 *
 * The head of a shared list is its lock: its holder leaves BUSY there and
 * stores the new head.
 */
#include "peer.h"

#include <sched.h>

#define CLUSTER		8

/* The value of a shared list's head while a thread changes the list. */
#define BUSY		((struct layout_shared *)1)

/* Readings of a busy head before this thread yields, as the holder may need this processor. */
#define SPINS		1000

__thread struct layout_thread layout_thread;
struct layout_pool layout_pool[PEER_POOLS];
unsigned long layout_bound = 524288;

static void link_to_itself(struct layout_link *head)
{
	head->next = head;
	head->prev = head;
}

void layout_thread_start(void)
{
	struct layout_thread *t = &layout_thread;
	unsigned int i;

	link_to_itself(&t->lru);
	for (i = 0; i < PEER_POOLS; i++) {
		link_to_itself(&t->cache[i].list);
		t->cache[i].pool = &layout_pool[i];
	}
}

static struct layout_shared *take_head(struct layout_pool *pool)
{
	struct layout_shared *head;
	unsigned int spins = 0;

	while ((head = __atomic_exchange_n(&pool->free_list, BUSY,
					   __ATOMIC_ACQUIRE)) == BUSY) {
		while (__atomic_load_n(&pool->free_list, __ATOMIC_RELAXED) ==
		       BUSY) {
			if (++spins % SPINS == 0)
				sched_yield();
			else
				__builtin_ia32_pause();
		}
	}
	return head;
}

static void store_head(struct layout_pool *pool, struct layout_shared *head)
{
	__atomic_store_n(&pool->free_list, head, __ATOMIC_RELEASE);
}

static struct layout_shared *get_cluster(struct layout_pool *pool)
{
	struct layout_shared *head;

	if (!__atomic_load_n(&pool->free_list, __ATOMIC_RELAXED))
		return NULL;
	head = take_head(pool);
	store_head(pool, head ? head->next : NULL);
	return head;
}

static void put_cluster(struct layout_pool *pool, struct layout_shared *first)
{
	first->next = take_head(pool);
	store_head(pool, first);
}

/* Move all of a cluster to the cache, then take one from there. */
void *layout_refill(struct layout_cache *cache)
{
	struct layout_shared *item = get_cluster(cache->pool);
	struct layout_link *link;

	if (!item)
		return malloc(cache->pool->size);
	while (item) {
		struct layout_shared *down = item->down;

		layout_cached(cache, item);
		item = down;
	}
	link = cache->list.next;
	layout_uncached(cache, (struct layout_item *)(void *)link);
	return link;
}

/* Evict the oldest objects of a pool, a cluster of them at most. */
static void evict_last(struct layout_cache *cache)
{
	struct layout_shared *first = NULL;
	unsigned int i;

	for (i = 0; i < CLUSTER && cache->count; i++) {
		struct layout_link *link = cache->list.prev;
		struct layout_shared *shared = (void *)link;

		layout_uncached(cache, (struct layout_item *)(void *)link);
		shared->down = first;
		shared->next = NULL;
		first = shared;
	}
	if (first)
		put_cluster(cache->pool, first);
}

/* Return the pool of the oldest object of all; it is the oldest of its pool, too. */
static struct layout_cache *oldest(void)
{
	struct layout_link *link = layout_thread.lru.prev;
	struct layout_item *item = (void *)((char *)link -
				   offsetof(struct layout_item, by_lru));

	return (void *)((char *)item->by_pool.next -
			offsetof(struct layout_cache, list));
}

void layout_shrink(struct layout_cache *cache)
{
	struct layout_thread *t = &layout_thread;

	while (t->bytes > layout_bound / 4 * 3 &&
	       cache->count >= CLUSTER + 16 + t->count / 8)
		evict_last(cache);
	if (t->bytes <= layout_bound)
		return;
	while (t->count && t->bytes > layout_bound / 8 * 7)
		evict_last(oldest());
}

void layout_thread_end(void)
{
	unsigned int i;

	for (i = 0; i < PEER_POOLS; i++)
		while (layout_thread.cache[i].count)
			evict_last(&layout_thread.cache[i]);
}

bool layout_create(unsigned int *pool, size_t size)
{
	unsigned int i;

	for (i = 0; i < PEER_POOLS && layout_pool[i].used; i++)
		;
	if (i == PEER_POOLS)
		return false;
	if (size < sizeof(struct layout_item))
		size = sizeof(struct layout_item);
	layout_pool[i].used = true;
	layout_pool[i].size = size;
	*pool = i;
	return true;
}

void layout_destroy(unsigned int pool)
{
	struct layout_cache *cache = &layout_thread.cache[pool];
	struct layout_shared *cluster;

	while (cache->count)
		evict_last(cache);
	while ((cluster = get_cluster(cache->pool))) {
		while (cluster) {
			struct layout_shared *down = cluster->down;

			free(cluster);
			cluster = down;
		}
	}
	layout_pool[pool].used = false;
}
