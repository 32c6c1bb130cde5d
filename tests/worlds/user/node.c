// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * node.c - nodes of memory: shelves, chunks and the shared pool are apart
 *
 * Layer:   tests of user/slab/node.c, and of nodes in user/slab/ and shared/shared.c.
 * Context: see test.h.  The library's calls of sched_getcpu() come here.  A thread may pretend
 *	    to run on a CPU of node 0 or of node 1, whose numbers no machine's CPUs have.
 */
#include "cases_slab.h"
#include "main.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The CPU of node 0; the next number is the CPU of node 1. */
#define CPU		8190

#define WAVE		1000
#define ROUNDS		20

static __thread int cpu;	/* 0: the real CPU */
static unsigned long asked;

int __real_sched_getcpu(void);
int __wrap_sched_getcpu(void);

int __wrap_sched_getcpu(void)
{
	plat_word_add(&asked, 1);
	return cpu ? cpu : __real_sched_getcpu();
}

void nodes_go_to(unsigned int node)
{
	cpu = CPU + (int)node;
}

void nodes_two(void)
{
	plat_trim(true);
	pool_start.nodes = 2;
	pool_node_of_cpu[CPU] = 1;
	pool_node_of_cpu[CPU + 1] = 2;
	nodes_go_to(0);
}

/* Return to one node, and this thread to its real CPU. */
void nodes_one(void)
{
	cpu = 0;
	pool_start.nodes = 1;
	plat_this_area()->shelf = 0;
	plat_trim(true);
}

static unsigned int node_of(const void *obj)
{
	return pool_arena_slab(obj)->chunk->node;
}

/* Returns how many of these objects are not of node @node. */
static unsigned int remote(void **objs, unsigned int n, unsigned int node)
{
	unsigned int count = 0;

	while (n--)
		count += pool_arena_slab(objs[n]) && node_of(objs[n]) != node;
	return count;
}

TEST_CASE(an_allocation_is_of_the_node_that_its_thread_is_near)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	void *objs[4];
	unsigned int i;

	nodes_two();
	for (i = 0; i < 4; i++) {
		nodes_go_to(i % 2);
		objs[i] = test_slab_alloc(class);
		EXPECT_EQ(node_of(objs[i]), i % 2);
	}
	EXPECT_PTR_EQ(slab_of(objs[0]), slab_of(objs[2]));
	EXPECT_PTR_EQ(slab_of(objs[1]), slab_of(objs[3]));
	EXPECT_EQ(slab_put_many(objs, 4), 0);
	nodes_one();
}

TEST_CASE(the_node_of_an_object_is_its_slabs_and_else_the_threads)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	struct plat_backend source = { .slabs = class };
	unsigned int i;
	char *obj;

	nodes_two();
	obj = test_slab_alloc(class);
	for (i = 0; i < 2; i++) {
		nodes_go_to(i);
		EXPECT_EQ(plat_node_of(&source, obj), 0);
		EXPECT_EQ(plat_node_of(&source, obj + 1), 0);
		EXPECT_EQ(plat_node_of(&source, NULL), i);
		EXPECT_EQ(plat_node_of(&source, &class), i);
	}
	EXPECT_EQ(slab_put(obj), POOL_FAULT_KINDS);
	nodes_one();
}

/* Both shelves of node 0 have slabs with room.  A thread at node 1 must not use these. */
TEST_CASE(a_node_leaves_slabs_with_room_of_another_node_alone)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	unsigned int n = 4 * PER_SLAB, i;
	size_t used;

	nodes_two();
	slab_get_many(class, test_objs, n);
	for (i = 0; i < n; i += PER_SLAB)
		EXPECT_EQ(slab_put(test_objs[i]), POOL_FAULT_KINDS);
	nodes_go_to(1);
	slab_get_many(class, &test_objs[n], n);
	EXPECT_EQ(remote(&test_objs[n], n, 1), 0);
	/* A thread at node 0 takes objects of these slabs, which are on shelf 2. */
	nodes_go_to(0);
	plat_this_area()->shelf = 2;
	used = arena_now().used;
	for (i = 0; i < n; i += 2 * PER_SLAB)
		test_objs[i] = test_slab_alloc(class);
	EXPECT_EQ(arena_now().used, used);
	EXPECT_PTR_EQ(pool_arena_slab(test_objs[0])->shelf, &class->shelf[2]);
	for (i = PER_SLAB; i < n; i += 2 * PER_SLAB)
		test_objs[i] = test_slab_alloc(class);
	EXPECT_EQ(slab_put_many(test_objs, 2 * n), 0);
	nodes_one();
}

TEST_CASE(who_finds_a_shelf_taken_uses_another_one_of_its_node)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	unsigned int i;

	nodes_two();
	for (i = 0; i < 2; i++) {
		nodes_go_to(i);
		pthread_mutex_lock(class->shelf[i].lock);
		test_objs[i] = test_slab_alloc(class);
		pthread_mutex_unlock(class->shelf[i].lock);
		EXPECT_PTR_EQ(pool_arena_slab(test_objs[i])->shelf,
			      &class->shelf[i + 2]);
		plat_this_area()->shelf = 0;
	}
	EXPECT_EQ(slab_put_many(test_objs, 2), 0);
	nodes_one();
}

POOL_CASE(with_one_node_no_thread_asks_where_it_is, test_pool(64))
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	struct plat_backend source = { .slabs = class };
	void *obj;

	plat_write(&asked, 0);
	test_wave(pool, WAVE);
	obj = test_slab_alloc(class);
	EXPECT_EQ(plat_node_of(&source, obj), 0);
	EXPECT_EQ(plat_node_of(&source, NULL), 0);
	EXPECT_EQ(slab_put(obj), POOL_FAULT_KINDS);
	EXPECT_EQ(plat_read(&asked), 0);
}

/* Run in a thread without an area. */
static void without_area(unsigned int i, void *arg)
{
	struct slab_class *class = arg;

	nodes_go_to(i);
	test_objs[i] = test_slab_alloc(class);
}

TEST_CASE(a_thread_without_an_area_is_near_a_node_too)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	unsigned int i;

	nodes_two();
	test_threads(2, without_area, class);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(node_of(test_objs[i]), i);
	EXPECT_EQ(slab_put_many(test_objs, 2), 0);
	nodes_one();
}

static unsigned int resident(void **objs, unsigned int n)
{
	unsigned int count = 0;

	while (n--) {
		void *at = (void *)((uintptr_t)objs[n] & -(uintptr_t)SLAB_PAGE);
		unsigned char there = 0;

		if (!mincore(at, SLAB_PAGE, &there))
			count += there & 1;
	}
	return count;
}

/* Memory that threads of a node have touched is near that node, so only its threads may get it. */
TEST_CASE(an_empty_slab_stays_of_the_node_that_has_its_pages)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	unsigned int n = 8 * PER_SLAB, i;
	size_t kept, ready;

	nodes_two();
	slab_get_many(class, test_objs, n);
	for (i = 0; i < n; i++)
		memset(test_objs[i], 1, LARGE);
	EXPECT_EQ(slab_put_many(test_objs, n), 0);
	kept = arena_now().kept;
	EXPECT_LE(6, kept);
	nodes_go_to(1);
	slab_get_many(class, test_objs, n);
	EXPECT_EQ(remote(test_objs, n, 1), 0);
	/* The last of these objects were allocated first; slabs of later ones have memory ahead. */
	EXPECT_EQ(resident(test_objs + 4 * PER_SLAB, 4 * PER_SLAB), 0);
	EXPECT_EQ(arena_now().kept, kept);
	EXPECT_EQ(slab_put_many(test_objs, n), 0);
	ready = arena_now().ready;
	nodes_go_to(0);
	slab_get_many(class, test_objs, n);
	EXPECT_EQ(arena_now().ready, ready);
	EXPECT_EQ(remote(test_objs, n, 0), 0);
	EXPECT_EQ(slab_put_many(test_objs, n), 0);
	nodes_one();
}

/* Keep one object in use, which keeps the chunk of node 1. */
TEST_CASE(an_empty_slab_without_pages_stays_of_its_node_too)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	unsigned int n = 8 * PER_SLAB;

	nodes_two();
	nodes_go_to(1);
	slab_get_many(class, test_objs, n + 1);
	EXPECT_EQ(slab_put_many(test_objs, n), 0);
	plat_trim(true);
	EXPECT_EQ(arena_now().kept, 0);
	nodes_go_to(0);
	slab_get_many(class, test_objs, n);
	EXPECT_EQ(remote(test_objs, n, 0), 0);
	EXPECT_EQ(slab_put_many(test_objs, n + 1), 0);
	nodes_one();
}

/* Node 1 keeps as many empty slabs as are allowed in all; then node 0 frees as many. */
TEST_CASE(nodes_keep_no_more_empty_slabs_than_one_would)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	unsigned int n = 20 * PER_SLAB, i;

	nodes_two();
	for (i = 0; i < 4; i++) {
		nodes_go_to(i % 2);
		slab_get_many(class, test_objs, n);
		EXPECT_EQ(slab_put_many(test_objs, n), 0);
		EXPECT(!pool_page_over());
	}
	plat_trim(true);
	EXPECT_EQ(arena_now().kept, 0);
	nodes_one();
}

TEST_CASE(an_empty_chunk_of_any_node_gives_its_addresses_back)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	size_t reserved;
	unsigned int i;
	void *obj;

	nodes_two();
	nodes_go_to(1);
	reserved = arena_now().reserved;
	for (i = 0; i < 2; i++) {
		obj = test_slab_alloc(class);
		EXPECT(obj);
		memset(obj, 1, LARGE);
		EXPECT_EQ(arena_now().reserved, reserved + CHUNK_SLABS);
		EXPECT_EQ(slab_put(obj), POOL_FAULT_KINDS);
		plat_trim(true);
		EXPECT_EQ(arena_now().reserved, reserved);
	}
	nodes_one();
}

/* Refuse all memory to a child: it must use empty slabs first, and then slabs with room. */
static int use_what_the_other_has(void *arg)
{
	static const struct rlimit none = { 0, 0 };
	unsigned int n = 8 * PER_SLAB, i;
	struct slab_class *class = arg;

	slab_get_many(class, test_objs, n);
	if (slab_put_many(test_objs, 4 * PER_SLAB))
		return 1;
	for (i = 4 * PER_SLAB; i < n; i += PER_SLAB)
		if (slab_put(test_objs[i]) != POOL_FAULT_KINDS)
			return 2;
	if (setrlimit(RLIMIT_DATA, &none))
		return 3;
	nodes_go_to(1);
	slab_get_many(class, test_objs, 3 * PER_SLAB);
	if (remote(test_objs, 3 * PER_SLAB, 0) ||
	    !test_objs[0] || !pool_list_empty(&class->shelf[1].room[0]))
		return 4;
	for (n = 0; test_slab_alloc(class); n++)
		;
	return n <= PER_SLAB ? 5 : 0;
}

TEST_CASE(where_memory_is_refused_a_node_gets_what_another_has)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);

	if (UNDER_CHECKER)
		SKIP_BECAUSE("checkers have mappings of their own");
	nodes_two();
	EXPECT_EQ(slab_child(use_what_the_other_has, class), 0);
	nodes_one();
}

static int use_nodes(void *arg)
{
	struct slab_class *class = arg;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		nodes_go_to(i);
		slab_get_many(class, test_objs, WAVE);
		if (remote(test_objs, WAVE, i) || slab_put_many(test_objs, WAVE))
			return 1;
	}
	return 0;
}

TEST_CASE(a_child_has_nodes_too)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);

	nodes_two();
	nodes_go_to(1);
	test_objs[WAVE] = test_slab_alloc(class);
	EXPECT_EQ(slab_child(use_nodes, class), 0);
	EXPECT_EQ(slab_put(test_objs[WAVE]), POOL_FAULT_KINDS);
	nodes_one();
}

TEST_CASE(of_many_nodes_neighbours_are_one)
{
	static const unsigned int eight[] = { 0, 0, 1, 1, 2, 2, 3, 3 };
	unsigned int i;

	for (i = 0; i < 8; i++)
		EXPECT_EQ(pool_node_number(i, 8), eight[i]);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(pool_node_number(i, 4), i);
	EXPECT_EQ(pool_node_number(2, 3), 2);
	EXPECT_EQ(pool_node_number(8, 9), 3);
	EXPECT_EQ(pool_node_number(9, 9), 0);
}

/* Of all free objects one is of node 1; the others are of node 0, in the shared pool. */
TEST_CASE(a_miss_takes_from_the_buckets_of_the_node_where_the_thread_is_now)
{
	struct pool_stats before, now;
	struct pool *pool;
	unsigned int i;

	pool_fail_every = 0;
	pool_options.buckets = 4;
	nodes_two();
	pool = test_pool(LARGE);
	ASSERT(pool);
	test_alloc_many(pool, test_objs, WAVE);
	pool_thread_idle();
	nodes_go_to(1);
	pool_shared_put_one(pool, test_alloc(pool), 0);
	for (i = 0; i < WAVE; i++)
		pool_shared_put_one(pool, test_objs[i], 0);
	pool_thread_idle();
	test_alloc_many(pool, test_objs, WAVE);
	EXPECT_EQ(remote(test_objs, WAVE, 1), 0);
	nodes_go_to(0);
	pool_sum(pool, &before);
	test_alloc_many(pool, &test_objs[WAVE], WAVE / 2);
	pool_sum(pool, &now);
	if (pool->backend.slabs)
		EXPECT_EQ(now.store_gets, before.store_gets);
	test_free_many(pool, test_objs, WAVE + WAVE / 2);
	EXPECT(test_quiet(pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	nodes_one();
}

/*
 * A producer and another user are near node 0 and node 1; a consumer, near node 1, frees
 * all that the producer gets.
 */
enum { PRODUCER, CONSUMER, USER, WORKERS };

struct relay {
	struct pool *pool;
	pthread_barrier_t turn;
	void *sent[WAVE];
	/* How many rounds of the second half had ... */
	unsigned int remote[WORKERS];	/* ... with more than one remote object in a hundred */
	unsigned int grown;		/* ... with more than one object in ten from the backend */
	unsigned long gets;		/* objects got from the backend before this round */
};

static void allocate(struct relay *r, void **objs, unsigned int i, bool steady)
{
	test_alloc_many(r->pool, objs, WAVE);
	r->remote[i] += steady &&
			remote(objs, WAVE, i != PRODUCER) > WAVE / 100;
}

static void count_gets(struct relay *r, bool steady)
{
	struct pool_stats now;

	pool_sum(r->pool, &now);
	r->grown += steady && now.store_gets - r->gets > WAVE / 10;
	r->gets = now.store_gets;
}

static void take_turns(unsigned int i, void *arg)
{
	struct relay *r = arg;
	unsigned int round;

	nodes_go_to(i != PRODUCER);
	for (round = 0; round < 2 * ROUNDS; round++) {
		pthread_barrier_wait(&r->turn);
		if (i != CONSUMER)
			allocate(r, i == PRODUCER ? r->sent : test_objs, i,
				 round >= ROUNDS);
		pthread_barrier_wait(&r->turn);
		if (i == PRODUCER)
			count_gets(r, round >= ROUNDS);
		if (i != PRODUCER)
			test_free_many(r->pool,
				       i == CONSUMER ? r->sent : test_objs, WAVE);
		pthread_barrier_wait(&r->turn);
	}
}

/*
 * True if in half of the rounds at most one object in ten came from the backend.  In other rounds a
 * thread may have lost its CPU while it held a bucket, so that others skipped the bucket.
 */
static bool relay(struct relay *r, unsigned int align)
{
	struct pool_attr attr = {
		.name = "relay", .size = 256, .align = align, .flags = MEM_F_EXACT,
	};
	bool quiet;

	pool_fail_every = 0;
	pool_options.buckets = 4;
	test_options(65536, 32);
	nodes_two();
	r->pool = pool_of(create_pool_ext(&attr));
	pthread_barrier_init(&r->turn, NULL, WORKERS);
	test_threads(WORKERS, take_turns, r);
	quiet = test_quiet(r->pool, 0) && !pool_destroy(&r->pool->head);
	pthread_barrier_destroy(&r->turn);
	nodes_one();
	return quiet && r->grown <= ROUNDS / 2;
}

TEST_CASE(at_most_one_in_a_hundred_objects_is_of_another_node)
{
	static struct relay r;

	EXPECT(relay(&r, SLAB_ALIGN));
	EXPECT_LE(r.remote[PRODUCER], ROUNDS / 2);
	EXPECT_LE(r.remote[USER], ROUNDS / 2);
}

TEST_CASE(what_slabs_do_not_have_goes_from_node_to_node)
{
	static struct relay r;

	EXPECT(relay(&r, 2 * SLAB_ALIGN));
}
