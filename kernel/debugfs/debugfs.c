// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs.c - files in debugfs that show and trim the pools
 *
 * Layer:   above stats.c.
 * Context: process context; may sleep.
 *
 *   /sys/kernel/debug/pool/
 *	pools			all pools, see pools.c
 *	totals			sums over all pools
 *	gc			"1": pool_gc(); "all": pool_reclaim() of all pools
 *	flush			"all" or a pool's name, as it is or as it is
 *				shown: pool_flush()
 *	debug, help		options, see debug.c
 *	hot_size		bytes that each CPU may cache, see number.c
 *	by-name/<name>/debug	options of one pool
 *	by-name/<name>/limit	most objects of one pool, see number.c
 *	by-name/<name>/stats	one pool's numbers, a line each
 *	by-name/<name>/percpu	what it has on each CPU
 *	by-name/<name>/registrations	the calls that created it, a line each
 *	by-name/<name>/validate	a check of its lists, see validate.c
 *	memstats		calls by their places, see memstats.c
 *
 * Reading does not delay other calls, except that validate briefly holds locks.  The end of a pool
 * waits while one of its files is read or written, and while a read() of a file of all pools is at
 * it, but not between two read() calls.  Everything else works without debugfs, so the results of
 * creating files are not checked.
 */
#define pr_fmt(fmt) "pool: " fmt

#include "seam/plat.h"
#include "show/dump.h"
#include "main.h"

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>

static struct dentry *root;
static struct dentry *by_name;

/*
 * Excludes a second call that looks for a free directory name and makes it.  Nests in no lock, and
 * none in it.
 */
static DEFINE_MUTEX(name_mutex);

/* Show "totals": the documented names and units, then the same in bytes. */
static int totals_show(struct seq_file *m, void *v)
{
	unsigned long long allocated = pool_total_allocated();
	unsigned long long used = pool_total_used();

	seq_printf(m, "PoolFailed: %d\n", pool_total_failures());
	seq_printf(m, "PoolAlloc_MB: %llu\n", allocated >> 20);
	seq_printf(m, "PoolUsed_MB: %llu\n", used >> 20);
	seq_printf(m, "PoolAlloc_bytes: %llu\n", allocated);
	seq_printf(m, "PoolUsed_bytes: %llu\n", used);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(totals);

/* Longer than any known word. */
#define WORD_LEN	48

/* Release unused memory of all pools for "1" written to "gc", CPUs' caches too for "all". */
static ssize_t gc_write(struct file *file, const char __user *from,
			size_t count, loff_t *pos)
{
	char word[WORD_LEN];
	int ret = pool_debugfs_text(word, sizeof(word), from, count,
				    "debugfs gc");

	if (ret)
		return ret;
	if (!strcmp(word, "1")) {
		pool_gc(NULL);
	} else if (!strcmp(word, "all")) {
		pool_reclaim(NULL);
	} else {
		pr_err("debugfs gc: neither \"1\" nor \"all\": \"%*pE\"\n",
		       (int)strlen(word), word);
		return -EINVAL;
	}
	return count;
}

static const struct file_operations gc_fops = {
	.owner = THIS_MODULE,
	.write = gc_write,
	.llseek = noop_llseek,
};

/* Flush the pools with this name; false: there are none. */
static bool flush_named(const char *name)
{
	bool found = !strcmp(name, "all");
	struct pool *pool = NULL;

	while ((pool = pool_registry_named(pool, name, strlen(name)))) {
		found = true;
		pool_flush(&pool->head);
	}
	return found;
}

/* Empty the caches of the pools that are written to "flush". */
static ssize_t flush_write(struct file *file, const char __user *from,
			   size_t count, loff_t *pos)
{
	char word[WORD_LEN];
	int ret = pool_debugfs_text(word, sizeof(word), from, count,
				    "debugfs flush");

	if (ret)
		return ret;
	if (!flush_named(word)) {
		pr_err("debugfs flush: neither \"all\" nor a pool: \"%*pE\"\n",
		       (int)strlen(word), word);
		return -EINVAL;
	}
	return count;
}

static const struct file_operations flush_fops = {
	.owner = THIS_MODULE,
	.write = flush_write,
	.llseek = noop_llseek,
};

static const char *mode_of(const struct pool *pool)
{
	unsigned int bits = plat_read(&pool->debug);

	if (bits & POOL_D_NO_CACHE)
		return "no-cache";
	return bits & POOL_D_NO_GLOBAL ? "no-global" : "global";
}

/* Return how many objects of a pool a CPU caches. */
static unsigned long cached_on(const struct pool *pool, unsigned int cpu)
{
	const struct pool_local *local = plat_local_of(pool, cpu);

	return local ? plat_read(&local->hot.n) + plat_read(&local->clustered) :
		       0;
}

/* Show how many objects the CPUs with the fewest and with the most cache. */
static void skew_show(struct seq_file *m, const struct pool *pool)
{
	unsigned long least = ULONG_MAX, most = 0;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		unsigned long n = pool->cached ? cached_on(pool, cpu) : 0;

		least = min(least, n);
		most = max(most, n);
	}
	seq_printf(m, "cpu_least %lu\ncpu_most %lu\n", least, most);
}

/* Show by-name/<name>/stats; properties and small numbers first, then the statistics. */
static int stats_show(struct seq_file *m, void *v)
{
	struct pool *pool = m->private;
	const struct pool_dump_field *field;
	struct pool_stats now;

	pool_sum(pool, &now);
	seq_printf(m, "id %llu\nname %s\nsize %u\nalignment %u\nregistrations %u\n",
		   now.id, pool->shown, now.object_size, now.alignment,
		   now.registrations);
	seq_printf(m, "mode %s\nbuckets %u\ncluster %u\n", mode_of(pool),
		   pool->buckets, pool->cluster);
	for (field = pool_dump_columns + 1; field->name; field++)
		if (field->wide)
			seq_printf(m, "%s %llu\n", field->name, pool_dump_value(field, &now));
	skew_show(m, pool);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(stats);

/* Show by-name/<name>/percpu; a CPU that never missed has zeros. */
static int percpu_show(struct seq_file *m, void *v)
{
	struct pool *pool = m->private;
	unsigned int cpu;

	seq_puts(m, "# cpu open n cap slots clustered moving parked charged\n");
	if (!pool->cached)
		return 0;
	for_each_possible_cpu(cpu) {
		const struct pool_local *local = plat_local_of(pool, cpu) ?:
						 &plat_closed;

		seq_printf(m, "%u %u %u %u %u %lu %lu %lu %lu\n", cpu,
			   plat_read(&local->hot.open),
			   plat_read(&local->hot.n),
			   plat_read(&local->hot.cap),
			   plat_read(&local->hot.slots),
			   plat_read(&local->clustered),
			   plat_read(&local->moving),
			   plat_read(&local->parked.count),
			   pool_charged(plat_cpu_of(cpu)));
		cond_resched();
	}
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(percpu);

/* Show the names of the MEM_F_* that are set, or "-". */
static void flags_show(struct seq_file *m, unsigned int flags)
{
	static const struct {
		unsigned int flag;
		const char *name;
	} known[] = {
		{ MEM_F_SHARED, "shared" }, { MEM_F_EXACT, "exact" },
		{ MEM_F_TYPESAFE, "typesafe" }, { MEM_F_USERCOPY, "usercopy" },
		{ MEM_F_UAF, "uaf" },
	};
	const char *between = "";
	unsigned int i;

	/* A flag without a name would leave the column empty. */
	BUILD_BUG_ON(PLAT_MEM_FLAGS != (MEM_F_SHARED | MEM_F_EXACT |
					MEM_F_TYPESAFE | MEM_F_USERCOPY | MEM_F_UAF));
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!(flags & known[i].flag))
			continue;
		seq_printf(m, "%s%s", between, known[i].name);
		between = ",";
	}
	if (!flags)
		seq_putc(m, '-');
}

/* Show a line of by-name/<name>/registrations; the file's name may have blanks, so it is last. */
static void registration_show(struct seq_file *m, const struct pool_reg *reg)
{
	char shown[POOL_SHOWN_LEN + 1];

	pool_show_name(shown, reg->name);
	seq_printf(m, "%s %u ", shown, reg->size);
	flags_show(m, reg->flags);
	seq_printf(m, " %u %s:%d\n", reg->align, reg->file, reg->line);
}

static int registrations_show(struct seq_file *m, void *v)
{
	struct pool *pool = m->private;
	struct pool_list *node;

	seq_puts(m, "# name size flags align file:line\n");
	plat_mutex_lock(PLAT_REGISTRY);
	for (node = pool->regs.next; node != &pool->regs; node = node->next) {
		registration_show(m, pool_list_entry(node, struct pool_reg,
						     list));
		/* The mutex is held across perhaps thousands of lines, so let other tasks run. */
		plat_resched();
	}
	plat_mutex_unlock(PLAT_REGISTRY);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(registrations);

/*
 * Make a pool's directory: its name as shown, with "~" and its id if another directory has that
 * name.  Without debugfs this returns an error.
 */
static struct dentry *make_dir(struct pool *pool)
{
	char name[POOL_EXACT_LEN + 1];
	struct dentry *other = debugfs_lookup(pool->shown, by_name);

	if (IS_ERR_OR_NULL(other))
		return debugfs_create_dir(pool->shown, by_name);
	dput(other);
	pool_show_exact(name, pool->shown, pool->id);
	return debugfs_create_dir(name, by_name);
}

static void show(struct pool *pool)
{
	struct dentry *dir;

	mutex_lock(&name_mutex);
	dir = make_dir(pool);
	pool->view.dir = dir;
	mutex_unlock(&name_mutex);
	debugfs_create_file("stats", 0444, dir, pool, &stats_fops);
	debugfs_create_file("percpu", 0444, dir, pool, &percpu_fops);
	debugfs_create_file("registrations", 0444, dir, pool,
			    &registrations_fops);
	pool_debugfs_debug(dir, pool);
	pool_debugfs_number(dir, pool);
	pool_debugfs_validate(dir, pool);
}

/* Show a pool in debugfs, or remove it and wait for reads that are running. */
void plat_show(struct pool *pool, bool shown)
{
	if (shown)
		show(pool);
	else if (root)
		debugfs_remove(pool->view.dir);
}

void pool_debugfs_init(void)
{
	root = debugfs_create_dir("pool", NULL);
	by_name = debugfs_create_dir("by-name", root);
	pool_debugfs_pools(root);
	pool_debugfs_memstats(root);
	pool_debugfs_debug(root, NULL);
	pool_debugfs_number(root, NULL);
	debugfs_create_file("totals", 0444, root, NULL, &totals_fops);
	debugfs_create_file("gc", 0200, root, NULL, &gc_fops);
	debugfs_create_file("flush", 0200, root, NULL, &flush_fops);
}

/* Remove all files, also those of pools that still exist. */
void pool_debugfs_exit(void)
{
	debugfs_remove(root);
	root = NULL;
}
