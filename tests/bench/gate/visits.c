// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * visits.c - how often fixed sequences take a pool's slow paths
 *
 * Layer:   a program; above the workloads, whose peer is libpool.  Twin of
 *	    bench_kernel_visits.c; gate-visits.sh judges both.
 * Context: one thread, or two in strict turns: the counts repeat exactly.
 *
 *	visits SIZE OPERATIONS WORKLOAD...
 *
 * Each workload runs once before it is counted, so that filling the caches is
 * not counted.  A line per workload: its name, its operations, and the numbers of fills,
 * spills, gets and puts of the shared pool, evictions, nested calls, and objects from and
 * to the backend.
 */
#include "counts.h"
#include "helper.h"
#include "work.h"

#include <err.h>
#include <stdio.h>

static void count(const struct work *w, size_t size, unsigned long ops)
{
	struct counts a, b;

	if (!w->prepare(size))
		errx(1, "%s: cannot", w->name);
	w->run(ops);
	a = counts();
	ops = w->run(ops);
	b = counts();
	w->finish();
	printf("%s %lu %llu %llu %llu %llu %llu %llu %llu %llu\n", w->name,
	       ops, b.fills - a.fills, b.spills - a.spills, b.gets - a.gets,
	       b.puts - a.puts, b.evictions - a.evictions,
	       b.nested - a.nested, b.store_gets - a.store_gets,
	       b.store_puts - a.store_puts);
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 4)
		errx(2, "visits SIZE OPERATIONS WORKLOAD...");
	helper_look();
	helper_start();
	for (i = 3; i < argc; i++)
		count(work_find(argv[i]), strtoul(argv[1], NULL, 10),
		      strtoul(argv[2], NULL, 10));
	helper_stop();
	return 0;
}
