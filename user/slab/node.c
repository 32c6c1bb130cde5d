// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * node.c - nodes of memory: how many there are, and which one is near
 *
 * Layer:   seam, cold half; beside slab.c.
 * Context: any; but for pool_nodes_start().
 *
 * A thread is near the node of the CPU that it runs on, and may be elsewhere at any time.
 * So each slow path asks anew, which is cheap: C libraries know the CPU without a system
 * call where the machine allows that.  The node of a CPU never changes, so the system is
 * asked once for each.
 *
 * A class of slabs has few shelves.  So the library tells few nodes apart: of more,
 * neighbours are one, since their numbers are most often those of one socket.
 */
#include "slab.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/mempolicy.h>

/* As many as the system can have at most. */
#define CPUS		8192
#define NODES		1024

#define WORD_BITS	(CHAR_BIT * sizeof(unsigned long))

/* By CPU: 1 more than the node that the library calls it; 0: not asked yet. */
unsigned char pool_node_of_cpu[CPUS];

/* Written once: where the system's numbers of nodes end. */
static unsigned int nodes_end = 1;

/* What the library calls a node, where the system's numbers end at @end. */
unsigned int pool_node_number(unsigned int node, unsigned int end)
{
	if (node >= end)
		return 0;
	return end > SLAB_NODES ? node * SLAB_NODES / end : node;
}

/* Ask the system; false: it does not say. */
static bool ask(unsigned int *node)
{
	unsigned int cpu = 0, its = 0;

	if (syscall(SYS_getcpu, &cpu, &its, NULL))
		return false;
	*node = pool_node_number(its, nodes_end);
	if (cpu < CPUS)
		plat_write(&pool_node_of_cpu[cpu], (unsigned char)(*node + 1));
	return true;
}

/*
 * Find the node that is near this thread: less than the nodes of pool_start; 0 where the system
 * does not say.
 */
unsigned int pool_node_here(void)
{
	unsigned int node = 0, known = 0;
	int error = errno, cpu = sched_getcpu();

	if (cpu >= 0 && cpu < CPUS)
		known = plat_read(&pool_node_of_cpu[cpu]);
	if (known)
		return known - 1;
	ask(&node);
	errno = error;
	return node;
}

/*
 * Find the node of an object, perhaps sealed: that of its slab.  Without slab, and for NULL, it
 * is the one that is near this thread.
 */
unsigned int pool_node_of(const void *obj)
{
	const struct slab *slab = obj ? pool_arena_slab(obj) : NULL;

	return slab ? plat_read(&slab->chunk->node) : pool_node_here();
}

/*
 * Has the machine several nodes with memory, a text as "0-1" or "0,2"?  Only then the system is
 * asked more, by calls that a filter of the program may forbid.
 */
static bool has_nodes(void)
{
	int fd = open("/sys/devices/system/node/has_memory", O_RDONLY | O_CLOEXEC);
	char text[64];
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text));
	close(fd);
	return n > 0 && (memchr(text, '-', (size_t)n) ||
			 memchr(text, ',', (size_t)n));
}

/* Which nodes may this program have memory of?  Returns how many; 0: not known. */
static unsigned int count_nodes(unsigned int *end)
{
	unsigned long allowed[NODES / WORD_BITS] = { 0 };
	unsigned int i, n = 0;

	if (syscall(SYS_get_mempolicy, NULL, allowed, NODES, NULL,
		    MPOL_F_MEMS_ALLOWED))
		return 0;
	for (i = 0; i < NODES; i++)
		if (allowed[i / WORD_BITS] >> i % WORD_BITS & 1) {
			*end = i + 1;
			n++;
		}
	return n;
}

/*
 * Find out how many nodes there are.  Returns for pool_start: 1, 2 or 4.  1 also where the system
 * does not say, as in many containers.
 */
unsigned int pool_nodes_start(void)
{
	unsigned int end, here;

	if (!has_nodes() || count_nodes(&end) < 2)
		return 1;
	nodes_end = end;
	if (!ask(&here))
		return 1;
	return end > 2 ? SLAB_NODES : 2;
}
