// SPDX-License-Identifier: GPL-2.0-only
/*
 * wait.c - callers that sleep, until there is an object or for a while
 *
 * Layer:   seam, cold half; user/lock.c is its twin.
 * Context: process context; plat_wake() any, also NMI.
 */
#include "plat.h"
#include "main.h"

#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

/* Pause.  A sleep lets a holder of lower priority run, which a yield would not. */
void plat_pause(bool sleep)
{
	if (sleep)
		schedule_timeout_uninterruptible(1);
	else
		cpu_relax();
}

unsigned int plat_resched(void)
{
	cond_resched();
	if (fatal_signal_pending(current))
		return 0;
	return (u32)ktime_to_ms(ktime_get()) ?: 1;
}

/* The sleepers of all pools.  plat_wake() wakes those of one word, or, by an interrupt, all. */
static DECLARE_WAIT_QUEUE_HEAD(waiters);

struct sleeper {
	struct wait_queue_entry entry;
	unsigned int *word;
};

static int wake_sleeper(struct wait_queue_entry *entry, unsigned int mode, int flags,
			void *word)
{
	if (word && word != container_of(entry, struct sleeper, entry)->word)
		return 0;
	return default_wake_function(entry, mode, flags, NULL);
}

/* True if the task is being killed, or kthread_stop() waits for it. */
static bool is_to_end(void)
{
	return fatal_signal_pending(current) ||
	       ((current->flags & PF_KTHREAD) && kthread_should_stop());
}

unsigned int plat_wait(unsigned int *word, unsigned int seen, unsigned int ms)
{
	long left = ms == POOL_FOREVER ? MAX_SCHEDULE_TIMEOUT : msecs_to_jiffies(ms);
	struct sleeper s = { .word = word };

	init_waitqueue_func_entry(&s.entry, wake_sleeper);
	s.entry.private = current;
	add_wait_queue(&waiters, &s.entry);
	for (;;) {
		set_current_state(TASK_KILLABLE);
		if (READ_ONCE(*word) != seen || !left || is_to_end())
			break;
		left = schedule_timeout(left);
	}
	__set_current_state(TASK_RUNNING);
	remove_wait_queue(&waiters, &s.entry);
	return is_to_end() ? 0 : plat_resched();
}

static void wake_any(struct irq_work *work)
{
	__wake_up(&waiters, TASK_NORMAL, 0, NULL);
}

static DEFINE_IRQ_WORK(wake_work, wake_any);

/* Wake, by an irq_work unless preemptible: the caller may hold locks that a wakeup takes. */
void plat_wake(unsigned int *word)
{
	if (preemptible())
		__wake_up(&waiters, TASK_NORMAL, 0, word);
	else
		irq_work_queue(&wake_work);
}

/* Wait for the last wakeup, when nobody sleeps any more. */
void pool_wait_exit(void)
{
	irq_work_sync(&wake_work);
}
