// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * functions.c - documented calls that the headers turn into macros, as functions
 *
 * Layer:   API; in the kernel pool.h has these three, inline, since they name the calling module.
 * Context: as said in pool.h.
 *
 * For programs that take the address of a call, or declare it themselves.  The
 * others that pool.h has inline are in common/api/hit.c.
 */
#include "seam/plat.h"

/* Create a pool; as a function, records the address of its caller instead of file and line. */
struct pool_head *(create_pool)(char *name, unsigned int size,
				unsigned int flags)
{
	char where[POOL_FILE_LEN + 1];

	plat_symbol(where, sizeof(where), __builtin_return_address(0));
	return pool_create_at(name, size, flags, where, 0, NULL, POOL_ABI);
}

void *pool_destroy(struct pool_head *pool)
{
	return pool_destroy_of(pool, NULL);
}

void pool_destroy_all(void)
{
	pool_destroy_owned(NULL);
}
