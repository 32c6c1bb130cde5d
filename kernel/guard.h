/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard.h - objects with pages of their own, for plat.c and gfp.c
 *
 * Layer:   seam; private to kernel/.
 * Context: process context, except for pool_guard_alloc(), which then asks the slab.
 */
#ifndef POOL_GUARD_H
#define POOL_GUARD_H

#include "seam/plat.h"

#include <linux/types.h>

void *pool_guard_alloc(const struct plat_backend *backend, gfp_t gfp);
void pool_guard_free(const struct plat_backend *backend, void *obj);
void pool_guard_exit(void);

#endif /* POOL_GUARD_H */
