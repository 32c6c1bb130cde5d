// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * other.c - a second file of a program, with declarations of its own
 *
 * Layer:   tests, user space; see declare.sh.
 * Context: linked with all.c.
 */
#include "shared.h"

/* all.c declares static pools of the same names. */
DECLARE_STATIC_POOL(third, "other", 128);
DECLARE_POOL(global, "global", 256);

int other_works(void);

int other_works(void)
{
	void *obj = pool_zalloc(first);
	void *more = pool_zalloc(third);

	if (!obj || !more || !in_header || !global)
		return 0;
	pool_free(first, obj);
	pool_free(third, more);
	return 1;
}
