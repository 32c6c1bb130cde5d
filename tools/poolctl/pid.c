// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pid.c - the control socket of a process
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * The kernel lists all sockets with their paths and inodes, and what a process has open by
 * inode.  Of several sockets on which a process listens, the one with "pool" in its
 * file's name is meant.
 */
#include "poolctl.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The flag of a socket that listens. */
#define ACCEPTS		0x10000

/* Inodes of sockets that the process has. */
struct inodes {
	unsigned long *ino;
	size_t n;
};

static void read_inodes(struct inodes *inodes, const char *dir)
{
	DIR *fds = opendir(dir);
	struct dirent *at;

	if (!fds)
		fail(1, "%s: %s", dir, errno == ENOENT ? "there is no such process" :
							  strerror(errno));
	while ((at = readdir(fds))) {
		char link[64] = "", path[512];
		unsigned long ino;

		snprintf(path, sizeof(path), "%s/%s", dir, at->d_name);
		if (readlink(path, link, sizeof(link) - 1) < 0 ||
		    sscanf(link, "socket:[%lu]", &ino) != 1)
			continue;
		inodes->ino = need_memory(realloc(inodes->ino, (inodes->n + 1) *
						  sizeof(*inodes->ino)));
		inodes->ino[inodes->n++] = ino;
	}
	closedir(fds);
}

static bool has_inode(const struct inodes *inodes, unsigned long ino)
{
	size_t i;

	for (i = 0; i < inodes->n; i++)
		if (inodes->ino[i] == ino)
			return true;
	return false;
}

static bool is_named_pool(const char *path)
{
	const char *base = strrchr(path, '/');

	return strstr(base ? base : path, "pool");
}

/* The socket that is meant, and how many there are that may be. */
struct choice {
	char *path;
	unsigned int n;
	bool named;
};

static void consider(struct choice *c, const char *path)
{
	bool named = is_named_pool(path);

	if (named < c->named)
		return;
	c->n = named > c->named ? 1 : c->n + 1;
	c->named = named;
	free(c->path);
	c->path = need_memory(strdup(path));
}

static void choose(struct choice *c, const struct inodes *inodes)
{
	FILE *list = fopen("/proc/net/unix", "r");
	char *line = NULL;
	size_t size = 0;

	if (!list)
		fail(1, "/proc/net/unix: %s", strerror(errno));
	while (getline(&line, &size, list) > 0) {
		unsigned long flags, ino;
		int at = 0;

		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%*s %*x %*x %lx %*x %*x %lu %n", &flags, &ino,
			   &at) == 2 && at && line[at] && line[at] != '@' &&
		    flags & ACCEPTS && has_inode(inodes, ino))
			consider(c, line + at);
	}
	free(line);
	fclose(list);
}

/* A path that is not absolute is one in the folder of the process. */
static const char *reachable(const char *pid, char *path)
{
	char *full;

	if (*path == '/')
		return path;
	if (asprintf(&full, "/proc/%s/cwd/%s", pid, path) < 0)
		full = NULL;
	free(path);
	return need_memory(full);
}

/* Find the path; @pid: digits. */
const char *socket_of_pid(const char *pid)
{
	struct inodes inodes = { .n = 0 };
	struct choice c = { .path = NULL };
	char dir[64];

	snprintf(dir, sizeof(dir), "/proc/%s/fd", pid);
	read_inodes(&inodes, dir);
	choose(&c, &inodes);
	free(inodes.ino);
	if (!c.n)
		fail(1, "process %s offers no pools: see ctl=PATH of LIBPOOL_OPTIONS",
		     pid);
	if (c.n > 1)
		fail(2, "process %s has several sockets: choose one by --socket",
		     pid);
	return reachable(pid, c.path);
}
