// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * node_memory.c - nodes: short memory, packing within a node, and machines of one node
 *
 * Layer:   tests of user/slab/arena.c, trim.c and node.c.
 * Context: see test.h.
 */
#include "cases_slab.h"
#include "main.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bytes of address space of this process; 0 if the system does not say. */
static rlim_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (file && fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Each node has most of a chunk that was never used, and no more addresses can be reserved. */
static int carve_what_the_other_has(void *arg)
{
	struct slab_class *class = arg;
	struct rlimit most;
	unsigned int n = 0;

	nodes_go_to(1);
	test_objs[0] = test_slab_alloc(class);
	nodes_go_to(0);
	test_objs[1] = test_slab_alloc(class);
	most.rlim_cur = address_space();
	most.rlim_max = most.rlim_cur;
	if (!test_objs[0] || !test_objs[1] || !most.rlim_cur ||
	    setrlimit(RLIMIT_AS, &most))
		return 1;
	while (test_slab_alloc(class))
		n++;
	return n < (CHUNK_SLABS + CHUNK_SLABS / 2) * PER_SLAB ? 2 : 0;
}

TEST_CASE(where_addresses_are_refused_a_node_uses_the_chunk_of_another)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);

	if (UNDER_CHECKER)
		SKIP_BECAUSE("checkers have mappings of their own");
	nodes_two();
	EXPECT_EQ(slab_child(carve_what_the_other_has, class), 0);
	nodes_one();
}

/* Count the pages that are idle by the bits of the slabs. */
static unsigned long idle_by_bits;

static void count_idle(struct slab *slab)
{
	idle_by_bits += (unsigned int)__builtin_popcount(slab->idle);
}

/* The other node's empty slabs have memory, and this node's next slab would get all at once. */
static int count_what_the_other_has(void *arg)
{
	static const struct rlimit none = { 0, 0 };
	unsigned int n = 8 * PER_SLAB;
	struct slab_class *class = arg;

	slab_get_many(class, test_objs, n);
	if (slab_put_many(test_objs, n))
		return 1;
	nodes_go_to(1);
	slab_get_many(class, test_objs, n);
	if (setrlimit(RLIMIT_DATA, &none))
		return 2;
	while (pool_arena_slab(test_objs[0])->chunk->node)
		slab_get_many(class, test_objs, 1);
	pool_arena_each(count_idle);
	return idle_by_bits == pool_page_idle() ? 0 : 3;
}

TEST_CASE(a_slab_of_another_node_keeps_its_idle_pages)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);

	nodes_two();
	if (!UNDER_CHECKER)
		EXPECT_EQ(slab_child(count_what_the_other_has, class), 0);
	nodes_one();
}

/* pool_gc() may exchange a cached object for a denser one of the same node only. */
TEST_CASE(an_object_is_exchanged_only_for_one_of_its_node)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	void *sparse, *near, *far;
	unsigned int n = 2 * PER_SLAB;

	nodes_two();
	nodes_go_to(1);
	slab_get_many(class, test_objs, n);
	sparse = test_objs[0];
	near = test_objs[n - 1];
	EXPECT_EQ(slab_put_many(test_objs + 1, PER_SLAB - 1), 0);
	nodes_go_to(0);
	far = test_slab_alloc(class);
	EXPECT(far);
	EXPECT(pool_slab_denser(sparse, near));
	EXPECT(!pool_slab_denser(sparse, far));
	EXPECT_EQ(slab_put(far), POOL_FAULT_KINDS);
	EXPECT_EQ(slab_put(sparse), POOL_FAULT_KINDS);
	EXPECT_EQ(slab_put_many(test_objs + PER_SLAB, n - PER_SLAB), 0);
	nodes_one();
}

/* Have the system end the process if it asks for nodes; false if the system has no filters. */
static bool asking_kills(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_get_mempolicy, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]), .filter = code,
	};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int start_under_a_filter(void *unused)
{
	(void)unused;
	return asking_kills() && pool_nodes_start() != 1;
}

/* A filter of system calls ends the child if it asks for memory of a node. */
TEST_CASE(on_a_machine_of_one_node_the_system_is_not_asked_for_more)
{
	if (pool_nodes_start() != 1)
		SKIP_BECAUSE("this machine has several nodes");
	EXPECT_EQ(slab_child(start_under_a_filter, NULL), 0);
}
