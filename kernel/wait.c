// SPDX-License-Identifier: GPL-2.0-only
/*
 * wait.c - sleep until a word changes, or for a while
 *
 * Layer:   seam, cold half; user/lock.c is its twin.
 * Context: process context; plat_wake() any, also NMI.
 */
#include "seam/plat.h"
#include "main.h"

#include <linux/hash.h>
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

/*
 * A hash table of waiting tasks, of all pools, by the words that they wait for.  A wakeup goes
 * along one list and wakes each task whose own word has changed, so an interrupt that wakes need
 * not know the task.
 */
#define QUEUE_BITS	4
static wait_queue_head_t waiters[1 << QUEUE_BITS];

struct sleeper {
	struct wait_queue_entry entry;
	const unsigned int *word;
	unsigned int seen;
};

static int wake_sleeper(struct wait_queue_entry *entry, unsigned int mode, int flags,
			void *unused)
{
	const struct sleeper *s = container_of(entry, struct sleeper, entry);

	if (READ_ONCE(*s->word) == s->seen)
		return 0;
	return default_wake_function(entry, mode, flags, NULL);
}

static wait_queue_head_t *queue_of(const unsigned int *word)
{
	return &waiters[hash_ptr(word, QUEUE_BITS)];
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
	struct sleeper s = { .word = word, .seen = seen };
	wait_queue_head_t *queue = queue_of(word);

	init_waitqueue_func_entry(&s.entry, wake_sleeper);
	s.entry.private = current;
	add_wait_queue(queue, &s.entry);
	for (;;) {
		set_current_state(TASK_KILLABLE);
		if (READ_ONCE(*word) != seen || !left || is_to_end())
			break;
		left = schedule_timeout(left);
	}
	__set_current_state(TASK_RUNNING);
	remove_wait_queue(queue, &s.entry);
	return is_to_end() ? 0 : plat_resched();
}

static void wake_any(struct irq_work *work)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(waiters); i++)
		__wake_up(&waiters[i], TASK_NORMAL, 0, NULL);
}

static DEFINE_IRQ_WORK(wake_work, wake_any);

/* Wake waiters, in an irq_work unless preemptible, as callers may hold locks that wakeups need. */
void plat_wake(unsigned int *word)
{
	if (preemptible())
		__wake_up(queue_of(word), TASK_NORMAL, 0, NULL);
	else
		irq_work_queue(&wake_work);
}

/* Set up the table of waiters, before there are pools. */
void pool_wait_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(waiters); i++)
		init_waitqueue_head(&waiters[i]);
}

/* Wait for the last wakeup, when nobody sleeps any more. */
void pool_wait_exit(void)
{
	irq_work_sync(&wake_work);
}
