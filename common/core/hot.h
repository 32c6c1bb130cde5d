/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * hot.h - move objects into a hot array, and out of it
 *
 * Layer:   [hot array]; the inline half of hot.c.
 * Context: the array is held, unless said otherwise.
 *
 * slot[0] is the coldest object, and slot[n - 1] the freshest, which frees push and allocations
 * pop.  A spill copies the coldest objects to a cluster, then slides the others down to slot[0].
 */
#ifndef POOL_CORE_HOT_H
#define POOL_CORE_HOT_H

static inline unsigned int pool_smaller(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Put @n objects, coldest first, on top of a held array that has @have, and slots for them. */
static inline void pool_hot_append(struct pool_local *local, unsigned int have,
				   void **objs, unsigned int n)
{
	pool_copy(local->slot + have, objs, n);
	plat_write(&local->hot.n, have + n);
}

/* Take the @n freshest objects of a held array that has them, coldest first. */
static inline void pool_hot_take(struct pool_local *local, void **objs,
				 unsigned int n)
{
	unsigned int left = plat_read(&local->hot.n) - n;

	pool_copy(objs, local->slot + left, n);
	plat_write(&local->hot.n, left);
}

/* Take the freshest object of a held array; NULL: there is none. */
static inline void *pool_hot_pop(struct pool_local *local)
{
	unsigned int n = plat_read(&local->hot.n);

	if (!n)
		return NULL;
	plat_write(&local->hot.n, n - 1);
	return local->slot[n - 1];
}

/*
 * Lower the count of an array to @left objects; the others are in a cluster already, or moving to
 * one.  The release pairs with the acquire in reach.c: a reader that misses objects in the array
 * sees them as moving or in the cluster.
 */
static inline void pool_hot_less(struct pool_local *local, unsigned int left)
{
	plat_write_release(&local->hot.n, left);
}

/* Put an object on top of a held array that is not full. */
static inline void pool_hot_push(struct pool_local *local, void *obj)
{
	unsigned int n = plat_read(&local->hot.n);

	local->slot[n] = obj;
	plat_write(&local->hot.n, n + 1);
}

/*
 * Move the @left objects that a held array counts over the @n coldest, which were copied
 * elsewhere and are not counted any more.
 */
static inline void pool_hot_slide(struct pool_local *local, unsigned int n,
				  unsigned int left)
{
	if (left <= n)
		pool_copy(local->slot, local->slot + n, left);
	else
		memmove(local->slot, local->slot + n,
			left * sizeof(local->slot[0]));
}

#endif /* POOL_CORE_HOT_H */
