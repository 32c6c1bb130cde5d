/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * age.h - test for room under the byte bound, inline, because most often there is some
 *
 * Layer:   hot array -> [local clusters]; the inline half of age.c.
 * Context: the CPU lock held.
 *
 * Visits ask here before they add bytes to a CPU's caches.  Only if these do not fit, age.c reduces
 * old arrays and evicts old clusters.
 */
#ifndef POOL_CORE_AGE_H
#define POOL_CORE_AGE_H

/*
 * True if @bytes more would be within the bound.  CPU lock held: only its holder raises the
 * charge, so a true answer stays true until the holder does so.  The sum fits into 32 bits: no
 * bound is above 1 GiB, and @bytes are half of it at most, or one object of up to 2 GiB.
 */
static inline bool pool_cluster_fits(const struct pool_cpu *cpu,
				     unsigned long bytes)
{
	return plat_read(&cpu->charged) + bytes <= plat_read(&pool_bound);
}

/*
 * Make sure that @bytes fit under the byte bound, and return whether they do; @bytes is 0 after
 * the bound was lowered.  @here is entered and locked.  @out receives evicted clusters, for
 * pool_carry().  Any cluster may be gone afterwards, even one of this pool.
 */
static inline bool pool_age_room(struct pool_local *here, unsigned long bytes,
				 struct pool_carried *out)
{
	return POOL_LIKELY(pool_cluster_fits(here->cpu, bytes)) ||
	       pool_age_make_room(here, bytes, out);
}

/*
 * Enlarge an array that is smaller than it may be.  Most arrays are as large as they may be, so
 * this is tested inline.  @here is entered and locked.  @out receives evicted clusters, for
 * pool_carry().  True: any cluster may be gone, and the newest may be another one.
 */
static inline bool pool_age_grow(struct pool_local *here,
				 struct pool_carried *out)
{
	if (POOL_LIKELY(plat_read(&here->hot.slots) >= here->most))
		return false;
	pool_age_enlarge(here, out);
	return true;
}

/* Make an array, if it has slots, the newest of its CPU's arrays. */
static inline void pool_age_renew(struct pool_cpu *cpu,
				  struct pool_local *local)
{
	local->stamp = cpu->visits;
	if (cpu->by_age.next != &local->by_age && plat_read(&local->hot.slots))
		pool_list_first(&local->by_age, &cpu->by_age);
}

#endif /* POOL_CORE_AGE_H */
