// SPDX-License-Identifier: GPL-2.0-only
/*
 * remote.c - arrays of other CPUs, reduced or emptied by an interrupt
 *
 * Layer:   seam, cold half; twin of user/remote.c.
 * Context: process context.
 *
 * Only its own CPU may touch a hot array, so a CPU without calls keeps the objects in its arrays.
 * Ageing therefore interrupts a CPU that has arrays which were not used since the last ageing, even
 * if the CPU sleeps, because work that waits for the CPU to wake up might wait for ever.  Each
 * ageing reduces an array once, so after a burst a CPU is interrupted by two or three ageings, and
 * then not again before it uses pools.  An array that is only hit looks unused: its owner's next
 * call is a visit, which reopens the array.
 */
#include "seam/plat.h"

#include <linux/sched.h>
#include <linux/sched/isolation.h>
#include <linux/smp.h>

/* True if a CPU may be interrupted, which CPUs of isolcpus= and nohz_full= may not. */
static bool may_interrupt(int cpu)
{
	return housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) &&
	       housekeeping_test_cpu(cpu, HK_TYPE_TICK);
}

/* True if a CPU's array has objects, and the CPU may be interrupted. */
static bool has_hot(int cpu, void *pool)
{
	const struct pool_local *local = plat_local_of(pool, cpu);

	return local && READ_ONCE(local->hot.n) && may_interrupt(cpu);
}

static void empty_array(void *pool)
{
	pool_empty_array(pool);
}

static void reduce_array(void *unused)
{
	pool_age_array(this_cpu_ptr(&plat_cpus));
}

/* Have CPUs reduce their old arrays, one CPU after the other, one array in an interrupt. */
static bool age_arrays(void)
{
	bool any = false;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		unsigned int most = POOL_AGE_MOST;

		while (most-- && may_interrupt(cpu) && pool_age_prepare(plat_cpu_of(cpu)) &&
		       !smp_call_function_single(cpu, reduce_array, NULL, true)) {
			any = true;
			cond_resched();
		}
	}
	return any;
}

/*
 * Have other CPUs empty their arrays.  False with interrupts off, since this waits for the other
 * CPUs.  They answer at once, so @ms is not needed.  Arrays of offline CPUs are empty.
 */
bool plat_empty_arrays(struct pool *pool, unsigned int ms)
{
	bool any = false;
	unsigned int cpu;

	if (irqs_disabled())
		return false;
	if (!pool)
		return age_arrays();
	if (!pool->cached)
		return false;
	for_each_online_cpu(cpu)
		any |= has_hot(cpu, pool);
	if (any)
		on_each_cpu_cond(has_hot, empty_array, pool, true);
	return any;
}
