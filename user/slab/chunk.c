// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * chunk.c - addresses for slabs, chunk by chunk, and the map that finds them
 *
 * Layer:   seam, cold half; below arena.c.
 * Context: plain threads, arena mutex held, but for pool_chunk_unmap();
 *	    pool_arena_slab() of slab.h reads the map without it.
 *
 * The address space of a process is limited, because RLIMIT_AS may be set at any time and
 * mlockall() counts reserved addresses, too.  So addresses are reserved in chunks of 2 MiB when
 * they are needed, and unmapped when a chunk is empty.
 *
 * The map has two levels, as page tables do:
 *
 *	address   | root index | leaf index | slab of chunk | offset |
 *
 *	root[]  -->  leaf[]  -->  struct slab_chunk { base, slab[32] }
 *
 * Leaves and descriptions of chunks are mapped apart from objects, between pages without access,
 * so that a stray write to an object does not reach them.  They are never unmapped, since the free
 * of a wrong pointer may read them at any time.
 */
#include "main.h"
#include "slab.h"

#include <sys/mman.h>
#include <unistd.h>

/* The name of leaves and descriptions in /proc/PID/maps. */
#define MAP_NAME	"libpool:slab-map"

/* Arena mutex to write; entries are read by any thread. */
struct slab_chunk **pool_chunk_root[CHUNK_ROOTS];

/* Unused descriptions, mapped ones never used, and an address for the next chunk.  Arena mutex. */
static struct pool_list spare = { &spare, &spare };
static struct slab_chunk *unused;
static unsigned int unused_left;
static unsigned long described;		/* bytes of descriptions; read without the mutex, too */
static unsigned char *next_base;

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + page_size() - 1) / page_size() * page_size();
}

/*
 * Map zeroed memory between two pages without access; NULL: refused.  @name is its name in
 * /proc/PID/maps.
 */
void *pool_map_apart(size_t bytes, const char *name)
{
	size_t page = page_size();
	unsigned char *at;

	bytes = whole_pages(bytes);
	at = pool_map(NULL, bytes + 2 * page, PROT_NONE);
	if (!at)
		return NULL;
	if (!mprotect(at + page, bytes, PROT_READ | PROT_WRITE)) {
		pool_map_name(at + page, bytes, name);
		return at + page;
	}
	munmap(at, bytes + 2 * page);
	return NULL;
}

void pool_unmap_apart(void *at, size_t bytes)
{
	size_t page = page_size();

	munmap((unsigned char *)at - page, whole_pages(bytes) + 2 * page);
}

static void describe(struct slab_chunk *chunk)
{
	unsigned int i;

	for (i = 0; i < CHUNK_SLABS; i++) {
		chunk->slab[i].chunk = chunk;
		pool_list_init(&chunk->slab[i].list);
		pool_list_init(&chunk->slab[i].idle_list);
	}
	pool_list_add(&chunk->list, &spare);
	plat_write(&described, described + sizeof(*chunk));
}

unsigned long pool_chunk_described(void)
{
	return plat_read(&described);
}

/*
 * Make sure that there is a spare description.  Several are mapped at once, but each is written to
 * only when it is needed, since most programs need only the first.
 */
static bool have_spare(void)
{
	if (!pool_list_empty(&spare))
		return true;
	if (!unused_left) {
		unused = pool_map_apart(CHUNK_DESCRIBED * sizeof(*unused), MAP_NAME);
		if (!unused)
			return false;
		unused_left = CHUNK_DESCRIBED;
	}
	unused_left--;
	describe(unused++);
	return true;
}

/* Return the map's entry for an address; NULL: beyond the map's range, or memory is short. */
static struct slab_chunk **entry_of(const unsigned char *base)
{
	uintptr_t n = (uintptr_t)base >> CHUNK_SHIFT;
	struct slab_chunk ***root;

	if (n >> CHUNK_BITS)
		return NULL;
	root = &pool_chunk_root[n >> LEAF_BITS];
	if (!*root) {
		struct slab_chunk **leaf;

		leaf = pool_map_apart(CHUNK_LEAVES * sizeof(*leaf), MAP_NAME);

		if (!leaf)
			return NULL;
		plat_write_release(root, leaf);
	}
	return &(*root)[n & (CHUNK_LEAVES - 1)];
}

static bool is_aligned(const unsigned char *at)
{
	return !((uintptr_t)at & (CHUNK_BYTES - 1));
}

/* Reserve twice as many addresses as needed, and keep those from an aligned one on. */
static unsigned char *map_aligned(void)
{
	unsigned char *at = pool_map(NULL, 2 * CHUNK_BYTES, PROT_NONE);
	size_t before, behind;

	if (!at)
		return NULL;
	before = -(uintptr_t)at & (CHUNK_BYTES - 1);
	behind = CHUNK_BYTES - before;
	if (before)
		munmap(at, before);
	munmap(at + before + CHUNK_BYTES, behind);
	return at + before;
}

/*
 * Reserve the addresses of a chunk, if possible just below the last chunk, because adjacent chunks
 * are one mapping for the system.
 */
static unsigned char *map_chunk(void)
{
	unsigned char *at = NULL;

	if (next_base)
		at = pool_map(next_base, CHUNK_BYTES, PROT_NONE);
	if (at && !is_aligned(at)) {
		munmap(at, CHUNK_BYTES);
		at = NULL;
	}
	return at ? at : map_aligned();
}

/* Enter a chunk into the map.  The release pairs with the acquire in pool_arena_slab(). */
static bool enter_map(struct slab_chunk *chunk, unsigned char *base)
{
	struct slab_chunk **entry = entry_of(base);

	if (!entry)
		return false;
	chunk->base = base;
	plat_write_release(entry, chunk);
	next_base = base - CHUNK_BYTES;
	return true;
}

/* Reserve addresses for more slabs, none of them accessible; NULL: the system refuses. */
struct slab_chunk *pool_chunk_get(void)
{
	struct slab_chunk *chunk;
	unsigned char *base;

	if (!have_spare())
		return NULL;
	base = map_chunk();
	if (!base)
		return NULL;
	pool_map_name(base, CHUNK_BYTES, "libpool:slabs");
	chunk = pool_list_entry(spare.next, struct slab_chunk, list);
	if (!enter_map(chunk, base)) {
		munmap(base, CHUNK_BYTES);
		return NULL;
	}
	pool_list_del(&chunk->list);
	return chunk;
}

/*
 * Make the first @n slabs of a chunk accessible; some may be so already.  False: the system
 * refuses, and nothing has changed.
 */
bool pool_chunk_open(struct slab_chunk *chunk, unsigned int n)
{
	if (mprotect(chunk->base, (size_t)n * SLAB_BYTES,
		     PROT_READ | PROT_WRITE))
		return false;
	chunk->ready = n;
	return true;
}

/*
 * Remove a chunk from the map.  All its slabs are empty and on no list.  The free of a wrong
 * pointer may still look for a slab here, and finds none, or a slab that is on no shelf, or a slab
 * that now has other addresses.
 */
void pool_chunk_hide(const struct slab_chunk *chunk)
{
	plat_write_release(entry_of(chunk->base), NULL);
}

/* Unmap a chunk.  May last long, so the arena mutex must not be held. */
void pool_chunk_unmap(const struct slab_chunk *chunk)
{
	munmap(chunk->base, CHUNK_BYTES);
	if (chunk->lent)
		madvise(chunk->lent, LENT_BYTES, MADV_DONTNEED);
}

/* Keep the description of an unmapped chunk for the next one.  Arena mutex held. */
void pool_chunk_put(struct slab_chunk *chunk)
{
	chunk->ready = 0;
	chunk->carved = 0;
	chunk->bare = 0;
	chunk->huge = HUGE_NONE;
	pool_list_add(&chunk->list, &spare);
}
