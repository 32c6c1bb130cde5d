// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * arena.c - the addresses that slabs are at, and the memory behind them
 *
 * Layer:   seam, cold half; below slab.c.
 * Context: plain threads; locks of shelves may be held, but for
 *	    pool_arena_put() and pool_arena_trim(), which give memory back.
 *
 * Addresses are reserved once, far more than there is memory, so that one comparison
 * says whether an object is from here.  They become accessible in steps, from the
 * lowest on, in proportion to what is there: few calls of the system, whole huge
 * pages where there is much, and little that a strict system has to account for
 * where there is little.
 *
 * An empty slab is any class's next one.  Of those some keep their memory, newest
 * first out; what is too many gives it back, and keeps its addresses.
 */
#include "slab.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Bytes that are reserved, at most and at least. */
#define RESERVE_MAX	((size_t)1 << (sizeof(size_t) > 4 ? 38 : 28))
#define RESERVE_MIN	((size_t)1 << 22)

/* The part of a limit of address space that is taken at most. */
#define RESERVE_PART	4

/* Of x86, arm64 and others; only speed depends on it. */
#define HUGE_PAGE	((size_t)1 << 21)
#define HUGE_SLABS	(HUGE_PAGE / SLAB_BYTES)

/* Part of the slabs in use by which the arena grows, and that may be kept empty. */
#define GROW_PART	4
#define KEEP_PART	4
#define KEEP_MIN	16

uintptr_t pool_arena_base;
size_t pool_arena_bytes;

/* Guards what follows.  Held while the arena grows, not while it shrinks. */
static pthread_mutex_t arena_mutex = PTHREAD_MUTEX_INITIALIZER;
static bool asked;			/* for addresses, once */
static struct slab *slabs;		/* set once, before pool_arena_bytes */
static size_t ready;			/* slabs with access */
static size_t carved;			/* slabs that ever were in use */
static size_t used;
static size_t kept_count;
static struct pool_list kept = { &kept, &kept };	/* newest first */
static struct pool_list bare = { &bare, &bare };	/* without memory */

void pool_arena_fork_hold(void)
{
	pthread_mutex_lock(&arena_mutex);
}

void pool_arena_fork_release(void)
{
	pthread_mutex_unlock(&arena_mutex);
}

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static unsigned char *map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* Addresses that begin with a huge page. */
static unsigned char *map_aligned(size_t bytes)
{
	unsigned char *at = map(bytes + HUGE_PAGE);
	size_t before, behind;

	if (!at)
		return NULL;
	before = -(uintptr_t)at & (HUGE_PAGE - 1);
	behind = HUGE_PAGE - before;
	if (before)
		munmap(at, before);
	munmap(at + before + bytes, behind);
	return at + before;
}

/* The release pairs with the acquire in pool_arena_has(). */
static bool reserve_bytes(size_t bytes)
{
	size_t about = bytes / SLAB_BYTES * sizeof(struct slab);
	unsigned char *at = map_aligned(bytes);

	if (!at)
		return false;
	slabs = (struct slab *)(void *)map(about);
	if (!slabs) {
		munmap(at, bytes);
		return false;
	}
	plat_write(&pool_arena_base, (uintptr_t)at);
	plat_write_release(&pool_arena_bytes, bytes);
	return true;
}

/* A program whose addresses are limited needs them for other things, too. */
static void reserve(void)
{
	size_t bytes = RESERVE_MAX;
	struct rlimit limit;

	asked = true;
	if (!getrlimit(RLIMIT_AS, &limit))
		while (bytes > limit.rlim_cur / RESERVE_PART)
			bytes /= 2;
	while (bytes >= RESERVE_MIN && !reserve_bytes(bytes))
		bytes /= 2;
}

/* Give access to the first @n slabs, and to what is known of them. */
static bool open_first(size_t n)
{
	size_t about = round_up(n * sizeof(struct slab),
				(size_t)sysconf(_SC_PAGESIZE));
	void *base = (void *)pool_arena_base;

	if (mprotect(slabs, about, PROT_READ | PROT_WRITE) ||
	    mprotect(base, n * SLAB_BYTES, PROT_READ | PROT_WRITE))
		return false;
	ready = n;
	return true;
}

/* False: no more, or not now. */
static bool grow(void)
{
	size_t most = pool_arena_bytes / SLAB_BYTES;
	size_t want = ready + ready / GROW_PART;

	if (!asked) {
		reserve();
		most = pool_arena_bytes / SLAB_BYTES;
	}
	if (want - ready >= HUGE_SLABS)
		want = round_up(want, HUGE_SLABS);
	if (want > most)
		want = most;
	return (want > ready && open_first(want)) ||
	       (most > ready && open_first(ready + 1));
}

/* The release pairs with the acquire in pool_arena_slab(). */
static struct slab *carve(void)
{
	if (carved == ready && !grow())
		return NULL;
	plat_write_release(&carved, carved + 1);
	return &slabs[carved - 1];
}

static struct slab *take_first(struct pool_list *list)
{
	struct pool_list *node = list->next;

	pool_list_del(node);
	return pool_list_entry(node, struct slab, list);
}

/* An empty slab, or NULL. */
struct slab *pool_arena_get(void)
{
	struct slab *slab;

	pthread_mutex_lock(&arena_mutex);
	if (!pool_list_empty(&kept)) {
		slab = take_first(&kept);
		kept_count--;
	} else if (!pool_list_empty(&bare)) {
		slab = take_first(&bare);
	} else {
		slab = carve();
	}
	used += !!slab;
	pthread_mutex_unlock(&arena_mutex);
	return slab;
}

/* Move the oldest to a list of the caller's until @keep are left.  Mutex held. */
static void take_oldest(struct pool_list *to, size_t keep)
{
	while (kept_count > keep) {
		struct pool_list *node = kept.prev;

		pool_list_del(node);
		pool_list_add(node, to);
		kept_count--;
	}
}

/* Where that fails the memory stays, and nothing else is wrong. */
static void give_back(struct pool_list *list)
{
	struct pool_list *node;

	if (pool_list_empty(list))
		return;
	pool_list_for_each(node, list)
		madvise(pool_arena_at(pool_list_entry(node, struct slab, list)),
			SLAB_BYTES, MADV_DONTNEED);
	pthread_mutex_lock(&arena_mutex);
	while (!pool_list_empty(list))
		pool_list_add(&take_first(list)->list, &bare);
	pthread_mutex_unlock(&arena_mutex);
}

/* The end of a slab's use: it is empty, and has no class. */
void pool_arena_put(struct slab *slab)
{
	struct pool_list list;

	pool_list_init(&list);
	pthread_mutex_lock(&arena_mutex);
	pool_list_add(&slab->list, &kept);
	kept_count++;
	used--;
	if (kept_count > used / KEEP_PART + KEEP_MIN)
		take_oldest(&list, kept_count / 2);
	pthread_mutex_unlock(&arena_mutex);
	give_back(&list);
}

/* Give back the memory of all empty slabs. */
void pool_arena_trim(void)
{
	struct pool_list list;

	pool_list_init(&list);
	pthread_mutex_lock(&arena_mutex);
	take_oldest(&list, 0);
	pthread_mutex_unlock(&arena_mutex);
	give_back(&list);
}

/* The slab that an address of the arena is in; NULL: it never was in use. */
struct slab *pool_arena_slab(const void *p)
{
	size_t i = ((uintptr_t)p - plat_read(&pool_arena_base)) >> SLAB_SHIFT;

	return i < plat_read_acquire(&carved) ? &slabs[i] : NULL;
}

unsigned char *pool_arena_at(const struct slab *slab)
{
	return (unsigned char *)pool_arena_base +
	       ((size_t)(slab - slabs) << SLAB_SHIFT);
}

void pool_arena_size(struct arena_size *size)
{
	pthread_mutex_lock(&arena_mutex);
	*size = (struct arena_size){
		.reserved = pool_arena_bytes / SLAB_BYTES,
		.ready = ready, .used = used, .kept = kept_count,
	};
	pthread_mutex_unlock(&arena_mutex);
}
