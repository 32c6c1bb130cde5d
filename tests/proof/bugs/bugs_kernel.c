// SPDX-License-Identifier: GPL-2.0-only
/*
 * bugs_kernel.c - the matrix of bugs and options, kernel; a test, never installed
 *
 * Layer:   tests; twin of bugs_user.c.
 * Context: module load, which runs all cells.  The results are in
 *	    /sys/kernel/debug/pool_bugs, a line per cell.
 */
#include "bugs.h"

#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

/* Room for all lines. */
#define TEXT_LEN	(128 << 10)

static struct debugfs_blob_wrapper text;
static struct dentry *file;

/* True if all bytes are mapped.  A fault kills User-Mode Linux, so there each page is tested. */
static bool is_mapped(const void *p, size_t bytes)
{
	const void *end = p + bytes;
	u8 byte;

	if (!IS_ENABLED(CONFIG_UML))
		return true;
	for (; p < end; p = PTR_ALIGN(p + 1, PAGE_SIZE))
		if (!plat_peek(&byte, p, 1))
			return false;
	return true;
}

bool bugs_read(void *to, const void *from, size_t bytes)
{
	return is_mapped(from, bytes) &&
	       !copy_from_kernel_nofault(to, from, bytes);
}

/*
 * copy_to_kernel_nofault() is not exported.  The pages beside a guarded object can
 * be neither read nor written.
 */
bool bugs_write(void *to, const void *from, size_t bytes)
{
	static unsigned char there[BUGS_DAMAGE];

	if (!bugs_read(there, to, bytes))
		return false;
	memcpy(to, from, bytes);
	return true;
}

struct errand {
	void (*fn)(void *arg);
	void *arg;
	struct completion done;
};

/* Stay until stopped, because the module could otherwise be unloaded while this code runs. */
static int run_errand(void *arg)
{
	struct errand *errand = arg;

	errand->fn(errand->arg);
	complete(&errand->done);
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

/* The next CPU; the same one if there is only one. */
static unsigned int other_cpu(void)
{
	unsigned int cpu = cpumask_next(raw_smp_processor_id(),
					cpu_online_mask);

	return cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask);
}

void bugs_on_other(void (*fn)(void *arg), void *arg)
{
	struct errand errand = { .fn = fn, .arg = arg };
	struct task_struct *task;

	init_completion(&errand.done);
	task = kthread_create(run_errand, &errand, "pool_bugs");
	if (WARN_ON(IS_ERR(task)))
		return;
	kthread_bind(task, other_cpu());
	wake_up_process(task);
	wait_for_completion(&errand.done);
	kthread_stop(task);
}

/* A slab belongs to one pool, because its cache has a region for copies to users. */
bool bugs_has_room(const void *obj, size_t bytes)
{
	struct page *slab = virt_to_head_page(obj);
	const void *begin = page_address(slab);

	return obj - begin >= BUGS_DAMAGE &&
	       obj + bytes + BUGS_DAMAGE <= begin + page_size(slab);
}

static void run_all(void)
{
	const char * const *options;
	const struct bug *bug;
	struct bugs_cell cell;
	char *at = text.data;

	for (bug = bugs; bug->name; bug++) {
		for (options = bugs_options; *options; options++) {
			bugs_run(&cell, bug, *options);
			bugs_line(&cell, *options, at + text.size,
				  TEXT_LEN - text.size);
			text.size = strlen(at);
			cond_resched();
		}
	}
}

/* Run on one CPU, because other_cpu() must return the same other CPU in all of a cell. */
static int __init bugs_init(void)
{
	cpumask_var_t allowed;
	int err;

	if (!zalloc_cpumask_var(&allowed, GFP_KERNEL))
		return -ENOMEM;
	text.data = vzalloc(TEXT_LEN);
	cpumask_copy(allowed, current->cpus_ptr);
	err = text.data ? set_cpus_allowed_ptr(current,
				cpumask_of(raw_smp_processor_id())) : -ENOMEM;
	if (!err) {
		run_all();
		set_cpus_allowed_ptr(current, allowed);
		file = debugfs_create_blob("pool_bugs", 0444, NULL, &text);
	}
	free_cpumask_var(allowed);
	if (err)
		vfree(text.data);
	return err;
}

static void __exit bugs_exit(void)
{
	debugfs_remove(file);
	vfree(text.data);
}

module_init(bugs_init);
module_exit(bugs_exit);

MODULE_DESCRIPTION("Bugs that pool.ko should find, for its tests");
MODULE_LICENSE("GPL");
/* MODULE_IMPORT_NS() takes a token or a string, depending on the kernel. */
MODULE_INFO(import_ns, "LIBPOOL");
MODULE_INFO(import_ns, "LIBPOOL_TEST");
