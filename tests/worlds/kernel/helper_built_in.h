/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper_built_in.h - pools of code that is built into the kernel
 *
 * Layer:   tests, kernel; for POOL_OWNER of pool.h.
 *
 * A file that includes this is compiled as if it were built in, as part of the driver BUILT_IN,
 * and defines what is declared here.
 */
#ifdef BUILT_IN
#undef MODULE
#undef KBUILD_MODNAME
#undef __KBUILD_MODNAME
#define KBUILD_MODNAME		__stringify(BUILT_IN)
#define __KBUILD_MODNAME	BUILT_IN
#endif

#include <linux/stringify.h>

#include "pool.h"

/* The calls of a driver of two files, and of a driver with another name. */
struct built_in {
	struct pool_head *(*create)(void);
	void *(*destroy)(struct pool_head *pool);
	void (*destroy_all)(void);
};

extern const struct built_in built_in_one, built_in_one_more, built_in_two;

#ifdef BUILT_IN
static struct pool_head *create(void)
{
	return create_pool("built_in", 1000, MEM_F_SHARED);
}

#define BUILT_IN_CALLS {						\
		.create = create,					\
		.destroy = pool_destroy,				\
		.destroy_all = pool_destroy_all,			\
	}
#endif
