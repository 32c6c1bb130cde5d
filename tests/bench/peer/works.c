// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * works.c - all workloads, by name
 *
 * Layer:   between worker.c or visits.c and the workloads.
 * Context: one thread.
 */
#include "work.h"

#include <err.h>
#include <string.h>

static const struct work *const works[] = {
	work_order, work_live, work_pools, work_threads, work_trace,
};

const struct work *work_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		const struct work *w;

		for (w = works[i]; w->name; w++)
			if (!strcmp(w->name, name))
				return w;
	}
	errx(2, "%s: no such workload", name);
}
