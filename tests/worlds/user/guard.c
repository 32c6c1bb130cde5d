// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * guard.c - guarded objects: real faults, limits of the system, forks
 *
 * Layer:   tests of user/guard.c.
 * Context: see test.h.  Steps that do harm are done in a child.
 */
#include "cases_guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the exit status of a child that calls fn(obj) and exits with its result. */
static int status_of_child(int (*fn)(unsigned char *obj), unsigned char *obj)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		_exit(fn(obj));
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	return status;
}

static int write_before(unsigned char *obj)
{
	plat_write(guard_page_of(obj) - 1, 1);
	return 0;
}

static int write_behind(unsigned char *obj)
{
	plat_write(obj + 4000, 1);
	return 0;
}

static int write_inside(unsigned char *obj)
{
	plat_write(obj, 1);
	return 0;
}

static int read_inside(unsigned char *obj)
{
	return plat_read(obj) & 0;
}

static bool is_fault(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

TEST_CASE(a_stray_access_faults_where_it_is_made)
{
	struct plat_backend backend;
	unsigned char *obj;

	ASSERT(guard_backend_open(&backend, 4000, 16));
	obj = test_backend_alloc(&backend, 0);
	ASSERT(obj);
	EXPECT_EQ(status_of_child(write_inside, obj), 0);
	EXPECT(is_fault(status_of_child(write_behind, obj)));
	EXPECT(is_fault(status_of_child(write_before, obj)));
	EXPECT_EQ(status_of_child(read_inside, obj), 0);
	test_backend_free(&backend, obj);
	EXPECT(is_fault(status_of_child(read_inside, obj)));
	EXPECT(is_fault(status_of_child(write_inside, obj)));
	plat_backend_destroy(&backend, 0);
}

/* Checkers map memory of their own, and abort if that fails, so they have no limit here. */
#define AT_LIMIT	(UNDER_CHECKER ? 0 : 16)

/* Make mappings until the limit is reached. */
static void use_up_mappings(void)
{
	unsigned char *at;

	do {
		at = mmap(NULL, 3 * pool_start.page, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	} while (at != MAP_FAILED &&
		 !mprotect(at + pool_start.page, pool_start.page, PROT_READ));
}

static int free_at_limit(unsigned char *unused)
{
	unsigned char *objs[AT_LIMIT + 1];
	struct plat_backend backend;
	int i, bad = 0;

	(void)unused;
	if (!AT_LIMIT)
		return 0;
	guard_backend_open(&backend, 5000, 16);
	for (i = 0; i < AT_LIMIT; i++)
		objs[i] = test_backend_alloc(&backend, 0);
	use_up_mappings();
	if (test_backend_alloc(&backend, 0))
		bad |= 1;
	errno = 0;
	for (i = 0; i < AT_LIMIT; i++) {
		test_backend_free(&backend, objs[i]);
		if (errno)
			bad |= 8;
		if (!guard_pages_are(false, objs[i], 5000))
			bad |= 2;
		errno = 0;
	}
	pool_options.uaf_keep = 0;
	objs[0] = test_backend_alloc(&backend, 0);
	if (!objs[0])
		return bad | 4;
	test_backend_free(&backend, objs[0]);
	return bad;
}

TEST_CASE(a_guarded_object_is_freed_where_no_mapping_can_be_made)
{
	EXPECT_EQ(status_of_child(free_at_limit, NULL), 0);
}

static int use_in_child(unsigned char *unused)
{
	struct plat_backend backend;
	int i;

	(void)unused;
	alarm(20);
	guard_backend_open(&backend, 100, 16);
	for (i = 0; i < 20; i++) {
		void *obj = test_backend_alloc(&backend, 0);

		if (!obj)
			return 1;
		test_backend_free(&backend, obj);
	}
	return 0;
}

static void use_or_fork(unsigned int i, void *arg)
{
	struct crowd *c = arg;
	unsigned int r;

	if (i) {
		guard_use(i, arg);
		return;
	}
	for (r = 0; r < 20; r++)
		if (status_of_child(use_in_child, NULL))
			plat_word_add(&c->bad, 1);
}

POOL_CASE(a_child_has_guarded_objects_whatever_others_were_doing,
	  test_in_mode(POOL_D_UAF | POOL_D_NO_CACHE | POOL_D_NO_GLOBAL, 100))
{
	pool_options.uaf_keep = 100 * pool_start.page;
	EXPECT_EQ(test_crowd(4, use_or_fork, pool), 0);
}
