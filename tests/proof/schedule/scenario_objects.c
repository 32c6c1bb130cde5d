// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scenario_objects.c - several objects move from place to place at the same time
 *
 * Layer:   tests; the enumerator.
 * Context: see scenario.h.
 */
#include "debug/object_slots.h"
#include "scenario.h"

/*
 * Two of three objects move from clusters to the shared pool and back, one after the other, so
 * that CPU 0 can always get one.  The third is in use.
 */

static void setup_up_and_down(void)
{
	unsigned int i;

	set_bound(SINGLY);
	pool = make("a", 3, 2);
	for (i = 0; i < 3; i++)
		obj[i] = s_alloc(pool);
	give_as(1, 0, 2);
}

static void down_and_up(void)
{
	reclaim();
	alloc_free();
}

/*
 * One CPU takes an object of a bucket, one a cluster, and one puts a cluster.  Spare objects keep
 * the reclaimed ones from the platform.
 */

static void setup_buckets(void)
{
	unsigned int i;

	set_bound(SINGLY);
	pool = make("a", 0, 4);
	for (i = 0; i < 4; i++)
		obj[i] = s_alloc(pool);
	give_as(2, 0, 1);
	reclaim();
	give_as(2, 1, 3);
}

static void alloc_free_below(void)
{
	s_free(pool, s_alloc_below(pool));
}

/* A spill charges a cluster, another CPU takes it. */

static void setup_spill(void)
{
	setup(ROOMY, 6, 6);
	give(1, 5, 0);
}

static void spill(void)
{
	give(5, 6, 0);
}

/* A CPU's clusters are reclaimed while it uses them. */

static void setup_reclaim(void)
{
	setup(SINGLY, 2, 2);
	give(0, 1, 0);
}

/* Two CPUs allocate the last free object at the same time. */

static void setup_limit(void)
{
	setup(SINGLY, 2, 1);
}

static void handle_both(void)
{
	void *o = s_alloc_flags(pool, POOL_F_ATOMIC);

	handle_free();
	s_free_flags(pool, o, POOL_F_ATOMIC);
}

/* A first visit fetches empty clusters, while those of all CPUs go back. */

static void setup_fetch(void)
{
	setup(SINGLY, 0, 1);
}

static void give_first(void)
{
	give(0, 1, 0);
}

static void reclaim_all(void)
{
	pool_reclaim(NULL);
}

/* Another pool's free evicts the last free object of the pool. */

static void setup_evict_last(void)
{
	unsigned int i;

	setup(NARROW, 2, 2);
	other = make("b", 0, 0);
	for (i = 2; i < 6; i++)
		obj[i] = s_alloc(other);
	give_as(1, 0, 1);
	sched_as_cpu(1);
	for (i = 2; i < 5; i++)
		s_free(other, obj[i]);
}

static void evict_last(void)
{
	s_free(other, obj[5]);
}

/* As setup_evict_last(), with clusters of several objects, which are sealed. */

static void setup_sealed(unsigned int limit, unsigned int min_avail)
{
	unsigned int i;

	set_bound(ROOMY);
	pool = make("a", limit, min_avail);
	switch_to("integrity");
	for (i = 0; i < limit; i++)
		obj[i] = s_alloc(pool);
}

/* Checks are on from the creation, so an object without an entry would be reported as foreign. */
static void setup_checked(void)
{
	pool_options.debug = POOL_D_INTEGRITY;
	setup_sealed(4, 0);
	give_as(1, 0, 2);
	reclaim();
	give_as(1, 2, 3);
}

/* CPU 0 or 1 takes a cluster of two objects, and the other CPU gets its rest. */

static void setup_fill(void)
{
	setup_sealed(3, 2);
	give(0, 2, 0);
	reclaim();
}

/* Bulk calls. */

static void setup_bulk(void)
{
	setup(ROOMY, 8, 8);
	give(0, 4, 0);
}

static void alloc_free_bulk(void)
{
	void *objs[3];

	if (s_alloc_bulk(pool, 3, objs))
		s_free_bulk(pool, 3, objs);
}

static void free_some(void)
{
	give(4, 7, 0);
}

/* The bound falls. */

static void setup_lower(void)
{
	setup(ROOMY, 0, 6);
	give(0, 4, 0);
}

static void lower(void)
{
	s_set_hot_size(NARROW);
}

/* Visit until all cached bytes are within the new bound, which leaves no array open. */
static void end_lower(void)
{
	void *objs[6];
	unsigned int i;

	for (i = 0; i < 6; i++)
		objs[i] = s_alloc(pool);
	for (i = 0; i < 6; i++)
		s_free(pool, objs[i]);
	if (plat_local_of(pool_of(pool), 0)->hot.slots)
		sched_fail("an array is open above the bound");
}

static void free_and_alloc(void)
{
	give(4, 6, 0);
	alloc_one();
}

/*
 * A handler uses a pool while its CPU holds the lock in a call of another pool.  Both arrays are
 * full.
 */

static void setup_two(void)
{
	unsigned int i;

	setup(ROOMY, 5, 5);
	other = make("b", 5, 0);
	for (i = 5; i < 10; i++)
		obj[i] = s_alloc(other);
	for (i = 5; i < 9; i++)
		s_free(other, obj[i]);
	give(0, 4, 0);
}

static void free_last(void)
{
	give(4, 5, 0);
}

static void handle_other(void)
{
	s_free_flags(other, obj[9], POOL_F_ATOMIC);
}

/*
 * An array is about to grow for the objects of a cluster.  Making room evicts this very cluster,
 * and a large one of another pool.  Both stay charged until they have moved to the layers below, so
 * the array does not grow.
 */

static void setup_grow(void)
{
	struct pool_attr attr = { .name = "b", .size = 6 * SIZE + SIZE / 2 };
	void *o;

	setup(8 * SIZE - 1, 1, 1);
	other = create_pool_ext(&attr);
	pool_set_debug(pool, "no-global");
	pool_set_debug(other, "no-global");
	o = s_alloc(other);
	give_as(0, 0, 1);
	s_free(other, o);
	pool_set_hot_size(8 * SIZE);
}

/* A handler is the first to use a pool on a CPU. */

static void setup_unused(void)
{
	setup(SINGLY, 2, 0);
}

/* A handler parks the last free object. */

static void setup_park_last(void)
{
	setup(ROOMY, 6, 6);
	give(1, 5, 0);
}

/*
 * Objects parked for all CPUs are taken in part, while a thread without an area, and so without a
 * list of its own, parks more.
 */

static void park_without_area(unsigned int from, unsigned int to)
{
	unsigned char *area = pool_thread_area;

	pool_thread_area = (unsigned char *)&plat_zeros;
	give(from, to, POOL_F_ATOMIC);
	pool_thread_area = area;
}

static void setup_park_afar(void)
{
	setup(0, 0, 4);
	pool_reclaim(NULL);
	park_without_area(0, 3);
}

static void park_afar(void)
{
	park_without_area(3, 4);
}

/* The last free object goes from a cluster to the shared pool, and then to the platform. */

static void setup_down(void)
{
	set_bound(SINGLY);
	pool = make("a", 2, 1);
	obj[0] = s_alloc(pool);
	obj[1] = s_alloc(pool);
	give_as(1, 0, 1);
}

static void down_and_out(void)
{
	reclaim();
	sched_note("pool_flush()");
	pool_flush(pool);
	sched_note("pool_flush() ends");
}

/* The last free object is in the shared pool, and goes to the platform. */

static void setup_collect(void)
{
	setup(0, 2, 2);
	give(0, 1, 0);
}

/*
 * A handler frees an object on this CPU before it takes the one on the other CPU, so one object is
 * always free.
 */

static void setup_handed(void)
{
	setup(ROOMY, 2, 2);
	give_as(1, 0, 1);
	sched_as_cpu(1);
	pool_empty_array(pool_of(pool));
	sched_as_cpu(0);
}

static void handle_exchange(void)
{
	give(1, 2, POOL_F_ATOMIC);
	s_take_remote(pool);
}

/* A CPU wants an object that is in another CPU's array. */

static void setup_array(void)
{
	setup(ROOMY, 3, 3);
	give(1, 3, 0);
}

static void handle_request(void)
{
	pool_empty_array(pool_of(pool));
}

/* As setup_array(), but there is no empty cluster, so the array's object is parked. */
static void setup_array_alone(void)
{
	setup_array();
	pool_drain_stashes(POOL_ALL, false);
}

/*
 * Two CPUs get objects from the platform whose entries share a window of the pool's table.  All
 * objects that the pool ever had are in the table, so one without an entry is reported as foreign.
 */

static unsigned long window_of(unsigned int i)
{
	return pool_hash(obj[i]) % PIECE_WINDOWS;
}

static void setup_window(void)
{
	unsigned int i = 0, n = 0;

	pool_options.debug = POOL_D_INTEGRITY | POOL_D_NO_CACHE;
	pool = make("a", 0, 0);
	while (i == n) {
		if (n == sizeof(obj) / sizeof(obj[0]))
			sched_die("no two objects share a window");
		obj[n++] = s_alloc(pool);
		for (i = 0; i < n && (i == n - 1 || window_of(i) != window_of(n - 1)); i++)
			;
	}
	give(i, i + 1, 0);
	give(n - 1, n, 0);
}

const struct scenario scenarios_of_objects[] = {
	SCENARIO(two_entries_come_to_one_window_of_a_table, "tags",
		 2, setup_window, CPUS(alloc_free, alloc_free)),
	SCENARIO(an_object_goes_up_and_down_beside_an_allocation,
		 "cluster-departs remembered",
		 3, setup_up_and_down, CPUS(alloc_one, down_and_up, alloc_free)),
	SCENARIO(a_bucket_is_taken_from_and_put_to, "exchange late-head",
		 3, setup_buckets, CPUS(alloc_free_below, alloc_free, reclaim)),
	SCENARIO(a_spill_meets_a_take_from_afar, "charge",
		 2, setup_spill, CPUS(spill, alloc_one)),
	SCENARIO(clusters_are_reclaimed_while_they_are_used, "settled",
		 2, setup_reclaim, CPUS(alloc_free, reclaim)),
	SCENARIO(a_shrink_takes_what_is_wanted, "coldest",
		 3, setup_reclaim, CPUS(alloc_free, shrink, alloc_one)),
	SCENARIO(what_is_wanted_ages, "tried",
		 2, setup_reclaim, CPUS(alloc_free, age)),
	SCENARIO(what_is_shared_ages, "unheld",
		 2, setup_collect, CPUS(alloc_one, age)),
	SCENARIO(a_spill_meets_a_shrink, "stashed",
		 2, setup_spill, CPUS(spill, shrink)),
	SCENARIO(clusters_are_fetched_while_others_are_given_back, "fetched",
		 2, setup_fetch, CPUS(reclaim_all, give_first)),
	SCENARIO(two_want_the_last_object, "limit",
		 2, setup_limit, CPUS(alloc_one, alloc_one)),
	SCENARIO(a_handler_allocates_between_any_two_steps, "stale",
		 1, setup_spill, CPUS(alloc_free), IRQS(handle_alloc)),
	SCENARIO(a_handler_frees_between_any_two_steps, "nested",
		 1, setup_spill, CPUS(alloc_free), IRQS(handle_free)),
	SCENARIO(a_handler_comes_between_any_two_steps_of_a_spill, "held whole",
		 1, setup_spill, CPUS(spill), IRQS(handle_alloc)),
	SCENARIO(handlers_meet_a_collection, "waits",
		 2, setup_spill, CPUS(spill, collect),
		 IRQS(handle_free, handle_alloc)),
	SCENARIO(a_handler_does_both_beside_an_allocation, "stale-put",
		 2, setup_spill, CPUS(alloc_free, alloc_one), IRQS(handle_both)),
	SCENARIO(another_pool_evicts_the_last_object, "kept detached bytes cluster-departs",
		 2, setup_evict_last, CPUS(alloc_one, evict_last)),
	SCENARIO(two_want_what_a_fill_brings, "bucket-departs fill-arrives late-arrives",
		 2, setup_fill, CPUS(alloc_one, alloc_one)),
	SCENARIO(checked_objects_are_taken_and_reclaimed, "unknown",
		 3, setup_checked, CPUS(alloc_one, alloc_free, reclaim)),
	SCENARIO(several_at_once_meet_a_reclaim, "counted",
		 3, setup_bulk, CPUS(free_some, alloc_free_bulk, reclaim)),
	SCENARIO(the_bound_is_lowered_while_a_cache_fills, "refit lowered",
		 2, setup_lower, CPUS(free_and_alloc, lower),
		 .end = end_lower),
	SCENARIO(a_handler_uses_another_pool_in_a_spill, "trylock",
		 1, setup_two, CPUS(free_last), IRQS(handle_other)),
	SCENARIO(a_handler_parks_the_last_object, "unparks",
		 2, setup_park_last, CPUS(alloc_free, alloc_one),
		 IRQS(handle_free)),
	SCENARIO(what_is_parked_goes_in_part_while_more_is_parked, "left",
		 2, setup_park_afar, CPUS(shrink, park_afar)),
	SCENARIO(an_object_goes_down_twice_beside_an_allocation,
		 "gets departures used-up",
		 2, setup_down, CPUS(alloc_one, down_and_out)),
	SCENARIO(a_collection_takes_what_is_wanted, "collect-departs had",
		 2, setup_collect, CPUS(alloc_one, collect)),
	SCENARIO(an_array_that_grows_evicts_what_is_wanted, "regrown",
		 2, setup_grow, CPUS(alloc_one, alloc_one)),
	SCENARIO(a_handler_frees_here_and_takes_from_afar, "own",
		 2, setup_handed, CPUS(alloc_one), IRQS(handle_exchange)),
	SCENARIO(an_array_is_emptied_between_any_two_steps, "emptied",
		 2, setup_array, CPUS(alloc_free, alloc_one),
		 IRQS(handle_request)),
	SCENARIO(an_array_is_emptied_beside_an_allocation_at_the_limit, "late-leaves",
		 2, setup_array, CPUS(handle_request, alloc_one)),
	SCENARIO(an_object_of_an_array_is_parked_beside_one, "late-leaves",
		 2, setup_array_alone, CPUS(handle_request, alloc_one)),
	SCENARIO(a_handler_comes_first_on_a_cpu, "reopened opened",
		 1, setup_unused, CPUS(alloc_one), IRQS(handle_alloc)),
	{ .name = NULL }
};
