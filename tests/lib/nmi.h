/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * nmi.h - NMIs that a module sends to CPUs, its own one included
 *
 * Layer:   tests, kernel; for interrupt.c of the torture and bench_kernel_latency.c.
 * Context: nmis_begin() and nmis_end() process context, send_nmi() any that NMIs interrupt.
 *
 * Only x86 has them here.  Elsewhere nmis_begin() is false.
 */
#ifndef POOL_NMI_H
#define POOL_NMI_H

#ifdef CONFIG_X86_LOCAL_APIC

#include <linux/cpumask.h>
#include <linux/preempt.h>

#include <asm/apic.h>
#include <asm/nmi.h>

static inline bool have_nmis(void)
{
	return true;
}

/*
 * Let fn() handle NMIs until nmis_end().  It must return NMI_HANDLED for each, because several that
 * were sent may arrive as one.  This is a macro, because fn() is stored in static data.
 */
#define nmis_begin(fn)	(!register_nmi_handler(NMI_LOCAL, fn, 0, KBUILD_MODNAME))

static inline void nmis_end(void)
{
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}

/* Send an NMI to a CPU, if it is online.  With preemption off no CPU finishes going offline. */
static inline void send_nmi(unsigned int cpu)
{
	preempt_disable();
	if (cpu_online(cpu))
		apic->send_IPI(cpu, NMI_VECTOR);
	preempt_enable();
}

#else

#define NMI_HANDLED	1

struct pt_regs;

typedef int (*nmi_handler_t)(unsigned int type, struct pt_regs *regs);

static inline bool have_nmis(void)
{
	return false;
}

static inline bool nmis_begin(nmi_handler_t fn)
{
	return false;
}

static inline void nmis_end(void)
{
}

static inline void send_nmi(unsigned int cpu)
{
}

#endif

#endif /* POOL_NMI_H */
