// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * queue.c - kernel threads that wait for an object
 *
 * Layer:   tests of common/limit/queue.c, and of kernel/wait.c.
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

/* Start a thread that waits for the only object of a pool, which is in use; NULL if it cannot. */
static struct task_struct *waits_for(struct waiter *w, struct pool *pool, void **obj)
{
	struct task_struct *task;

	*w = (struct waiter){ .pool = pool };
	init_completion(&w->done);
	if (!pool_set_limit(&pool->head, 1))
		return NULL;
	*obj = pool_alloc(&pool->head);
	task = kthread_run(wait_for_one, w, "pool_waits");
	if (IS_ERR(task) || !*obj)
		return NULL;
	while (!plat_read(&pool->waiting))
		schedule_timeout_idle(1);
	return task;
}

/* End a thread whose wait is over; true if it got the object. */
static bool has_got(struct waiter *w, struct task_struct *task)
{
	wait_for_completion(&w->done);
	kthread_stop(task);
	return w->got;
}

POOL_CASE(a_thread_that_is_to_stop_waits_no_longer, test_sure(64))
{
	struct task_struct *task;
	struct waiter w;
	void *obj;

	task = waits_for(&w, pool, &obj);
	ASSERT(task);
	kthread_stop(task);
	EXPECT(!w.got);
	EXPECT_EQ(pool->waiting, 0);
	test_free(pool, obj);
}

/*
 * The caller may hold locks of the scheduler, so the free must wake the thread without taking
 * these.
 */
POOL_CASE(a_free_with_interrupts_off_wakes_who_waits, test_sure(64))
{
	struct task_struct *task;
	unsigned long flags;
	struct waiter w;
	void *obj;

	task = waits_for(&w, pool, &obj);
	ASSERT(task);
	local_irq_save(flags);
	__pool_free(&pool->head, obj, POOL_F_ATOMIC);
	local_irq_restore(flags);
	EXPECT(has_got(&w, task));
}

POOL_CASE(calls_by_the_kernels_flags_do_not_overtake_who_waits, test_sure(64))
{
	struct task_struct *task;
	struct waiter w;
	void *obj;

	task = waits_for(&w, pool, &obj);
	ASSERT(task);
	EXPECT_PTR_EQ(pool_alloc_gfp(&pool->head, GFP_KERNEL), NULL);
	EXPECT_PTR_EQ(pool_alloc_gfp(&pool->head, GFP_ATOMIC), NULL);
	test_free(pool, obj);
	EXPECT(has_got(&w, task));
}
