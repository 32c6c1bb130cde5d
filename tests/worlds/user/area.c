// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * area.c - areas of threads: how much memory they keep, and how many pools they serve
 *
 * Layer:   tests of user/area.c.
 * Context: see test.h.  Steps that cannot be undone are done in a child.
 */
#include "cases_slab.h"
#include "life.h"
#include "main.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS		16
#define MANY_POOLS	300

static struct pool *pools[MANY_POOLS];
static unsigned long hot[MANY_POOLS];	/* their offsets, which outlast the pools */
static pthread_barrier_t together;
static unsigned long at_peak;

static bool is_resident(const void *p)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	unsigned char there = 0;

	return !mincore((void *)((uintptr_t)p & ~(page - 1)), page, &there) &&
	       there & 1;
}

/* Returns how many parts of these pools have memory, in all areas except this thread's. */
static unsigned long resident_parts(void)
{
	unsigned int own = plat_cpu_hint(), cpu, i;
	unsigned long n = 0;

	for (cpu = 0; cpu < test_nr_cpus(); cpu++)
		for (i = 0; cpu != own && i < MANY_POOLS; i++)
			n += is_resident((char *)plat_areas[cpu] + hot[i]);
	return n;
}

static bool make_pools(void)
{
	unsigned int i;

	for (i = 0; i < MANY_POOLS; i++) {
		pools[i] = test_pool(64);
		if (!pools[i])
			return false;
		hot[i] = pools[i]->own.hot;
	}
	return true;
}

static void end_pools(void)
{
	unsigned int i;

	for (i = 0; i < MANY_POOLS; i++)
		EXPECT_PTR_EQ(pool_destroy(&pools[i]->head), NULL);
}

static void use_all(unsigned int i, void *arg)
{
	unsigned int k;

	(void)i;
	(void)arg;
	for (k = 0; k < MANY_POOLS; k++)
		use_pool(0, pools[k]);
	pthread_barrier_wait(&together);
	pthread_barrier_wait(&together);
}

/*
 * Each area may keep a page of parts, so at most a twentieth of all parts may have memory.  No
 * backend call may fail, because a refused allocation reads parts of free areas, and mincore()
 * counts the pages of zeros that were read as memory.
 */
TEST_CASE(areas_of_threads_that_are_gone_give_their_memory_back)
{
	unsigned int i;

	pool_fail_every = 0;
	ASSERT(make_pools());
	pthread_barrier_init(&together, NULL, THREADS);
	test_threads(THREADS, use_all, NULL);
	EXPECT_LE(THREADS, test_nr_cpus());
	EXPECT_LE(resident_parts() * 20, (test_nr_cpus() - 1) * MANY_POOLS);
	test_threads(THREADS, use_all, NULL);
	for (i = 0; i < MANY_POOLS; i++)
		EXPECT(test_quiet(pools[i], 0));
	pthread_barrier_destroy(&together);
	end_pools();
}

/* The pools are destroyed while the threads exit. */
static void use_and_outlive(unsigned int i, void *arg)
{
	unsigned int k;

	for (k = 0; k < MANY_POOLS; k++)
		use_pool(0, pools[k]);
	pthread_barrier_wait(&together);
	if (!i) {
		at_peak = resident_parts();
		end_pools();
		plat_trim(true);
		*(unsigned long *)arg = resident_parts();
	}
	pthread_barrier_wait(&together);
}

TEST_CASE(parts_of_pools_that_are_gone_give_their_memory_back)
{
	unsigned long left = ~0ul;

	ASSERT(make_pools());
	pthread_barrier_init(&together, NULL, THREADS);
	test_threads(THREADS, use_and_outlive, &left);
	pthread_barrier_destroy(&together);
	EXPECT_LE((THREADS - 1) * MANY_POOLS, at_peak);
	EXPECT_LE(left * 20, at_peak);
}

static long faults_of_thread(void)
{
	struct rusage now;

	ck_assert(!getrusage(RUSAGE_THREAD, &now));
	return now.ru_minflt;
}

/* Each look at a part whose page is gone would bring the page back, full of zeros, by a fault. */
POOL_CASE(the_end_of_a_thread_looks_at_no_parts_of_pools_that_are_gone, test_pool(64))
{
	unsigned int own = plat_cpu_hint();
	long before;

	ASSERT(make_pools());
	end_pools();
	plat_trim(true);
	test_threads(1, use_pool, pool);
	ASSERT(test_nr_cpus() > 1);
	before = faults_of_thread();
	pool_area_trim(plat_areas[!own]);
	EXPECT_LE(faults_of_thread() - before, MANY_POOLS / 10);
}

/* Make pages that have parts of no other pools read-only in other areas, or writable again. */
static void protect_parts(unsigned int from, unsigned int to, int prot)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	unsigned int own = plat_cpu_hint(), cpu;

	for (cpu = 0; cpu < test_nr_cpus(); cpu++) {
		uintptr_t area = (uintptr_t)plat_areas[cpu];
		uintptr_t first = (area + hot[from] + page - 1) & ~(page - 1);
		uintptr_t end = (area + hot[to]) & ~(page - 1);

		if (cpu != own)
			ck_assert(!mprotect((void *)first, end - first, prot));
	}
}

#define UNUSED_FROM	200
#define UNUSED_TO	280

/* Make calls that read or change the numbers of pools that other threads have not used. */
static void use_one_and_look(unsigned int i, void *arg)
{
	struct pool_stats now;
	unsigned int k;

	(void)arg;
	use_pool(0, pools[0]);
	pthread_barrier_wait(&together);
	if (!i) {
		protect_parts(UNUSED_FROM, UNUSED_TO, PROT_NONE);
		for (k = UNUSED_FROM; k < UNUSED_TO; k++) {
			pool_switch(pools[k], POOL_D_NO_CACHE, 0);
			pool_stats_get(&pools[k]->head, &now, sizeof(now));
			pool_reclaim(&pools[k]->head);
		}
	}
	pthread_barrier_wait(&together);
	pool_thread_idle();
	pthread_barrier_wait(&together);
	if (!i)
		protect_parts(UNUSED_FROM, UNUSED_TO, PROT_READ | PROT_WRITE);
}

/* A part that is read or written to has memory from then on, so other threads protect theirs. */
TEST_CASE(calls_look_at_no_part_that_was_never_used)
{
	ASSERT(make_pools());
	ASSERT(hot[UNUSED_TO] - hot[UNUSED_FROM] ==
	       (UNUSED_TO - UNUSED_FROM) * sizeof(struct pool_local));
	pthread_barrier_init(&together, NULL, THREADS);
	test_threads(THREADS, use_one_and_look, NULL);
	pthread_barrier_destroy(&together);
	EXPECT(pools[UNUSED_FROM]->debug & POOL_D_NO_CACHE);
	end_pools();
}

static void use_all_and_idle(unsigned int i, void *arg)
{
	unsigned int *resident = arg, k;

	use_all(i, NULL);
	pool_thread_idle();
	for (k = 0; k < MANY_POOLS; k++)
		*resident += is_resident(pool_thread_area + hot[k]);
}

/* The first page, and parts of pages at both ends, keep their memory. */
TEST_CASE(a_thread_that_idles_gives_the_memory_of_its_parts_back)
{
	unsigned int resident = 0;

	ASSERT(make_pools());
	pthread_barrier_init(&together, NULL, 1);
	test_threads(1, use_all_and_idle, &resident);
	pthread_barrier_destroy(&together);
	EXPECT_LE(resident, 16);
	end_pools();
}

POOL_CASE(counts_of_threads_that_are_gone_stay, test_pool(64))
{
	struct pool_stats one, ten;
	unsigned int i;

	pool_fail_every = 0;
	test_threads(1, use_pool, pool);
	pool_sum(pool, &one);
	EXPECT(one.fills + one.spills > 0);
	for (i = 0; i < 9; i++)
		test_threads(1, use_pool, pool);
	pool_sum(pool, &ten);
	EXPECT_LE(one.fills + one.spills + 9, ten.fills + ten.spills);
	EXPECT_LE(one.spills, ten.spills);
}

/*
 * A pool's number, so far from the others that the pages of its part have no other part and no
 * other data of the area.
 */
#define LONELY		(MANY_POOLS / 2)

static pthread_t parker;
static bool parker_there;

/* Park an object, as a handler that interrupts a call of this thread does. */
static void *park_and_stay(void *arg)
{
	struct pool_local **part = arg;
	unsigned int i;

	test_free(pools[LONELY], test_alloc(pools[LONELY]));
	*part = test_local(pools[LONELY]);
	plat_write(&(*part)->hot.open, POOL_HELD);
	for (i = 0; i < 2; i++)
		__pool_free(&pools[LONELY]->head, test_objs[i], POOL_F_ATOMIC);
	plat_write(&(*part)->hot.open, POOL_OPEN);
	pthread_barrier_wait(&together);
	pthread_barrier_wait(&together);
	return NULL;
}

/* The thread exits while its first object moves to the backend. */
static void see_parker_off(void *obj, void *arg)
{
	(void)obj;
	(void)arg;
	if (!parker_there)
		return;
	parker_there = false;
	pthread_barrier_wait(&together);
	pthread_join(parker, NULL);
}

TEST_CASE(a_part_keeps_its_memory_while_what_was_parked_there_is_on_its_way)
{
	struct pool_attr attr = {
		.name = "lonely", .size = 64, .mode = POOL_M_NO_CACHE,
		.dtor = see_parker_off,
	};
	struct pool_local *part = NULL;
	struct pool_stats now;

	pool_fail_every = 0;
	ASSERT(make_pools());
	pool_destroy(&pools[LONELY]->head);
	pools[LONELY] = pool_of(create_pool_ext(&attr));
	test_alloc_many(pools[LONELY], test_objs, 2);
	pthread_barrier_init(&together, NULL, 2);
	ASSERT(!pthread_create(&parker, NULL, park_and_stay, &part));
	pthread_barrier_wait(&together);
	EXPECT_EQ(plat_read(&part->parked.count), 2);
	parker_there = true;
	pool_gc(NULL);
	EXPECT(!parker_there);
	EXPECT_EQ(plat_read(&part->parked.count), 0);
	pool_sum(pools[LONELY], &now);
	EXPECT_EQ(now.parked, 0);
	EXPECT(test_quiet(pools[LONELY], 0));
	pthread_barrier_destroy(&together);
	end_pools();
}

#define ALL_POOLS	(test_scale(10000))

static unsigned long slow_paths(struct pool *pool)
{
	struct pool_stats now;

	pool_sum(pool, &now);
	return now.fills + now.spills + now.gets + now.puts + now.nested +
	       now.store_gets + now.store_puts;
}

/* Calls of hit_all() that took a slow path; each should hit. */
static unsigned long missed;

/* Hit each pool ten times, in turn, once the arrays are open. */
static void hit_all(unsigned int i, void *arg)
{
	struct pool **all = arg;
	unsigned long before = 0, after = 0;
	unsigned int k, r;

	(void)i;
	for (k = 0; k < ALL_POOLS; k++) {
		test_free(all[k], test_alloc(all[k]));
		before += slow_paths(all[k]);
	}
	for (r = 0; r < 10; r++)
		for (k = 0; k < ALL_POOLS; k++)
			test_free(all[k], test_alloc(all[k]));
	for (k = 0; k < ALL_POOLS; k++)
		after += slow_paths(all[k]);
	missed += after - before;
}

/* An array has at least 8 slots, so arrays of 10,000 pools need a large bound. */
TEST_CASE(ten_thousand_pools_hit_in_old_threads_and_in_new_ones)
{
	struct pool **all = calloc(ALL_POOLS, sizeof(struct pool *));
	unsigned int i;

	ASSERT(all);
	pool_fail_every = 0;
	pool_set_hot_size(8 << 20);
	for (i = 0; i < ALL_POOLS; i++) {
		all[i] = test_pool(16);
		ASSERT(all[i]);
	}
	hit_all(0, all);
	test_threads(1, hit_all, all);
	EXPECT_EQ(missed, 0);
	for (i = 0; i < ALL_POOLS; i++)
		EXPECT_PTR_EQ(pool_destroy(&all[i]->head), NULL);
	free(all);
}

/* Map addresses from the middle of the distance on within which the library looks for parts. */
static void *crowd(size_t *bytes)
{
	char *wanted, *at;

	*bytes = (size_t)1 << (sizeof(size_t) > 4 ? 36 : 29);
	wanted = (char *)plat_areas[0] + *bytes / 2;
	at = mmap(wanted, *bytes, PROT_NONE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT(at != MAP_FAILED);
	return at;
}

/* If mmap() maps other addresses, some of these already belong to other mappings. */
TEST_CASE(pools_have_arrays_where_others_have_the_farthest_addresses)
{
	struct pool *first = test_pool(64);
	unsigned int closed = 0, i;
	size_t bytes;
	void *others;

	ASSERT(first);
	test_free(first, test_alloc(first));
	others = crowd(&bytes);
	ASSERT(make_pools());
	for (i = 0; i < MANY_POOLS; i++)
		closed += !pools[i]->cached;
	EXPECT_EQ(closed, 0);
	use_pool(0, pools[MANY_POOLS - 1]);
	EXPECT(test_quiet(pools[MANY_POOLS - 1], 0));
	end_pools();
	munmap(others, bytes);
	pool_destroy(&first->head);
}

static struct pool *last;

/* Make more pools than an area has parts for from the beginning. */
static void make_more(void *arg)
{
	unsigned int i;

	for (i = 0; i < PLAT_NEAR + 12; i++)
		last = test_pool(64);
	*(bool *)arg = last && !last->cached;
}

static int use_without_parts(void *arg)
{
	struct rlimit limit;
	char text[1000] = "";
	bool closed = false;

	limit.rlim_cur = limit.rlim_max = *(unsigned long *)arg;
	if (setrlimit(RLIMIT_AS, &limit))
		return 1;
	captured(text, sizeof(text), make_more, &closed);
	if (!closed || count_lines(text) != 1 || 
	    !strstr(text, "no caches: no memory for them"))
		return 2;
	test_free(last, test_alloc(last));
	return !test_quiet(last, 0);
}

/* Returns the result of @use in a child whose areas have room for only a few more parts. */
static int short_of_parts(int (*use)(void *arg))
{
	struct pool *pool = test_pool(64);
	unsigned long most;
	int status;

	if (!pool)
		return -1;
	test_free(pool, test_alloc(pool));
	most = space() + (2ul << 20);
	status = slab_child(use, &most);
	pool_destroy(&pool->head);
	return status;
}

TEST_CASE(where_no_more_parts_fit_pools_are_closed_and_that_is_said_once)
{
	if (UNDER_CHECKER)
		SKIP_BECAUSE("checkers have mappings of their own");
	EXPECT_EQ(short_of_parts(use_without_parts), 0);
}

static bool told;

/* Log a line as a program may do: fork, and create a pool. */
static void fork_and_create(enum pool_log_level level, const char *line, void *arg)
{
	struct pool_head *pool;
	pid_t child = fork();
	int status = -1;

	(void)level;
	(void)arg;
	if (!child)
		_exit(0);
	pool = create_pool("line", 64, MEM_F_EXACT);
	told = waitpid(child, &status, 0) == child && !status &&
	       strstr(line, "pool \"a%0Ab\" and") && pool_destroy(pool) == NULL;
}

/* The alarm ends a deadlock. */
static int tell_function(void *arg)
{
	struct rlimit limit;
	unsigned int i;

	alarm(60);
	limit.rlim_cur = limit.rlim_max = *(unsigned long *)arg;
	if (setrlimit(RLIMIT_AS, &limit))
		return 1;
	pool_set_log(fork_and_create, NULL);
	for (i = 0; i < PLAT_NEAR + 12; i++)
		if (!create_pool("a\nb", 64, MEM_F_EXACT))
			return 2;
	return !told;
}

TEST_CASE(the_function_for_lines_may_make_pools_where_no_more_parts_fit)
{
	if (UNDER_CHECKER)
		SKIP_BECAUSE("checkers have mappings of their own");
	EXPECT_EQ(short_of_parts(tell_function), 0);
}
