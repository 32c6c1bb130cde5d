/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper_traced.h - events of the kernel that a case sees
 *
 * Layer:   tests, kernel; for adapters.c, held.c, slab.c and source.c.
 */
#ifndef POOL_HELPER_TRACED_H
#define POOL_HELPER_TRACED_H

#include <linux/string.h>
#include <linux/tracepoint.h>

#if IS_ENABLED(CONFIG_TRACEPOINTS)

struct sought {
	const char *name;
	struct tracepoint *point;
};

static inline void see_tracepoint(struct tracepoint *point, void *arg)
{
	struct sought *sought = arg;

	if (!strcmp(point->name, sought->name))
		sought->point = point;
}

/* Do @call while @probe is called for each event of this name; false if there is no such event. */
#define TRACED(event, probe, call)					\
	({								\
		struct sought sought_ = { .name = event };		\
		bool seen_;						\
									\
		for_each_kernel_tracepoint(see_tracepoint, &sought_);	\
		seen_ = sought_.point &&				\
			!tracepoint_probe_register(sought_.point, probe, NULL); \
		if (seen_) {						\
			call;						\
			tracepoint_probe_unregister(sought_.point, probe, NULL); \
			tracepoint_synchronize_unregister();		\
		}							\
		seen_;							\
	})

#else

#define TRACED(event, probe, call)					\
	({								\
		(void)(probe);						\
		if (false)						\
			call;						\
		false;							\
	})

#endif

#endif /* POOL_HELPER_TRACED_H */
