// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * first.c - which object of a fresh slab comes first
 *
 * Layer:   seam, cold half; below slab.c.
 * Context: plain threads; the lock of a shelf is held.
 *
 * The system puts chunks at random addresses.  Objects of a fresh slab are allocated from a random
 * one on, so that the address of one object does not tell an attacker where the first object of
 * the next slab is.  If the program runs without random addresses, as in a debugger or by
 * "setarch -R", the lowest object comes first, so that runs repeat.
 *
 * The random numbers cost one addition and a mix.  They are weak: an attacker who sees many of them
 * can compute the others.
 */
#include "main.h"
#include "slab.h"

#include <sys/personality.h>
#include <sys/random.h>

/* The golden ratio times 2^64: odd, so that all states occur, with well mixed bits. */
#define STEP		((unsigned long)0x9e3779b97f4a7c15ull)

/* Argument that makes personality() return the present value without a change. */
#define ASK		0xfffffffful

/* State of the numbers, odd; 0 before the library's start, and in programs whose runs repeat. */
static unsigned long state START_DATA;

/* True if addresses are not random.  Where the system call fails, they count as random. */
static bool runs_repeat(void)
{
	int now = personality(ASK);

	return now != -1 && (now & ADDR_NO_RANDOMIZE);
}

/*
 * Seed the random numbers at the library's start, because the program may forbid itself these
 * system calls later.  Early at boot getrandom() has nothing, so the seed is a stack address.
 */
AT_START void pool_slab_first_start(void)
{
	unsigned long n = (unsigned long)&n;

	if (runs_repeat())
		return;
	if (getrandom(&n, sizeof(n), GRND_NONBLOCK) != sizeof(n))
		n *= STEP;
	plat_write(&state, n | 1);
}

/* Choose the object of a fresh slab of @objs that comes first; it begins at a cache line. */
unsigned int pool_slab_first(unsigned int objs, unsigned int stride)
{
	unsigned int power = stride & -stride;
	unsigned int step = power < SLAB_ALIGN ? SLAB_ALIGN / power : 1;
	unsigned long n;

	if (!plat_read(&state))
		return 0;
	n = plat_word_add(&state, 2 * STEP);
	n = (n ^ n >> (sizeof(n) * 4)) * STEP;
	return (unsigned int)(n >> (sizeof(n) * 4)) % objs / step * step;
}
