/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * irqs_off.h - how long pool.ko keeps interrupts off
 *
 * Layer:   tests; included before each file of pool.ko, for tests/vm/irqs-off.sh.
 * Context: any but NMIs; one CPU.
 *
 * Each section from local_irq_save() to local_irq_restore() is timed by the clock of the processor,
 * which counts instructions under "qemu -icount shift=0".  So is each handler that a CPU runs for
 * another CPU.  Sections inside of others do not count.  The log gets a line for a place that was
 * slower than ever before, when interrupts are on again.
 */
#ifndef IRQS_OFF_H
#define IRQS_OFF_H

/*
 * The prefix of pool.ko's lines in the log, because this header is included before a file defines
 * it.
 */
#define pr_fmt(fmt) "pool: " fmt

#include <linux/instruction_pointer.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/timex.h>

#define IRQS_OFF_PLACES	64

/* Defined in each object of the module; the linker keeps one. */
struct irqs_off {
	cycles_t begin;
	void (*handler)(void *info);
	struct {
		unsigned long ip;
		unsigned long worst;
		bool said;
	} place[IRQS_OFF_PLACES];
};

extern struct irqs_off irqs_off;
struct irqs_off irqs_off __attribute__((__weak__));

static noinline __maybe_unused
void irqs_off_note(unsigned long ip, unsigned long took)
{
	unsigned int i = 0;

	while (i < IRQS_OFF_PLACES - 1 && irqs_off.place[i].ip &&
	       irqs_off.place[i].ip != ip)
		i++;
	irqs_off.place[i].ip = ip;
	if (took <= irqs_off.place[i].worst)
		return;
	irqs_off.place[i].worst = took;
	irqs_off.place[i].said = false;
}

static noinline __maybe_unused void irqs_off_say(void)
{
	unsigned int i;

	for (i = 0; i < IRQS_OFF_PLACES && irqs_off.place[i].ip; i++) {
		if (irqs_off.place[i].said)
			continue;
		irqs_off.place[i].said = true;
		pr_info("irqs off: %lu %ps\n", irqs_off.place[i].worst,
			(void *)irqs_off.place[i].ip);
	}
}

static __maybe_unused void irqs_off_handle(void *info)
{
	cycles_t begin = get_cycles();

	irqs_off.handler(info);
	irqs_off_note((unsigned long)irqs_off.handler, get_cycles() - begin);
}

static __always_inline unsigned long irqs_off_save(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	if (!raw_irqs_disabled_flags(flags))
		irqs_off.begin = get_cycles();
	return flags;
}

static __always_inline void irqs_off_restore(unsigned long flags,
					     unsigned long ip)
{
	unsigned long took = get_cycles() - irqs_off.begin;

	raw_local_irq_restore(flags);
	if (!raw_irqs_disabled_flags(flags)) {
		irqs_off_note(ip, took);
		irqs_off_say();
	}
}

#undef local_irq_save
#undef local_irq_restore
#define local_irq_save(flags)		((flags) = irqs_off_save())
#define local_irq_restore(flags)	irqs_off_restore(flags, _THIS_IP_)
#define on_each_cpu_cond(cond, call, info, wait) \
	on_each_cpu_cond(cond, (irqs_off.handler = (call), irqs_off_handle), \
			 info, wait)

#endif /* IRQS_OFF_H */
