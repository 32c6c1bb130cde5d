/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * trap.h - a signal after every single instruction
 *
 * Layer:   tests; x86-64 only.
 * Context: user space.  Files that include this are built without a red zone, since
 *	    trap_on() and trap_off() push.
 *
 * From trap_on() to trap_off() the CPU raises SIGTRAP after each instruction of this
 * thread, those of trap_off() included, but not in the handler.  A handler that has seen
 * enough calls trap_end() with its context: no step comes any more, and trap_off() does
 * nothing.
 */
#ifndef POOL_TRAP_H
#define POOL_TRAP_H

#include <ucontext.h>

static inline void trap_on(void)
{
	__asm__ __volatile__("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq"
			     : : : "memory", "cc");
}

static inline void trap_off(void)
{
	__asm__ __volatile__("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq"
			     : : : "memory", "cc");
}

static inline void trap_end(void *context)
{
	ucontext_t *interrupted = context;

	interrupted->uc_mcontext.gregs[REG_EFL] &= ~0x100ll;
}

#endif /* POOL_TRAP_H */
