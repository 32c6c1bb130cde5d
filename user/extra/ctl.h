/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ctl.h - requests and answers on the control socket
 *
 * Layer:   above everything; user space only.
 * Context: plain threads.
 *
 *   ctl.c           the socket, its thread, its clients
 *   ctl_requests.c  a line -> an answer
 */
#ifndef POOL_CTL_H
#define POOL_CTL_H

#include <stddef.h>

/* The longest line, with its newline. */
#define POOL_CTL_LINE	256

/* An answer: either what was wrong, or a text. */
struct pool_ctl_answer {
	char wrong[256];		/* what is wrong with the request; "": nothing */
	char *text;			/* the answer, allocated; NULL: none */
	size_t len;
};

void pool_ctl_answer(struct pool_ctl_answer *answer, const char *line);

#endif /* POOL_CTL_H */
