/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * longest.h - how many instructions single calls take, and why
 *
 * Layer:   between longest.c, which calls, and the two files that count and print.
 * Context: one thread at a time.
 */
#ifndef BENCH_LONGEST_H
#define BENCH_LONGEST_H

#include "trap.h"

#include <stdbool.h>

/* longest_call.c: find out where the code is, and how many instructions stepping takes. */
void call_start(void);

/*
 * Mark the beginning and the end of a call.  Its cause is named @op, followed by the events that
 * pools counted if @causes.
 */
void call_begin(const char *op, bool causes);
void call_end(void);

/* Count each instruction of a statement, which must be one call. */
#define CALL_COUNTED(op, causes, statement)	\
	do {					\
		call_begin(op, causes);		\
		trap_on();			\
		statement;			\
		trap_off();			\
		call_end();			\
	} while (0)

/* longest_table.c: note the instructions of a call: in library and program, and elsewhere. */
void table_add(const char *cause, unsigned long ours, unsigned long others);
void table_print(void);

#endif /* BENCH_LONGEST_H */
