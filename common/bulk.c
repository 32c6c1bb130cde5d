// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bulk.c - many objects at once
 *
 * Layer:   API -> hot array, entered once for as many as it has.
 * Called:  by users, through pool_bulk.h; reserve.c.
 * Calls:   hot.c; alloc.c, for what the array does not have, or take.
 * Context: as the single calls.
 *
 * An array moves at most POOL_HOT_SLOTS pointers while it is held.  The object
 * that it cannot serve takes the slow path, which fills or spills it; and so on.
 */
#include "plat.h"

/*
 * Pop up to @n objects of this CPU's array; returns how many.  Whoever interrupted
 * it need not try again.
 */
static unsigned int pop(struct pool *pool, unsigned int n, void **objs,
			bool *nested)
{
	struct pool_here here;
	unsigned int have = 0;

	*nested = *nested || !pool_here_enter(&here, pool);
	if (*nested)
		return 0;
	if (here.was == POOL_OPEN)
		have = plat_read(&here.local->hot.n);
	if (n > have)
		n = have;
	if (n)
		pool_hot_take(here.local, objs, n);
	pool_here_leave(&here);
	return n;
}

/* Push up to @n objects, coldest first, on this CPU's array; likewise. */
static unsigned int push(struct pool *pool, unsigned int n, void **objs,
			 bool *nested)
{
	struct pool_here here;
	unsigned int have = 0;
	unsigned int cap = 0;
	unsigned int i;

	*nested = *nested || !pool_here_enter(&here, pool);
	if (*nested)
		return 0;
	if (here.was == POOL_OPEN) {
		have = plat_read(&here.local->hot.n);
		cap = plat_read(&here.local->hot.cap);
	}
	if (cap < have)
		cap = have;
	if (n > cap - have)
		n = cap - have;
	for (i = 0; i < n; i++)
		pool_hot_in(&pool->head, objs[i]);
	if (n)
		pool_hot_append(here.local, objs, n);
	pool_here_leave(&here);
	return n;
}

bool pool_alloc_bulk(struct pool_head *head, unsigned int flags,
		     unsigned int n, void **objs)
{
	void *caller = __builtin_return_address(0);
	struct pool *pool = pool_of(head);
	unsigned int got = 0;
	bool nested = false;

	if ((flags & POOL_F_MUST_ZERO) && head->constructed)
		return !n || pool_refuse_zero(head, flags);
	while (got < n) {
		unsigned int more = pop(pool, n - got, objs + got, &nested);

		for (; more; more--, got++)
			pool_hot_out(head, objs[got], flags);
		if (got == n)
			break;
		objs[got] = pool_alloc_from(head, flags, caller);
		if (!objs[got])
			break;
		got++;
	}
	if (got < n)
		pool_free_bulk(head, flags & POOL_F_ATOMIC, got, objs);
	return got == n;
}

/* How many objects come before the next NULL. */
static unsigned int run_of(void **objs, unsigned int n)
{
	unsigned int run = 0;

	while (run < n && objs[run])
		run++;
	return run;
}

static void free_run(struct pool *pool, unsigned int flags, unsigned int n,
		     void **objs, void *caller)
{
	bool nested = false;
	unsigned int done;

	for (done = 0; done < n;) {
		unsigned int more = push(pool, n - done, objs + done,
					 &nested);

		if (!more) {
			pool_free_from(&pool->head, objs[done], flags,
				       caller);
			more = 1;
		}
		done += more;
	}
}

void pool_free_bulk(struct pool_head *head, unsigned int flags,
		    unsigned int n, void **objs)
{
	while (n) {
		unsigned int run = run_of(objs, n);

		free_run(pool_of(head), flags, run, objs,
			 __builtin_return_address(0));
		run += run < n;
		objs += run;
		n -= run;
	}
}
