// SPDX-License-Identifier: GPL-2.0-only
/*
 * number.c - the files "limit" of each pool, and "hot_size"
 *
 * Layer:   above attr.c and configure.c.
 * Context: process context; may sleep.
 *
 * Their modes forbid writing, for the reason given in pools.c; root can write nevertheless.
 * What is refused changes nothing, and a line in the log says why.  A pool is there until its
 * files are removed, which waits for writers.
 */
#define pr_fmt(fmt) "pool: " fmt

#include "seam/plat.h"
#include "main.h"

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>

/* Longer than any number. */
#define TEXT_LEN	32

static int limit_show(struct seq_file *m, void *v)
{
	const struct pool *pool = m->private;

	seq_printf(m, "%u\n", plat_read(&pool->limit));
	return 0;
}

static int limit_open(struct inode *inode, struct file *file)
{
	return single_open(file, limit_show, inode->i_private);
}

static ssize_t limit_write(struct file *file, const char __user *from,
			   size_t count, loff_t *pos)
{
	struct pool *pool = file_inode(file)->i_private;
	unsigned int limit;
	char text[TEXT_LEN];
	int ret;

	ret = pool_debugfs_text(text, sizeof(text), from, count,
				"debugfs limit");
	if (ret)
		return ret;
	if (kstrtouint(text, 10, &limit)) {
		pr_err("debugfs limit: not a number of objects, 0 to %u: \"%*pE\"\n",
		       UINT_MAX, (int)strlen(text), text);
		return -EINVAL;
	}
	return pool_set_limit(&pool->head, limit) ? (ssize_t)count : -EINVAL;
}

static const struct file_operations limit_fops = {
	.owner = THIS_MODULE,
	.open = limit_open,
	.read = seq_read,
	.write = limit_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int hot_size_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%lu\n", plat_read(&pool_options.hot_size));
	return 0;
}

static int hot_size_open(struct inode *inode, struct file *file)
{
	return single_open(file, hot_size_show, NULL);
}

/* Write hot_size.  Refuses a text with a comma, which would set other options, too. */
static ssize_t hot_size_write(struct file *file, const char __user *from,
			      size_t count, loff_t *pos)
{
	char text[TEXT_LEN], item[sizeof("hot_size=") + TEXT_LEN];
	int ret;

	ret = pool_debugfs_text(text, sizeof(text), from, count,
				"debugfs hot_size");
	if (ret)
		return ret;
	if (strchr(text, ',')) {
		pr_err("debugfs hot_size: not one value: \"%*pE\"\n",
		       (int)strlen(text), text);
		return -EINVAL;
	}
	scnprintf(item, sizeof(item), "hot_size=%s", text);
	return pool_options_set(item, "debugfs", true) ? (ssize_t)count :
							 -EINVAL;
}

static const struct file_operations hot_size_fops = {
	.owner = THIS_MODULE,
	.open = hot_size_open,
	.read = seq_read,
	.write = hot_size_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/**
 * pool_debugfs_number() - Make the files of numbers that can be set.
 * @dir: the directory.
 * @pool: its limit; NULL: the bound of each CPU's caches.
 */
void pool_debugfs_number(struct dentry *dir, struct pool *pool)
{
	if (pool)
		debugfs_create_file("limit", 0444, dir, pool, &limit_fops);
	else
		debugfs_create_file("hot_size", 0444, dir, NULL,
				    &hot_size_fops);
}
