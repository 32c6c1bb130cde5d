// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * turn.c - which object of a slab comes first: of a fresh one, and for another thread
 *
 * Layer:   seam, cold half; below slab.c.
 * Context: plain threads; the lock of a shelf is held.
 *
 * The system puts chunks at random addresses.  Within a slab objects are taken from a
 * random one on.  So the place of one object does not tell where the first object of the
 * next fresh slab is.  Where the program runs without random addresses, as in a debugger
 * or by "setarch -R", the lowest object comes first, so that runs repeat.
 *
 * The numbers are cheap, one addition and a mix, and from many of them the others can be
 * computed.
 */
#include "main.h"
#include "slab.h"

#include <sys/personality.h>
#include <sys/random.h>

/* Odd, and with well mixed bits. */
#define STEP		((unsigned long)0x9e3779b97f4a7c15ull)

/* What personality() is asked, so that it only answers. */
#define ASK		0xfffffffful

/* 0: before the library's start, and in programs whose runs repeat; else odd for ever. */
static unsigned long state;

/* A system that does not answer has random addresses. */
static bool runs_repeat(void)
{
	int now = personality(ASK);

	return now != -1 && (now & ADDR_NO_RANDOMIZE);
}

/*
 * Seed the numbers, at the library's start: a program may forbid itself these system calls later.
 * Early at boot the system has no numbers yet, and then an address is better than none.
 */
void pool_slab_turn_start(void)
{
	unsigned long n = (unsigned long)&n;

	if (runs_repeat())
		return;
	if (getrandom(&n, sizeof(n), GRND_NONBLOCK) != sizeof(n))
		n *= STEP;
	plat_write(&state, n | 1);
}

/* Choose the object of a fresh slab that comes first; the slab has @objs. */
unsigned int pool_slab_turn(unsigned int objs)
{
	unsigned long n;

	if (!plat_read(&state))
		return 0;
	n = plat_word_add(&state, 2 * STEP);
	n = (n ^ n >> (sizeof(n) * 4)) * STEP;
	return (unsigned int)(n >> (sizeof(n) * 4)) % objs;
}

/* Has the line in which an object begins no object in use? */
static bool begins_line(const struct slab *slab, unsigned int stride, unsigned int place)
{
	unsigned int from = place * stride / SLAB_ALIGN * SLAB_ALIGN, i = from / stride;

	while (i < slab->objs && i * stride < from + SLAB_ALIGN)
		if (!slab_is_free(slab, slab_bit_of(slab, i++)))
			return false;
	return true;
}

/*
 * The free objects of a word that another thread passes over, so that it shares no line with the
 * last one: those before the first one, behind all in use, whose line is free.  0: there is none,
 * so it takes all.  What is passed over is taken before the next word.
 */
unsigned long pool_slab_shared_lines(const struct slab *slab, unsigned int stride,
				     unsigned int word)
{
	unsigned long bits = slab->free[word];
	unsigned int n = word * SLAB_BITS, end = slab->objs - n, i;
	unsigned long used = ~bits;

	if (end < SLAB_BITS)
		used &= ~(~0ul << end);
	else
		end = SLAB_BITS;
	i = used ? SLAB_BITS - (unsigned int)__builtin_clzl(used) : 0;
	while (i < end && !begins_line(slab, stride, slab_place_of(slab, n + i)))
		i++;
	return i < end ? bits & ~(~0ul << i) : 0;
}
