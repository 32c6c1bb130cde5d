/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * moving.h - count objects that are moving between two places
 *
 * Layer:   beside all of them.
 * Context: any.
 *
 * Objects that move between two places are counted in one word: of the CPU's part that
 * they leave or reach, or of the pool.  The word is raised before they leave the one place
 * and lowered after they have reached the other.  So an object may be counted twice for a
 * moment, but is never missed.
 */
#ifndef POOL_CORE_MOVING_H
#define POOL_CORE_MOVING_H

/* Announce that @n objects are about to leave their place. */
static inline void pool_depart(unsigned long *moving, unsigned long n)
{
	plat_word_add(moving, n);
}

/*
 * Announce that @n objects have reached their place.  The release pairs with the acquires in
 * reach.c and stats.c: a reader that sees nothing moving sees where the objects went.
 */
static inline void pool_arrive(unsigned long *moving, unsigned long n)
{
	plat_word_sub_release(moving, n);
}

/* Number of pointers that gcc copies with the widest registers, without a call. */
#define POOL_COPY_STEP		16u

/* Copy @n pointers between places that do not overlap, most often a whole cluster's. */
static inline void pool_copy(void **to, void **from, unsigned int n)
{
	for (; n >= POOL_COPY_STEP; n -= POOL_COPY_STEP) {
		memcpy(to, from, POOL_COPY_STEP * sizeof(*to));
		to += POOL_COPY_STEP;
		from += POOL_COPY_STEP;
	}
	if (n)
		memmove(to, from, n * sizeof(*to));
}

#endif /* POOL_CORE_MOVING_H */
