// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * alloc.c - the four layers composed: slow paths of alloc and free
 *
 * Layer:   API -> hot array -> local clusters -> shared pool -> backend
 * Context: any, as documented in pool.h; nothing is held between two layers.
 *
 *   call                         may use
 *   ordinary (miss)              all layers
 *   POOL_F_ATOMIC                all layers; the backend only where PLAT_ALLOC, or
 *                                for a free plat_backend_may(), allows it
 *   nested (found HELD)          single objects: the shared pool, then for an
 *                                allocation the backend where PLAT_ALLOC, then
 *                                what other CPUs have; a free parks
 *   with a reserve               the same, then the reserve; it never waits for the
 *                                platform
 */
#include "seam/plat.h"

/*
 * Get a free object below the caches: from the shared pool, or parked on this CPU.  Only a nested
 * call takes an object of another node.  NULL: the caller asks the backend next.
 */
void *pool_get_spare(struct pool *pool, unsigned int flags)
{
	void *obj;

	if (flags & POOL_F_NESTED)
		return pool_shared_get_one(pool, flags);
	obj = pool_shared_get_near(pool, POOL_NODE_HERE, flags);
	return obj ? obj : pool_unpark(pool, flags);
}

/* What a call does when the pool has no object: how long it waits, and which reserve it uses. */
struct terms {
	unsigned int ms;		/* with POOL_F_WAIT: the longest wait */
	struct pool_reserved *reserve;	/* to take from if the pool has no object; or NULL */
};

static const struct terms ordinary = { POOL_FOREVER, NULL };

/* An allocation that the caches could not serve. */
struct slow {
	const struct terms *terms;
	struct pool_last last;
	enum pool_cause cause;		/* the result of the backend's last call */
};

/*
 * Ask the backend, without sleeping if the call has a reserve and the platform allows that, because
 * a platform that sleeps until there is memory may wait for this very caller to free some.
 */
static void *ask_backend(struct pool *pool, unsigned int flags,
			 struct slow *slow)
{
	if (slow->terms->reserve && plat_may(PLAT_ALLOC, flags | POOL_F_ATOMIC))
		flags |= POOL_F_ATOMIC;
	return pool_backend_get(pool, flags, &slow->cause);
}

static void *get_last(struct pool *pool, unsigned int flags, struct slow *slow)
{
	void *obj;

	slow->last.looks = 0;
	do {
		obj = pool_last_look(pool, flags, &slow->last);
		if (!obj && slow->cause == POOL_REFUSED)
			obj = ask_backend(pool, flags, slow);
	} while (!obj && pool_last_again(pool, flags, &slow->last));
	return obj;
}

/*
 * Get more objects from the backend for the caches, after a miss that reached it, because a pool
 * that grows usually goes on growing.  Gets none for a pool that has needed as many before, because
 * it may not grow; for a pool with a limit, because other CPUs cannot reach objects in this CPU's
 * array; or for a pool with a constructor or checks.  Not inlined, so that its array is not on the
 * stack of all calls.
 */
static __attribute__((__noinline__))
void get_ahead(struct pool *pool, unsigned int flags)
{
	void *objs[POOL_HOT_SLOTS / 2];
	unsigned int n, done;

	if (plat_read(&pool->limit) || pool->head.constructed || pool_is_closed(pool) ||
	    pool_allocated(pool) < plat_read(&pool->need_target))
		return;
	n = pool_cache_wants(pool, flags);
	if (n)
		n = pool_backend_get_ahead(pool, n, objs, flags);
	done = n ? pool_put_to_cache(pool, n, objs, &flags) : 0;
	while (done < n)
		pool_put_below(pool, objs[done++], flags);
}

/* Allocate from the layers below the caches, and from the reserve of the call. */
static void *get_below(struct pool *pool, unsigned int flags, struct slow *slow)
{
	void *obj = pool_get_spare(pool, flags);

	slow->cause = POOL_FAILED;
	if (!obj && plat_may(PLAT_ALLOC, flags))
		obj = ask_backend(pool, flags, slow);
	if (!obj && slow->terms->reserve)
		obj = pool_slots_take(slow->terms->reserve);
	if (!obj)
		obj = get_last(pool, flags, slow);
	return obj;
}

/* Get an object from the layers below, and more for the caches if it came from the backend. */
static void *get_and_ahead(struct pool *pool, unsigned int flags,
			   struct slow *slow)
{
	void *obj = get_below(pool, flags, slow);

	if (slow->cause == POOL_GOT && !(flags & POOL_F_NESTED))
		get_ahead(pool, flags);
	return obj;
}

/* Try all layers once. */
static void *get(struct pool *pool, unsigned int flags, struct slow *slow)
{
	void *obj = pool_get_one_from_cache(pool, &flags);

	return obj ? obj : get_and_ahead(pool, flags, slow);
}

/* True if the call may sleep until an object is free. */
static bool waits(unsigned int flags)
{
	return (flags & POOL_F_WAIT) && plat_may(PLAT_WAIT, flags);
}

/* Start the clock of a call that waits.  Other calls end after a fixed number of tries. */
static void slow_begin(struct slow *slow, unsigned int flags,
		       const struct terms *terms)
{
	slow->terms = terms;
	slow->last.remaining = POOL_FOREVER;
	if (!waits(flags))
		return;
	slow->last.remaining = terms->ms;
	slow->last.now = plat_resched();
}

/*
 * Return how long the head of the queue sleeps before it retries, in milliseconds.
 *
 *   the platform lacks memory                  POOL_ASK_EVERY: no wakeup comes when it has some
 *   arrays have slots, or objects are moving   POOL_LOOK_EVERY: a hit that read the capacity before
 *                                              it was closed wakes nobody
 *   else                                       until a free wakes the head
 */
static unsigned int patience(struct pool *pool, const struct slow *slow)
{
	if (slow->cause != POOL_REFUSED)
		return POOL_ASK_EVERY;
	return plat_read(&pool->slots) || pool_reach_missed(pool, &slow->last.before) ?
	       POOL_LOOK_EVERY : POOL_FOREVER;
}

/*
 * Wait until this call is the head of the queue, or its reserve has an object, which calls without
 * the reserve cannot take.  False: the time is over, or the pool ends.
 */
static bool wait_turn(struct pool_waiter *w, struct slow *slow)
{
	const struct pool_reserved *reserve = slow->terms->reserve;
	unsigned int seen = plat_read_acquire(w->word);

	while (!plat_read(&w->turn) && !(reserve && plat_read(&reserve->have))) {
		if (!pool_last_sleep(&slow->last, w->word, seen, POOL_FOREVER))
			return false;
		seen = plat_read_acquire(w->word);
	}
	/* Read before the look, so that a free which the look misses ends the sleep. */
	w->seen = plat_read_acquire(&w->pool->wakes);
	return plat_read(&w->pool->users);
}

/*
 * Wait in the queue of the pool, and retry the allocation as its head.  POOL_AT_END takes a thread
 * that is cancelled here out of the queue.  A failure is counted before the call leaves the queue,
 * because the pool may be destroyed afterwards.
 */
static __attribute__((__noinline__))
void *alloc_queued(struct pool *pool, unsigned int flags, void *caller,
		   struct slow *slow)
{
	struct pool_waiter w POOL_AT_END(pool_queue_leave) = { .pool = pool };
	void *obj = NULL;

	w.word = slow->terms->reserve ? &pool->refills : &w.turn;
	pool_queue_enter(&w);
	while (!obj && wait_turn(&w, slow)) {
		bool turn = plat_read(&w.turn);

		do {
			obj = turn ? get(pool, flags, slow) :
				     pool_slots_take(slow->terms->reserve);
		} while (obj && !pool_checked(pool, &obj, flags, caller));
		if (!obj && turn &&
		    !pool_last_sleep(&slow->last, &pool->wakes, w.seen, patience(pool, slow)))
			break;
	}
	if (!obj)
		pool_count_failure(pool, slow->cause);
	return obj;
}

/*
 * Serve an allocation that the caches could not serve, or whose object must be checked.  Skips
 * corrupted objects; each is met only once, so the loop ends.  While other calls wait, only the
 * reserve of the call is tried.  @how: the flags of the call, with POOL_F_NESTED for a nested call.
 */
static __attribute__((__noinline__))
void *alloc_slow(struct pool *pool, void *obj, unsigned int how,
		 unsigned int flags, void *caller, const struct terms *terms)
{
	struct slow slow;

	slow_begin(&slow, how, terms);
	slow.cause = POOL_REFUSED;
	if (!obj && !plat_read(&pool->waiting))
		obj = get_and_ahead(pool, how, &slow);
	else if (!obj && terms->reserve)
		obj = pool_slots_take(terms->reserve);
	while (obj && !pool_checked(pool, &obj, flags, caller))
		obj = get(pool, flags, &slow);
	if (!obj && waits(how) && !pool_last_is_over(&slow.last))
		return alloc_queued(pool, flags, caller, &slow);
	if (!obj)
		pool_count_failure(pool, slow.cause);
	return obj;
}

/* Allocate while other calls wait: join the queue, or fail if the call may not wait. */
static __attribute__((__noinline__))
void *alloc_behind(struct pool *pool, unsigned int flags, void *caller,
		   const struct terms *terms)
{
	unsigned int how = flags;
	struct pool_local *here = pool_here_enter(pool, &how);

	if (here)
		pool_here_leave(here);
	return alloc_slow(pool, NULL, how, flags, caller, terms);
}

/* Hand out an object of the caches; NULL: use the slow path.  Arguments as of alloc_slow(). */
static inline void *hand_out(struct pool *pool, void *obj, unsigned int how,
			     unsigned int flags, void *caller,
			     const struct terms *terms)
{
	if (!POOL_LIKELY(obj && pool_goes_out(pool, obj)))
		return alloc_slow(pool, obj, how, flags, caller, terms);
	pool_hot_out(&pool->head, obj, flags);
	return obj;
}

/* Allocate from the caches, else by the slow path. */
static inline void *alloc_cached(struct pool *pool, unsigned int flags,
				 void *caller, const struct terms *terms)
{
	unsigned int how = flags & POOL_F_ALL;
	void *obj = pool_get_one_from_cache(pool, &how);

	return hand_out(pool, obj, how, flags & POOL_F_ALL, caller, terms);
}

/* Allocate from a checked or a hardened pool, whose array the hit path cannot try. */
static __attribute__((__noinline__))
void *alloc_looked(struct pool *pool, unsigned int flags, void *caller,
		   const struct terms *terms)
{
	void *obj = NULL;

	if (plat_read(&pool->debug) & POOL_D_HARDEN)
		obj = pool_harden_get(pool, flags);
	if (obj)
		return obj;
	if (pool_gone_report(pool, NULL, flags & POOL_F_ALL, caller))
		return NULL;
	if (pool_fails(pool, flags & POOL_F_ALL, caller)) {
		pool_count_failure(pool, POOL_INJECTED);
		return NULL;
	}
	if (plat_read(&pool->waiting))
		return alloc_behind(pool, flags & POOL_F_ALL, caller, terms);
	return alloc_cached(pool, flags, caller, terms);
}

/* True if a limit refuses a call that does not wait. */
static inline bool is_refused(struct pool *pool, unsigned int flags)
{
	unsigned int limit = plat_read(&pool->limit);

	return limit && !(flags & POOL_F_WAIT) && pool_used_up(pool, limit);
}

/*
 * Allocate after a miss of the hot array.  @caller: named in reports.  @terms: what the call does
 * when there is no object.  Reads the options again after it got an object, because a switch may
 * have begun since, and the object may have been freed under the new options.
 */
static __attribute__((__noinline__))
void *alloc_from(struct pool_head *head, unsigned int flags, void *caller,
		 const struct terms *terms)
{
	struct pool *pool = pool_of(head);
	unsigned int how = flags & POOL_F_ALL;
	struct pool_local *here;
	struct pool_cpu *cpu;

	if (pool_looks_at_each(pool))
		return alloc_looked(pool, flags, caller, terms);
	if (is_refused(pool, how)) {
		pool_count_failure(pool, POOL_REFUSED);
		return NULL;
	}
	if (!POOL_LIKELY(!plat_read(&pool->waiting)))
		return alloc_behind(pool, how, caller, terms);
	here = pool_local_enter(pool);
	if (!POOL_LIKELY(pool_quick_begin(here, &cpu)))
		return alloc_cached(pool, flags, caller, terms);
	return hand_out(pool, pool_quick_get(pool, here, cpu, how), how, how,
			caller, terms);
}

void *pool_alloc_from(struct pool_head *head, unsigned int flags, void *caller)
{
	return alloc_from(head, flags, caller, &ordinary);
}

static void *alloc_waiting(struct pool_head *head, unsigned int flags,
			   void *caller, const struct terms *terms)
{
	if ((flags & POOL_F_MUST_ZERO) && head->constructed)
		return pool_refuse_zero(head, flags);
	return alloc_from(head, flags | POOL_F_WAIT, caller, terms);
}

void *pool_alloc_timeout(struct pool_head *head, unsigned int flags,
			 unsigned int ms)
{
	struct terms terms = { ms, NULL };

	pool_might_alloc(flags);
	return alloc_waiting(head, flags, __builtin_return_address(0), &terms);
}

/* pool_might_alloc() is not called, because others may wait for this caller to free memory. */
void *pool_alloc_reserved_timeout(struct pool_reserved *reserve,
				  unsigned int flags, unsigned int ms)
{
	struct terms terms = { ms, reserve };

	pool_might_sleep(flags);
	return reserve ? alloc_waiting(&reserve->pool->head, flags,
				       __builtin_return_address(0), &terms) : NULL;
}

/*
 * Allocate after a miss of the hit path.  Not inlined, since the exported functions are a hit path,
 * too.  A pool without arrays has its objects in clusters, so these are tried before alloc_from()
 * saves its registers.
 */
__attribute__((__noinline__))
void *pool_alloc_slow(struct pool_head *head, unsigned int flags)
{
	void *obj = pool_quick_get_past(pool_of(head));

	if (!obj)
		return alloc_from(head, flags, __builtin_return_address(0), &ordinary);
	pool_hot_out(head, obj, flags);
	return obj;
}

/* Free an object of a checked or a hardened pool, whose array the hit path cannot try. */
static __attribute__((__noinline__))
void free_looked(struct pool *pool, void *obj, unsigned int flags, void *caller)
{
	obj = pool_check_free(pool, obj, flags, caller);
	if (obj && (!pool_is_plain(pool, obj) || !pool_hot_put(&pool->own, obj)))
		pool_put_one(pool, obj, flags);
}

/*
 * Free an object that the hit path did not free: the array was full or held, or frees are checked
 * or wipe the object.  @caller: for reports.
 */
void pool_free_from(struct pool_head *head, void *obj, unsigned int flags,
		    void *caller)
{
	struct pool *pool = pool_of(head);

	flags &= POOL_F_ALL;
	if (plat_read(&pool->debug) & POOL_D_LOOKED) {
		free_looked(pool, obj, flags, caller);
	} else {
		if (pool_wipes_in(head)) {
			pool_hot_in(head, obj);
			if (pool_hot_put(&pool->own, obj))
				return;
		}
		pool_quick_put(pool, obj, flags);
	}
	pool_wake(pool);
}

__attribute__((__noinline__))
void pool_free_slow(struct pool_head *head, void *obj, unsigned int flags)
{
	struct pool *pool = pool_of(head);

	if (!(plat_read(&pool->debug) & POOL_D_LOOKED) && !pool_wipes_in(head) &&
	    pool_quick_put_past(pool, obj))
		pool_wake(pool);
	else
		pool_free_from(head, obj, flags, __builtin_return_address(0));
}

void *pool_alloc_nocache(struct pool_head *head)
{
	void *caller = __builtin_return_address(0);
	struct pool *pool = pool_of(head);
	struct slow slow;
	void *obj;

	pool_might_alloc(0);
	if (pool_gone_report(pool, NULL, 0, caller))
		return NULL;
	if (pool_fails(pool, 0, caller)) {
		pool_count_failure(pool, POOL_INJECTED);
		return NULL;
	}
	if (plat_read(&pool->waiting)) {
		pool_count_failure(pool, POOL_REFUSED);
		return NULL;
	}
	slow_begin(&slow, 0, &ordinary);
	do {
		obj = get_below(pool, 0, &slow);
	} while (obj && !pool_checked(pool, &obj, 0, caller));
	if (!obj)
		pool_count_failure(pool, slow.cause);
	return obj;
}

/* Refuse POOL_F_MUST_ZERO for constructed objects; logged once, for the first such pool. */
__attribute__((__noinline__))
void *pool_refuse_zero(struct pool_head *head, unsigned int flags)
{
	static unsigned int said;
	struct pool *pool = pool_of(head);
	unsigned int not_yet = 0;

	pool_count_failure(pool, POOL_FAILED);
	if (plat_may(PLAT_WAIT, flags) && plat_cmpxchg(&said, &not_yet, 1u))
		plat_log(PLAT_ERR, "pool \"%s\": POOL_F_MUST_ZERO refused: constructed objects",
			 pool->shown);
	return NULL;
}
