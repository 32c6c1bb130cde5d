// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * layout.c - what lies behind an object in memory
 *
 * Layer:   beside the four; decides how much the backend is asked for.
 * Context: any; nothing is locked.
 *
 *   +--------+-----+--------+-------------+------+
 *   | object | tag | caller | backup copy | link |
 *   +--------+-----+--------+-------------+------+
 *     size     word  2 words   size          word
 *
 * Each field exists only if its option is on.  The tag directly follows the object, aligned or not,
 * so that a write of one byte too many hits the tag; the other fields are aligned to a word.  The
 * link is used while an object is parked; objects that are not constructed use their first word
 * instead.
 */
#include "seam/plat.h"

static unsigned int words_up(unsigned int size)
{
	unsigned int word = sizeof(void *);

	return (size + word - 1) / word * word;
}

/*
 * True if a tag follows the object: with the option tag; with uaf also if other fields follow.  A
 * guarded object ends where its pages end, so that the first byte too many faults; if fields must
 * be behind it, the tag finds writes to that byte.
 */
static bool has_tag(const struct pool *pool, unsigned int debug)
{
	if (debug & POOL_D_TAG)
		return true;
	return (debug & POOL_D_UAF) &&
	       ((debug & (POOL_D_CALLER | POOL_D_BACKUP)) ||
		pool->head.constructed);
}

/*
 * Compute where the fields behind an object are.  Reads only the option bits of @pool, and whether
 * its objects are constructed.
 */
void pool_layout_of(const struct pool *pool, unsigned int size,
		    struct pool_layout *layout)
{
	unsigned int word = sizeof(void *);
	unsigned int debug = plat_read(&pool->debug);
	unsigned int end = size;

	*layout = (struct pool_layout){ 0 };
	if (has_tag(pool, debug)) {
		layout->tag = end;
		end += word;
	}
	if (debug & POOL_D_CALLER) {
		layout->caller = words_up(end);
		end = layout->caller + 2 * word;
	}
	if (debug & POOL_D_BACKUP) {
		layout->copy = words_up(end);
		end = layout->copy + size;
	}
	if (pool->head.constructed) {
		layout->link = words_up(end);
		end = layout->link + word;
	}
	layout->total = end < word ? word : end;
}
