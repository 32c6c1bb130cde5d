// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * late.c - stores that others see late, as on CPUs that order less
 *
 * Layer:   tests; the enumerator.
 * Context: one thread.
 *
 * A relaxed store may be late, and so may a relaxed addition; a late one costs as much as a
 * preemption.  Its CPU, and the handlers on it, see it at once.  Other CPUs see the old value until
 * that CPU stores with a release, fences, unlocks, yields, or ends a call, or until another CPU
 * changes the same word by an operation that also reads it.  So while a CPU does not run its late
 * stores are taken back.  Loads are never early.
 */
#include "sched.h"

#include <string.h>

#define LATE_MOST	4

struct late {
	void *p;
	unsigned int size;
	unsigned long hidden;		/* the value that is not in the word now */
};

/* Part of the world. */
static struct late late[SCHED_CPUS][LATE_MOST];
static unsigned int lates[SCHED_CPUS];

static void swap(struct late *l)
{
	unsigned long now = 0;

	memcpy(&now, l->p, l->size);
	memcpy(l->p, &l->hidden, l->size);
	l->hidden = now;
}

/* Make what a CPU has stored visible to itself, before it runs again. */
void late_show(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < lates[cpu]; i++)
		swap(&late[cpu][i]);
}

/* Hide the late stores of a CPU that has stopped. */
void late_hide(unsigned int cpu)
{
	unsigned int i;

	for (i = lates[cpu]; i; i--)
		swap(&late[cpu][i - 1]);
}

/* True if a CPU has late stores: then each operation is a choice, because it may show them. */
bool late_any(unsigned int cpu)
{
	return lates[cpu];
}

/* Make the running CPU's late stores, of this word or of all, visible. */
static void arrive(const void *p)
{
	unsigned int cpu = sched_cpu(sched->cur);
	unsigned int i, n = 0;

	for (i = 0; i < lates[cpu]; i++)
		if (p && late[cpu][i].p != p)
			late[cpu][n++] = late[cpu][i];
	memset(&late[cpu][n], 0, (lates[cpu] - n) * sizeof(late[cpu][0]));
	lates[cpu] = n;
}

void sched_order(int order)
{
	if (sched->cur != SCHED_NOBODY && order != __ATOMIC_RELAXED &&
	    order != __ATOMIC_ACQUIRE)
		arrive(NULL);
}

/* Make the late stores of a word by a CPU that does not run visible. */
static void claim_of(unsigned int cpu, void *p, unsigned int size)
{
	unsigned int i, n = 0;

	for (i = 0; i < lates[cpu]; i++)
		if (late[cpu][i].p == p)
			memcpy(p, &late[cpu][i].hidden, size);
		else
			late[cpu][n++] = late[cpu][i];
	memset(&late[cpu][n], 0, (lates[cpu] - n) * sizeof(late[cpu][0]));
	lates[cpu] = n;
}

/* An operation that reads and changes a word comes after all stores of that word. */
static void claim(void *p, unsigned int size)
{
	unsigned int cpu;

	for (cpu = 0; cpu < SCHED_CPUS; cpu++)
		if (cpu != sched_cpu(sched->cur))
			claim_of(cpu, p, size);
}

static void add(void *p, unsigned int size)
{
	unsigned int cpu = sched_cpu(sched->cur);
	struct late *l = &late[cpu][lates[cpu]++];

	*l = (struct late){ .p = p, .size = size };
	memcpy(&l->hidden, p, size);
	sched_note("late");
}

/* A point before a store, which may be late if it is relaxed. */
static void point(const char *function, const char *op, const char *operand,
		  const void *p, unsigned int size, int order)
{
	sched->may_be_late = sched->weak && order == __ATOMIC_RELAXED &&
			     lates[sched_cpu(sched->cur)] < LATE_MOST;
	sched->is_late = false;
	sched_point(function, op, operand, p, size);
	sched->may_be_late = false;
}

void sched_store(const char *function, const char *operand, void *p,
		 unsigned int size, int order)
{
	if (sched->cur == SCHED_NOBODY)
		return;
	point(function, order == __ATOMIC_RELAXED ? "store" : "store with release",
	      operand, p, size, order);
	if (lates[sched_cpu(sched->cur)])
		arrive(order == __ATOMIC_RELAXED ? p : NULL);
	if (sched->is_late)
		add(p, size);
}

void sched_add(const char *function, const char *operand, void *p,
	       unsigned int size, int order)
{
	if (sched->cur == SCHED_NOBODY)
		return;
	point(function, "add", operand, p, size, order);
	claim(p, size);
	if (lates[sched_cpu(sched->cur)])
		arrive(order == __ATOMIC_RELAXED ? p : NULL);
	if (sched->is_late)
		add(p, size);
}

void sched_change(void *p, unsigned int size, int order)
{
	if (sched->cur == SCHED_NOBODY)
		return;
	claim(p, size);
	arrive(p);
	sched_order(order);
}
