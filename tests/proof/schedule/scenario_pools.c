// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scenario_pools.c - pools change and end, and CPUs go, while they are in use
 *
 * Layer:   tests; the enumerator.
 * Context: see scenario.h.
 */
#include "scenario.h"
#include "show/validate.h"

/*
 * An array that is older than all clusters loses its objects to another pool's spill, in two
 * visits, since a cluster takes half of them.
 */

static void setup_shrink_at(unsigned int limit)
{
	struct pool_attr attr = { .name = "b", .size = 4 * SIZE };
	unsigned int i;

	setup(ROOMY, limit, 4);
	give(0, 4, 0);
	pool_options.cluster = 1;
	other = create_pool_ext(&attr);
	for (i = 0; i < 10; i++)
		obj[i] = s_alloc(other);
	for (i = 0; i < 3; i++)
		s_free(other, obj[i]);
}

static void setup_shrink(void)
{
	setup_shrink_at(0);
}

static void setup_shrink_full(void)
{
	setup_shrink_at(4);
}

static void spill_other(void)
{
	s_free(other, obj[3]);
}

static void spill_others(unsigned int from, unsigned int to)
{
	for (; from < to; from++)
		s_free(other, obj[from]);
}

/* The next visit closes the array, and then evicts a cluster that was there before. */
static void setup_old(void)
{
	setup_shrink();
	spill_others(3, 7);
}

static void spill_next(void)
{
	s_free(other, obj[7]);
}

static void reclaim_other(void)
{
	sched_note("pool_reclaim()");
	pool_reclaim(other);
	sched_note("pool_reclaim() ends");
}

static void handle_spill_other(void)
{
	s_free_flags(other, obj[3], POOL_F_ATOMIC);
}

/* A CPU goes, and its objects are drained. */

static void setup_exit(void)
{
	setup(SINGLY, 2, 2);
	give_as(1, 0, 1);
}

/* A pool ends while a slow path of another pool evicts its cluster. */

static void setup_evict_of(unsigned int limit)
{
	void *o;

	setup(NARROW, limit, 5);
	other = make("b", 0, 0);
	o = s_alloc(other);
	obj[5] = s_alloc(other);
	s_free(other, o);
	give(0, 3, 0);
}

static void setup_evict(void)
{
	setup_evict_of(0);
}

static void evict(void)
{
	give(3, 5, 0);
}

static void destroy_other(void)
{
	struct pool_head *o = other;

	other = NULL;
	s_free(o, obj[5]);
	s_destroy(o);
}

/* As setup_evict(), with a cluster that goes to the platform instead of the shared pool. */

static void setup_carry(void)
{
	setup_evict();
	pool_set_debug(other, "no-global");
}

/* The pool cannot end because an object of it is in use. */

static void fail_to_destroy_other(void)
{
	unsigned long in_use;

	sched_note("pool_give_back()");
	in_use = pool_give_back(pool_of(other), NULL, NULL);
	if (in_use != 1)
		sched_fail("%lu objects are said to be in use; it is 1",
			   in_use);
	sched_note("pool_give_back() ends");
}

/*
 * A slightly smaller newcomer joins a pool while both users leave it.  It gets a pool of its own if
 * both users were faster.
 */

static void setup_merge(void)
{
	set_bound(SINGLY);
	pool = create_pool("a", SIZE, MEM_F_SHARED);
	create_pool("a", SIZE, MEM_F_SHARED);
	alloc_free();
}

static void leave(void)
{
	s_destroy(pool);
}

static void merge(void)
{
	sched_note("create_pool()");
	other = create_pool("b", SIZE - 8, MEM_F_SHARED);
	sched_note("create_pool() ends");
	s_free(other, s_alloc(other));
}

/* One registration is given back while another one comes. */

static void setup_registered(void)
{
	set_bound(SINGLY);
	pool = create_pool("a", SIZE, MEM_F_SHARED);
	alloc_free();
}

static void give_back(void)
{
	struct pool_head *p = pool;

	pool = NULL;
	s_destroy(p);
}

static void join(void)
{
	sched_note("create_pool()");
	other = create_pool("b", SIZE, MEM_F_SHARED);
	sched_note("create_pool() ends");
	s_free(other, s_alloc(other));
}

/* Two CPUs create the same pool. */

static void setup_none(void)
{
	set_bound(SINGLY);
}

static void create(void)
{
	struct pool_head *p;

	sched_note("create_pool()");
	p = create_pool("a", SIZE, MEM_F_SHARED);
	sched_note("create_pool() ends");
	if (pool && pool != p)
		sched_fail("one pool would have been enough, and there are two");
	pool = p;
	s_free(p, s_alloc(p));
}

/* A CPU goes offline while a pool with objects on that CPU ends. */

static void setup_exit_destroy(void)
{
	setup(ROOMY, 0, 5);
	give_as(1, 0, 5);
}

static void destroy(void)
{
	give_back();
}

/* Two CPUs go offline after both have counted something.  The pool keeps their counts. */

static unsigned long fills, spills;

/* Add up by hand, because pool_stats_get() never returns less than it did before. */
static void add_up(void)
{
	unsigned int i;

	fills = pool_of(pool)->gone_fills;
	spills = pool_of(pool)->gone_spills;
	for (i = 0; i < plat_cpus; i++) {
		fills += plat_local_of(pool_of(pool), i)->fills;
		spills += plat_local_of(pool_of(pool), i)->spills;
	}
}

static void setup_exit_twice(void)
{
	setup(SINGLY, 0, 2);
	give_as(1, 0, 1);
	give_as(2, 1, 2);
	add_up();
}

static void end_exit_twice(void)
{
	unsigned long had_fills = fills, had_spills = spills;
	struct pool_stats now;

	add_up();
	pool_stats_get(pool, &now, sizeof(now));
	if (now.fills != fills || now.spills != spills)
		sched_fail("%llu fills and %llu spills are said; they are %lu, %lu",
			   now.fills, now.spills, fills, spills);
	if (fills != had_fills || spills != had_spills)
		sched_fail("%lu fills and %lu spills are counted; they were %lu, %lu",
			   fills, spills, had_fills, had_spills);
}

/* Numbers are read while their CPU goes offline, and while objects pass through the shared pool. */

static void setup_counted(void)
{
	setup(SINGLY, 0, 3);
	give_as(1, 0, 2);
	add_up();
}

static void setup_counted_shared(void)
{
	set_bound(SINGLY);
	pool = make("a", 0, 4);
	obj[0] = s_alloc(pool);
	give(0, 1, 0);
	reclaim();
}

static void look_twice(void)
{
	struct pool_stats one, two;

	pool_stats_get(pool, &one, sizeof(one));
	pool_stats_get(pool, &two, sizeof(two));
	if (two.fills < one.fills || two.spills < one.spills || two.put_objs < one.put_objs)
		sched_fail("%llu fills, %llu spills, %llu objects put; before %llu, %llu, %llu",
			   two.fills, two.spills, two.put_objs, one.fills, one.spills,
			   one.put_objs);
}

/* The shared part is switched off while a cluster is put there. */

static void setup_put_shared(void)
{
	setup_evict_of(5);
}

static void switch_global_off(void)
{
	switch_to("no-global");
}

/* A cluster must be found that comes to the shared pool after the shared pool was emptied. */
static void end_put_shared(void)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		if (!s_alloc(pool))
			sched_fail("an object is free, and not found");
}

/* As before, with objects in the array of the CPU that goes offline. */

static void setup_exit_array(void)
{
	setup(ROOMY, 4, 4);
	give_as(1, 0, 3);
}

/* One cluster of the CPU still moves when the CPU has drained its other clusters. */

static void setup_exit_clusters(void)
{
	setup(SINGLY, 0, 3);
	give_as(1, 0, 3);
}

/* A thread gives up its caches while a handler interrupts it. */

static void setup_idle(void)
{
	setup(ROOMY, 0, 6);
	give(1, 6, 0);
}

/*
 * Caches are switched off while a call wants all free objects, some in the array, the rest in a
 * cluster.
 */

static void setup_full(void)
{
	setup(ROOMY, 6, 6);
	give(1, 6, 0);
}

static void alloc_five(void)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		alloc_one();
}

static void switch_off_and_on(void)
{
	switch_to("no-cache");
	switch_to("cache");
}

/* Cached objects are exchanged for others while they are used. */

static void setup_pack(void)
{
	setup(SINGLY, 0, 5);
	give(1, 4, 0);
	give(0, 1, 0);
	plat_sparse = true;
}

/* Allocate all free objects, the oldest cluster's, too. */
static void alloc_all(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		s_alloc(pool);
}

/*
 * A visit adds clusters of one object, and releases the lock between two of them.  A walk that has
 * checked five of them must go on to the new ones, too.
 */

static void setup_many(void)
{
	setup(7ul * SIZE, 0, 7);
	give(0, 4, 0);
}

static void add_three(void)
{
	s_free_bulk(pool, 3, &obj[4]);
}

static void seen_wrong(const struct pool_finding *seen, void *arg)
{
	(void)arg;
	if (seen->wrong)
		sched_fail("%s: found %lu, expected %lu", seen->wrong, seen->found,
			   seen->expected);
}

static void validate(void)
{
	sched_note("pool_validate()");
	pool_validate(pool_of(pool), seen_wrong, NULL);
	sched_note("pool_validate() ends");
}

/* A declared pool is made anew while its first object is allocated. */

static struct pool_decl declared = POOL_DECL_INIT(&pool, "d", SIZE, 0, false);

static void setup_declared(void)
{
	set_bound(ROOMY);
	pool_create_declared(&declared, NULL, POOL_ABI);
}

static void configure(void)
{
	sched_note("pool_configure()");
	pool_configure("integrity");
	sched_note("pool_configure() ends");
}

const struct scenario scenarios_of_pools[] = {
	SCENARIO(caches_are_switched_off_while_an_array_shrinks, "recheck unlocked-close",
		 2, setup_shrink, CPUS(spill_other, switch_caches_off)),
	SCENARIO(an_array_closes_for_another_pool, "closes",
		 2, setup_old, CPUS(spill_next, collect)),
	SCENARIO(an_array_closes_beside_an_allocation_at_the_limit, "late-leaves",
		 2, setup_shrink_full, CPUS(spill_other, alloc_one)),
	SCENARIO(a_handler_wants_room_while_an_array_is_held, "closes-held",
		 1, setup_shrink, CPUS(alloc_free),
		 IRQS(handle_spill_other)),
	SCENARIO(a_cpu_goes_while_its_object_is_wanted, "gone",
		 2, setup_exit, CPUS(alloc_one, s_exit)),
	SCENARIO(a_pool_ends_while_its_array_is_closed, "array-waits",
		 2, setup_shrink, CPUS(spill_other, destroy)),
	SCENARIO(a_pool_ends_while_its_cluster_is_evicted, "unlocked",
		 2, setup_evict, CPUS(evict, destroy_other)),
	SCENARIO(a_pool_ends_while_its_cluster_is_brought_away, "transit brought unsettled",
		 2, setup_carry, CPUS(evict, destroy_other)),
	SCENARIO(a_pool_in_use_stays_while_its_cluster_is_evicted, "unlocked",
		 2, setup_evict, CPUS(evict, fail_to_destroy_other)),
	SCENARIO(a_pool_in_use_stays_while_its_cluster_is_brought_away, "looks",
		 2, setup_carry, CPUS(evict, fail_to_destroy_other)),
	SCENARIO(a_walk_is_at_a_pool_that_ends, "pins",
		 2, setup_evict, CPUS(collect, destroy_other)),
	SCENARIO(the_next_to_give_way_goes_while_the_first_one_does, "relock refunds",
		 2, setup_old, CPUS(spill_next, reclaim_other)),
	SCENARIO(lists_are_looked_at_while_a_visit_adds_to_them, "marked",
		 2, setup_many, CPUS(add_three, validate)),
	SCENARIO(a_pool_ends_while_others_shrink, "unpinned released",
		 2, setup_evict, CPUS(shrink, destroy_other)),
	SCENARIO(a_pool_in_use_stays_while_others_shrink, "moves",
		 2, setup_evict, CPUS(shrink, fail_to_destroy_other)),
	SCENARIO(a_newcomer_joins_a_pool_that_is_used, "ended",
		 3, setup_merge, CPUS(leave, merge, leave)),
	SCENARIO(the_shared_part_is_switched_off_while_it_is_put_to, "unshared",
		 2, setup_put_shared, CPUS(evict, switch_global_off),
		 .end = end_put_shared),
	SCENARIO(a_cpu_goes_while_its_pool_ends, "walked",
		 2, setup_exit_destroy, CPUS(destroy, s_exit)),
	SCENARIO(two_cpus_go_at_once, "handed",
		 3, setup_exit_twice, CPUS(collect, s_exit, s_exit),
		 .end = end_exit_twice),
	SCENARIO(counts_are_read_while_their_cpu_goes, "falls twice",
		 2, setup_counted, CPUS(look_twice, s_exit), .end = end_exit_twice),
	SCENARIO(counts_are_read_while_objects_are_shared, "derived",
		 2, setup_counted_shared, CPUS(look_twice, alloc_one)),
	SCENARIO(a_registration_comes_while_another_one_goes, "joins",
		 2, setup_registered, CPUS(give_back, join)),
	SCENARIO(two_create_the_same_pool, "created",
		 2, setup_none, CPUS(create, create)),
	SCENARIO(a_cpu_goes_with_an_array, "array-departs array-once array-same listed",
		 2, setup_exit_array, CPUS(alloc_one, s_exit)),
	SCENARIO(a_cpu_goes_while_it_is_reclaimed, "drained",
		 2, setup_exit_clusters, CPUS(reclaim, s_exit)),
	SCENARIO(a_thread_idles_under_a_handler, "forgotten",
		 2, setup_idle, CPUS(s_idle, alloc_free), IRQS(handle_free)),
	SCENARIO(caches_are_switched_off_while_the_last_object_is_wanted, "drains",
		 2, setup_full, CPUS(alloc_five, switch_off_and_on)),
	SCENARIO(cached_objects_are_exchanged_while_they_are_used, "exchanged",
		 2, setup_pack, CPUS(alloc_all, collect)),
	SCENARIO(a_declared_pool_is_made_anew_while_it_is_used, "renew",
		 2, setup_declared, CPUS(alloc_free, configure)),
	{ .name = NULL }
};
