/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * lines_mark.h - instructions that do nothing, by which tests/vm/lines.c knows what to count
 *
 * Layer:   tests; for the guest's code and for the plugin of QEMU.
 *
 * Each is a nop of seven bytes.  The last four are its operand, which no compiler makes.
 */
#ifndef LINES_MARK_H
#define LINES_MARK_H

#define LINES_MARK_BYTES	7
#define LINES_MARK_BEGIN	0	/* a run begins: follow lines from here on */
#define LINES_MARK_END		1	/* the run has ended: write its row */
#define LINES_MARK_ON		2	/* what this CPU does from here on counts */
#define LINES_MARK_OFF		3	/* until here */
#define LINES_MARKS		4

#define LINES_MARK_CODE(n)	0x0f, 0x1f, 0x80, (n), 0x6c, 0x6e, 0x73

#ifdef CONFIG_X86_64
#define LINES_MARK(n)						\
	asm volatile(".byte 0x0f, 0x1f, 0x80, %c0, 0x6c, 0x6e, 0x73" : : "i"(n) : "memory")
#else
#define LINES_MARK(n)	barrier()
#endif

#endif /* LINES_MARK_H */
