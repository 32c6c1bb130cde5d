/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * events.h - the events that tracers can watch
 *
 * Layer:   beside the four, which name their events here; calls nothing of them.
 * Context: any, also in a hot section, under the CPU lock.
 *
 * This does not belong to the seam: common/ needs nothing of it, and a world may leave it out.  A
 * world that has tracers defines, in its plat_impl.h,
 *
 *	POOL_TRACE(event, pool, ...)
 *
 * User space makes an USDT probe "libpool:event" of it, the kernel a tracepoint "pool:pool_event".
 * Hits have no event: alloc and free are events of pools with the option "trace", whose calls never
 * hit.  The arguments are values that the caller has anyway, so an event without a tracer computes
 * nothing.
 */
#ifndef POOL_EVENTS_H
#define POOL_EVENTS_H

/* Not defined anywhere, because sizeof looks at the types and evaluates nothing. */
int pool_trace_nothing(const char *event, const struct pool *pool, ...);

#ifndef POOL_TRACE
#define POOL_TRACE(event, ...)	((void)sizeof(pool_trace_nothing(#event, __VA_ARGS__)))
#endif

/* Trace that a user got an object from the call @caller. */
static inline void pool_trace_alloc(const struct pool *pool, const void *obj,
				    const void *caller)
{
	POOL_TRACE(alloc, pool, obj, caller);
}

static inline void pool_trace_free(const struct pool *pool, const void *obj,
				   const void *caller)
{
	POOL_TRACE(free, pool, obj, caller);
}

/*
 * Trace that @n objects left a cluster for the array and the caller; @shared: the cluster was one
 * of the shared pool.
 */
static inline void pool_trace_fill(const struct pool *pool, unsigned int n,
				   unsigned int shared)
{
	POOL_TRACE(fill, pool, n, shared);
}

/* Trace that @n objects of the array, or of a caller, went to a cluster. */
static inline void pool_trace_spill(const struct pool *pool, unsigned int n)
{
	POOL_TRACE(spill, pool, n);
}

/* Trace that a cluster of @n objects leaves its CPU to make room under the bound. */
static inline void pool_trace_evict(const struct pool *pool, unsigned int n)
{
	POOL_TRACE(evict, pool, n);
}

static inline void pool_trace_backend_get(const struct pool *pool, unsigned int n)
{
	POOL_TRACE(backend_get, pool, n);
}

static inline void pool_trace_backend_put(const struct pool *pool, unsigned int n)
{
	POOL_TRACE(backend_put, pool, n);
}

/* Trace that an allocation returns NULL; @cause: enum pool_cause. */
static inline void pool_trace_refused(const struct pool *pool, unsigned int cause)
{
	POOL_TRACE(refused, pool, cause);
}

/* Trace a fault; @kind: enum pool_fault, @what: in words, @caller: the call, or NULL. */
static inline void pool_trace_fault(const struct pool *pool, const void *obj,
				    unsigned int kind, const char *what,
				    const void *caller)
{
	POOL_TRACE(fault, pool, obj, kind, what, caller);
}

#endif /* POOL_EVENTS_H */
