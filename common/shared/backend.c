// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * backend.c - get objects from the platform's allocator, within the limit, and release them
 *
 * Layer:   shared pool -> [backend] -> platform
 * Context: PLAT_ALLOC for getting objects, plat_backend_may() for giving them back;
 *	    outside of hot sections, no lock held.
 *
 * These counters are the only ones of a pool that all CPUs write, once per call of the platform's
 * allocator.  An object is counted before the platform is asked for it, so that "allocated" is
 * never below the number of objects, nor above the limit.
 */
#include "seam/plat.h"

/* Hostile builds and tests: every n-th call fails; 0: no call fails. */
unsigned int pool_fail_every = POOL_FAIL_EVERY;

static unsigned long calls;

static bool injected_failure(unsigned int flags)
{
	unsigned int every = plat_read(&pool_fail_every);

	return every && !(flags & POOL_F_NO_FAIL) &&
	       plat_word_add(&calls, 1) % every == 0;
}

/*
 * Read "allocated", after waiting while renew.c blocks a declared pool that never had an object.
 * That lasts a few instructions, but in user space the thread in renew.c may be descheduled, so the
 * wait is bounded.  It is not with POOL_F_NO_LIMIT, which only the kernel has, where renew.c has
 * interrupts off.  False: renew.c still blocks the pool.
 */
static bool wait_renewed(struct pool *pool, unsigned int flags,
			 unsigned long *have)
{
	bool wait = plat_may(PLAT_WAIT, flags);
	unsigned int tries = wait ? PLAT_LAST_TRIES : POOL_BUSY_TRIES;

	*have = plat_read(&pool->allocated);
	while ((*have & POOL_RENEWING) &&
	       ((flags & POOL_F_NO_LIMIT) || tries--)) {
		plat_pause(wait);
		*have = plat_read(&pool->allocated);
	}
	return !(*have & POOL_RENEWING);
}

/*
 * Count an object that the platform will be asked for.  The acquire pairs with the release of
 * exchange() in renew.c: a call that counts an object sees the size and the source that the
 * object will have.
 *
 * Returns POOL_GOT, and then pool_backend_commit() must follow; POOL_REFUSED at the limit;
 * POOL_INJECTED; or POOL_FAILED.
 */
enum pool_cause pool_backend_reserve(struct pool *pool, unsigned int flags)
{
	unsigned long have;
	unsigned int limit;

	if (injected_failure(flags))
		return POOL_INJECTED;
	do {
		if (!wait_renewed(pool, flags, &have))
			return POOL_FAILED;
		limit = plat_read(&pool->limit);
		if (limit && have >= limit && !(flags & POOL_F_NO_LIMIT))
			return POOL_REFUSED;
	} while (!plat_cmpxchg(&pool->allocated, &have, have + 1));
	return POOL_GOT;
}

/*
 * Count objects after they were given back, so that "allocated" is never too low.  The
 * release pairs with the acquire of exchange() in renew.c.  A renewal that sees the
 * object gone also sees the store_gets that counted it.
 */
static void count_back(struct pool *pool, unsigned int n)
{
	pool_trace_backend_put(pool, n);
	plat_word_add(&pool->store_puts, n);
	plat_word_sub_release(&pool->allocated, n);
	pool_wake(pool);
}

static void count_got(struct pool *pool, unsigned int n)
{
	pool_trace_backend_get(pool, n);
	plat_word_add(&pool->store_gets, n);
}

/* Report a pointer that the platform rejected, because it is no object, or was freed before. */
static void report_misuse(struct pool *pool, void *obj, enum pool_fault kind)
{
	struct pool_fault_info info = {
		.kind = kind, .pool = pool, .obj = obj, .flags = POOL_F_ATOMIC,
	};

	pool_report(&info);
}

/* Return @n objects to the platform, which rejects wrong pointers; returns how many it accepted. */
static unsigned int free_objects(struct pool *pool, unsigned int n, void **objs)
{
	unsigned int given = 0;

	while (n) {
		enum pool_fault fault;
		unsigned int some = plat_backend_free(&pool->backend, n, objs,
						      &fault);

		given += some;
		if (some < n)
			report_misuse(pool, objs[some++], fault);
		objs += some;
		n -= some;
	}
	return given;
}

/* Count an allocation that got nothing. */
void pool_count_failure(struct pool *pool, enum pool_cause cause)
{
	pool_trace_refused(pool, cause);
	if (cause == POOL_REFUSED)
		plat_word_add(&pool->refused, 1);
	else if (cause == POOL_INJECTED)
		plat_word_add(&pool->injected, 1);
	else
		plat_word_add(&pool->failed, 1);
}

/* An object under construction; obj is NULL once it is complete. */
struct building {
	struct pool *pool;
	void *obj;
};

/* Return the memory of an object whose constructor did not return. */
static void abandon(struct building *b)
{
	if (!b->obj)
		return;
	if (plat_read(&b->pool->object_table.segment[0]))
		pool_state_drop(b->pool, b->obj);
	free_objects(b->pool, 1, &b->obj);
	count_back(b->pool, 1);
}

/*
 * Call a pool's constructor, if it has one, for an object that has no owner yet.  If the
 * constructor throws, or ends its thread, the pool gives the memory back.
 */
void pool_construct(struct pool *pool, void *obj)
{
	struct building now POOL_AT_END(abandon) = { pool, obj };

	if (pool->ctor)
		pool_call_ctor(pool, obj);
	now.obj = NULL;
}

/*
 * Finish a pool_backend_reserve(): construct the platform's object, or subtract it again if @obj is
 * NULL.  True: there is an object.
 */
bool pool_backend_commit(struct pool *pool, void *obj)
{
	if (!obj) {
		plat_word_sub_release(&pool->allocated, 1);
		pool_wake(pool);
		return false;
	}
	count_got(pool, 1);
	if (plat_read(&pool->object_table.segment[0]))
		pool_state_given(pool, obj);
	pool_construct(pool, obj);
	return true;
}

/*
 * Get one object from the platform, without sleeping if @flags has POOL_F_ATOMIC.  NULL: there
 * is none, and @cause says why.
 */
void *pool_backend_get(struct pool *pool, unsigned int flags,
		       enum pool_cause *cause)
{
	void *obj;

	*cause = pool_backend_reserve(pool, flags);
	if (*cause != POOL_GOT)
		return NULL;
	if (!plat_backend_alloc(&pool->backend, 1, &obj, flags))
		obj = NULL;
	if (!pool_backend_commit(pool, obj))
		*cause = POOL_FAILED;
	return obj;
}

/* Count @n objects to be got ahead; false: the pool has a limit, or renew.c blocks it. */
static bool reserve_ahead(struct pool *pool, unsigned int n)
{
	unsigned long have = plat_read(&pool->allocated);

	do {
		if ((have & POOL_RENEWING) || plat_read(&pool->limit))
			return false;
	} while (!plat_cmpxchg(&pool->allocated, &have, have + n));
	return true;
}

/*
 * Get at most @n objects before callers ask for them.  Returns how many.  The pool has neither a
 * constructor nor checks.
 *
 * All are counted at once, by two atomic instructions instead of two for each.  The platform is
 * asked without sleeping, because no caller waits for these objects.  Gets none for a pool with a
 * limit, because other CPUs could not reach the objects in this CPU's array.
 */
unsigned int pool_backend_get_ahead(struct pool *pool, unsigned int n,
				    void **objs, unsigned int flags)
{
	unsigned int got = 0;

	if (!reserve_ahead(pool, n))
		return 0;
	if (!injected_failure(flags))
		got = plat_backend_alloc(&pool->backend, n, objs,
					 flags | POOL_F_ATOMIC);
	if (got)
		count_got(pool, got);
	if (got < n)
		plat_word_sub_release(&pool->allocated, n - got);
	return got;
}

/*
 * Undo checks and construction of an object that returns to the platform.  NULL: it is corrupted,
 * and stays in quarantine.
 */
static void *bare(struct pool *pool, void *obj)
{
	bool raw = false;

	if (!pool_is_plain(pool, obj))
		obj = pool_check_out(pool, obj, POOL_F_ATOMIC, NULL, &raw);
	if (!obj)
		return NULL;
	if (plat_read(&pool->object_table.segment[0]))
		pool_state_drop(pool, obj);
	if (pool->dtor && !raw)
		pool_call_dtor(pool, obj);
	return obj;
}

/* True if bare() would do nothing to the objects of a cluster, which are all alike. */
static bool all_bare(const struct pool *pool, const void *obj)
{
	return !pool->dtor && !plat_read(&pool->object_table.segment[0]) &&
	       pool_is_plain(pool, obj);
}

/*
 * Get an object to replace another one, for a pool without a constructor and without checks,
 * without any reclaim.  NULL: there is none.
 *
 * The new object is not counted, because the object that it replaces is.  The caller must pass one
 * of the two to pool_backend_swap_out().
 */
void *pool_backend_swap_in(struct pool *pool)
{
	void *obj;

	return plat_backend_alloc(&pool->backend, 1, &obj, POOL_F_ATOMIC) ?
	       obj : NULL;
}

void pool_backend_swap_out(struct pool *pool, void *obj)
{
	free_objects(pool, 1, &obj);
}

/* Return an object, perhaps sealed, to the platform.  A corrupted one stays in quarantine. */
void pool_backend_put(struct pool *pool, void *obj)
{
	obj = bare(pool, obj);
	if (obj && free_objects(pool, 1, &obj))
		count_back(pool, 1);
}

/*
 * Return a cluster's objects to the platform, except @keep of them, 0 to c->n.  They are returned
 * and counted at once, or one by one if each must be checked or destructed.
 */
void pool_backend_put_cluster(struct pool *pool, struct pool_cluster *c,
			      unsigned int keep)
{
	unsigned int n = c->n - keep;

	if (n && all_bare(pool, c->obj[keep])) {
		n = free_objects(pool, n, c->obj + keep);
		c->n = keep;
		if (n)
			count_back(pool, n);
	}
	while (c->n > keep)
		pool_backend_put(pool, c->obj[--c->n]);
}
