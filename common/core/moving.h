/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * moving.h - objects on their way
 *
 * Layer:   beside all of them.
 * Context: any.
 *
 * Objects on their way between two places are counted in one word: of the CPU's part
 * that they leave or reach, or of the pool.  It is raised before they leave the one and
 * lowered after they have reached the other: so an object may be counted twice for a
 * moment, and never not at all.
 */
#ifndef POOL_CORE_MOVING_H
#define POOL_CORE_MOVING_H

/* @n objects are about to leave the place where they are. */
static inline void pool_depart(plat_word_t *moving, unsigned long n)
{
	plat_word_add(moving, n);
}

/*
 * They are where they go.  The release pairs with the acquires in reach.c and stats.c:
 * whoever sees that nothing moves sees where it went.
 */
static inline void pool_arrive(plat_word_t *moving, unsigned long n)
{
	plat_word_sub_release(moving, n);
}

/* Copy @n pointers, most often one. */
static inline void pool_copy(void **to, void **from, unsigned int n)
{
	if (n == 1)
		*to = *from;
	else
		memmove(to, from, n * sizeof(*to));
}

#endif /* POOL_CORE_MOVING_H */
