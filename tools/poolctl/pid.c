// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pid.c - the control socket of a process
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * The kernel lists the sockets of a process's network with their paths and inodes, and what
 * the process has open by inode.  Of several sockets on which a process listens, the one with
 * "pool" in its file's name is meant.  Paths are those of the process, which may have a root
 * of its own.
 */
#include "poolctl.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The flag of a socket that listens. */
#define ACCEPTS		0x10000

/* A file of a process; the caller frees the path. */
static char *file_of(unsigned int pid, const char *name, const char *below)
{
	char *path;

	if (asprintf(&path, "/proc/%u/%s%s", pid, name, below) < 0)
		path = NULL;
	return need_memory(path);
}

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

static void choose(struct choice *c, const struct inodes *inodes, unsigned int pid)
{
	char *path = file_of(pid, "net/unix", "");
	FILE *list = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;

	if (!list)
		fail(1, "%s: %s", path, strerror(errno));
	free(path);
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

/* Has the process our root? */
static bool shares_root(unsigned int pid)
{
	char *path = file_of(pid, "root", "");
	struct stat ours, its;
	bool same = !stat("/", &ours) && !stat(path, &its) &&
		    ours.st_dev == its.st_dev && ours.st_ino == its.st_ino;

	free(path);
	return same;
}

/* A path that is not absolute is one in the folder of the process. */
static char *reachable(unsigned int pid, char *path)
{
	char *full;

	if (*path == '/' && shares_root(pid))
		return path;
	full = *path == '/' ? file_of(pid, "root", path) : file_of(pid, "cwd/", path);
	free(path);
	return full;
}

const char *socket_of_pid(unsigned int pid)
{
	struct inodes inodes = { .n = 0 };
	struct choice c = { .path = NULL };
	char *dir = file_of(pid, "fd", "");

	read_inodes(&inodes, dir);
	choose(&c, &inodes, pid);
	free(dir);
	free(inodes.ino);
	if (!c.n)
		fail(1, "process %u offers no pools: see ctl=PATH of LIBPOOL_OPTIONS",
		     pid);
	if (c.n > 1)
		fail(2, "process %u has several sockets: choose one by --socket",
		     pid);
	return reachable(pid, c.path);
}
