// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * interrupt.c - units that interrupt others: timers, irq_work, IPIs, NMIs
 *
 * Layer:   torture.
 * Context: said per function.
 *
 * Each kind has one unit per CPU.  A timer that was moved to another CPU, because its own went
 * offline, ends there; a thread of its CPU starts it again.
 */
#include <linux/delay.h>
#include <linux/smp.h>

#include "../../lib/nmi.h"
#include "torture.h"

/* A timer starts again this many ns after its callback, or up to twice as many. */
#define PERIOD	400000

static u64 period(struct torture_unit *unit)
{
	return PERIOD + torture_random(unit) % PERIOD;
}

/* Hard and soft interrupts.  Each third one asks for irq_work on this CPU. */
static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct torture_unit *unit = container_of(timer, struct torture_unit, timer);
	unsigned int cpu = raw_smp_processor_id();

	if (unit->cpu != cpu || torture_failed())
		return HRTIMER_NORESTART;
	torture_step(unit);
	if (torture_on(TORTURE_IRQ_WORK) && unit->rounds % 3 == 0)
		irq_work_queue(&torture_unit_of(TORTURE_IRQ_WORK, cpu)->work);
	hrtimer_forward_now(timer, ns_to_ktime(period(unit)));
	return HRTIMER_RESTART;
}

static void on_work(struct irq_work *work)
{
	torture_step(container_of(work, struct torture_unit, work));
}

static enum hrtimer_mode mode_of(enum torture_kind kind)
{
	return kind == TORTURE_SOFTIRQ ? HRTIMER_MODE_REL_PINNED_SOFT :
					 HRTIMER_MODE_REL_PINNED;
}

/* Kbuild defines which of the two functions this kernel has. */
static void setup_timer(struct torture_unit *unit)
{
#ifdef POOL_HAS_HRTIMER_SETUP
	hrtimer_setup(&unit->timer, on_timer, CLOCK_MONOTONIC,
		      mode_of(unit->kind));
#else
	hrtimer_init(&unit->timer, CLOCK_MONOTONIC, mode_of(unit->kind));
	unit->timer.function = on_timer;
#endif
}

static void start_timer(enum torture_kind kind, unsigned int cpu)
{
	struct torture_unit *unit = torture_unit_of(kind, cpu);

	if (torture_on(kind) && !hrtimer_active(&unit->timer))
		hrtimer_start(&unit->timer, ns_to_ktime(period(unit)),
			      mode_of(kind));
}

/* A thread of each CPU calls this now and then. */
void torture_interrupts_go_on(unsigned int cpu)
{
	preempt_disable();
	if (cpu == raw_smp_processor_id()) {
		start_timer(TORTURE_HARDIRQ, cpu);
		start_timer(TORTURE_SOFTIRQ, cpu);
	}
	preempt_enable();
}

/* Run a unit in an IPI; interrupts are off there, so one unit never runs twice at a time. */
static void on_ipi(void *unused)
{
	torture_step(torture_unit_of(TORTURE_IPI, raw_smp_processor_id()));
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!torture_failed())
		torture_step(torture_unit_of(TORTURE_NMI, raw_smp_processor_id()));
	return NMI_HANDLED;
}

bool torture_has_nmis(void)
{
	return have_nmis();
}

/* Send an IPI to any CPU, possibly this one. */
void torture_interrupt(struct torture_unit *unit)
{
	u32 random = torture_random(unit);
	unsigned int cpu = random / 4 % nr_cpu_ids;

	if (torture_on(TORTURE_IPI) && random % 4 == 0)
		smp_call_function_single(cpu, on_ipi, NULL, random / 64 % 2);
	if (torture_on(TORTURE_NMI) && random % 4)
		send_nmi(cpu);
}

bool torture_interrupts_begin(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		setup_timer(torture_unit_of(TORTURE_HARDIRQ, cpu));
		setup_timer(torture_unit_of(TORTURE_SOFTIRQ, cpu));
		torture_unit_of(TORTURE_IRQ_WORK, cpu)->work =
			IRQ_WORK_INIT(on_work);
	}
	return !torture_on(TORTURE_NMI) || nmis_begin(on_nmi);
}

static void nothing(void *unused)
{
}

/*
 * Wait for the last IPIs and NMIs, once all threads have ended.  IPIs are served in order, and
 * NMIs before them.
 */
void torture_interrupts_end(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		hrtimer_cancel(&torture_unit_of(TORTURE_HARDIRQ, cpu)->timer);
		hrtimer_cancel(&torture_unit_of(TORTURE_SOFTIRQ, cpu)->timer);
		irq_work_sync(&torture_unit_of(TORTURE_IRQ_WORK, cpu)->work);
	}
	on_each_cpu(nothing, NULL, 1);
	msleep(20);
	if (torture_on(TORTURE_NMI))
		nmis_end();
}
