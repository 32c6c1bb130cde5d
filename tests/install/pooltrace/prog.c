// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * prog.c - does a known number of allocations and frees
 *
 * Layer:   a program that pooltrace.sh traces.
 * Context: as each function says; sizes are odd ones, which no library uses.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* Hide an object from the compiler, which may drop a pair of calls that it understands. */
static void *volatile seen;

/* More memory than any machine has; volatile hides that from the compiler. */
static volatile size_t huge = SIZE_MAX / 2;

/* A global function, so that call sites in it have a name. */
__attribute__((noinline)) void *get(size_t size);

void *get(size_t size)
{
	void *p = malloc(size);

	seen = p;
	return p;
}

static void get_and_free(size_t size, unsigned int gets, unsigned int frees)
{
	void *p[100];
	unsigned int i;

	for (i = 0; i < gets; i++)
		p[i] = get(size);
	for (i = 0; i < frees; i++)
		free(p[i]);
}

/* Each function that allocates: one size each. */
static void functions(void)
{
	void *p;

	get_and_free(1001, 20, 13);
	seen = p = calloc(7, 1003);
	free(p);
	p = get(1005);
	seen = p = realloc(p, 1007);
	seen = p = reallocarray(p, 3, 1009);
	free(p);
	seen = p = realloc(NULL, 1011);
	seen = realloc(p, 0);
	seen = p = memalign(64, 1013);
	free(p);
	seen = p = aligned_alloc(64, 1088);
	free(p);
	if (!posix_memalign(&p, 64, 1017))
		free(p);
	seen = p = valloc(1019);
	free(p);
	seen = p = pvalloc(1021);
	free(p);
	free(NULL);
	/* Make calls that fail and change nothing. */
	p = get(1023);
	seen = realloc(p, huge);
	seen = reallocarray(p, huge, 1025);
	seen = calloc(huge, 1025);
	seen = get(huge);
	free(p);
	seen = strdup("of the C library");
	free(seen);
}

#define THREADS		100
#define OF_EACH		50

static void *given[THREADS][OF_EACH];

static void *allocate(void *arg)
{
	void **mine = arg;
	unsigned int i;

	for (i = 0; i < OF_EACH; i++)
		mine[i] = get(2001);
	return NULL;
}

static void *give_back(void *arg)
{
	void **mine = arg;
	unsigned int i;

	for (i = 0; i < OF_EACH; i++)
		free(mine[i]);
	get_and_free(2003, OF_EACH, OF_EACH);
	return NULL;
}

/* In the second round free what the threads of the first round allocated, all threads at once. */
static void threads(void)
{
	void *(*rounds[])(void *arg) = { allocate, give_back };
	pthread_t thread[THREADS];
	unsigned int i, k;

	for (k = 0; k < COUNT(rounds); k++) {
		for (i = 0; i < THREADS; i++)
			if (pthread_create(&thread[i], NULL, rounds[k], given[i]))
				exit(1);
		for (i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
	}
}

/* Free four objects of the parent in the child, whose trace does not know them. */
static void child_of(pid_t (*function)(void))
{
	void *p[10];
	unsigned int i;
	pid_t pid;

	for (i = 0; i < COUNT(p); i++)
		p[i] = get(3001);
	pid = function();
	if (!pid) {
		for (i = 0; i < 4; i++)
			free(p[i]);
		get_and_free(3003, 7, 6);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	for (i = 0; i < COUNT(p); i++)
		free(p[i]);
}

static void crash(void)
{
	get_and_free(4001, 5, 2);
	raise(SIGKILL);
}

static void execute(const char *self)
{
	get_and_free(5001, 3, 0);
	execl(self, self, "after", (char *)NULL);
}

static void many(const char *n)
{
	unsigned long i;

	for (i = strtoul(n, NULL, 10); i; i--)
		free(get(6001));
}

/* Load one plugin after another: both may have the same addresses. */
static void plugins(char **files)
{
	for (; *files; files++) {
		void *plugin = dlopen(*files, RTLD_NOW);
		void *(*call)(void);

		if (!plugin)
			exit(1);
		call = (void *(*)(void))dlsym(plugin, "plugin_get");
		free(call());
		dlclose(plugin);
	}
}

/* Close all files as a daemon does, also that of the recorder. */
static void closed(void)
{
	int fd;

	for (fd = 3; fd < 1024; fd++)
		close(fd);
	many("100000");
}

static void small_files(void)
{
	struct rlimit most = { 2 << 20, 2 << 20 };

	setrlimit(RLIMIT_FSIZE, &most);
	many("100000");
}

/* Fork where the child's trace cannot be created; with a file, standard error goes there. */
static void unrecorded(const char *file)
{
	struct rlimit most = { 4096, 4096 };
	pid_t pid;

	get_and_free(8001, 1, 1);
	if (file) {
		close(STDERR_FILENO);
		if (open(file, O_RDWR | O_CREAT | O_TRUNC, 0600) != STDERR_FILENO ||
		    write(STDERR_FILENO, "data", 4) != 4)
			exit(1);
	}
	setrlimit(RLIMIT_FSIZE, &most);
	pid = fork();
	if (!pid) {
		get_and_free(8003, 1, 1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Drop root's rights as a daemon does; the file of the records stays root's. */
static void drop(void)
{
	if (setgid(65534) || setuid(65534))
		exit(1);
}

static void drops(void)
{
	get_and_free(6001, 1, 1);
	drop();
	many("100000");
}

/* Fork where no user may create a file in the folder of the records. */
static void drops_and_forks(void)
{
	get_and_free(8001, 1, 1);
	drop();
	if (!fork()) {
		get_and_free(8003, 1, 1);
		_exit(0);
	}
	wait(NULL);
}

/* The recorder must not change the program's errno. */
static void keeps_errno(void)
{
	errno = 7777;
	many("100000");
	if (errno != 7777)
		exit(1);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "functions"))
		functions();
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "fork"))
		child_of(fork);
	else if (!strcmp(what, "raw-fork"))
		child_of(_Fork);
	else if (!strcmp(what, "crash"))
		crash();
	else if (!strcmp(what, "exec"))
		execute(argv[0]);
	else if (!strcmp(what, "after"))
		get_and_free(5003, 2, 1);
	else if (!strcmp(what, "many") && argc == 3)
		many(argv[2]);
	else if (!strcmp(what, "plugins"))
		plugins(argv + 2);
	else if (!strcmp(what, "closed"))
		closed();
	else if (!strcmp(what, "small-files"))
		small_files();
	else if (!strcmp(what, "unrecorded"))
		unrecorded(argv[2]);
	else if (!strcmp(what, "drops"))
		drops();
	else if (!strcmp(what, "drops-and-forks"))
		drops_and_forks();
	else if (!strcmp(what, "errno"))
		keeps_errno();
	else
		return 3;
	return 0;
}
