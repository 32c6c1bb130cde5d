// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pool_replay.c - replays a trace on the kernel's pools, or on kmem_caches
 *
 * Layer:   a module; twin of poolreplay.c.
 * Context: process context; may sleep.  One mutex guards it all.
 *
 *   insmod pool_replay.ko trace=FILE	a plain trace, read at each run
 *			   merge=1	on pools that may be merged
 *
 *   /sys/kernel/debug/pool_replay/
 *	run	write words: execute all events.  The pools stay, and with them
 *		the live objects, until "end" is written.
 *		  cpus=N	at most N threads; 1: the order of the trace
 *		  kmem_cache	on kmem_caches instead of pools
 *		  word		write the first word of objects only
 *	end	write: free what is still live, destroy the pools
 *	bench	write: the benchmark, see bench_kernel.c
 *	result	read: the result of the last of them
 *
 * A write fails with EINVAL if the trace is wrong or a step failed;
 * result says what.
 */
#include "session.h"
#include "../bench/kernel/bench_kernel.h"
#include "pool.h"

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

static char *trace;
module_param(trace, charp, 0444);
MODULE_PARM_DESC(trace, "The file to replay");

static bool merge;
module_param(merge, bool, 0444);
MODULE_PARM_DESC(merge, "Pools may be merged");

/* Guards all that follows. */
static DEFINE_MUTEX(mutex);
static struct session session;
static bool running;			/* begun, not ended */
static char result[4096];

static struct dentry *root;

/* The region for user copies keeps the cache from merging, as in caches of pools. */
static void *create_cache(const char *name, unsigned int size)
{
	static unsigned int serial;
	char text[sizeof("replay--4294967295") + TRACE_NAME_MAX];

	scnprintf(text, sizeof(text), "replay-%s-%u", name, ++serial);
	return kmem_cache_create_usercopy(text, size, 2 * sizeof(void *), 0, 0,
					  size, NULL);
}

static bool destroy_cache(void *cache)
{
	kmem_cache_destroy(cache);
	return true;
}

static void *alloc_cached(void *cache)
{
	return kmem_cache_alloc(cache, GFP_KERNEL);
}

static void free_cached(void *cache, void *obj)
{
	kmem_cache_free(cache, obj);
}

static const struct replay_ops on_caches = {
	.name = "kmem_cache",
	.create = create_cache,
	.destroy = destroy_cache,
	.alloc = alloc_cached,
	.free = free_cached,
};

/* The words of a write to "run". */
struct options {
	const struct replay_ops *ops;
	enum replay_content content;
	unsigned int cpus;		/* 0: the number of the trace */
};

static bool read_options(char *text, struct options *o)
{
	char *word;

	*o = (struct options){
		.ops = merge ? &replay_on_merged : &replay_on_pools,
	};
	while ((word = strsep(&text, "\n "))) {
		if (!strcmp(word, "kmem_cache"))
			o->ops = &on_caches;
		else if (!strcmp(word, "word"))
			o->content = REPLAY_WORD;
		else if (!strncmp(word, "cpus=", 5) &&
			 !kstrtouint(word + 5, 10, &o->cpus) && o->cpus)
			continue;
		else if (*word)
			return false;
	}
	return true;
}

/* Read a file as a whole, to be freed by vfree(); NULL if it cannot be read. */
static char *read_all(struct file *file, size_t len)
{
	char *text = vmalloc(len + 1);
	loff_t pos = 0;

	while (text && pos < len) {
		ssize_t n = kernel_read(file, text + pos, len - pos, &pos);

		if (n <= 0) {
			vfree(text);
			return NULL;
		}
	}
	return text;
}

static const char *load(void)
{
	const char *why = "the file cannot be read";
	struct file *file;
	size_t len;
	char *text;

	if (!trace)
		return "no parameter trace was given";
	file = filp_open(trace, O_RDONLY, 0);
	if (IS_ERR(file))
		return why;
	len = i_size_read(file_inode(file));
	text = read_all(file, len);
	filp_close(file, NULL);
	if (text)
		why = session_load(&session, text, len);
	vfree(text);
	return why;
}

static const char *apply_settings(void)
{
	char text[128];

	replay_settings(&session.trace, text, sizeof(text));
	return pool_configure(text) ? NULL : "pool_configure() refused";
}

static const char *run(const struct options *o)
{
	const char *why;

	session_forget(&session);
	why = load();
	if (!why)
		why = apply_settings();
	if (!why)
		why = session_begin(&session, o->ops, o->content, o->cpus);
	if (why)
		return why;
	running = true;
	session_work(&session);
	replay_report(&session.replay, result, sizeof(result));
	return NULL;
}

static const char *end(void)
{
	const char *why = session_end(&session);

	running = false;
	replay_report(&session.replay, result, sizeof(result));
	return why;
}

/* Returns what the write returns; the file "result" gets the reason. */
static ssize_t told(const char *why, size_t count)
{
	if (!why)
		return count;
	if (session.trace.error)
		scnprintf(result, sizeof(result), "event %u, byte %zu: %s\n",
			  session.trace.error_event, session.trace.error_byte,
			  why);
	else
		scnprintf(result, sizeof(result), "%s\n", why);
	pr_err("pool_replay: %s", result);
	return -EINVAL;
}

static ssize_t run_write(struct file *file, const char __user *from,
			 size_t count, loff_t *pos)
{
	const char *why = "a replay is running";
	struct options o;
	char text[64];
	ssize_t ret;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, count))
		return -EFAULT;
	text[count] = '\0';
	if (!read_options(text, &o))
		return -EINVAL;
	mutex_lock(&mutex);
	if (!running)
		why = run(&o);
	ret = told(why, count);
	mutex_unlock(&mutex);
	return ret;
}

static ssize_t end_write(struct file *file, const char __user *from,
			 size_t count, loff_t *pos)
{
	ssize_t ret;

	mutex_lock(&mutex);
	ret = told(running ? end() : "no replay is running", count);
	mutex_unlock(&mutex);
	return ret;
}

static ssize_t bench_write(struct file *file, const char __user *from,
			   size_t count, loff_t *pos)
{
	ssize_t ret;

	mutex_lock(&mutex);
	ret = told(running ? "a replay is running" :
			     bench_kernel(result, sizeof(result)), count);
	mutex_unlock(&mutex);
	return ret;
}

static ssize_t result_read(struct file *file, char __user *to, size_t count,
			   loff_t *pos)
{
	ssize_t ret;

	mutex_lock(&mutex);
	ret = simple_read_from_buffer(to, count, pos, result, strlen(result));
	mutex_unlock(&mutex);
	return ret;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.write = run_write,
};

static const struct file_operations end_fops = {
	.owner = THIS_MODULE,
	.write = end_write,
};

static const struct file_operations bench_fops = {
	.owner = THIS_MODULE,
	.write = bench_write,
};

static const struct file_operations result_fops = {
	.owner = THIS_MODULE,
	.read = result_read,
};

static int __init pool_replay_init(void)
{
	root = debugfs_create_dir("pool_replay", NULL);
	debugfs_create_file("run", 0200, root, NULL, &run_fops);
	debugfs_create_file("end", 0200, root, NULL, &end_fops);
	debugfs_create_file("bench", 0200, root, NULL, &bench_fops);
	debugfs_create_file("result", 0444, root, NULL, &result_fops);
	return 0;
}

static void __exit pool_replay_exit(void)
{
	debugfs_remove(root);
	if (running)
		end();
	session_forget(&session);
}

module_init(pool_replay_init);
module_exit(pool_replay_exit);

MODULE_DESCRIPTION("Replays recorded allocations on pools");
MODULE_LICENSE("Dual MIT/GPL");
/* MODULE_IMPORT_NS() takes a token or a string, depending on the kernel. */
MODULE_INFO(import_ns, "LIBPOOL");
MODULE_INFO(import_ns, "LIBPOOL_TEST");
