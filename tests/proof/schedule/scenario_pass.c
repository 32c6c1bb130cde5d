// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scenario_pass.c - ageing by steps while a pool ends, and of arrays amid calls
 *
 * Layer:   tests; the enumerator.
 * Context: see scenario.h.
 */
#include "scenario.h"

/* Run a pass as user/tick.c does, which only tries the mutex. */
static bool step(void)
{
	struct pool_step piece;
	bool more;

	sched_note("a step");
	plat_mutex_lock(PLAT_REGISTRY);
	more = pool_pass_next(&piece);
	plat_mutex_unlock(PLAT_REGISTRY);
	pool_pass_give(&piece);
	sched_note("a step ends");
	return more;
}

static void steps(void)
{
	step();
	step();
	step();
}

/* Leave two objects in the shared part of "b" that were not needed since the last pass. */
static void setup_pass(void)
{
	void *o[2];

	set_bound(SINGLY);
	pool = make("a", 0, 0);
	other = make("b", 0, 2);
	alloc_free();
	o[0] = s_alloc(other);
	o[1] = s_alloc(other);
	s_free(other, o[0]);
	s_free(other, o[1]);
	obj[5] = s_alloc(other);
	pool_reclaim(other);
	pool_of(other)->min_avail = 0;
	while (step())
		;
	step();
}

static void destroy_other(void)
{
	struct pool_head *o = other;

	other = NULL;
	s_free(o, obj[5]);
	s_destroy(o);
}

/* Run a pass whose next pool may have ended. */
static void end_pass(void)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		if (!step())
			return;
	sched_fail("a pass over two pools has no end");
}

/* Leave three objects in an array that was not visited since the last ageing. */
static void setup_aged(void)
{
	setup(ROOMY, 3, 3);
	give(1, 3, 0);
}

/* Age this CPU as the ageing of another CPU asks it to. */
static void handle_ageing(void)
{
	struct pool_cpu *cpu = plat_cpu_of(0);

	cpu->aged = cpu->visits;
	pool_age_array(cpu);
}

const struct scenario scenarios_of_passes[] = {
	SCENARIO(a_pool_ends_while_a_step_of_ageing_is_at_it, "aged aged-early passed-by unsettled",
		 2, setup_pass, CPUS(steps, destroy_other), .end = end_pass),
	SCENARIO(an_array_ages_between_any_two_steps, "closes-held",
		 2, setup_aged, CPUS(alloc_free, alloc_one), IRQS(handle_ageing)),
	{ .name = NULL }
};
