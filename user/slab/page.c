// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * page.c - how many pages have objects, and how many have memory for nothing
 *
 * Layer:   seam, cold half; below slab.c and arena.c.
 * Context: plain threads; locks of shelves and the arena mutex may be held.
 *
 * A page of a slab is in use, idle or bare:
 *
 *	bare --> in use <--> idle --> bare
 *	 no memory   an object    memory, no object
 *
 * The pages of empty slabs that keep their memory are idle, too.  There may be a quarter as many
 * idle pages as pages in use, and 2 MiB more, which a program that grows and shrinks finds again.
 * A free that makes more of them gives some back: pool_slab_trim_idle(), pool_arena_give().
 */
#include "main.h"
#include "slab.h"

/* This part of the pages in use may be idle, and so many bytes. */
#define IDLE_PART	4
#define IDLE_BYTES	(2ul << 20)

/*
 * After so many refusals in a row no free gives pages back: the program has locked its memory, as
 * by mlockall().  pool_gc() goes on asking, so a success there ends it.
 */
#define REFUSALS	16

/* Each call writes them at most once. */
static struct {
	unsigned long used;
	unsigned long idle;
} __attribute__((aligned(64))) pages;

static unsigned int refusals;

/* So many pages more are in use, and idle. */
void pool_page_count(long used, long idle)
{
	if (used)
		plat_word_add(&pages.used, (unsigned long)used);
	if (idle)
		plat_word_add(&pages.idle, (unsigned long)idle);
}

unsigned long pool_page_idle(void)
{
	return plat_read(&pages.idle);
}

/*
 * Are there more idle pages than may stay?  Read unlocked: a matter of cost.  A page is counted
 * after its lock is released, so the difference may be below 0 for a moment.
 */
bool pool_page_over(void)
{
	unsigned long most = IDLE_BYTES / (pool_start.page ? pool_start.page : 4096);

	most += plat_read(&pages.used) / IDLE_PART;
	return (long)(plat_read(&pages.idle) - most) > 0 && plat_read(&refusals) < REFUSALS;
}

/* Give back parts of @bytes, as pool_map_discard() does, that have so many idle @pages. */
void pool_page_discard(unsigned char *at, unsigned long long parts, size_t bytes,
		       unsigned int idle)
{
	if (pool_map_discard(at, parts, bytes))
		plat_write(&refusals, 0u);
	else if (parts)
		plat_write(&refusals, plat_read(&refusals) + 1);
	pool_page_count(0, -(long)idle);
}
