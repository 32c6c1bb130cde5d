// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sealed.c - a program that may not open files once it runs
 *
 * Layer:   tests, a program of its own: see life.sh.
 * Context: a filter of the kernel ends it at the first file that it opens.
 *
 *	sealed [open]	opens a file in the end, to show that the filter ends the program
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libpool/pool.h>

#define OBJS	1000
#define SIZES	6

DECLARE_STATIC_POOL(declared, "declared", 48);

static const unsigned int sizes[SIZES] = { 16, 64, 600, 2000, 40000, 4096 };

static void need(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "sealed: %s\n", what);
	exit(1);
}

/* Machines without open() have no SYS_open, so SYS_openat stands in its place. */
static void seal(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
#ifdef SYS_open
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 1, 0),
#else
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0),
#endif
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]), .filter = code,
	};

	need(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges");
	need(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0),
	     "seccomp");
}

static void *use(void *pool)
{
	static __thread void *objs[OBJS];
	unsigned int i;

	for (i = 0; i < OBJS; i++) {
		objs[i] = pool_alloc(pool);
		need(!!objs[i], "pool_alloc");
	}
	for (i = 0; i < OBJS; i++)
		pool_free(pool, objs[i]);
	return NULL;
}

/* Use a pool from creation to end, in two threads and a child. */
static void live(unsigned int size, unsigned int mode)
{
	struct pool_attr attr = { .name = "sealed", .size = size, .mode = mode };
	struct pool_head *pool = create_pool_ext(&attr);
	pthread_t thread;

	need(!!pool, "create_pool_ext");
	use(pool);
	need(!pthread_create(&thread, NULL, use, pool), "pthread_create");
	pthread_join(thread, NULL);
	pool_reclaim(pool);
	need(!pool_destroy(pool), "pool_destroy");
}

static void live_in_child(void)
{
	int status = 1;
	pid_t child = fork();

	if (!child) {
		live(64, 0);
		_exit(0);
	}
	need(child > 0 && waitpid(child, &status, 0) == child && !status,
	     "a child");
}

int main(int argc, char **argv)
{
	static char text[10000];
	unsigned int i;

	(void)argv;
	/* The C library's malloc() reads a file when it shrinks a thread's heap. */
	mallopt(M_ARENA_MAX, 1);
	seal();
	use(declared);
	for (i = 0; i < SIZES; i++) {
		live(sizes[i], POOL_M_GLOBAL);
		live(sizes[i], POOL_M_NO_GLOBAL);
	}
	live_in_child();
	need(dump_pools_to_buf(text, sizeof(text), "json") > 0, "a dump");
	pool_gc(NULL);
	if (argc > 1)
		return open("/dev/null", O_RDONLY);
	return 0;
}
