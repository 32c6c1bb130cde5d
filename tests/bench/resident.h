/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * resident.h - KiB of memory that the process has, and the most that it had
 *
 * Layer:   benchmarks.
 * Context: one thread at a time.
 */
#ifndef POOL_BENCH_RESIDENT_H
#define POOL_BENCH_RESIDENT_H

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns KiB.  No call here allocates, because that would change what is measured. */
static inline long resident(void)
{
	static char text[4096];
	static FILE *file;
	const char *at;

	if (!file)
		file = fopen("/proc/self/smaps_rollup", "re");
	if (!file)
		err(1, "/proc/self/smaps_rollup");
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	at = strstr(text, "Rss:");
	return at ? strtol(at + 4, NULL, 10) : 0;
}

/* Returns the most KiB that were ever resident. */
static inline long resident_most(void)
{
	char line[256];
	FILE *file = fopen("/proc/self/status", "re");
	long kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmHWM:", 6))
			kib = strtol(line + 6, NULL, 10);
	if (file)
		fclose(file);
	return kib;
}

#endif /* POOL_BENCH_RESIDENT_H */
