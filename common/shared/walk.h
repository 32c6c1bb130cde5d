/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * walk.h - walks over CPUs, and over their parts of a pool
 *
 * Layer:   beside the four.
 * Context: any.
 */
#ifndef POOL_CORE_WALK_H
#define POOL_CORE_WALK_H

/* Return the next CPU below number *@i, and set *@i to its number; NULL: there is none. */
static inline struct pool_cpu *pool_cpu_below(unsigned int *i)
{
	*i = plat_cpu_below(*i);
	return plat_cpu_of(*i);
}

/* Return a pool's next part below CPU *@i, and set *@i to its CPU; NULL: there is none. */
static inline struct pool_local *pool_part_below(const struct pool *pool,
						 unsigned int *i)
{
	while ((*i = plat_cpu_below(*i)) != UINT_MAX) {
		struct pool_local *part = plat_local_of(pool, *i);

		if (part)
			return part;
	}
	return NULL;
}

/*
 * pool_each_cpu() walks over the CPUs that have an owner or a part that is set up, pool_each_part()
 * over their parts of a pool.  @i is the number of the CPU, from the highest on.  A CPU that
 * appears meanwhile may be skipped.
 */
#define pool_each_cpu(i, cpu) \
	for ((i) = UINT_MAX; ((cpu) = pool_cpu_below(&(i)));)

#define pool_each_part(pool, i, part) \
	for ((i) = (pool)->cached ? UINT_MAX : 0; \
	     ((part) = pool_part_below(pool, &(i)));)

#endif /* POOL_CORE_WALK_H */
