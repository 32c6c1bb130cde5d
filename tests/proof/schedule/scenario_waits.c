// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scenario_waits.c - calls wait for an object, and are woken
 *
 * Layer:   tests; the enumerator.
 * Context: see scenario.h.
 *
 * A waiter that is not woken is found as a schedule in which all wait for each other.
 */
#include "scenario.h"

/* One object, in use. */
static void setup_one(void)
{
	setup(SINGLY, 1, 1);
}

/* As setup_one(), and CPU 1 has an empty cluster for the object. */
static void setup_cluster(void)
{
	setup(SINGLY, 1, 1);
	sched_as_cpu(1);
	s_free(pool, obj[0]);
	obj[0] = s_alloc(pool);
	sched_as_cpu(0);
}

/* A limit of 1 leaves no slot to a CPU, so no array has to be closed. */
static void setup_past(void)
{
	pool_start.cpus = 5;
	setup_cluster();
}

/* Two objects, in use, and slots in the array of CPU 1, which the first waiter closes. */
static void setup_arrays(void)
{
	setup(ROOMY, 2, 2);
	give_as(1, 0, 1);
	sched_as_cpu(1);
	obj[0] = s_alloc(pool);
	sched_as_cpu(0);
}

/* As setup_arrays(), and then a new limit leaves no slot to a CPU. */
static void setup_shareless(void)
{
	setup_arrays();
	pool_start.cpus = 64;
}

/* As setup_arrays(), and the array was closed for a while.  The next visit of its CPU opens it. */
static void setup_closed(void)
{
	setup_arrays();
	switch_to("no-cache");
	switch_to("cache");
}

/* One object is in use, and another one is in a reserve. */
static struct pool_reserved *reserve;

static void setup_reserve(void)
{
	setup(SINGLY, 2, 1);
	reserve = pool_reserve(pool, 1);
	obj[1] = s_alloc_reserved(pool, reserve);
}

static void wait_one(void)
{
	if (!s_alloc_timeout(pool, POOL_FOREVER))
		sched_fail("a wait without an end has ended");
}

static void wait_then_free(void)
{
	s_free(pool, s_alloc_timeout(pool, POOL_FOREVER));
}

static void wait_a_moment(void)
{
	s_free(pool, s_alloc_timeout(pool, 1));
}

static void wait_reserved_then_free(void)
{
	s_free(pool, s_wait_reserved(pool, reserve));
}

static void free_reserved(void)
{
	void *o = obj[1];

	obj[1] = NULL;
	s_free_reserved(pool, reserve, o);
}

static void wait_in_vain(void)
{
	if (s_alloc_timeout(pool, POOL_FOREVER))
		sched_fail("a pool that ends has an object");
}

/* End the queue as the end of a pool does; the pool itself stays. */
static void end_queue(void)
{
	struct pool *p = pool_of(pool);

	while (!plat_read(&p->waiting))
		plat_pause(true);
	plat_write(&p->users, 0u);
	pool_queue_end(p);
}

static void free_one(void)
{
	give(0, 1, 0);
}

static void raise_limit(void)
{
	sched_note("pool_set_limit()");
	pool_set_limit(pool, 2);
	sched_note("pool_set_limit() ends");
}

static void free_bulk(void)
{
	void *o = obj[0];

	obj[0] = NULL;
	s_free_bulk(pool, 1, &o);
}

/* A call that does not wait is refused while others wait, so it gets no object before them. */
static void free_then_alloc(void)
{
	give(0, 1, 0);
	s_free(pool, s_alloc(pool));
}

static void free_when_closed(void)
{
	const struct pool_local *local = plat_local_of(pool_of(pool), 1);

	while (plat_read(&local->hot.cap))
		plat_pause(true);
	give(0, 1, 0);
}

/* The second call reads the note of the first call, if that was refused. */
static void alloc_twice(void)
{
	if (!s_alloc(pool))
		s_alloc(pool);
}

/* The first free clears an earlier note, so a refused call makes a new one. */
static void free_alloc_free(void)
{
	give(0, 1, 0);
	s_free(pool, s_alloc(pool));
}

/* Make a visit that gets nothing, then free by a hit. */
static void open_and_free(void)
{
	void *o;

	s_alloc_bulk(pool, 1, &o);
	give(1, 2, 0);
}

/* Set a limit that closes the arrays. */
static void limit_then_alloc(void)
{
	raise_limit();
	s_alloc(pool);
}

/* The free may have begun before the array is closed.  Then another CPU asks for the object. */
static void free_then_empty(void)
{
	give(1, 2, 0);
	pool_empty_array(pool_of(pool));
}

static unsigned long free_at_end(const struct pool *p)
{
	unsigned long n = pool_shared_count(p) + p->parked.count;
	unsigned int i;

	for (i = 0; i < plat_cpus; i++) {
		const struct pool_local *local = plat_local_of(p, i);

		n += local->clustered + local->hot.n + local->parked.count;
	}
	return n;
}

static void end_note(void)
{
	const struct pool *p = pool_of(pool);

	if (p->used_up && (p->used_up != POOL_USED_UP || free_at_end(p)))
		sched_fail("it is noted that nothing is free, and %lu are", free_at_end(p));
}

static void end_nobody(void)
{
	if (pool_of(pool)->waiting)
		sched_fail("somebody waits at the end");
}

static void end_reserve(void)
{
	end_nobody();
	pool_unreserve(reserve);
}

static void end_users(void)
{
	end_nobody();
	pool_of(pool)->users = 1;
}

static void end_open(void)
{
	const struct pool_local *local = plat_local_of(pool_of(pool), 1);

	end_nobody();
	if (local->era == pool_era && local->hot.cap != local->hot.slots)
		sched_fail("an array stays closed");
}

const struct scenario scenarios_of_waits[] = {
	SCENARIO(a_free_wakes_who_waits, "unwoken overslept", 2, setup_one,
		 CPUS(wait_one, free_one), .end = end_nobody),
	SCENARIO(who_waits_frees_for_the_next, "turn-asleep", 3, setup_one,
		 CPUS(wait_then_free, wait_then_free, free_one), .end = end_nobody),
	SCENARIO(a_wait_ends_while_an_object_comes, "turn-lost", 3, setup_one,
		 CPUS(wait_a_moment, wait_one, free_one), .end = end_nobody),
	SCENARIO(a_handler_frees_for_who_waits, "unwoken", 2, setup_one,
		 CPUS(wait_one, alloc_free), IRQS(NULL, handle_free),
		 .end = end_nobody),
	SCENARIO(a_raised_limit_wakes_who_waits, "unraised", 2, setup_one,
		 CPUS(wait_one, raise_limit), .end = end_nobody),
	SCENARIO(a_bulk_free_wakes_who_waits, "unwoken-bulk", 2, setup_cluster,
		 CPUS(wait_one, free_bulk), .end = end_nobody),
	SCENARIO(who_waits_is_not_overtaken, "unwoken", 2, setup_one,
		 CPUS(wait_then_free, free_then_alloc), .end = end_nobody),
	SCENARIO(a_free_ends_the_note_that_nothing_is_free, "unnoted noted-late", 2,
		 setup_one, CPUS(alloc_twice, free_alloc_free), .end = end_note),
	SCENARIO(two_note_that_nothing_is_free, "unnoted", 3, setup_one,
		 CPUS(alloc_twice, free_alloc_free, alloc_twice), .end = end_note),
	SCENARIO(an_array_that_opens_ends_the_note_that_nothing_is_free, "noted-arrays", 2,
		 setup_closed, CPUS(alloc_one, open_and_free), .end = end_note),
	SCENARIO(an_array_that_is_emptied_ends_the_note_that_nothing_is_free, "unnoted-array", 2,
		 setup_shareless, CPUS(limit_then_alloc, free_then_empty), .end = end_note),
	SCENARIO(a_handler_ends_the_note_that_nothing_is_free, "unnoted", 2, setup_one,
		 CPUS(alloc_twice, alloc_twice), IRQS(NULL, handle_free), .end = end_note),
	SCENARIO(an_array_is_closed_while_somebody_waits, "unclosed unopened", 2, setup_arrays,
		 CPUS(wait_then_free, free_when_closed), .end = end_open),
	SCENARIO(a_free_past_arrays_wakes_who_waits, "unwoken-past", 2, setup_past,
		 CPUS(wait_one, free_one), .end = end_nobody),
	SCENARIO(a_free_to_a_reserve_wakes_its_waiter, "unwoken-reserve", 2, setup_reserve,
		 CPUS(wait_reserved_then_free, free_reserved), .end = end_reserve),
	SCENARIO(a_reserve_is_refilled_behind_who_waits, "unwoken-reserve unrefilled", 3,
		 setup_reserve, CPUS(wait_one, wait_reserved_then_free, free_reserved),
		 .end = end_reserve),
	SCENARIO(a_pool_ends_while_somebody_waits, "unended", 3, setup_one,
		 CPUS(wait_in_vain, wait_in_vain, end_queue), .end = end_users),
	{ .name = NULL }
};
