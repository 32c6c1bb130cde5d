/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * convert.h - makes a trace of what the recorder left behind
 *
 * Layer:   pooltrace, below pooltrace.c.
 * Context: one thread.
 */
#ifndef POOLTRACE_CONVERT_H
#define POOLTRACE_CONVERT_H

#include "raw.h"

#include <stdbool.h>

/* A file of the recorder in memory; the process may still write to it. */
struct raw {
	const struct raw_head *head;
	const struct raw_record *record;
	uint64_t records;		/* places that were taken, and that the file has */
	size_t len;
};

/* What became of the events. */
struct converted {
	uint64_t events;
	uint64_t allocs;
	uint64_t unseen;		/* frees of what the recorder did not see allocated */
	uint64_t implied;		/* frees that it did not see, but the address came back */
	uint64_t unfinished;		/* places without a record */
	uint64_t huge;			/* allocations of 2 GiB or more */
	uint64_t cut;			/* events after the last pool that there can be */
};

/*
 * Write a trace to @file.  False: it cannot be written, and errno says why.  With no
 * events nothing is written.
 */
bool convert(const struct raw *raw, const char *file, struct converted *done);

#endif /* POOLTRACE_CONVERT_H */
