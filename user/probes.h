/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * probes.h - the events of common/seam/events.h as USDT probes
 *
 * Layer:   seam, for tracers; user space only.
 * Context: any.
 *
 * A probe is a nop, and a note beside the code that says where its arguments are.  A
 * tracer that wants the probe puts a breakpoint there.  Nothing is computed for the note:
 * its arguments are where the code has them, or constants.  So the second one is the
 * distance from the pool to its name, not the address of the name.
 *
 * Without <sys/sdt.h> (package systemtap-sdt-dev) there are no probes.
 */
#ifndef POOL_PROBES_H
#define POOL_PROBES_H

#if !defined(POOL_TRACE) && __has_include(<sys/sdt.h>)
#ifdef __clang__
/* Allow no memory operand, for which clang would store arguments first. */
#define STAP_SDT_ARG_CONSTRAINT	nr
#endif
#define SDT_USE_VARIADIC
#include <sys/sdt.h>

#define POOL_TRACE(event, pool, ...) \
	STAP_PROBEV(libpool, event, pool, offsetof(struct pool, shown), __VA_ARGS__)

/*
 * Refer to the section that all notes refer to, from code that stays, by no instruction.  Otherwise
 * gold would drop the section with --gc-sections, where references of notes do not count, and then
 * reject the notes.
 */
static inline void pool_trace_keep(void)
{
	__asm__ volatile(".weak _.stapsdt.base\n\t"
			 ".hidden _.stapsdt.base\n\t"
			 ".reloc ., BFD_RELOC_NONE, _.stapsdt.base");
}
#else
static inline void pool_trace_keep(void)
{
}
#endif

#endif /* POOL_PROBES_H */
