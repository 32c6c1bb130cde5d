// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * page.c - how many pages have objects, and how many have memory but no object
 *
 * Layer:   seam, cold half; below slab.c and arena.c.
 * Context: plain threads; locks of shelves and the arena mutex may be held.
 *
 * A page of a slab is in use, idle or bare:
 *
 *	bare --> in use <--> idle --> bare
 *	 no memory   an object    memory, no object
 *
 * The pages of empty slabs that keep their memory are idle, too.  Idle pages may be a quarter of
 * the pages in use plus 2 MiB, so that a program which grows and shrinks reuses them.  A free that
 * makes more pages idle releases some: pool_slab_trim_idle(), pool_arena_give().
 */
#include "main.h"
#include "slab.h"

/* A quarter of the pages in use, plus 2 MiB, may be idle. */
#define IDLE_DIVISOR	4
#define IDLE_BYTES	(2ul << 20)

/*
 * After 16 refusals in a row frees release no pages, because the program has probably locked its
 * memory by mlockall().  pool_gc() still tries, and its first success resets the count.
 */
#define REFUSALS	16

/* The counts, written at most once by each call, since all threads share their line. */
static struct {
	unsigned long used;
	unsigned long idle;
	unsigned long least;		/* fewest idle pages since pool_page_unused() */
} __attribute__((aligned(64))) pages;

static unsigned int refusals;

/* Add to the numbers of pages in use and of idle pages. */
void pool_page_count(long used, long idle)
{
	if (used)
		plat_word_add(&pages.used, (unsigned long)used);
	if (idle) {
		unsigned long now = plat_word_add(&pages.idle, (unsigned long)idle);

		if ((long)now < (long)plat_read(&pages.least))
			plat_write(&pages.least, now);
	}
}

unsigned long pool_page_idle(void)
{
	return plat_read(&pages.idle);
}

/*
 * True if more pages are idle than may stay.  Read unlocked: a wrong answer only costs time.  Pages
 * are counted after the shelf's lock is released, so "idle" may be below 0 for a moment.
 */
bool pool_page_over(void)
{
	unsigned long most = IDLE_BYTES / (pool_start.page ? pool_start.page : 4096);

	most += plat_read(&pages.used) / IDLE_DIVISOR;
	return (long)(plat_read(&pages.idle) - most) > 0 && plat_read(&refusals) < REFUSALS;
}

/*
 * Return how many pages were idle at all times since the last call; 0 while the system refuses to
 * release pages.  Callers may race, because a wrong number only costs page faults, or time until
 * pages go back.
 */
unsigned long pool_page_unused(void)
{
	long least = (long)plat_read(&pages.least);

	plat_write(&pages.least, plat_read(&pages.idle));
	return least > 0 && plat_read(&refusals) < REFUSALS ? (unsigned long)least : 0;
}

/* Release blocks of a chunk, as pool_map_discard() does, and subtract their @idle pages. */
void pool_page_discard(struct slab_chunk *chunk, unsigned char *at, unsigned long long blocks,
		       size_t bytes, unsigned int idle)
{
	pool_huge_end(chunk);
	if (pool_map_discard(at, blocks, bytes))
		plat_write(&refusals, 0u);
	else if (blocks)
		plat_write(&refusals, plat_read(&refusals) + 1);
	pool_page_count(0, -(long)idle);
}
