// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * backend.c - objects from the platform's allocator, within limits
 *
 * Layer:   shared pool -> [backend] -> platform
 * Context: PLAT_ALLOC for getting objects, plat_backend_may() for giving them back;
 *	    neither guard nor lock held.
 *
 * Its counters are the only ones of a pool that all CPUs write, once per call
 * of the platform's allocator.  An object is counted before it is asked for, so
 * that "allocated" is never below what is there, nor above the limit.
 */
#include "plat.h"

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
 * Read "allocated" while renew.c does not hold the pool.  For a few instructions renew.c
 * holds a declared pool that never had an object.  In user space its thread may be
 * descheduled meanwhile, so the wait is bounded.  POOL_F_NO_LIMIT waits until the end:
 * only the kernel has it, and there renew.c holds with interrupts off.  False: the pool is
 * still held.
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

/* The platform refused an object: it is none, or no longer one. */
static void report_misuse(struct pool *pool, void *obj, enum pool_fault kind)
{
	struct pool_fault_info info = {
		.kind = kind, .pool = pool, .obj = obj, .flags = POOL_F_ATOMIC,
	};

	pool_report(&info);
}

/* Give @n objects back; returns how many the platform took.  It refuses what is no object. */
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

/* Give the memory back if the constructor did not return. */
static void abandon(struct building *b)
{
	if (!b->obj)
		return;
	if (plat_read(&b->pool->object_table.part[0]))
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
 * Take the platform's answer into account.  The object is already counted; @obj is NULL if there
 * was none.  Returns whether there is an object; it is constructed.
 */
bool pool_backend_commit(struct pool *pool, void *obj)
{
	if (!obj) {
		plat_word_sub_release(&pool->allocated, 1);
		pool_wake(pool);
		return false;
	}
	count_got(pool, 1);
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

/* Count @n objects that the platform will be asked for ahead; false: that may not be. */
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
 * Get at most @n objects before callers ask for them.  The pool has neither a constructor nor
 * checks.
 *
 * All are counted at once: two atomic instructions in all, not two for each.  No caller waits
 * for these objects, so the platform is asked without sleeping.  Returns how many it got.  It
 * gets none where there is a limit, since an object in one CPU's array would be refused to the
 * others.
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
 * Undo checks and construction of an object that is to be given back.  NULL: it was
 * corrupted and stays, or it is no object.
 */
static void *bare(struct pool *pool, void *obj)
{
	bool raw = false;

	if (!pool_is_plain(pool, obj))
		obj = pool_check_out(pool, obj, POOL_F_ATOMIC, NULL, &raw);
	if (!obj)
		return NULL;
	if (plat_read(&pool->object_table.part[0]))
		pool_state_drop(pool, obj);
	if (pool->dtor && !raw)
		pool_call_dtor(pool, obj);
	return obj;
}

/* True if bare() would do nothing to the objects of a cluster, which are all alike. */
static bool all_bare(const struct pool *pool, const void *obj)
{
	return !pool->dtor && !plat_read(&pool->object_table.part[0]) &&
	       pool_is_plain(pool, obj);
}

/*
 * Get an object that takes the place of another one, for a pool without a constructor and
 * without checks.  It is not worth taking memory back from other pools.
 *
 * The new object is not counted, since the other one is.  The caller must then give one of the
 * two to pool_backend_swap_out().  NULL: there is none.
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

/* Give one object, perhaps sealed, back to the platform.  A corrupted one stays in quarantine. */
void pool_backend_put(struct pool *pool, void *obj)
{
	obj = bare(pool, obj);
	if (obj && free_objects(pool, 1, &obj))
		count_back(pool, 1);
}

/*
 * Give a cluster's objects back to the platform; @keep of them, 0 to c->n, stay in it.  The
 * objects go, and are counted, at once.  Where each must be checked or destructed they go one by
 * one.
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
