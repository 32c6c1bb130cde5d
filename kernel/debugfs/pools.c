// SPDX-License-Identifier: GPL-2.0-only
/*
 * pools.c - the file "pools": all pools, in the form that was asked for
 *
 * Layer:   above dump.c.
 * Context: process context; may sleep.
 *
 * Words that are written apply to all later reads, by any reader, until others are written.  A read
 * is one dump: the text stays as it is until the file is read from its beginning again.
 */
#include "seam/plat.h"
#include "show/dump.h"
#include "main.h"

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>

/* Longer than all words together. */
#define TEXT_LEN	128

/* Protects the options.  Nests in no lock, and none in it. */
static DEFINE_MUTEX(options_mutex);
static struct pool_dump_options options;

/* How many bytes the text may grow after the file was opened. */
#define TEXT_MORE	4096

static size_t dump(char *buf, size_t size)
{
	struct pool_dump_options now;

	mutex_lock(&options_mutex);
	now = options;
	mutex_unlock(&options_mutex);
	return pool_dump(buf, size, &now);
}

/* Show the pools.  If the text does not fit, seq_file calls again with a buffer twice as large. */
static int pools_show(struct seq_file *m, void *v)
{
	char *buf;
	size_t size = seq_get_buf(m, &buf);
	size_t len = dump(buf, size);

	seq_commit(m, len < size ? (int)len : -1);
	return 0;
}

/* Open pools with a buffer for the whole text, because many pools would need many calls. */
static int pools_open(struct inode *inode, struct file *file)
{
	size_t size = file->f_mode & FMODE_READ ? dump(NULL, 0) : 0;

	return single_open_size(file, pools_show, NULL, size + TEXT_MORE);
}

/* Select what pools shows; nothing, or only a newline, selects the table of all pools again. */
static ssize_t pools_write(struct file *file, const char __user *from,
			   size_t count, loff_t *pos)
{
	struct pool_dump_options now;
	char text[TEXT_LEN];
	int ret;

	ret = pool_debugfs_text(text, sizeof(text), from, count,
				"debugfs pools");
	if (ret)
		return ret;
	if (!pool_dump_parse(&now, text, "debugfs pools"))
		return -EINVAL;
	mutex_lock(&options_mutex);
	options = now;
	mutex_unlock(&options_mutex);
	return count;
}

static const struct file_operations pools_fops = {
	.owner = THIS_MODULE,
	.open = pools_open,
	.read = seq_read,
	.write = pools_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/*
 * Create pools, read-only by its mode: root may write whatever the mode says, and if the mode
 * allowed it, lockdown would refuse even to open the file for reading: see debugfs_locked_down().
 */
void pool_debugfs_pools(struct dentry *root)
{
	debugfs_create_file("pools", 0444, root, NULL, &pools_fops);
}
