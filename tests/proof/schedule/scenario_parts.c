// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scenario_parts.c - the list of a CPU's parts is walked while it changes
 *
 * Layer:   tests; the enumerator.
 * Context: see scenario.h.
 */
#include "scenario.h"

/* The part of the pool that ends is first on the list. */

static void setup_exit_parts(void)
{
	setup(SINGLY, 0, 1);
	other = make("b", 0, 0);
	obj[5] = s_alloc(other);
	obj[6] = s_alloc(other);
	sched_as_cpu(1);
	s_free(other, obj[6]);
	s_free(pool, obj[0]);
	sched_as_cpu(0);
}

static void end_exit_parts(void)
{
	if (plat_cpu_of(1)->set_up || plat_local_of(pool_of(pool), 1)->pool)
		sched_fail("a CPU that is gone has %u parts", plat_cpu_of(1)->set_up);
}

static void destroy_other(void)
{
	s_free(other, obj[5]);
	s_destroy(other);
	other = NULL;
}

const struct scenario scenarios_of_parts[] = {
	SCENARIO(a_cpu_goes_while_one_of_its_pools_ends, "turned parts",
		 2, setup_exit_parts, CPUS(destroy_other, s_exit), .end = end_exit_parts),
	{ .name = NULL }
};
