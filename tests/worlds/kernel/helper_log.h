/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper_log.h - what the kernel's log says of what a case did
 *
 * Layer:   tests.
 * Context: process context.
 */
#ifndef POOL_HELPER_LOG_H
#define POOL_HELPER_LOG_H

#include <linux/kmsg_dump.h>
#include <linux/string.h>

/* Return how many lines of the log that @log has not passed have this text. */
static inline unsigned int lines_with(struct kmsg_dump_iter *log, const char *text)
{
	unsigned int n = 0;
	char line[128];
	size_t len;

	while (kmsg_dump_get_line(log, false, line, sizeof(line), &len))
		n += !!strnstr(line, text, len);
	return n;
}

#endif /* POOL_HELPER_LOG_H */
