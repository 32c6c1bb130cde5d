// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * textfile.c - a file, plain or compressed by xz, in memory
 *
 * Layer:   user space, below the program.
 * Context: plain threads.
 */
#include "textfile.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define XZ_MAGIC	"\xfd\x37zXZ"
#define MAGIC_LEN	5

/* The largest text; no trace is larger, and a compressed file could unpack to any size. */
#define LEN_MAX		((size_t)1 << 30)

/*
 * Map memory for the text, because malloc() would keep the memory, and the replay would not begin
 * with a fresh heap.
 */
static bool enlarge(struct textfile *text)
{
	size_t room = text->room ? text->room * 2 : 65536;
	void *data = text->room ?
		mremap(text->data, text->room, room, MREMAP_MAYMOVE) :
		mmap(NULL, room, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (data == MAP_FAILED)
		return false;
	text->data = data;
	text->room = room;
	return true;
}

static bool append(struct textfile *text, int fd, bool *more)
{
	ssize_t n;

	if (text->len == text->room && !enlarge(text))
		return false;
	n = read(fd, text->data + text->len, text->room - text->len);
	if (text->len > LEN_MAX)
		errno = EFBIG;
	if (n < 0 || text->len > LEN_MAX)
		return false;
	text->len += (size_t)n;
	*more = n > 0;
	return true;
}

static bool read_all(struct textfile *text, int fd)
{
	bool more = true;

	while (more)
		if (!append(text, fd, &more))
			return false;
	return true;
}

static bool has_magic(const char *data, size_t len)
{
	return len >= MAGIC_LEN && !memcmp(data, XZ_MAGIC, MAGIC_LEN);
}

static bool is_xz(int fd)
{
	char start[MAGIC_LEN];

	return pread(fd, start, MAGIC_LEN, 0) == MAGIC_LEN && has_magic(start, MAGIC_LEN);
}

/* dup2() clears close-on-exec, except where the descriptor already has that number. */
static bool move(int fd, int to)
{
	return fd == to ? !fcntl(fd, F_SETFD, 0) : dup2(fd, to) >= 0;
}

/* The end of a pipe is above the file, so it is not overwritten before it moves. */
static void run_xz(int in, int out)
{
	if (move(in, STDIN_FILENO) && move(out, STDOUT_FILENO))
		execlp("xz", "xz", "-dc", (char *)NULL);
	_exit(127);
}

static bool read_xz(struct textfile *text, int fd)
{
	int status = -1;
	int ends[2];
	pid_t child;
	bool good;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	/*
	 * If the parent process ignored SIGCHLD, so does this one, which then could not wait for a
	 * child.
	 */
	signal(SIGCHLD, SIG_DFL);
	child = fork();
	if (!child)
		run_xz(fd, ends[1]);
	close(ends[1]);
	good = child > 0 && read_all(text, ends[0]);
	close(ends[0]);
	if (child > 0)
		waitpid(child, &status, 0);
	return good && !status;
}

bool textfile_read(struct textfile *text, const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool by_xz, good;

	if (fd < 0) {
		warn("%s", file);
		return false;
	}
	by_xz = is_xz(fd);
	/* lseek() has set errno for a file that cannot seek, which is no error of reading. */
	errno = 0;
	good = by_xz ? read_xz(text, fd) : read_all(text, fd);
	close(fd);
	if (good && !by_xz && has_magic(text->data, text->len)) {
		warnx("%s: by xz, and no file that can be read twice", file);
		return false;
	}
	if (!good)
		warnx("%s: cannot be read, or not by xz, after byte %zu%s%s", file, text->len,
		      errno ? ": " : "", errno ? strerror(errno) : "");
	return good;
}

void textfile_forget(struct textfile *text)
{
	if (text->room)
		munmap(text->data, text->room);
	*text = (struct textfile){ 0 };
}
