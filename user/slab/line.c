// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * line.c - which objects of a slab a thread may take, so that no two threads share a cache line
 *
 * Layer:   seam, cold half; below slab.c.
 * Context: plain threads; the lock of a shelf is held.
 *
 * While one thread takes all objects of a slab, it takes the lowest free ones.  After a second
 * thread came, each takes only objects on whose lines nothing is in use, except that a thread may
 * continue behind its last object if no other thread has taken objects since:
 *
 *	lines    |0       |1       |2       |3       |4       |    4 objects each
 *	A: 2     |AA      |        |        |        |        |
 *	B: 2     |AA      |BB      |        |        |        |
 *	B: 3     |AA      |BBBB    |B       |        |        |
 *	A: 1     |AA      |BBBB    |B       |A       |        |
 *
 * When no whole line is free, any thread takes the objects that are left: slab.c.  Objects that
 * threads have freed, or given each other, share lines as it happens.
 *
 * Lines are compared by bits, because the objects of one bit and the next lie side by side, and bit
 * 0 and each second or fourth of small objects begin at a line: first.c.
 */
#include "main.h"
#include "slab.h"

#define EACH_2ND	(~0ul / 3)
#define EACH_4TH	(~0ul / 15)

/*
 * Return the bits of a word whose objects share lines with free objects only.  @own: this many of
 * its lowest bits count as free; -1: the thread did not stop in this word.
 */
static unsigned long on_free_lines(const struct slab *slab, unsigned int stride, unsigned int word,
				   int own)
{
	unsigned long bits = slab->free[word], below, above;

	if (own > 0)
		bits |= ~(~0ul << own);
	if (!(stride % SLAB_ALIGN))
		return bits;
	if (stride == SLAB_ALIGN / 4) {
		bits &= bits >> 1;
		return (bits & (bits >> 2) & EACH_4TH) * 15;
	}
	if (stride == SLAB_ALIGN / 2)
		return (bits & (bits >> 1) & EACH_2ND) * 3;
	below = !word || own >= 0 || slab->free[word - 1] >> (SLAB_BITS - 1);
	above = word + 1 < SLAB_WORDS ? slab->free[word + 1] << (SLAB_BITS - 1) : 0;
	return bits & (bits << 1 | below) & (bits >> 1 | above);
}

/* Return the free objects that follow the one which the thread took last, in the same word. */
static unsigned long after_last(const struct slab *slab, unsigned int stride, unsigned int *word)
{
	int own = slab->at % SLAB_BITS;

	*word = slab->at / SLAB_BITS;
	if (slab->at >= slab->objs)
		return 0;
	return on_free_lines(slab, stride, *word, own) & slab->free[*word] & ~0ul << own;
}

/* Return the free objects of the first word that has some, from the hint on. */
static unsigned long from_hint(struct slab *slab, unsigned int stride, unsigned int *word)
{
	unsigned int end = (slab->objs + SLAB_BITS - 1) / SLAB_BITS, i;
	unsigned long bits = 0;

	for (i = slab->hint; !bits && i < end; i++)
		bits = slab->lines == LINES_KEPT ? on_free_lines(slab, stride, i, -1) :
						   slab->free[i];
	*word = i - 1;
	slab->hint = (unsigned short)(i - !!bits);
	return bits;
}

/*
 * Choose objects of a slab with room, of one word, for the thread of an area, which must take the
 * lowest first.  0: each would share a line with an object of another thread.
 */
unsigned long pool_slab_choose(struct slab *slab, unsigned int stride,
			       const struct plat_area *taker, unsigned int *word)
{
	bool same = taker && taker == slab->taker;
	unsigned long bits = 0;

	if (!slab->used)
		slab->lines = LINES_OF_ONE;
	else if (!same && slab->lines == LINES_OF_ONE)
		slab->lines = LINES_KEPT;
	slab->taker = taker;
	if (same && slab->lines == LINES_KEPT)
		bits = after_last(slab, stride, word);
	return bits ? bits : from_hint(slab, stride, word);
}

/* Let threads share lines of a slab in which no line is free. */
void pool_slab_share(struct slab *slab)
{
	slab->lines = LINES_SHARED;
	slab->hint = 0;
}
