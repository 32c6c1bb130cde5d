// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * queue.c - kernel threads that wait for an object
 *
 * Layer:   tests of common/limit/queue.c, and of kernel/wait.c.
 * Context: see test.h.
 */
#include "test.h"

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>

struct waiter {
	struct pool *pool;
	struct completion done;
	void *obj;
	bool got;
};

static int wait_for_one(void *arg)
{
	struct waiter *w = arg;

	w->obj = pool_alloc_timeout(&w->pool->head, 0, POOL_FOREVER);
	w->got = w->obj;
	pool_free(&w->pool->head, w->obj);
	complete(&w->done);
	while (!kthread_should_stop())
		schedule_timeout_idle(1);
	return 0;
}

/* A thread that waits for the only object of a pool, which is in use; NULL: none was made. */
static struct task_struct *waits_for(struct waiter *w, void **obj)
{
	struct task_struct *task;

	w->pool = test_pool(64);
	pool_fail_every = 0;
	init_completion(&w->done);
	if (!w->pool || !pool_set_limit(&w->pool->head, 1))
		return NULL;
	*obj = pool_alloc(&w->pool->head);
	task = kthread_run(wait_for_one, w, "pool_waits");
	if (IS_ERR(task))
		return NULL;
	while (!plat_read(&w->pool->waiting))
		schedule_timeout_idle(1);
	return task;
}

TEST_CASE(a_thread_that_is_to_stop_waits_no_longer)
{
	struct waiter w = { .got = false };
	struct task_struct *task;
	void *obj = NULL;

	task = waits_for(&w, &obj);
	ASSERT(task && obj);
	kthread_stop(task);
	EXPECT(!w.got);
	EXPECT_EQ(w.pool->waiting, 0);
	pool_free(&w.pool->head, obj);
	EXPECT_PTR_EQ(pool_destroy(&w.pool->head), NULL);
}

/* With interrupts off, as in a handler, no lock of the scheduler may be taken. */
TEST_CASE(a_free_with_interrupts_off_wakes_who_waits)
{
	struct waiter w = { .got = false };
	struct task_struct *task;
	unsigned long flags;
	void *obj = NULL;

	task = waits_for(&w, &obj);
	ASSERT(task && obj);
	local_irq_save(flags);
	__pool_free(&w.pool->head, obj, POOL_F_ATOMIC);
	local_irq_restore(flags);
	wait_for_completion(&w.done);
	EXPECT(w.got);
	kthread_stop(task);
	EXPECT_PTR_EQ(pool_destroy(&w.pool->head), NULL);
}

TEST_CASE(calls_by_the_kernels_flags_do_not_overtake_who_waits)
{
	struct waiter w = { .got = false };
	struct task_struct *task;
	void *obj = NULL;

	task = waits_for(&w, &obj);
	ASSERT(task && obj);
	EXPECT_PTR_EQ(pool_alloc_gfp(&w.pool->head, GFP_KERNEL), NULL);
	EXPECT_PTR_EQ(pool_alloc_gfp(&w.pool->head, GFP_ATOMIC), NULL);
	pool_free(&w.pool->head, obj);
	wait_for_completion(&w.done);
	EXPECT(w.got);
	kthread_stop(task);
	EXPECT_PTR_EQ(pool_destroy(&w.pool->head), NULL);
}
