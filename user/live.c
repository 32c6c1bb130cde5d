// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * live.c - which areas walks include
 *
 * Layer:   seam, cold half; below area.c.
 * Context: any to read; area mutex to change.
 *
 * A bit is set for each area that has an owner, or parts that are set up.  So a walk costs as much
 * as there are threads, however many there were before.  In an area whose bit is clear all parts
 * are zero, and its counts have moved to the pools.
 */
#include "live.h"

unsigned long plat_live[PLAT_AREAS / PLAT_LIVE_BITS];
unsigned int plat_live_end;

/* Return the highest area below @cpu whose bit is set; UINT_MAX: none. */
unsigned int plat_live_below(unsigned int cpu)
{
	while (cpu) {
		unsigned int top = --cpu % PLAT_LIVE_BITS;
		unsigned long bits = plat_read_acquire(&plat_live[cpu / PLAT_LIVE_BITS]) &
				     ~0ul >> (PLAT_LIVE_BITS - 1 - top);

		cpu -= top;
		if (bits)
			return cpu + (unsigned int)(PLAT_LIVE_BITS - 1) -
			       (unsigned int)__builtin_clzl(bits);
	}
	return UINT_MAX;
}

/* Flip an area's bit.  By the release its readers see the area, or the pools' new counts. */
static void flip(unsigned int area)
{
	unsigned long *word = &plat_live[area / PLAT_LIVE_BITS];

	plat_write_release(word, *word ^ 1ul << area % PLAT_LIVE_BITS);
}

void pool_live_add(unsigned int area)
{
	flip(area);
	if (area >= plat_live_end)
		plat_write(&plat_live_end, area + 1);
}

void pool_live_remove(unsigned int area)
{
	flip(area);
	if (area + 1 == plat_live_end)
		plat_write(&plat_live_end, plat_live_below(area) + 1);
}

bool pool_is_live(unsigned int area)
{
	return plat_live[area / PLAT_LIVE_BITS] >> area % PLAT_LIVE_BITS & 1;
}

unsigned int pool_live_hole(void)
{
	unsigned int i = 0;

	while (i < PLAT_AREAS && !~plat_live[i / PLAT_LIVE_BITS])
		i += (unsigned int)PLAT_LIVE_BITS;
	while (i < PLAT_AREAS && pool_is_live(i))
		i++;
	return i;
}
