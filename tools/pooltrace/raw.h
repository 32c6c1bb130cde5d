/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * raw.h - what the recorder leaves behind for pooltrace: a file per program
 *
 * Layer:   between the preload library, which fills the file in the traced process, and
 *	    pooltrace, which makes a trace of it afterwards.
 * Context: a shared mapping of the file, written by all threads at once.
 *
 * The file is a head, and behind it an array of records.  A record's place in the array is
 * its place in the order of all events.  What is written stays in the file however the
 * process ends.
 */
#ifndef POOLTRACE_RAW_H
#define POOLTRACE_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#define RAW_MAGIC	0x31657361727470ull
#define RAW_NAME_MAX	63
#define RAW_SITES	16384u		/* a power of 2 */
#define RAW_MODULES	256u
#define RAW_THREADS	64u		/* more have the numbers of these */

/* The names of the environment that tell the recorder where to write, and how much. */
#define RAW_ENV_DIR	"POOLTRACE_DIR"
#define RAW_ENV_LIMIT	"POOLTRACE_LIMIT"

/* What allocates for its caller: functions, modules and call sites, by commas. */
#define RAW_ENV_SKIP	"POOLTRACE_SKIP"

/*
 * The name of an abstract socket.  A process that cannot be recorded sends an empty message there,
 * which needs no rights, so that pooltrace's exit status says so.
 */
#define RAW_ENV_SOCKET	"POOLTRACE_SOCKET"

/* The name of the file that is pooltrace's standard error. */
#define RAW_ENV_STDERR	"POOLTRACE_STDERR"
#define RAW_FILE_MAX	48

/* Two descriptors are of one file if its names are the same; false: there is none. */
static inline bool raw_file_name(char name[RAW_FILE_MAX], int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	snprintf(name, RAW_FILE_MAX, "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	return true;
}

enum raw_kind {
	RAW_UNWRITTEN,			/* the process ended before it was written */
	RAW_ALLOC,
	RAW_FREE,
	RAW_NOTHING,			/* a realloc() that failed freed nothing */
};

struct raw_record {
	uint64_t addr;
	uint64_t size;			/* allocations only */
	uint32_t site;			/* allocations only; of raw_head.site, 0: unknown */
	uint16_t thread;
	uint16_t kind;			/* enum raw_kind; written last */
};

/* A place in code that allocates: @offset bytes into a module. */
struct raw_site {
	uint64_t addr;			/* 0: unused; written last */
	uint64_t offset;
	uint32_t epoch;			/* how many dlclose() there were before */
	uint32_t module;		/* of raw_head.module */
};

enum raw_stop {
	RAW_GOES_ON,
	RAW_LIMIT,			/* as many as asked for */
	RAW_NO_ROOM,			/* the file cannot grow */
};

struct raw_head {
	uint64_t magic;
	uint64_t start;			/* CLOCK_MONOTONIC, ns */
	uint64_t limit;			/* most records */
	uint64_t next;			/* places that were taken; may exceed the limit */
	uint32_t pid;
	uint32_t threads;		/* that had an event */
	uint32_t stop;			/* enum raw_stop */
	uint32_t stop_errno;		/* of RAW_NO_ROOM */
	uint32_t modules;		/* module 0 is the unknown one */
	uint32_t unknown_sites;		/* events whose site the table had no room for */
	char program[RAW_NAME_MAX + 1];
	char module[RAW_MODULES][RAW_NAME_MAX + 1];
	struct raw_site site[RAW_SITES];
	uint8_t flags[RAW_SITES];	/* of a site: RAW_SKIPPED and so on */
};

/* Of a call site: */
#define RAW_SKIPPED	1		/* it allocates for its caller, as xmalloc() does */
#define RAW_COPIES	2		/* and what it allocates is a string, as of strdup() */
#define RAW_STRINGS	4		/* it calls such a function */

/* Where the records begin: on a page of any size. */
#define RAW_RECORDS	((sizeof(struct raw_head) + 0xffff) & ~(size_t)0xffff)

#endif /* POOLTRACE_RAW_H */
