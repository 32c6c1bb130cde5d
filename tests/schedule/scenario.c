// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scenario.c - what happens at the same time
 *
 * Layer:   tests; the enumerator.
 * Context: setup: before all, on CPU 0; then a function per CPU, and handlers.
 */
#include "plat.h"
#include "sched.h"

/* Part of the world. */
static struct pool_head *pool, *other;
static void *obj[8];

#define SIZE		64u		/* of objects */
#define SINGLY		(8ul * SIZE)	/* a bound: no arrays, clusters of one */
#define ROOMY		(32ul * SIZE)	/* a bound: arrays of four, clusters of two */

static struct pool_head *make(const char *name, unsigned int limit,
			      unsigned int min_avail)
{
	struct pool_attr attr = {
		.name = name, .size = SIZE, .limit = limit,
		.min_avail = min_avail,
	};

	return create_pool_ext(&attr);
}

/* The pool that most scenarios have, and @n objects of it in use. */
static void setup(unsigned long bound, unsigned int limit, unsigned int n)
{
	unsigned int i;

	pool_set_hot_size(bound);
	pool = make("a", limit, 0);
	for (i = 0; i < n; i++)
		obj[i] = s_alloc(pool);
}

/* Free objects that the setup has allocated. */
static void give(unsigned int from, unsigned int to, unsigned int flags)
{
	for (; from < to; from++) {
		void *o = obj[from];

		obj[from] = NULL;
		s_free_flags(pool, o, flags);
	}
}

static void give_as(unsigned int cpu, unsigned int from, unsigned int to)
{
	sched_as_cpu(cpu);
	give(from, to, 0);
	sched_as_cpu(0);
}

static void alloc_one(void)
{
	s_alloc(pool);
}

static void alloc_free(void)
{
	s_free(pool, s_alloc(pool));
}

/* What handlers do. */

static void handle_alloc(void)
{
	s_alloc_flags(pool, POOL_F_ATOMIC);
}

static void handle_free(void)
{
	give(0, 1, POOL_F_ATOMIC);
}

static void handle_both(void)
{
	void *o = s_alloc_flags(pool, POOL_F_ATOMIC);

	handle_free();
	s_free_flags(pool, o, POOL_F_ATOMIC);
}

static void reclaim(void)
{
	sched_note("pool_reclaim()");
	pool_reclaim(pool);
	sched_note("pool_reclaim() ends");
}

static void collect(void)
{
	sched_note("pool_gc()");
	pool_gc(NULL);
	sched_note("pool_gc() ends");
}

/*
 * Of three objects one is in use.  Two go from clusters to the shared pool and back up,
 * one after the other, so that there always is one for CPU 0.
 */

static void setup_up_and_down(void)
{
	unsigned int i;

	pool_set_hot_size(SINGLY);
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

/* One takes from a bucket singly, one a cluster, one puts a cluster. */

static void setup_buckets(void)
{
	setup(SINGLY, 0, 4);
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

/* Objects are parked while others that are parked are taken. */

static void setup_parked(void)
{
	setup(0, 0, 3);
	give(0, 2, POOL_F_ATOMIC);
}

static void unpark_and_park(void)
{
	void *first = s_alloc(pool);
	void *second = s_alloc(pool);

	s_free_flags(pool, first, POOL_F_ATOMIC);
	obj[3] = second;
}

static void setup_parked_last(void)
{
	setup(0, 2, 2);
	give(0, 1, POOL_F_ATOMIC);
}

/* A CPU's clusters are reclaimed while it uses them. */

static void setup_reclaim(void)
{
	setup(SINGLY, 2, 2);
	give(0, 1, 0);
}

/* Two want the last object. */

static void setup_limit(void)
{
	setup(SINGLY, 2, 1);
}

/* An array opens, and is to be closed for good. */

static void setup_switch(void)
{
	setup(ROOMY, 0, 2);
	give_as(1, 0, 2);
}

static void switch_caches_off(void)
{
	sched_note("pool_set_debug()");
	pool_set_debug(pool, "no-cache");
	sched_note("pool_set_debug() ends");
}

static void switch_checks_on(void)
{
	sched_note("pool_set_debug()");
	pool_set_debug(pool, "integrity");
	sched_note("pool_set_debug() ends");
}

static void switch_checks_off(void)
{
	switch_checks_on();
	pool_set_debug(pool, "-integrity");
}

/* An array loses room beside that, on another pool's slow paths. */

static void setup_shrink(void)
{
	struct pool_attr attr = { .name = "b", .size = 4 * SIZE };

	setup(ROOMY, 0, 1);
	give(0, 1, 0);
	other = create_pool_ext(&attr);
}

static void use_other(void)
{
	unsigned int i;

	for (i = 0; i < 20; i++)
		s_free(other, s_alloc(other));
}

/* A CPU goes, and what it has is handed on. */

static void setup_exit(void)
{
	setup(SINGLY, 2, 2);
	give_as(1, 0, 1);
}

/* A pool ends while another one's slow path brings its cluster away. */

static void setup_evict(void)
{
	void *o;

	setup(4ul * SIZE, 0, 5);
	other = make("b", 0, 0);
	o = s_alloc(other);
	obj[5] = s_alloc(other);
	s_free(other, o);
	give(0, 3, 0);
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

/* The same of a pool that cannot end, since an object of it is in use. */

static void fail_to_destroy_other(void)
{
	sched_note("pool_destroy()");
	if (!pool_destroy(other))
		sched_fail("a pool is destroyed, though an object is in use");
	sched_note("pool_destroy() ends");
}

/* A pool grows for a newcomer while others use it. */

static void setup_merge(void)
{
	pool_set_hot_size(SINGLY);
	pool = create_pool("a", SIZE - 16, MEM_F_SHARED);
	obj[0] = s_alloc(pool);
	s_free(pool, obj[0]);
	reclaim();
}

static void merge(void)
{
	sched_note("create_pool()");
	other = create_pool("b", SIZE - 8, MEM_F_SHARED);
	sched_note("create_pool() ends");
	s_free(other, s_alloc(other));
}

#define SCENARIO(what, mutants, cpus_, setup_, ...) \
	{ .name = #what, .kills = mutants, .cpus = cpus_, .setup = setup_, \
	  __VA_ARGS__ }
#define CPUS(...)	.cpu = { __VA_ARGS__ }
#define IRQS(...)	.irq = { __VA_ARGS__ }

const struct scenario scenarios[] = {
	SCENARIO(an_object_goes_up_and_down_beside_an_allocation, "departures",
		 3, setup_up_and_down, CPUS(alloc_one, down_and_up, alloc_free)),
	SCENARIO(a_bucket_is_taken_from_and_put_to, "exchange",
		 3, setup_buckets, CPUS(alloc_free_below, alloc_free, reclaim)),
	SCENARIO(a_spill_meets_a_take_from_afar, "charge",
		 2, setup_spill, CPUS(spill, alloc_one)),
	SCENARIO(objects_are_parked_while_others_are_taken, "pop unexchanged",
		 2, setup_parked, CPUS(unpark_and_park, collect)),
	SCENARIO(the_last_object_is_parked, "parked",
		 3, setup_parked_last, CPUS(alloc_one, collect, reclaim)),
	SCENARIO(clusters_are_reclaimed_while_they_are_used, "settled",
		 2, setup_reclaim, CPUS(alloc_free, reclaim)),
	SCENARIO(two_want_the_last_object, "limit",
		 2, setup_limit, CPUS(alloc_one, alloc_one)),
	SCENARIO(caches_are_switched_off_while_an_array_opens, "",
		 2, setup_switch, CPUS(alloc_free, switch_caches_off)),
	SCENARIO(caches_are_switched_off_while_an_array_shrinks, "recheck",
		 2, setup_shrink, CPUS(use_other, switch_caches_off)),
	SCENARIO(checks_are_switched_on_and_off, "",
		 2, setup_switch, CPUS(alloc_free, switch_checks_off)),
	SCENARIO(a_cpu_goes_while_its_object_is_wanted, "gone",
		 2, setup_exit, CPUS(alloc_one, s_exit)),
	SCENARIO(a_pool_ends_while_its_cluster_is_brought_away, "transit",
		 2, setup_evict, CPUS(evict, destroy_other)),
	SCENARIO(a_pool_in_use_stays_while_its_cluster_is_brought_away, "looks",
		 2, setup_evict, CPUS(evict, fail_to_destroy_other)),
	SCENARIO(a_walk_is_at_a_pool_that_ends, "pins",
		 2, setup_evict, CPUS(collect, destroy_other)),
	SCENARIO(a_pool_grows_while_it_is_used, "grows",
		 2, setup_merge, CPUS(alloc_free, merge)),
	SCENARIO(a_handler_allocates_between_any_two_steps, "stale",
		 1, setup_spill, CPUS(alloc_free), IRQS(handle_alloc)),
	SCENARIO(a_handler_frees_between_any_two_steps, "nested",
		 1, setup_spill, CPUS(alloc_free), IRQS(handle_free)),
	SCENARIO(a_handler_comes_between_any_two_steps_of_a_spill, "held",
		 1, setup_spill, CPUS(spill), IRQS(handle_alloc)),
	SCENARIO(handlers_meet_a_collection, "",
		 2, setup_spill, CPUS(spill, collect),
		 IRQS(handle_free, handle_alloc)),
	SCENARIO(a_handler_does_both_beside_an_allocation, "",
		 2, setup_spill, CPUS(alloc_free, alloc_one), IRQS(handle_both)),
	{ .name = NULL }
};
