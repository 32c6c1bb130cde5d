// SPDX-License-Identifier: GPL-2.0-only
/*
 * debug.c - the files "debug" and "help": read and switch options
 *
 * Layer:   above live.c.
 * Context: process context; may sleep.
 *
 *   debug			the options of new pools, and values; words that are
 *				written switch all existing pools, too
 *   help			all options, and their present defaults
 *   by-name/<name>/debug	the options of one pool
 *
 * Their modes forbid writing, for the reason given in pools.c; root can write
 * nevertheless.
 */
#include "seam/plat.h"
#include "main.h"

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

/* Longer than all words together. */
#define TEXT_LEN	320

/* Show the options of a pool.  If the text does not fit, seq_file retries with a larger buffer. */
static int debug_show(struct seq_file *m, void *v)
{
	struct pool *pool = m->private;
	char *buf;
	size_t size = seq_get_buf(m, &buf);
	size_t len = pool_debug_to_buf(pool ? &pool->head : NULL, buf, size);

	seq_commit(m, len < size ? (int)len : -1);
	return 0;
}

static int debug_open(struct inode *inode, struct file *file)
{
	return single_open(file, debug_show, inode->i_private);
}

/*
 * Switch the options of a pool.  It is pinned meanwhile, so that its destruction waits for objects
 * that the switch moves.  False: the pool is being destroyed.
 */
static bool set_pool(const struct pool *pool, const char *words)
{
	struct pool *at = NULL;
	bool good;

	do
		at = pool_registry_next(at);
	while (at && at != pool);
	if (!at) {
		plat_log(PLAT_ERR, "debugfs debug: pool \"%s\" is being destroyed",
			 pool->shown);
		return false;
	}
	good = pool_set_debug(&at->head, words);
	pool_registry_put(at);
	return good;
}

static ssize_t debug_write(struct file *file, const char __user *from,
			   size_t count, loff_t *pos)
{
	struct pool *pool = file_inode(file)->i_private;
	char text[TEXT_LEN];
	int ret;

	ret = pool_debugfs_text(text, sizeof(text), from, count,
				"debugfs debug");
	if (ret)
		return ret;
	if (!(pool ? set_pool(pool, text) : pool_set_debug(NULL, text)))
		return -EINVAL;
	return count;
}

static const struct file_operations debug_fops = {
	.owner = THIS_MODULE,
	.open = debug_open,
	.read = seq_read,
	.write = debug_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int help_show(struct seq_file *m, void *v)
{
	char *buf;
	size_t size = seq_get_buf(m, &buf);
	size_t len = pool_debug_help_to_buf(buf, size);

	seq_commit(m, len < size ? (int)len : -1);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(help);

/**
 * pool_debugfs_debug() - Make the files of options.
 * @dir: the directory.
 * @pool: show its options; NULL: those of new pools, and the help.
 */
void pool_debugfs_debug(struct dentry *dir, struct pool *pool)
{
	debugfs_create_file("debug", 0444, dir, pool, &debug_fops);
	if (!pool)
		debugfs_create_file("help", 0444, dir, NULL, &help_fops);
}
