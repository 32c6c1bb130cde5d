// SPDX-License-Identifier: GPL-2.0-only
/*
 * memstats.c - the file "memstats": which code allocates and frees
 *
 * Layer:   above memstats.c.
 * Context: process context; may sleep.
 *
 * Words that are written apply to all later reads, as in pools.c.  "reset" is done at once, and
 * does not change what is shown.
 */
#include "seam/plat.h"
#include "show/memstats.h"
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
static struct pool_memstats_options options;

/*
 * Show the places.  If the text does not fit, seq_file calls again with a larger buffer.  An empty
 * text: there was no memory for a text.
 */
static int memstats_show(struct seq_file *m, void *v)
{
	struct pool_memstats_options now;
	char *buf;
	size_t size = seq_get_buf(m, &buf);
	size_t len;

	mutex_lock(&options_mutex);
	now = options;
	mutex_unlock(&options_mutex);
	len = pool_memstats(buf, size, &now);
	if (!len)
		return -ENOMEM;
	seq_commit(m, len < size ? (int)len : -1);
	return 0;
}

static int memstats_open(struct inode *inode, struct file *file)
{
	return single_open(file, memstats_show, NULL);
}

static void use(const struct pool_memstats_options *now)
{
	if (now->reset) {
		pool_memstats(NULL, 0, now);
		return;
	}
	mutex_lock(&options_mutex);
	options = *now;
	mutex_unlock(&options_mutex);
}

/* Select what memstats shows; nothing, or only a newline, selects all places with calls again. */
static ssize_t memstats_write(struct file *file, const char __user *from,
			      size_t count, loff_t *pos)
{
	struct pool_memstats_options now;
	char text[TEXT_LEN];
	int ret;

	ret = pool_debugfs_text(text, sizeof(text), from, count,
				"debugfs memstats");
	if (ret)
		return ret;
	if (!pool_memstats_parse(&now, text, "debugfs memstats"))
		return -EINVAL;
	use(&now);
	return count;
}

static const struct file_operations memstats_fops = {
	.owner = THIS_MODULE,
	.open = memstats_open,
	.read = seq_read,
	.write = memstats_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/*
 * Create memstats, read-only for the reason given in pools.c; addresses are shown as names, as in
 * /proc.
 */
void pool_debugfs_memstats(struct dentry *root)
{
	debugfs_create_file("memstats", 0444, root, NULL, &memstats_fops);
}
