// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * huge.c - huge pages while the arena grows
 *
 * Layer:   seam, cold half; below arena.c.
 * Context: plain threads; said per function.
 *
 * The system needs longer to give 512 pages than one huge page.  So once a program has several
 * chunks, each new chunk asks for a huge page, which the first touch of the chunk populates whole:
 *
 *	none --> asked --> came		all slabs of the chunk have memory
 *	  ^        |         |
 *	  |        +---------+--> none
 *	  |     it did not   the first pages of the chunk
 *	  |     come         are given back
 *	  +--- a new chunk
 *
 * A chunk that leaves the states "asked" and "came" forbids huge pages, because the system would
 * otherwise replace the pages that were released by a huge page again (khugepaged).
 */
#include "main.h"
#include "slab.h"

#include <errno.h>
#include <sys/mman.h>

/* True if the last page of a chunk has memory.  Its slab may not be in use yet. */
static bool end_has_memory(const struct slab_chunk *chunk)
{
	unsigned char there = 0;

	return !mincore(chunk->base + CHUNK_BYTES - pool_start.page, pool_start.page, &there) &&
	       (there & 1);
}

/*
 * Ask for a huge page for a new chunk, and make the chunk accessible.  Arena mutex held.  False:
 * the system refuses, and nothing has changed.  Systems without MADV_POPULATE_WRITE, which
 * populates the chunk, are not asked.
 */
bool pool_huge_ask(struct slab_chunk *chunk)
{
	int error = errno;
	bool asked = !plat_read(&pool_map_by_page) && pool_start.page < SLAB_BYTES &&
		     !madvise(chunk->base, CHUNK_BYTES, MADV_HUGEPAGE);

	if (asked && !pool_chunk_open(chunk, CHUNK_SLABS)) {
		madvise(chunk->base, CHUNK_BYTES, MADV_NOHUGEPAGE);
		asked = false;
	}
	if (asked)
		plat_write(&chunk->huge, HUGE_ASKED);
	errno = error;
	return asked;
}

/* Look whether a huge page came after a slab of the chunk was populated; returns the state. */
enum slab_huge pool_huge_look(struct slab_chunk *chunk)
{
	int error = errno;

	if (plat_read(&chunk->huge) == HUGE_ASKED) {
		if (end_has_memory(chunk))
			plat_write(&chunk->huge, HUGE_CAME);
		else
			pool_huge_end(chunk);
	}
	errno = error;
	return plat_read(&chunk->huge);
}

/*
 * Forbid huge pages in a chunk that asked for a huge page.  Needs no lock, because a second call
 * does no harm.
 */
void pool_huge_end(struct slab_chunk *chunk)
{
	if (plat_read(&chunk->huge) == HUGE_NONE)
		return;
	plat_write(&chunk->huge, HUGE_NONE);
	madvise(chunk->base, CHUNK_BYTES, MADV_NOHUGEPAGE);
}
