// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * choose.c - which fibres may run next
 *
 * Layer:   tests; the enumerator.
 * Context: one thread; no fibre runs.
 */
#include "sched.h"

/* Returns the fibre that a CPU runs: its handler's, once that has begun. */
static unsigned int top_of(unsigned int cpu)
{
	unsigned int irq = SCHED_CPUS + cpu;

	return sched_fibre[irq].state == FIBRE_BEGUN ? irq : cpu;
}

static void add(struct options *o, unsigned int who, unsigned int cost)
{
	unsigned int i;

	if (o->any && who < SCHED_LATE && !sched_fibre[who].yielded)
		cost = 0;
	if (cost > o->left)
		return;
	for (i = 0; i < o->n; i++)
		if (o->option[i].who == who)
			return;
	o->option[o->n++] = (struct option){ (unsigned char)who,
					     (unsigned char)cost };
}

/* Add the fibres that the CPUs run: those that have yielded, or those that have not. */
static void add_tops(struct options *o, unsigned int cost, bool yielded)
{
	unsigned int i;

	for (i = 0; i < SCHED_CPUS; i++) {
		unsigned int who = top_of(i);

		if (sched_runnable(who) &&
		    sched_fibre[who].yielded == yielded)
			add(o, who, cost);
	}
}

/*
 * Add the handlers that have not run.  Each interrupts its CPU after the CPU has begun, or comes at
 * the end.  A CPU that has ended is interrupted, too, because the search does not stop it after its
 * last operation that matters.
 */
static void add_irqs(struct options *o, unsigned int cost, bool at_end)
{
	unsigned int i;

	for (i = 0; i < SCHED_CPUS; i++)
		if (sched_fibre[SCHED_CPUS + i].state == FIBRE_NEW &&
		    (at_end || sched_fibre[i].state != FIBRE_NEW))
			add(o, SCHED_CPUS + i, cost);
}

/* Return the fibre that goes on unless it is preempted; SCHED_NOBODY: any may go on. */
static unsigned int who_goes_on(unsigned int last)
{
	unsigned int over;

	if (sched->event == SCHED_POINT)
		return last;
	if (sched->event != SCHED_END || last < SCHED_CPUS)
		return SCHED_NOBODY;
	over = sched->over;
	return over < SCHED_NOBODY && sched_runnable(over) &&
	       top_of(sched_cpu(over)) == over ? over : SCHED_NOBODY;
}

/*
 * Once all fibres have yielded, let all but the last one run again.  So no fibre loops while
 * another one could change the word that it waits for.
 */
static void forget_yields(unsigned int last)
{
	unsigned int i;

	for (i = 0; i < SCHED_FIBRES; i++)
		if (i != last)
			sched_fibre[i].yielded = false;
}

/* All fibres that may run now, in the order in which they are tried. */
void find_options(struct options *o, unsigned int last, unsigned int left,
		  bool any)
{
	unsigned int next = who_goes_on(last);
	unsigned int cost = next != SCHED_NOBODY;

	*o = (struct options){ .left = left, .any = any };
	if (cost)
		add(o, next, 0);
	if (sched->event == SCHED_POINT && sched->may_be_late)
		add(o, last + SCHED_LATE, 1);
	add_tops(o, cost, false);
	if (!o->n) {
		forget_yields(last);
		add_tops(o, 0, false);
	}
	add_tops(o, !!o->n, true);
	add_irqs(o, !!o->n, false);
	if (!o->n)
		add_irqs(o, 0, true);
}
