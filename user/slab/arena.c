// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * arena.c - empty slabs, and the memory behind them
 *
 * Layer:   seam, cold half; below slab.c.
 * Context: plain threads; locks of shelves may be held, except in
 *	    pool_arena_put() and pool_arena_trim(), which release memory.
 *
 * Slabs of a chunk are made accessible in steps, from the lowest on.  A step is a fixed fraction of
 * the arena's size, so that a large arena needs few system calls and gets whole huge pages, while a
 * small one commits little memory on systems that do not overcommit.
 *
 * Any class may use an empty slab next.  Some empty slabs keep their memory, and the newest of
 * these is used first.  The memory of the other empty slabs was released.  They keep their
 * addresses until a trim finds that all slabs of the chunk are empty.
 *
 * On machines with several nodes each chunk belongs to one node, because the system takes a page
 * from the node of the thread that touches it first, and all slabs of a chunk are in one huge page.
 * Chunks are not bound by mbind(), which would override a policy that the user chose.
 */
#include "main.h"
#include "slab.h"

#include <pthread.h>

/* Chunks after the first two of a node ask for huge pages. */
#define HUGE_FROM	2

/* The arena grows by a quarter of its slabs at once. */
#define GROW_DIVISOR	4

/* The memory of at most this many slabs is released at once. */
#define BATCH		16

/* The most slabs of a list that are searched for others of the same chunk. */
#define NEAR		64u

/*
 * Arena mutex: protects all that follows.  Lock order: last, after the lock of a shelf.  Held while
 * the arena grows, but not while memory is returned to the system.
 */
static pthread_mutex_t arena_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct pool_list chunks = { &chunks, &chunks };
static size_t chunk_count;
static size_t ready;			/* accessible slabs */
static size_t used;			/* slabs in use; read without the mutex, too */
static size_t kept_count;		/* kept slabs of all nodes; read without the mutex, too */
/* Number of chunks from which on a new one asks for a huge page again, after none came. */
static size_t huge_from;

/* The empty slabs of a node, and the chunk that has slabs which were never used. */
struct home {
	struct pool_list kept;		/* newest first */
	struct pool_list bare;		/* without memory */
	struct slab_chunk *carving;
	size_t kept_count;
};

#define EMPTY(list)	{ &(list), &(list) }
#define HOME(home)	{ .kept = EMPTY((home).kept), .bare = EMPTY((home).bare) }

static struct home homes[SLAB_NODES] = {
	HOME(homes[0]), HOME(homes[1]), HOME(homes[2]), HOME(homes[3]),
};

static struct home *home_of(const struct slab *slab)
{
	return &homes[slab->chunk->node];
}

void pool_arena_fork_hold(void)
{
	pthread_mutex_lock(&arena_mutex);
}

void pool_arena_fork_release(void)
{
	pthread_mutex_unlock(&arena_mutex);
}

/* True if a new chunk asks for a huge page. */
static bool asks_for_huge(void)
{
	return chunk_count >= HUGE_FROM * pool_start.nodes && chunk_count >= huge_from;
}

static struct slab_chunk *add_chunk(struct home *home, bool huge)
{
	struct slab_chunk *chunk = pool_chunk_get();

	if (chunk) {
		plat_write(&chunk->node, (unsigned int)(home - homes));
		pool_list_add(&chunk->list, &chunks);
		if (huge && asks_for_huge() && pool_huge_ask(chunk))
			ready += chunk->ready;
		chunk_count++;
	}
	home->carving = chunk;
	return chunk;
}

/* Make @n more slabs of a chunk accessible, or as many as the chunk has. */
static bool open_more(struct slab_chunk *chunk, size_t n)
{
	size_t left = CHUNK_SLABS - chunk->ready;

	if (n > left)
		n = left;
	if (!pool_chunk_open(chunk, chunk->ready + (unsigned int)n))
		return false;
	ready += n;
	return true;
}

/* True if a chunk has an accessible slab that was never used, or can get one. */
static bool can_carve(struct slab_chunk *chunk)
{
	size_t step = ready / GROW_DIVISOR ? ready / GROW_DIVISOR : 1;

	if (chunk->carved == CHUNK_SLABS)
		return false;
	return chunk->carved < chunk->ready || open_more(chunk, step) ||
	       open_more(chunk, 1);
}

/*
 * Take a slab of a node that was never used; @grow: map a new chunk if necessary, which may ask for
 * a huge page if @huge.
 */
static struct slab *carve(struct home *home, bool grow, bool huge)
{
	struct slab_chunk *chunk = home->carving;

	if (grow && (!chunk || chunk->carved == CHUNK_SLABS))
		chunk = add_chunk(home, huge);
	return chunk && can_carve(chunk) ? &chunk->slab[chunk->carved++] : NULL;
}

static struct slab *slab_at(struct pool_list *node)
{
	return pool_list_entry(node, struct slab, list);
}

static struct slab *take_first(struct pool_list *list)
{
	struct slab *slab = slab_at(list->next);

	pool_list_del(&slab->list);
	return slab;
}

/* Take an empty slab of a node; NULL: there is none.  @bare: set to false if it has memory. */
static struct slab *take_empty(struct home *home, bool *bare)
{
	struct slab *slab;

	*bare = pool_list_empty(&home->kept);
	if (!*bare) {
		home->kept_count--;
		plat_write(&kept_count, kept_count - 1);
		return take_first(&home->kept);
	}
	if (pool_list_empty(&home->bare))
		return NULL;
	slab = take_first(&home->bare);
	slab->chunk->bare--;
	return slab;
}

/* Take a slab of another node than @node, because the system refused a new chunk. */
static struct slab *take_far(unsigned int node, bool *bare)
{
	struct slab *slab = NULL;
	unsigned int i;

	for (i = 1; !slab && i < SLAB_NODES; i++)
		slab = take_empty(&homes[node ^ i], bare);
	for (i = 1; !slab && i < SLAB_NODES; i++)
		slab = carve(&homes[node ^ i], false, false);
	return slab;
}

/*
 * Get an empty slab of a node, or of another node if the arena cannot grow; NULL: there is none.
 * @huge: a new chunk may ask for a huge page.  @bare: set to true if the slab has no memory yet.
 */
struct slab *pool_arena_get(unsigned int node, bool huge, bool *bare)
{
	struct slab *slab;

	pthread_mutex_lock(&arena_mutex);
	slab = take_empty(&homes[node], bare);
	if (!slab)
		slab = carve(&homes[node], true, huge);
	if (!slab)
		slab = take_far(node, bare);
	plat_write(&used, used + !!slab);
	pthread_mutex_unlock(&arena_mutex);
	return slab;
}

/* Return the node with the most kept slabs. */
static struct home *fullest(void)
{
	struct home *most = homes;
	unsigned int i;

	for (i = 1; i < SLAB_NODES; i++)
		if (homes[i].kept_count > most->kept_count)
			most = &homes[i];
	return most;
}

/* Move the oldest kept slabs to @to until @keep are left.  Arena mutex held. */
static void take_oldest(struct pool_list *to, size_t keep)
{
	while (kept_count > keep) {
		struct home *home = fullest();
		struct pool_list *node = home->kept.prev;

		pool_list_del(node);
		pool_list_add(node, to);
		home->kept_count--;
		plat_write(&kept_count, kept_count - 1);
	}
}

/* Release the memory of the first slab of @list, and of near slabs of the same chunk. */
static void discard_chunk(struct pool_list *list, struct pool_list *done)
{
	struct slab_chunk *chunk = slab_at(list->next)->chunk;
	struct pool_list *node, *next;
	unsigned int i = 0, idle = 0;
	unsigned long long blocks = 0;

	for (node = list->next; node != list && i++ < NEAR; node = next) {
		struct slab *slab = slab_at(node);

		next = node->next;
		if (slab->chunk != chunk)
			continue;
		blocks |= 1ull << (slab - chunk->slab);
		idle += (unsigned int)__builtin_popcount(slab->idle);
		slab->idle = 0;
		pool_list_del(node);
		pool_list_add(node, done);
	}
	pool_page_discard(chunk, chunk->base, blocks, SLAB_BYTES, idle);
}

/* Release the memory of the slabs of @list. */
static void discard(struct pool_list *list)
{
	struct pool_list done;

	if (pool_list_empty(list))
		return;
	pool_list_init(&done);
	while (!pool_list_empty(list))
		discard_chunk(list, &done);
	pthread_mutex_lock(&arena_mutex);
	while (!pool_list_empty(&done)) {
		struct slab *slab = take_first(&done);

		pool_list_add(&slab->list, &home_of(slab)->bare);
		slab->chunk->bare++;
	}
	pthread_mutex_unlock(&arena_mutex);
}

/* Keep an empty slab that has memory.  Arena mutex held. */
static void keep(struct slab *slab)
{
	pool_list_add(&slab->list, &home_of(slab)->kept);
	home_of(slab)->kept_count++;
	plat_write(&kept_count, kept_count + 1);
}

/* Return an empty slab, which has no class any more, to the arena. */
void pool_arena_put(struct slab *slab)
{
	pthread_mutex_lock(&arena_mutex);
	keep(slab);
	plat_write(&used, used - 1);
	pthread_mutex_unlock(&arena_mutex);
}

/* List the never used slabs of a chunk as empty with memory, the first one as the newest. */
static void keep_rest(struct slab_chunk *chunk)
{
	unsigned int n = CHUNK_SLABS, each = SLAB_BYTES / pool_start.page;
	long pages = 0;

	while (n-- > chunk->carved) {
		struct slab *slab = &chunk->slab[n];

		slab->idle = (unsigned short)(0xffffu >> (SLAB_PAGES - each));
		pages += each;
		keep(slab);
	}
	chunk->carved = CHUNK_SLABS;
	pool_page_count(0, pages);
}

/*
 * Populate a slab that has no memory, and keep the rest of its chunk if a huge page came.  If none
 * came, no chunk asks for one before the arena has doubled, because the system may search for long.
 */
void pool_arena_populate(struct slab *slab)
{
	struct slab_chunk *chunk = slab->chunk;
	bool asked = plat_read(&chunk->huge);

	pool_map_populate(pool_arena_at(slab), SLAB_BYTES);
	if (!asked)
		return;
	asked = pool_huge_look(chunk);
	pthread_mutex_lock(&arena_mutex);
	if (asked)
		keep_rest(chunk);
	else
		huge_from = 2 * chunk_count;
	pthread_mutex_unlock(&arena_mutex);
}

/* Release the memory of the oldest empty slabs; false: none has memory. */
bool pool_arena_give(void)
{
	struct pool_list list;
	bool some;

	if (!plat_read(&kept_count))
		return false;
	pool_list_init(&list);
	pthread_mutex_lock(&arena_mutex);
	take_oldest(&list, kept_count > BATCH ? kept_count - BATCH : 0);
	pthread_mutex_unlock(&arena_mutex);
	some = !pool_list_empty(&list);
	discard(&list);
	return some;
}

/* Remove a chunk from the arena and from the map of addresses.  Arena mutex held. */
static void take_chunk(struct slab_chunk *chunk)
{
	unsigned int i;

	for (i = 0; i < chunk->carved; i++)
		pool_list_del(&chunk->slab[i].list);
	pool_list_del(&chunk->list);
	chunk_count--;
	ready -= chunk->ready;
	if (chunk == homes[chunk->node].carving)
		homes[chunk->node].carving = NULL;
	pool_chunk_hide(chunk);
}

/* Rotate the list of chunks; remove and return its first if all slabs are bare, else NULL. */
static struct slab_chunk *next_bare(void)
{
	struct slab_chunk *chunk = NULL;
	struct pool_list *node;

	pthread_mutex_lock(&arena_mutex);
	node = chunks.next;
	if (node != &chunks) {
		chunk = pool_list_entry(node, struct slab_chunk, list);
		pool_list_del(node);
		pool_list_add_last(node, &chunks);
		if (chunk->bare == chunk->carved)
			take_chunk(chunk);
		else
			chunk = NULL;
	}
	pthread_mutex_unlock(&arena_mutex);
	return chunk;
}

/* Unmap the next chunk if all of its slabs are bare. */
static void trim_chunk(void)
{
	struct slab_chunk *chunk = next_bare();

	if (!chunk)
		return;
	pool_chunk_unmap(chunk);
	pthread_mutex_lock(&arena_mutex);
	pool_chunk_put(chunk);
	pthread_mutex_unlock(&arena_mutex);
}

/* Release the memory of all empty slabs, and unmap empty chunks. */
void pool_arena_trim(void)
{
	struct pool_list list;
	size_t left;

	pool_list_init(&list);
	pthread_mutex_lock(&arena_mutex);
	take_oldest(&list, 0);
	left = chunk_count;
	pthread_mutex_unlock(&arena_mutex);
	discard(&list);
	while (left--)
		trim_chunk();
}

/* Call @fn for each slab that was ever used.  Arena mutex held. */
void pool_arena_each(void (*fn)(struct slab *slab))
{
	struct pool_list *node;
	unsigned int i;

	for (node = chunks.next; node != &chunks; node = node->next) {
		struct slab_chunk *chunk;

		chunk = pool_list_entry(node, struct slab_chunk, list);
		for (i = 0; i < chunk->carved; i++)
			fn(&chunk->slab[i]);
	}
}

unsigned char *pool_arena_at(const struct slab *slab)
{
	return slab->chunk->base +
	       ((size_t)(slab - slab->chunk->slab) << SLAB_SHIFT);
}

void pool_arena_size(struct arena_size *size)
{
	pthread_mutex_lock(&arena_mutex);
	*size = (struct arena_size){
		.reserved = chunk_count * CHUNK_SLABS,
		.ready = ready, .used = used, .kept = kept_count,
	};
	pthread_mutex_unlock(&arena_mutex);
}
