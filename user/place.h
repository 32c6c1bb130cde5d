/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * place.h - where areas are, and their far parts: place.c
 *
 * Layer:   user/ only.
 * Context: area mutex held, unless said otherwise.
 */
#ifndef POOL_PLACE_H
#define POOL_PLACE_H

#include "plat.h"

/* About how many local parts a far part has, and its bytes: whole pages. */
#define POOL_PART_LOCALS	256
#define POOL_PART_BYTES \
	((POOL_PART_LOCALS * sizeof(struct pool_local) + PLAT_PAGES - 1) / \
	 PLAT_PAGES * PLAT_PAGES)

/* Offset and area mutex to write, one of them to read. */
extern unsigned long pool_far;	/* offset of far parts; 0: none yet */
extern unsigned int pool_far_parts;	/* far parts that all areas have which walks visit */

/* The address at an offset, which may be one below zero.  Any context. */
static inline unsigned char *pool_at_offset(const void *start, unsigned long offset)
{
	return (unsigned char *)start + (long)offset;
}

/* Map one more far part for all areas that walks visit.  False: there can be no more. */
bool pool_place_grow(void);

/* Make an area, ready for its owner; NULL: there can be no more. */
struct plat_area *pool_place_new(void);

/* Get the area of this number, which no thread has; NULL: it is not there. */
struct plat_area *pool_place_again(unsigned int number);

/* No thread has the area of this number any more, and walks pass it over. */
void pool_place_leave(unsigned int number);

/* In the child of a fork: forget the areas that it did not copy. */
void pool_place_fork_child(void);

#endif /* POOL_PLACE_H */
