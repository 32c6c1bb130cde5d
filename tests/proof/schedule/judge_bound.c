// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * judge_bound.c - what must be true at each step: objects <= charge <= bound
 *
 * Layer:   tests; the enumerator.
 * Context: fibres; between two points all is one step.
 *
 * A moving object is charged, too, if it was detached from a list or an array of a CPU.  The judge
 * counts these in wrappers, which the linker puts around the functions that detach and settle them.
 */
#include "judge.h"

#include <string.h>

/* Part of the world. */
static unsigned long over_bound[PLAT_CPUS];	/* the charge when the bound fell */
static unsigned int detached[PLAT_CPUS][PLAT_LOCALS];	/* objects that are not settled yet */

void __real_pool_cluster_detach(struct pool_cluster *c);
void __wrap_pool_cluster_detach(struct pool_cluster *c);
void __real_pool_cluster_settled(struct pool_local *local, unsigned int n);
void __wrap_pool_cluster_settled(struct pool_local *local, unsigned int n);
void __real_pool_cluster_settled_locked(struct pool_local *local, unsigned int n);
void __wrap_pool_cluster_settled_locked(struct pool_local *local, unsigned int n);
unsigned int __real_pool_hot_detach(struct pool_cpu *cpu,
				    struct pool_local *local, void **objs);
unsigned int __wrap_pool_hot_detach(struct pool_cpu *cpu,
				    struct pool_local *local, void **objs);

/* The word that counts the objects detached from a pool's part. */
static unsigned int *detached_of(const struct pool_local *local)
{
	unsigned int cpu;

	for (cpu = 0; cpu < plat_cpus; cpu++) {
		const struct pool_local *first = plat_areas[cpu]->local;

		if (local >= first && local < first + PLAT_LOCALS)
			return &detached[cpu][local - first];
	}
	sched_die("a part of no CPU");
}

/* No point lies between the last step of each wrapped function and this count. */

void __wrap_pool_cluster_detach(struct pool_cluster *c)
{
	__real_pool_cluster_detach(c);
	*detached_of(c->local) += c->n;
}

void __wrap_pool_cluster_settled(struct pool_local *local, unsigned int n)
{
	__real_pool_cluster_settled(local, n);
	*detached_of(local) -= n;
}

void __wrap_pool_cluster_settled_locked(struct pool_local *local, unsigned int n)
{
	__real_pool_cluster_settled_locked(local, n);
	*detached_of(local) -= n;
}

unsigned int __wrap_pool_hot_detach(struct pool_cpu *cpu,
				    struct pool_local *local, void **objs)
{
	unsigned int n = __real_pool_hot_detach(cpu, local, objs);

	*detached_of(local) += n;
	return n;
}

/*
 * Count the objects of one pool on one CPU that are moving and charged.  Objects that a fill takes
 * from the layers below are moving, too, but not charged yet.
 */
static unsigned long moving_in(const struct pool_local *local)
{
	unsigned long n = *detached_of(local);

	return n < local->moving ? n : local->moving;
}

static unsigned long held_in(const struct pool_local *local)
{
	return local->hot.n + local->clustered + moving_in(local);
}

unsigned long charged_in(const struct pool_local *local)
{
	return local->hot.slots + local->clustered + moving_in(local);
}

/*
 * Return what pool_charged() returns, but without a point, because the judge is no part of a
 * schedule.
 */
unsigned long charged_to(unsigned int cpu)
{
	return plat_cpu_of(cpu)->charged + plat_cpu_of(cpu)->refunded;
}

/*
 * Judge the bound, at any instant, on one CPU.  After the bound was lowered, the charge may be
 * above it, but may only fall until it is within the bound.
 */
void judge_bound(unsigned int cpu)
{
	unsigned long charged = plat_cpu_of(cpu)->charged;
	unsigned long bound = pool_options.hot_size;
	unsigned long held = 0, room = 0;
	unsigned int i;

	for (i = 0; i < PLAT_LOCALS; i++) {
		const struct pool_local *local;

		if (!pools[i])
			continue;
		local = plat_local_of(pools[i], cpu);
		held += held_in(local) * pools[i]->head.size;
		room += charged_in(local) * pools[i]->head.size;
	}
	if (charged > bound && charged <= over_bound[cpu]) {
		over_bound[cpu] = charged;
		bound = charged;
	}
	if (held > room || room > charged_to(cpu) || charged > bound)
		sched_fail("cpu%u: %lu bytes, %lu with room, %lu charged, bound %lu",
			   cpu, held, room, charged, bound);
}

/*
 * Returns how many slots a pool's arrays have.  Slots are claimed before arrays get them, and
 * returned after.
 */
unsigned long judge_slots(const struct pool *pool)
{
	unsigned long room = 0;
	unsigned int i;

	for (i = 0; i < plat_cpus; i++)
		room += plat_local_of(pool, i)->hot.slots;
	if (room > pool->slots)
		sched_fail("arrays of %s have %lu slots, and %lu are claimed",
			   pool->name, room, pool->slots);
	return room;
}

/* Note that the bound is about to be lowered. */
void judge_lowered(void)
{
	unsigned int i;

	for (i = 0; i < plat_cpus; i++)
		over_bound[i] = pool_options.hot_size;
}

/*
 * Forget notes that do not belong to the end, so that ends which differ only in these notes are one
 * end.
 */
void judge_forget(void)
{
	memset(over_bound, 0, sizeof(over_bound));
}
