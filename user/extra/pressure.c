// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pressure.c - on request, a thread gives memory back when the system says it is short
 *
 * Layer:   above everything; user space only.  In the kernel: kernel/shrinker.c.
 * Context: plain threads.
 *
 * The system says so by a trigger: a file to which a condition is written, and which has an
 * event when it holds.  No rights are needed where the window is a multiple of two seconds.
 */
#include "helper.h"
#include "plat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* That of the whole system; a cgroup has memory.pressure. */
#define WHOLE_SYSTEM	"/proc/pressure/memory"

/* Some thread waited for memory for 100 ms within 2 s. */
static const char trigger[] = "some 100000 2000000";

/* Half of what is unused: the next event comes two seconds later at the earliest. */
static void work(void)
{
	unsigned long bytes;

	pool_unused_bytes(0, &bytes);
	pool_shrink(bytes / 2 / pool_start.page + 1);
}

static struct pool_helper helper = {
	.what = "giving back under pressure", .work = work, .events = POLLPRI,
};

/* Returns -1, and errno, where there is no such file, or it takes no trigger. */
static int open_trigger(const char *file)
{
	int fd = open(file, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (write(fd, trigger, sizeof(trigger)) < 0) {
		int err = errno;

		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

/* Returns 0, or an error. */
static int start(const char *file)
{
	int fd = open_trigger(file);
	int err;

	if (fd < 0) {
		err = errno;
		plat_log(PLAT_ERR, "%s is not started: %s: %s", helper.what,
			 file, strerror(err));
		return err;
	}
	if (pool_helper_start(&helper, fd, -1))
		return 0;
	err = errno;
	close(fd);
	return err;
}

/* Cancellation is off, since open() is a cancellation point. */
bool pool_pressure_start(const char *file)
{
	int state, err;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	err = start(file ? file : WHOLE_SYSTEM);
	pthread_setcancelstate(state, NULL);
	if (err)
		errno = err;
	return !err;
}

void pool_pressure_stop(void)
{
	pool_helper_stop(&helper);
}
