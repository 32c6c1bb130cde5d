/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * live.h - which areas walks include: live.c
 *
 * Layer:   user/ only.
 * Context: area mutex held.
 */
#ifndef POOL_LIVE_H
#define POOL_LIVE_H

#include "seam/plat.h"

/* Let walks include an area, or skip it; no part of a skipped area is set up. */
void pool_live_add(unsigned int area);
void pool_live_remove(unsigned int area);

bool pool_is_live(unsigned int area);

/* Return the lowest number of an area that walks skip; PLAT_AREAS: there is none. */
unsigned int pool_live_hole(void);

#endif /* POOL_LIVE_H */
