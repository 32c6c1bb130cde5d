// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * node.c - NUMA nodes: how many there are, and the node of the running thread
 *
 * Layer:   seam, cold half; beside slab.c.
 * Context: any; but for pool_nodes_start().
 *
 * The node of a thread is that of its CPU, and may change at any time.  So each slow path asks for
 * the CPU, which needs no system call on most machines.  The node of a CPU never changes, so the
 * system is asked once per CPU.
 *
 * A class of slabs has few shelves, so the library distinguishes at most four nodes.  If there are
 * more, nodes with adjacent numbers count as one, since they are most often of one socket.
 */
#include "main.h"
#include "slab.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/mempolicy.h>

/* The most CPUs and nodes that Linux supports. */
#define CPUS		8192
#define NODES		1024

#define WORD_BITS	(CHAR_BIT * sizeof(unsigned long))

/* The library's number of each CPU's node, plus 1; 0: not asked yet. */
unsigned char pool_node_of_cpu[CPUS];

/* The system's highest number of a node plus 1.  Written once, at the start. */
static unsigned int nodes_end = 1;

/* Return the library's number of a node; the system's numbers are below @end. */
unsigned int pool_node_number(unsigned int node, unsigned int end)
{
	if (node >= end)
		return 0;
	return end > SLAB_NODES ? node * SLAB_NODES / end : node;
}

/* Ask the system for this thread's node; false: it does not say. */
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
 * Return the node of this thread, which is below pool_start.nodes; 0 where the system does not
 * say.
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
 * Return the node of an object, perhaps sealed, by its slab.  For objects without slab and for
 * NULL it is the node of this thread.
 */
unsigned int pool_node_of(const void *obj)
{
	const struct slab *slab = obj ? pool_arena_slab(obj) : NULL;

	return slab ? plat_read(&slab->chunk->node) : pool_node_here();
}

/*
 * True if the machine has several nodes with memory, for example "0-1" or "0,2".  Only then are
 * system calls made that a seccomp filter may forbid.
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

/* Count the nodes whose memory this program may use; 0: not known.  @end: the highest plus 1. */
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
 * Return the number of nodes for pool_start: 1, 2 or 4.  It is 1 also where the system does not
 * say, as in many containers.
 */
AT_START unsigned int pool_nodes_start(void)
{
	unsigned int end, here;

	if (!has_nodes() || count_nodes(&end) < 2)
		return 1;
	nodes_end = end;
	if (!ask(&here))
		return 1;
	return end > 2 ? SLAB_NODES : 2;
}
