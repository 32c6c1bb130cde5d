/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper_files.h - files that cases open by their paths
 *
 * Layer:   tests, kernel; for kernel.c, rest.c and tag.c.
 * Context: process context.
 *
 * Cases run in threads of the kernel.  In Linux 7.3 the root of these is an empty folder.
 */
#ifndef POOL_HELPER_FILES_H
#define POOL_HELPER_FILES_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/path.h>
#include <linux/pid.h>
#include <linux/sched/task.h>

/* Return the root of init, which lives as long as the kernel; path_put() releases it. */
static inline struct path root_of_init(void)
{
	struct task_struct *init;
	struct path root;

	rcu_read_lock();
	init = pid_task(find_vpid(1), PIDTYPE_PID);
	task_lock(init);
	get_fs_root(init->fs, &root);
	task_unlock(init);
	rcu_read_unlock();
	return root;
}

/* Open a file as a program would. */
static inline struct file *open_as_init(const char *path, int flags)
{
	struct path root = root_of_init();
	struct file *file = file_open_root(&root, path, flags, 0);

	path_put(&root);
	return file;
}

#endif /* POOL_HELPER_FILES_H */
