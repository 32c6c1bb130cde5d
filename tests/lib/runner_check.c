// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * runner_check.c - the shared cases, and those of user space, under Check
 *
 * Layer:   tests, user space; twin of runner_kunit.c.
 * Context: main program.  TEST_SCALE divides the number of iterations in slow builds.  TEST_ONLY in
 *	    the environment has the names of the cases to run; unset, all run.
 */
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TEST_SCALE
#define TEST_SCALE	1
#endif

/* Builds without the trap flag have no cases that count single steps. */
#ifdef TEST_STEP
#define STEP_LIST	"../proof/step/cases.list"
#else
#define STEP_LIST	"none.list"
#endif

/* AddressSanitizer sees each call, so there are no hits to jump out of. */
#ifdef TEST_JUMP
#define JUMP_LIST	"../proof/step/jump.list"
#else
#define JUMP_LIST	"none.list"
#endif

/* In programs every thread is a CPU. */
#define TEST_THREADS	4

#define SUITE(...)	void
#define CASE(name)	name(int unused),
#define END(suite)	end_of_##suite(int unused)
#include STEP_LIST
#include JUMP_LIST
#include "../promise/cases.list"
#include "../inside/cases.list"
#include "../worlds/user/cases.list"
#undef SUITE
#undef END
#undef CASE

struct worker {
	pthread_t thread;
	void (*fn)(unsigned int i, void *arg);
	void *arg;
	unsigned int i;
};

static void *worker_main(void *arg)
{
	struct worker *w = arg;

	w->fn(w->i, w->arg);
	return NULL;
}

void test_threads(unsigned int n, void (*fn)(unsigned int i, void *arg),
		  void *arg)
{
	struct worker workers[128];
	unsigned int i;

	ck_assert_uint_le(n, 128);
	for (i = 0; i < n; i++) {
		workers[i] = (struct worker){ .fn = fn, .arg = arg, .i = i };
		ck_assert(!pthread_create(&workers[i].thread, NULL,
					  worker_main, &workers[i]));
	}
	for (i = 0; i < n; i++)
		pthread_join(workers[i].thread, NULL);
}

unsigned int test_cpus(void)
{
	return TEST_THREADS;
}

unsigned long test_scale(unsigned long iterations)
{
	return iterations < TEST_SCALE ? 1 : iterations / TEST_SCALE;
}

unsigned int test_nr_cpus(void)
{
	return plat_read(&plat_area_count);
}

bool test_lend_signal(void)
{
	return pool_reclaim_signal(SIGURG);
}

/* Note for worlds.sh that a case cannot run, and why. */
void test_skip(const char *name, const char *why)
{
	const char *path = getenv("TEST_SKIPPED");
	FILE *to = path ? fopen(path, "ae") : NULL;

	if (!to)
		return;
	fprintf(to, "%s # %s\n", name, why);
	ck_assert(!fclose(to));
}

/*
 * Make the thread's area before each case, so that no case measures the call that makes the area.
 * On any machine all memory is of one node, until a case sets the node of a thread.
 */
static void setup(void)
{
	test_begin();
	pool_start.nodes = 1;
	plat_area_make(0);
}

static void teardown(void)
{
	pool_reclaim_signal(0);
	ck_assert_msg(test_end(), "the case left a pool or a charge");
}

static TCase *new_tcase(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, 300);
	tcase_add_checked_fixture(tcase, setup, teardown);
	suite_add_tcase(suite, tcase);
	return tcase;
}

/* True if a case must run. */
static bool is_wanted(const char *name)
{
	const char *only = getenv("TEST_ONLY");
	size_t len = strlen(name);

	for (; only && *only; only += strcspn(only, " ")) {
		only += strspn(only, " ");
		if (strcspn(only, " ") == len && !strncmp(only, name, len))
			return true;
	}
	return !only;
}

/*
 * Add all cases.  Those that count single steps come first, because areas of threads stay until the
 * process ends, and a search visits all of them.
 */
static void add_cases(Suite *suite)
{
	TCase *tcase;

#define SUITE(name)	tcase = new_tcase(suite, #name);
#define END(...)
#define CASE(name) {							\
		static const TTest test = {				\
			#name, name, "tests/inside/cases.list", 1		\
		};							\
		if (is_wanted(#name))					\
			tcase_add_test(tcase, &test);			\
	}
#include STEP_LIST
#include JUMP_LIST
#include "../promise/cases.list"
#include "../inside/cases.list"
#include "../worlds/user/cases.list"
}

int main(void)
{
	Suite *suite = suite_create("libpool");
	SRunner *runner = srunner_create(suite);
	int failed;

	add_cases(suite);
	srunner_set_tap(runner, getenv("TEST_TAP"));
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
