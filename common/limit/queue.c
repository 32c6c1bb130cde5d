// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * queue.c - callers that wait for an object, served in the order in which they came
 *
 * Layer:   beside the four; alloc.c waits here, and calls that free an object wake waiters.
 * Context: waiting: PLAT_WAIT, nothing held.  Waking: any, NMI and signal handlers too.
 *
 * Only the oldest waiter of a pool, the head, looks for objects.  The others sleep until they are
 * the head.  While there is a head, other allocations are refused or join the queue: alloc.c.  So
 * no free has to hand its object to anyone, and an object is never lost with a waiter.
 *
 *	head                                  call that makes an object free
 *	  1  waiting + 1, fence                 1  the object is in a place
 *	  2  seen = wakes                       2  fence
 *	  3  look at all places                 3  if somebody is waiting: wakes + 1,
 *	  4  sleep while wakes == seen             and wake the head
 *
 * If the look (3) misses the object, then the call sees by the two fences that somebody is waiting,
 * and changes wakes after the head has read it.  So the head does not sleep, or is woken.
 *
 * Hits look for no waiter.  So the first waiter closes the arrays, which makes frees go through the
 * slow path, and the last one opens them again.  Arrays that have no slots need neither.
 */
#include "seam/plat.h"

/* True if arrays of the pool have slots, or may get some. */
static bool has_arrays(struct pool *pool)
{
	return plat_read(&pool->slots) || pool_hot_share(pool);
}

/* Close the arrays for the first waiter, or reopen them after the last one. */
static void close_or_open(struct pool *pool)
{
	if (!has_arrays(pool))
		return;
	pool_era_ends();
	if (plat_read(&pool->waiting))
		pool_close_arrays(pool);
}

static struct pool_waiter *oldest(const struct pool *pool)
{
	return pool_list_entry(pool->waiters.next, struct pool_waiter, list);
}

/* Join the end of a pool's queue.  The fence pairs with that of pool_wake(). */
void pool_queue_enter(struct pool_waiter *w)
{
	struct pool *pool = w->pool;
	bool first;

	plat_mutex_lock(PLAT_WAITERS);
	first = !pool->waiting;
	if (first)
		pool_list_init(&pool->waiters);
	w->turn = first;
	pool_list_add_last(&w->list, &pool->waiters);
	plat_write(&pool->waiting, pool->waiting + 1);
	plat_mutex_unlock(PLAT_WAITERS);
	plat_fence();
	if (first)
		close_or_open(pool);
}

/*
 * Leave a queue.  If the head leaves, the next waiter is woken as the head and looks at once,
 * because the object of the last wakeup may still be there.  The mutex keeps the stack of the next
 * waiter valid until the wakeup, and the pool until the last waiter has reopened the arrays.
 */
void pool_queue_leave(struct pool_waiter *w)
{
	struct pool *pool = w->pool;
	bool last;

	plat_mutex_lock(PLAT_WAITERS);
	pool_list_del(&w->list);
	last = pool->waiting == 1;
	plat_write(&pool->waiting, pool->waiting - 1);
	if (last) {
		close_or_open(pool);
	} else if (plat_read(&w->turn)) {
		plat_write(&oldest(pool)->turn, 1u);
		pool_bump(oldest(pool)->word);
	}
	plat_mutex_unlock(PLAT_WAITERS);
}

/*
 * Make all calls leave the queue of a pool without users, which is about to end: they return NULL.
 * The caller is the last in the queue, so all others have left when it is the head.
 */
void pool_queue_end(struct pool *pool)
{
	struct pool_waiter w = { .pool = pool, .word = &w.turn };
	bool some;

	plat_mutex_lock(PLAT_WAITERS);
	some = pool->waiting;
	plat_mutex_unlock(PLAT_WAITERS);
	if (!some)
		return;
	pool_queue_enter(&w);
	pool_wake(pool);
	while (!plat_read(&w.turn))
		pool_sleep(&w.turn, 0);
	pool_queue_leave(&w);
}
