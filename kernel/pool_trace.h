/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pool_trace.h - the events of common/seam/events.h as tracepoints: pool:pool_fill and others
 *
 * Layer:   beside the seam.
 * Context: any; the fields are read where a tracer has asked for them.
 *
 * trace.c includes this file once more, to define what is only declared here.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pool

#if !defined(POOL_TRACE_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define POOL_TRACE_EVENTS_H

#include <linux/tracepoint.h>

struct pool;

/* Name these values for tools that read raw events, which have only numbers. */
TRACE_DEFINE_ENUM(POOL_FAILED);
TRACE_DEFINE_ENUM(POOL_REFUSED);
TRACE_DEFINE_ENUM(POOL_INJECTED);
TRACE_DEFINE_ENUM(POOL_FAULT_WRITTEN);
TRACE_DEFINE_ENUM(POOL_FAULT_OVERFLOW);
TRACE_DEFINE_ENUM(POOL_FAULT_UNDERFLOW);
TRACE_DEFINE_ENUM(POOL_FAULT_DOUBLE_FREE);
TRACE_DEFINE_ENUM(POOL_FAULT_FOREIGN);
TRACE_DEFINE_ENUM(POOL_FAULT_INTERIOR);
TRACE_DEFINE_ENUM(POOL_FAULT_WRONG_POOL);
TRACE_DEFINE_ENUM(POOL_FAULT_DESTROYED);
TRACE_DEFINE_ENUM(POOL_FAULT_ELSEWHERE);

/*
 * Fields have the names that kmem:kmem_cache_alloc and kmem:kmem_cache_free give them.  A
 * pool's name is padded, since bpftrace compares the whole array, and the buffer has bytes of
 * older events.
 */
DECLARE_EVENT_CLASS(pool_calls,
		    TP_PROTO(const struct pool *pool, const void *obj, const void *caller),
		    TP_ARGS(pool, obj, caller),
		    TP_STRUCT__entry(__field(unsigned long, call_site)
				     __field(const void *, ptr)
				     __array(char, name, POOL_SHOWN_LEN + 1)
				     __field(size_t, bytes_alloc)
		    ),
		    TP_fast_assign(__entry->call_site = (unsigned long)caller;
				   __entry->ptr = obj;
				   strscpy_pad(__entry->name, pool->shown,
					       sizeof(__entry->name));
				   __entry->bytes_alloc = pool->head.size;
		    ),
		    TP_printk("name=%s call_site=%pS ptr=%p bytes_alloc=%zu", __entry->name,
			      (void *)__entry->call_site, __entry->ptr,
			      __entry->bytes_alloc)
);

DEFINE_EVENT(pool_calls, pool_alloc,
	     TP_PROTO(const struct pool *pool, const void *obj, const void *caller),
	     TP_ARGS(pool, obj, caller)
);

DEFINE_EVENT(pool_calls, pool_free,
	     TP_PROTO(const struct pool *pool, const void *obj, const void *caller),
	     TP_ARGS(pool, obj, caller)
);

DECLARE_EVENT_CLASS(pool_objects,
		    TP_PROTO(const struct pool *pool, unsigned int n),
		    TP_ARGS(pool, n),
		    TP_STRUCT__entry(__array(char, name, POOL_SHOWN_LEN + 1)
				     __field(unsigned int, n)
		    ),
		    TP_fast_assign(strscpy_pad(__entry->name, pool->shown,
					       sizeof(__entry->name));
				   __entry->n = n;
		    ),
		    TP_printk("name=%s objects=%u", __entry->name, __entry->n)
);

DEFINE_EVENT(pool_objects, pool_spill,
	     TP_PROTO(const struct pool *pool, unsigned int n),
	     TP_ARGS(pool, n)
);

DEFINE_EVENT(pool_objects, pool_evict,
	     TP_PROTO(const struct pool *pool, unsigned int n),
	     TP_ARGS(pool, n)
);

DEFINE_EVENT(pool_objects, pool_backend_get,
	     TP_PROTO(const struct pool *pool, unsigned int n),
	     TP_ARGS(pool, n)
);

DEFINE_EVENT(pool_objects, pool_backend_put,
	     TP_PROTO(const struct pool *pool, unsigned int n),
	     TP_ARGS(pool, n)
);

TRACE_EVENT(pool_fill,
	    TP_PROTO(const struct pool *pool, unsigned int n, unsigned int shared),
	    TP_ARGS(pool, n, shared),
	    TP_STRUCT__entry(__array(char, name, POOL_SHOWN_LEN + 1)
			     __field(unsigned int, n)
			     __field(bool, shared)
	    ),
	    TP_fast_assign(strscpy_pad(__entry->name, pool->shown, sizeof(__entry->name));
			   __entry->n = n;
			   __entry->shared = shared;
	    ),
	    TP_printk("name=%s objects=%u from=%s", __entry->name, __entry->n,
		      __entry->shared ? "shared" : "cpu")
);

TRACE_EVENT(pool_refused,
	    TP_PROTO(const struct pool *pool, unsigned int cause),
	    TP_ARGS(pool, cause),
	    TP_STRUCT__entry(__array(char, name, POOL_SHOWN_LEN + 1)
			     __field(unsigned int, cause)
	    ),
	    TP_fast_assign(strscpy_pad(__entry->name, pool->shown, sizeof(__entry->name));
			   __entry->cause = cause;
	    ),
	    TP_printk("name=%s cause=%s", __entry->name,
		      __print_symbolic(__entry->cause,
				       { POOL_FAILED, "no_memory" },
				       { POOL_REFUSED, "limit" },
				       { POOL_INJECTED, "injected" }))
);

TRACE_EVENT(pool_fault,
	    TP_PROTO(const struct pool *pool, const void *obj, unsigned int kind,
		     const char *what, const void *caller),
	    TP_ARGS(pool, obj, kind, what, caller),
	    TP_STRUCT__entry(__array(char, name, POOL_SHOWN_LEN + 1)
			     __field(const void *, obj)
			     __field(unsigned int, kind)
			     __field(const void *, caller)
	    ),
	    TP_fast_assign(strscpy_pad(__entry->name, pool->shown, sizeof(__entry->name));
			   __entry->obj = obj;
			   __entry->kind = kind;
			   __entry->caller = caller;
	    ),
	    TP_printk("name=%s obj=%p kind=%s caller=%pS", __entry->name, __entry->obj,
		      __print_symbolic(__entry->kind,
				       { POOL_FAULT_WRITTEN, "written" },
				       { POOL_FAULT_OVERFLOW, "overflow" },
				       { POOL_FAULT_UNDERFLOW, "underflow" },
				       { POOL_FAULT_DOUBLE_FREE, "double_free" },
				       { POOL_FAULT_FOREIGN, "foreign" },
				       { POOL_FAULT_INTERIOR, "interior" },
				       { POOL_FAULT_WRONG_POOL, "wrong_pool" },
				       { POOL_FAULT_DESTROYED, "destroyed" },
				       { POOL_FAULT_ELSEWHERE, "elsewhere" }),
		      __entry->caller)
);

#endif /* POOL_TRACE_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE pool_trace
#include <trace/define_trace.h>
