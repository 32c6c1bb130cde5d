/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * here.h - enter this CPU's array of a pool: the short steps of slow paths
 *
 * Layer:   [hot array] -> local clusters; the inline half of hot.c.
 * Context: any; between enter and leave nothing sleeps, logs or allocates.
 *
 * The hot section.  Hits (pool_hot.h) and slow paths use an array in these steps:
 *
 *	ENTER	disable preemption, find this CPU's part; a thread's part is always its own
 *	TEST	if "open" is not POOL_OPEN use the layers below: the owner was interrupted, or
 *		there is no part
 *	HOLD	open = POOL_HELD, then a compiler barrier
 *	WORK	read n and cap, change n and slots
 *	OPEN	n and open = POOL_OPEN in one store; else n, a compiler barrier, open
 *	LEAVE	enable preemption
 *
 * Claim: from HOLD to OPEN nobody else changes n or slots.  Other CPUs never enter this array;
 * struct pool_hot lists the exceptions.  Code that interrupts the call on this CPU ends before the
 * call goes on.  The effect of the interrupting code depends on where it comes:
 *
 *	before HOLD	it finds OPEN, does all steps itself and leaves OPEN, so the result of TEST
 *			is still right; WORK reads n after HOLD, and so sees its changes
 *	HOLD to OPEN	it finds HELD at TEST, and touches neither n nor slots
 *	after OPEN	it finds OPEN and the new n, since n is never written after "open"
 *
 * All accesses are of one CPU, which sees its own program order, so no atomic is needed.  A signal
 * handler that leaves a WORK by longjmp() leaves HELD behind: later calls use the layers below,
 * until the thread idles or ends, or the pool is destroyed.
 *
 * After OPEN, after LEAVE, and after the CPU lock was free, the call must read all fields again.
 */
#ifndef POOL_CORE_HERE_H
#define POOL_CORE_HERE_H

/*
 * Enter a hot section and hold this CPU's array of a pool, until pool_here_leave().  NULL: nothing
 * is held, because the owner was interrupted, which adds POOL_F_NESTED to @flags, or because this
 * CPU has no part.  The unreachable code lets the compiler assume that a part which was held is not
 * NULL.
 */
static inline struct pool_local *pool_here_enter(struct pool *pool,
						 unsigned int *flags)
{
	struct pool_local *here = pool_local_enter(pool);

	if (plat_read(&here->hot.open) != POOL_OPEN &&
	    !pool_here_begins(pool, here, flags))
		return NULL;
	pool_hot_set_held(&here->hot);
	if (!here)
		__builtin_unreachable();
	return here;
}

/* Enter as pool_here_enter(); make a part for this CPU first if it has none and @flags allow it. */
static inline struct pool_local *pool_here_ensure(struct pool *pool,
						  unsigned int *flags)
{
	struct pool_local *here = pool_here_enter(pool, flags);

	if (here || (*flags & POOL_F_NESTED))
		return here;
	plat_cpu_ready(pool, *flags);
	return pool->cached ? pool_here_enter(pool, flags) : NULL;
}

/* Undo pool_here_enter(). */
static inline void pool_here_leave(struct pool_local *here)
{
	pool_hot_let_go(&here->hot);
}

/* Lock this CPU's lists; false: another call holds the lock. */
static inline bool pool_here_lock(struct pool_local *here)
{
	return plat_cpu_trylock(here->cpu);
}

static inline void pool_here_unlock(struct pool_local *here)
{
	plat_cpu_unlock(here->cpu);
}

static inline bool pool_era_is(unsigned long era)
{
	return era == plat_read_acquire(&pool_era);
}

/* True if the era is that of the last visit; otherwise bound, limit or options have changed. */
static inline bool pool_here_same_era(const struct pool_local *here)
{
	return pool_era_is(here->era & ~POOL_ERA_PAST);
}

/* Count a visit, and make the pool's array the newest of its CPU. */
static inline void pool_visit_count(struct pool_cpu *cpu, struct pool_local *here)
{
	cpu->visits++;
	pool_age_renew(cpu, here);
}

/*
 * True if a visit for an allocation does a step of ageing.  Only where POOL_TICK_VISITS is set do
 * calls age pools.  @visits: earlier visits of its CPU.  Two of each POOL_TICK_VISITS numbers
 * match, because every other visit may be for a free.
 */
static inline bool pool_visit_ticks(unsigned long visits)
{
	return POOL_TICK_VISITS && !(visits & (POOL_TICK_VISITS - 2));
}

/* Count a visit that has the lock, and adapt the part to a new era. */
static inline void pool_visit_look(struct pool_local *here,
				   struct pool_carried *out)
{
	pool_visit_count(here->cpu, here);
	if (!pool_here_same_era(here))
		pool_age_refit(here, out);
}

/*
 * Begin a visit: lock the CPU, count the visit, and make the pool's array the newest.  @here is
 * entered.  @out receives evicted clusters, for pool_carry() once @here is left.
 * pool_here_unlock() ends it.
 * False: another call holds the lock, and there is no visit.
 */
static inline __attribute__((__always_inline__))
bool pool_visit_begin(struct pool_local *here, struct pool_carried *out)
{
	if (!pool_here_lock(here))
		return false;
	pool_visit_look(here, out);
	return true;
}

#endif /* POOL_CORE_HERE_H */
