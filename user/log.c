// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * log.c - the destination of lines for people: stderr, or a function of the program
 *
 * Layer:   seam, cold half: plat_print() and plat_log(); pool_set_log() above it.
 * Context: plat_log() any, even a signal handler; the others plain threads.
 *
 * No lock is held while a line is written, or while the function is called.
 */
#include "main.h"
#include "seam/plat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * False in a program that was started without stderr: its descriptor 2 may be a file of the
 * program, to which nothing must be written.
 */
static bool has_stderr = true;

AT_START void libpool_find_stderr(void)
{
	has_stderr = fcntl(STDERR_FILENO, F_GETFD) >= 0;
}

/* The destination of lines; fn is NULL for stderr. */
struct sink {
	void (*fn)(enum pool_log_level level, const char *line, void *arg);
	void *arg;
};

/*
 * The lowest bit of sink_nr is the index of the sink in use.  A new sink is written to the other
 * index, so that writers of lines need not wait for it.
 */
static struct sink sinks[2];
static unsigned int sink_nr;

/* Read both members of one sink; read again if it was replaced meanwhile. */
static struct sink sink_in_use(void)
{
	unsigned int now = plat_read_acquire(&sink_nr), seen;
	struct sink sink;

	do {
		seen = now;
		sink.fn = plat_read_acquire(&sinks[seen & 1].fn);
		sink.arg = plat_read_acquire(&sinks[seen & 1].arg);
		now = plat_read_acquire(&sink_nr);
	} while (now != seen);
	return sink;
}

void pool_set_log(void (*fn)(enum pool_log_level level, const char *line,
			     void *arg), void *arg)
{
	unsigned int next;

	plat_mutex_lock(PLAT_REGISTRY);
	next = sink_nr + 1;
	plat_write_release(&sinks[next & 1].fn, fn);
	plat_write_release(&sinks[next & 1].arg, arg);
	plat_write_release(&sink_nr, next);
	plat_mutex_unlock(PLAT_REGISTRY);
}

/*
 * True if a failed write is to be repeated.  Another process may have set O_NONBLOCK for stderr.
 * Then a text waits here until stderr accepts more, but a line of the log is dropped, because it
 * may come from any call.
 */
static bool again(enum pool_log_level level)
{
	struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };

	if (errno == EINTR)
		return true;
	return errno == EAGAIN && level == POOL_LOG_TEXT &&
	       (poll(&out, 1, -1) >= 0 || errno == EINTR);
}

static void write_all(enum pool_log_level level, const char *text)
{
	size_t len = strlen(text);

	while (len) {
		ssize_t n = write(STDERR_FILENO, text, len);

		if (n < 0 && again(level))
			continue;
		if (n <= 0)
			break;
		text += n;
		len -= (size_t)n;
	}
}

/* Pass a text to a sink line by line.  Restores the newlines, since the text may be the trash. */
static void hand_over(const struct sink *sink, enum pool_log_level level,
		      char *text)
{
	char *end;

	for (; *text; text = end + 1) {
		end = strchrnul(text, '\n');
		if (!*end) {
			sink->fn(level, text, sink->arg);
			return;
		}
		*end = 0;
		sink->fn(level, text, sink->arg);
		*end = '\n';
	}
}

/* Write a text.  The program's errno is preserved. */
static void write_text(enum pool_log_level level, char *text)
{
	struct sink sink = sink_in_use();
	int saved = errno;

	if (sink.fn)
		hand_over(&sink, level, text);
	else if (has_stderr)
		write_all(level, text);
	errno = saved;
}

/* Write a text.  A cancellation point, since stderr may block the thread. */
void plat_print(char *text)
{
	write_text(POOL_LOG_TEXT, text);
}

/* Write a line.  Cancellation is off, since a free may log in the middle of its work. */
void plat_log(enum plat_level level, const char *fmt, ...)
{
	char line[256] = "pool: ";
	size_t head = strlen(line);
	va_list args;
	int state;

	va_start(args, fmt);
	vsnprintf(line + head, sizeof(line) - head - 1, fmt, args);
	va_end(args);
	strcat(line, "\n");
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	write_text(level == PLAT_ERR ? POOL_LOG_ERROR : POOL_LOG_WARNING, line);
	pthread_setcancelstate(state, NULL);
}
