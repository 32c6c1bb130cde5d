// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * runner_kunit.c - the shared cases, and those of the kernel, as KUnit suites
 *
 * Layer:   tests, kernel; twin of runner_check.c.  pool_kunit.ko tests the
 *	    pool.ko that is loaded.
 * Context: each case in a kthread of its own, kept on one CPU.  A worker is a
 *	    bound kthread.  "scale" divides iterations where they are slow.
 */
#include "test.h"

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#define MOST_WORKERS	8

static unsigned int scale = 20;
module_param(scale, uint, 0444);
MODULE_PARM_DESC(scale, "divides the iterations of the cases (1 and up)");

static bool alone;
module_param(alone, bool, 0444);
MODULE_PARM_DESC(alone, "no other suite runs");

struct worker {
	struct task_struct *task;
	struct completion done;
	void (*fn)(unsigned int i, void *arg);
	void *arg;
	unsigned int i;
};

/* Run a worker, then wait to be stopped, so that the module is not unloaded meanwhile. */
static int worker_main(void *arg)
{
	struct worker *w = arg;

	w->fn(w->i, w->arg);
	complete(&w->done);
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

/* Return the CPU of worker @i. */
static unsigned int worker_cpu(unsigned int i)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);

	for (i %= num_online_cpus(); i; i--)
		cpu = cpumask_next(cpu, cpu_online_mask);
	return cpu;
}

void test_threads(unsigned int n, void (*fn)(unsigned int i, void *arg),
		  void *arg)
{
	struct worker workers[MOST_WORKERS];
	unsigned int i;

	if (WARN_ON(n > MOST_WORKERS))
		return;
	for (i = 0; i < n; i++) {
		struct worker *w = &workers[i];

		*w = (struct worker){ .fn = fn, .arg = arg, .i = i };
		init_completion(&w->done);
		w->task = kthread_create(worker_main, w, "pool_test/%u", i);
		if (WARN_ON(IS_ERR(w->task)))
			break;
		kthread_bind(w->task, worker_cpu(i));
	}
	n = i;
	for (i = 0; i < n; i++)
		wake_up_process(workers[i].task);
	for (i = 0; i < n; i++) {
		wait_for_completion(&workers[i].done);
		kthread_stop(workers[i].task);
	}
}

unsigned int test_cpus(void)
{
	return min(num_online_cpus(), 4u);
}

unsigned long test_scale(unsigned long iterations)
{
	return max(iterations / max(scale, 1u), 1ul);
}

bool test_alone(void)
{
	return alone;
}

unsigned int test_nr_cpus(void)
{
	return nr_cpu_ids;
}

bool test_lend_signal(void)
{
	return true;
}

static int case_init(struct kunit *test)
{
	int err = set_cpus_allowed_ptr(current,
				       cpumask_of(raw_smp_processor_id()));

	test_begin();
	return err;
}

static void case_exit(struct kunit *test)
{
	KUNIT_EXPECT_TRUE_MSG(test, test_end(),
			      "the case left a pool or a charge");
}

/* A table of cases and a suite for each SUITE() of the lists. */
#define SUITE(name)	static struct kunit_case name##_cases[] = {
#define CASE(name)	KUNIT_CASE(name),
#define END(suite)							\
	{ }								\
	};								\
	static struct kunit_suite suite##_suite = {			\
		.name = "pool_" #suite,					\
		.init = case_init,					\
		.exit = case_exit,					\
		.test_cases = suite##_cases,				\
	};								\
	kunit_test_suite(suite##_suite)
#include "../promise/cases.list"
#include "../inside/cases.list"
#include "../worlds/kernel/cases.list"

MODULE_DESCRIPTION("Tests of pool.ko");
MODULE_LICENSE("GPL");
/* MODULE_IMPORT_NS() takes a token or a string, depending on the kernel. */
MODULE_INFO(import_ns, "LIBPOOL");
MODULE_INFO(import_ns, "LIBPOOL_TEST");
