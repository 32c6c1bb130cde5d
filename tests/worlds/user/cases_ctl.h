/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * cases_ctl.h - what the cases of the control socket share: a client of it
 *
 * Layer:   tests of user/extra/ctl.c.
 * Context: see test.h and life.h.  Each file has its own copy.
 */
#ifndef POOL_CASES_CTL_H
#define POOL_CASES_CTL_H

#include "life.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The server leaves a client much sooner than this, even on a slow machine. */
#define SOON_MS		20000

/* Their Prometheus text is longer than what a socket holds. */
#define POOLS		200

static char dir[48];
static struct sockaddr_un addr;
static char text[65536];

static inline bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

/* Make a new folder for the socket; a folder that is there already belongs to another process. */
static inline const char *fresh_path(void)
{
	static unsigned int n;

	do {
		snprintf(dir, sizeof(dir), "/tmp/libpool-ctl-%d-%u", getpid(), n++);
	} while (mkdir(dir, 0700) && errno == EEXIST);
	ck_assert(is_there(dir));
	addr.sun_family = AF_UNIX;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/ctl", dir);
	return addr.sun_path;
}

/* Return how many files the process has open. */
static inline unsigned int open_files(void)
{
	unsigned int n = 0;
	int fd;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* True if nothing but the folder is left. */
static inline bool is_clean(void)
{
	return !is_there(addr.sun_path) && !rmdir(dir);
}

static inline long ms_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Connect to the server; -1: refused. */
static inline int client(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (!connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	close(fd);
	return -1;
}

/* Read to the end of the connection; returns the length. */
static inline size_t read_all(int fd, char *to, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len + 1 < size && (n = read(fd, to + len, size - len - 1)) > 0)
		len += (size_t)n;
	to[len] = 0;
	return len;
}

/*
 * Send bytes, then end of file, and read the answer into text[].  A server that refuses a client
 * may leave before the client has sent all.  Without the end of file, the server would wait a
 * second for the rest of a line.
 */
static inline const char *ask_bytes(const char *bytes, size_t len)
{
	int fd = client();

	text[0] = 0;
	if (fd >= 0 && (send(fd, bytes, len, MSG_NOSIGNAL) == (ssize_t)len ||
			errno == EPIPE)) {
		shutdown(fd, SHUT_WR);
		read_all(fd, text, sizeof(text));
	}
	close(fd);
	return text;
}

static inline const char *ask(const char *line)
{
	return ask_bytes(line, strlen(line));
}

/* Make another program's socket. */
static inline int live_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert(!bind(fd, (struct sockaddr *)&addr, sizeof(addr)));
	ck_assert(!listen(fd, 1));
	return fd;
}

static struct pool_head *pools[POOLS];

static inline void many_pools(void)
{
	unsigned int i;

	for (i = 0; i < POOLS; i++) {
		pools[i] = create_pool("many", 64, MEM_F_EXACT);
		ck_assert(pools[i]);
	}
}

static inline void no_pools(void)
{
	unsigned int i;

	for (i = 0; i < POOLS; i++)
		pool_destroy(pools[i]);
}

/* Make a client that has asked for much and does not read the answer. */
static inline int never_reads(void)
{
	static const char line[] = "pools prometheus\n";
	int fd = client();

	ck_assert(fd >= 0);
	ck_assert(write(fd, line, strlen(line)) == (ssize_t)strlen(line));
	return fd;
}

#endif /* POOL_CASES_CTL_H */
