// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * live.c - the cost of ended threads for those that still run
 *
 * Layer:   tests of user/live.c and user/place.c.
 * Context: see test.h and life.h.
 */
#include "life.h"
#include "main.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* More areas than a fork copies after their threads have ended. */
#define CROWD	70

static pthread_barrier_t all_there;

static void use_beside_others(unsigned int i, void *pool)
{
	use_pool(i, pool);
	pthread_barrier_wait(&all_there);
}

/* Give an area to each of many threads at the same time, then end the threads. */
static void crowd(struct pool *pool)
{
	pthread_barrier_init(&all_there, NULL, CROWD);
	test_threads(CROWD, use_beside_others, pool);
	pthread_barrier_destroy(&all_there);
}

/* Returns how many areas a walk visits. */
static unsigned int visited(void)
{
	struct pool_cpu *cpu;
	unsigned int i, n = 0;

	pool_each_cpu(i, cpu)
		n++;
	return n;
}

POOL_CASE(a_walk_visits_no_area_of_a_thread_that_has_ended, test_pool(64))
{
	unsigned int before = visited();

	crowd(pool);
	EXPECT_LE(CROWD, test_nr_cpus());
	EXPECT_LE(visited(), before + 1);
}

POOL_CASE(a_thread_gets_the_lowest_area_that_is_free, test_pool(64))
{
	struct plat_area *first, *second;

	crowd(pool);
	first = pool_area_get();
	second = pool_area_get();
	ASSERT(first && second);
	EXPECT_EQ(first->number + 1, second->number);
	EXPECT_EQ(plat_cpu_below(second->number), first->number);
	pool_area_put(first);
	EXPECT_EQ(plat_cpu_below(UINT_MAX), second->number);
	EXPECT_PTR_EQ(pool_area_get(), first);
	pool_area_put(second);
	EXPECT_EQ(plat_cpu_below(UINT_MAX), first->number);
	pool_area_put(first);
}

static void see_part(unsigned int i, void *pool)
{
	test_free(pool, test_alloc(pool));
	pool_depart(&test_local(pool)->moving, i + 1);
}

/* The thread ends while an object of its part is on its way to the shared pool. */
POOL_CASE(an_area_is_visited_while_what_was_there_is_on_its_way, test_pool(64))
{
	unsigned int before = visited(), i;
	struct pool_local *part;

	test_free(pool, test_alloc(pool));
	test_threads(1, see_part, pool);
	EXPECT_EQ(visited(), before + 1);
	pool_each_part(pool, i, part)
		if (plat_read(&part->moving))
			pool_arrive(&part->moving, 1);
	test_threads(1, use_pool, pool);
	EXPECT_EQ(visited(), before);
}

static void collect(unsigned int i, void *arg)
{
	(void)i;
	(void)arg;
	pool_gc(NULL);
}

/* In the child this thread has a new id; pool_reap() must not take the thread for ended. */
static void keep_area(void *pool)
{
	unsigned long charged = test_charged();

	NEED(charged);
	test_threads(1, collect, NULL);
	NEED(test_charged() == charged);
	NEED(adds_up(pool));
}

POOL_CASE(the_thread_of_a_child_keeps_its_area_when_others_are_reaped, test_pool(64))
{
	if (UNDER_TSAN)
		SKIP_BECAUSE("ThreadSanitizer lets no child start threads");
	pool_fail_every = 0;
	test_wave(pool, 100);
	EXPECT(child_is_well(keep_area, pool));
}

/* The child does not have the areas of the crowd, but a second crowd must get areas. */
static void crowd_in_child(void *pool)
{
	unsigned int cpus = test_nr_cpus();

	NEED(visited() == 1);
	crowd(pool);
	NEED(visited() == 1);
	NEED(test_nr_cpus() == cpus);
	NEED(adds_up(pool));
}

POOL_CASE(a_child_makes_areas_that_it_did_not_get, test_pool(64))
{
	test_free(pool, test_alloc(pool));
	crowd(pool);
	EXPECT(child_is_well(crowd_in_child, pool));
	crowd(pool);
}

/* No handler of forks ran, so the table still lists areas that this child did not get. */
static int use_areas(void)
{
	unsigned int i;

	for (i = 0; i < CROWD; i++) {
		struct plat_area *area = pool_area_get();

		if (!area)
			return 1;
		plat_write(&area->thread, i);
	}
	return 0;
}

POOL_CASE(a_child_made_without_handlers_of_forks_makes_areas_too, test_pool(64))
{
	int status = -1;
	pid_t child;

	crowd(pool);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child)
		_exit(use_areas());
	EXPECT(child > 0 && waitpid(child, &status, 0) == child);
	EXPECT_EQ(status, 0);
}
