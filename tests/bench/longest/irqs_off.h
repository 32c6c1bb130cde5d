/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * irqs_off.h - how long pool.ko keeps interrupts off
 *
 * Layer:   tests; included before each file of pool.ko, for tests/vm/irqs-off.sh.
 * Context: any but NMIs; one CPU.
 *
 * Each section from local_irq_save() to local_irq_restore() is timed by the clock of the
 * processor, which counts instructions under "qemu -icount shift=0".  The log has a line
 * when a place was slower than ever before.  Sections inside of others do not count.
 */
#ifndef IRQS_OFF_H
#define IRQS_OFF_H

/* As all files of pool.ko that log, since this is included before they say it. */
#define pr_fmt(fmt) "pool: " fmt

#include <linux/instruction_pointer.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/timex.h>

#define IRQS_OFF_PLACES	64

/* All objects of the module have this, and the linker makes them one. */
struct irqs_off {
	cycles_t begin;
	struct {
		unsigned long ip;
		unsigned long worst;
	} place[IRQS_OFF_PLACES];
};

extern struct irqs_off irqs_off;
struct irqs_off irqs_off __attribute__((__weak__));

/* Interrupts are on again. */
static noinline __maybe_unused
void irqs_off_ended(unsigned long ip, unsigned long took)
{
	unsigned int i;

	for (i = 0; i < IRQS_OFF_PLACES; i++) {
		if (irqs_off.place[i].ip && irqs_off.place[i].ip != ip)
			continue;
		irqs_off.place[i].ip = ip;
		if (took <= irqs_off.place[i].worst)
			return;
		irqs_off.place[i].worst = took;
		pr_info("irqs off: %lu %ps\n", took, (void *)ip);
		return;
	}
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
	if (!raw_irqs_disabled_flags(flags))
		irqs_off_ended(ip, took);
}

#undef local_irq_save
#undef local_irq_restore
#define local_irq_save(flags)		((flags) = irqs_off_save())
#define local_irq_restore(flags)	irqs_off_restore(flags, _THIS_IP_)

#endif /* IRQS_OFF_H */
