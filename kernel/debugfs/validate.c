// SPDX-License-Identifier: GPL-2.0-only
/*
 * validate.c - the file "validate" of each pool, which checks its lists
 *
 * Layer:   above validate.c of common/show.
 * Context: process context; may sleep.
 */
#include "seam/plat.h"
#include "show/validate.h"
#include "main.h"

#include <linux/debugfs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

/* Print a place and what was found there; the first thing that is wrong ends the line. */
static void show_place(const struct pool_finding *seen, void *arg)
{
	struct seq_file *m = arg;

	seq_printf(m, "%s %u clusters %u objects %lu%s", seen->place, seen->nr,
		   seen->clusters, seen->objs, seen->partial ? " partial" : "");
	if (seen->wrong)
		seq_printf(m, " wrong: %s: found %ld, expected %ld",
			   seen->wrong, (long)seen->found,
			   (long)seen->expected);
	seq_putc(m, '\n');
	cond_resched();
}

static int validate_show(struct seq_file *m, void *v)
{
	unsigned int bad = pool_validate(m->private, show_place, m);

	if (bad)
		seq_printf(m, "%u places are wrong\n", bad);
	else
		seq_puts(m, "ok\n");
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(validate);

/* Create validate, for root only, since a read locks all CPUs. */
void pool_debugfs_validate(struct dentry *dir, struct pool *pool)
{
	debugfs_create_file("validate", 0400, dir, pool, &validate_fops);
}
