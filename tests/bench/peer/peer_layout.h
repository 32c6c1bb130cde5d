/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * peer_layout.h - the documented layout: both lists inside the objects
 *
 * Layer:   the peer "layout"; see peer.h.  Above malloc().
 * Context: plain threads.
 *
 * Sections 3 and 4 of the document, word for word.  Each cached object is on two doubly linked
 * lists of its thread: its pool's and that of all pools.  The thread counts bytes and objects.
 * Above three quarters of the bound a pool with too many objects evicts its oldest ones; above the
 * bound the oldest of all pools are evicted.  Evicted objects go to their pool's shared list by
 * clusters of eight.  Objects there stay: they never go back to malloc(), which favours this peer.
 */
#ifndef BENCH_PEER_LAYOUT_H
#define BENCH_PEER_LAYOUT_H

#include <stdlib.h>

struct layout_link {
	struct layout_link *next;
	struct layout_link *prev;
};

/* The contents of a cached object. */
struct layout_item {
	struct layout_link by_pool;
	struct layout_link by_lru;
};

/* The contents of an object in a shared pool. */
struct layout_shared {
	struct layout_shared *next;	/* next cluster */
	struct layout_shared *down;	/* next object of this cluster */
};

struct layout_pool {
	size_t size;
	bool used;
	char apart[128];
	struct layout_shared *free_list;
};

/* A thread's part of a pool. */
struct layout_cache {
	struct layout_link list;
	unsigned int count;
	struct layout_pool *pool;
};

struct layout_thread {
	struct layout_link lru;		/* NULLs: not set up */
	unsigned long bytes;
	unsigned int count;
	struct layout_cache cache[PEER_POOLS];
};

extern __thread struct layout_thread layout_thread;
extern struct layout_pool layout_pool[PEER_POOLS];
extern unsigned long layout_bound;

/* An index. */
typedef unsigned int peer_pool;

void layout_thread_start(void);
void layout_thread_end(void);
bool layout_create(unsigned int *pool, size_t size);
void layout_destroy(unsigned int pool);
void *layout_refill(struct layout_cache *cache);
void layout_shrink(struct layout_cache *cache);

static inline void layout_insert(struct layout_link *head,
				 struct layout_link *link)
{
	link->next = head->next;
	link->prev = head;
	head->next->prev = link;
	head->next = link;
}

static inline void layout_remove(struct layout_link *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
}

static inline void layout_cached(struct layout_cache *cache, void *obj)
{
	struct layout_item *item = obj;

	layout_insert(&cache->list, &item->by_pool);
	layout_insert(&layout_thread.lru, &item->by_lru);
	cache->count++;
	layout_thread.count++;
	layout_thread.bytes += cache->pool->size;
}

static inline void layout_uncached(struct layout_cache *cache,
				   struct layout_item *item)
{
	layout_remove(&item->by_pool);
	layout_remove(&item->by_lru);
	cache->count--;
	layout_thread.count--;
	layout_thread.bytes -= cache->pool->size;
}

static inline const char *peer_start(unsigned long bound)
{
	if (bound)
		layout_bound = bound;
	layout_thread_start();
	return NULL;
}

static inline void peer_thread_start(void)
{
	layout_thread_start();
}

static inline void peer_thread_end(void)
{
	layout_thread_end();
}

static inline bool peer_create(peer_pool *pool, size_t size, unsigned int most,
			       unsigned int threads)
{
	(void)most;
	(void)threads;
	return layout_create(pool, size);
}

static inline void peer_destroy(peer_pool pool)
{
	layout_destroy(pool);
}

static inline void *peer_get(peer_pool pool)
{
	struct layout_cache *cache = &layout_thread.cache[pool];
	struct layout_link *link = cache->list.next;

	if (__builtin_expect(link == &cache->list, 0))
		return layout_refill(cache);
	layout_uncached(cache, (struct layout_item *)(void *)link);
	return link;
}

static inline void peer_put(peer_pool pool, void *obj)
{
	struct layout_cache *cache = &layout_thread.cache[pool];

	layout_cached(cache, obj);
	if (__builtin_expect(layout_thread.bytes > layout_bound / 4 * 3, 0))
		layout_shrink(cache);
}

#include "peer_loop.h"

#endif /* BENCH_PEER_LAYOUT_H */
