// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bugs_user.c - the matrix of bugs and options, user space
 *
 * Layer:   tests; twin of bugs_kernel.c.
 * Context: main program.  Each cell runs in a child of its own, which may die of it.
 *
 *	bugs [BUG [OPTIONS]]	prints a line per cell; a cell's reports, too
 *
 * If a report is expected, the child must also have written the words that the cell's line has.
 */
#include "bugs.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds after which a cell has hung. */
#define PATIENCE	60

/* Longest text that a child writes. */
#define SAID_LEN	(64 << 10)

/* Shared with the child. */
static struct bugs_cell *shared;

bool bugs_read(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
	return true;
}

bool bugs_write(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
	return true;
}

struct errand {
	void (*fn)(void *arg);
	void *arg;
};

static void *run_errand(void *arg)
{
	struct errand *errand = arg;

	errand->fn(errand->arg);
	return NULL;
}

void bugs_on_other(void (*fn)(void *arg), void *arg)
{
	struct errand errand = { fn, arg };
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_errand, &errand))
		abort();
	pthread_join(thread, NULL);
}

/* Slabs begin at multiples of this; memory beside a slab may be inaccessible. */
#define SLAB_BYTES	65536u

bool bugs_has_room(const void *obj, size_t bytes)
{
	size_t at = (uintptr_t)obj % SLAB_BYTES;

	return obj && at >= BUGS_DAMAGE && at + bytes + BUGS_DAMAGE <= SLAB_BYTES;
}

static void child(const struct bug *bug, const char *options, int said)
{
	static const struct rlimit none;

	setrlimit(RLIMIT_CORE, &none);
	alarm(PATIENCE);
	dup2(said, STDERR_FILENO);
	bugs_run(shared, bug, options);
	_exit(0);
}

/* A child that died of its access has found the bug. */
static void judge(int status)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	shared->when = BUGS_WRONG;
	shared->report = "died";
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
		return;
	shared->report = "SIGSEGV";
	if (shared->now == BUGS_ACCESS)
		shared->when = BUGS_ACCESS;
}

/* True if the pool reports the finding; an access is reported by the system alone. */
static bool is_told(void)
{
	return shared->when >= BUGS_FREE && shared->when <= BUGS_DESTROY;
}

/* Fail unless the child wrote the report, or nothing if none is expected. */
static void compare(const char *said)
{
	char line[128];

	if (shared->when == BUGS_WRONG)
		return;
	if (!is_told())
		snprintf(line, sizeof(line), "FAULT: ");
	else if (!strcmp(shared->report, "in use"))
		snprintf(line, sizeof(line), "objects %s", shared->report);
	else
		snprintf(line, sizeof(line), "FAULT: %s: ", shared->report);
	if (is_told() == !!strstr(said, line))
		return;
	shared->when = BUGS_WRONG;
	shared->report = "said otherwise";
}

static void run_cell(const struct bug *bug, const char *options, bool show)
{
	static char said[SAID_LEN];
	char line[256];
	int status, fd = memfd_create("said", 0);
	ssize_t len;
	pid_t pid;

	*shared = (struct bugs_cell){ .bug = bug, .report = "-" };
	fflush(stdout);
	pid = fork();
	if (fd < 0 || pid < 0)
		abort();
	if (!pid)
		child(bug, options, fd);
	if (waitpid(pid, &status, 0) != pid)
		abort();
	len = pread(fd, said, sizeof(said) - 1, 0);
	close(fd);
	said[len < 0 ? 0 : len] = 0;
	judge(status);
	compare(said);
	bugs_line(shared, options, line, sizeof(line));
	printf("%s%s", show ? said : "", line);
}

int main(int argc, char **argv)
{
	const char * const *options;
	const struct bug *bug;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return EXIT_FAILURE;
	for (bug = bugs; bug->name; bug++)
		for (options = bugs_options; *options; options++)
			if ((argc < 2 || !strcmp(argv[1], bug->name)) &&
			    (argc < 3 || !strcmp(argv[2], *options)))
				run_cell(bug, *options, argc > 2);
	return EXIT_SUCCESS;
}
