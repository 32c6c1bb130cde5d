// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pressure.c - on request, a thread gives memory back when the system says it is short
 *
 * Layer:   above everything; user space only.  In the kernel: kernel/shrinker.c.
 * Context: plain threads.
 *
 * The system says so by a trigger: a file to which a condition is written, and which has an event
 * when it is true.  No rights are needed where the window is a multiple of two seconds.
 */
#include "helper.h"
#include "seam/plat.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The file for the whole system; a cgroup has memory.pressure. */
#define WHOLE_SYSTEM	"/proc/pressure/memory"

/* The condition: some thread waited for memory for 100 ms within 2 s. */
static const char trigger[] = "some 100000 2000000";

/* Release half of what is unused, because the next event comes two seconds later or more. */
static void work(void)
{
	unsigned long bytes;

	pool_unused_bytes(0, &bytes);
	pool_shrink(bytes / 2 / pool_start.page + 1);
}

static struct pool_helper helper = {
	.change = PTHREAD_MUTEX_INITIALIZER,
	.what = "giving back under pressure", .work = work, .events = POLLPRI,
};

/* True if a file is the kernel's; another file would be overwritten, and have no events. */
static bool is_systems(int fd)
{
	struct statfs in;

	if (fstatfs(fd, &in))
		return false;
	errno = EINVAL;
	return in.f_type == PROC_SUPER_MAGIC || in.f_type == CGROUP2_SUPER_MAGIC;
}

/* Open a file of triggers.  Returns an error, negative, if it is missing or accepts no trigger. */
static int open_trigger(const char *file)
{
	int fd = open(file, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	int err;

	fd = pool_own_file_raise(fd);
	if (fd < 0)
		return -errno;
	if (is_systems(fd) && write(fd, trigger, sizeof(trigger)) >= 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* Start the thread on a file of triggers.  Returns 0, or an error, negative. */
static int start(const char *file)
{
	int fd = open_trigger(file);
	int err;

	if (fd < 0)
		return fd;
	err = pool_helper_start(&helper, fd, -1);
	if (err)
		close(fd);
	return err;
}

bool pool_pressure_start(const char *file)
{
	const char *from = file ? file : WHOLE_SYSTEM;
	int cancel = pool_helper_begin(&helper);

	return pool_helper_began(&helper, cancel, start(from), from);
}

void pool_pressure_stop(void)
{
	pool_helper_end(&helper, NULL);
}
