/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * place.h - where areas are, and their far extents: place.c
 *
 * Layer:   user/ only.
 * Context: area mutex held, unless said otherwise.
 */
#ifndef POOL_PLACE_H
#define POOL_PLACE_H

#include "seam/plat.h"

/* About how many parts of pools a far extent has, and its bytes, which are whole pages. */
#define POOL_FAR_LOCALS	256
#define POOL_FAR_BYTES \
	((POOL_FAR_LOCALS * sizeof(struct pool_local) + PLAT_PAGES - 1) / \
	 PLAT_PAGES * PLAT_PAGES)

/* Written under offset and area mutex, read under either. */
extern unsigned long pool_far;	/* offset of far extents; 0: none yet */
extern unsigned int pool_far_extents;	/* far extents in each area that walks include */

/* Return the address at an offset, which may be negative.  Any context. */
static inline unsigned char *pool_at_offset(const void *start, unsigned long offset)
{
	return (unsigned char *)start + (long)offset;
}

/* Map one more far extent for each area that walks include.  False: no more are possible. */
bool pool_place_grow(void);

/* Map an area, ready for its owner; NULL: no more are possible. */
struct plat_area *pool_place_new(void);

/* Prepare the unowned area of this number for a new owner; NULL: it is not mapped. */
struct plat_area *pool_place_again(unsigned int number);

/* Exclude an area without an owner from forks; walks skip it from then on. */
void pool_place_leave(unsigned int number);

/* Clear the pointers to areas that a fork did not copy, in the child. */
void pool_place_fork_child(void);

#endif /* POOL_PLACE_H */
