// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * crew_kernel.c - the threads of a replay, kernel
 *
 * Layer:   below session.c; twin of crew.c.
 * Context: process context; may sleep.
 *
 * Worker i is bound to the i-th CPU that is online; where there are fewer, the
 * count starts again.  A thread that is done waits to be stopped, so that the
 * module stays as long as its code runs.
 */
#include "crew.h"

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/wait.h>

enum phase {
	PHASE_WAIT,
	PHASE_WORK,
	PHASE_END,
};

struct member {
	struct crew *crew;
	struct replay_worker *worker;
	struct task_struct *thread;
};

struct crew {
	struct replay *replay;
	wait_queue_head_t changed;	/* woken when phase or busy changes */
	enum phase phase;		/* written by the program's thread */
	atomic_t busy;			/* threads at work */
	struct member member[];
};

/* Wait for the next phase, or until the thread must stop.  The wait queue has the barriers. */
static enum phase wait_after(struct crew *crew, enum phase seen)
{
	wait_event_idle(crew->changed,
			READ_ONCE(crew->phase) != seen || kthread_should_stop());
	return READ_ONCE(crew->phase);
}

static void set_phase(struct crew *crew, enum phase phase)
{
	WRITE_ONCE(crew->phase, phase);
	wake_up_all(&crew->changed);
}

static void work(struct replay_worker *w)
{
	u64 start = ktime_get_ns();

	replay_work(w);
	w->ns = ktime_get_ns() - start;
}

static int member_main(void *arg)
{
	struct member *member = arg;
	struct crew *crew = member->crew;

	if (wait_after(crew, PHASE_WAIT) != PHASE_WAIT) {
		work(member->worker);
		if (atomic_dec_and_test(&crew->busy))
			wake_up_all(&crew->changed);
		wait_after(crew, PHASE_WORK);
		if (member == crew->member)
			replay_free_rest(crew->replay);
	}
	wait_event_idle(crew->changed, kthread_should_stop());
	return 0;
}

static void dismiss(struct crew *crew, unsigned int members)
{
	while (members)
		kthread_stop(crew->member[--members].thread);
	kfree(crew);
}

static bool hire_one(struct crew *crew, unsigned int i)
{
	struct member *member = &crew->member[i];
	unsigned int cpu = cpumask_first(cpu_online_mask);
	unsigned int skip = i % num_online_cpus();

	while (skip--)
		cpu = cpumask_next(cpu, cpu_online_mask);
	member->crew = crew;
	member->worker = &crew->replay->worker[i];
	member->thread = kthread_create(member_main, member, "replay/%u", i);
	if (IS_ERR(member->thread))
		return false;
	kthread_bind(member->thread, cpu);
	wake_up_process(member->thread);
	return true;
}

struct crew *crew_hire(struct replay *r)
{
	struct crew *crew = kzalloc(struct_size(crew, member, r->workers),
				    GFP_KERNEL);
	unsigned int i;

	if (!crew)
		return NULL;
	crew->replay = r;
	init_waitqueue_head(&crew->changed);
	atomic_set(&crew->busy, r->workers);
	for (i = 0; i < r->workers; i++) {
		if (!hire_one(crew, i)) {
			dismiss(crew, i);
			return NULL;
		}
	}
	return crew;
}

void crew_work(struct crew *crew)
{
	set_phase(crew, PHASE_WORK);
	wait_event_idle(crew->changed, !atomic_read(&crew->busy));
}

void crew_dismiss(struct crew *crew)
{
	set_phase(crew, PHASE_END);
	dismiss(crew, crew->replay->workers);
}
