/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * cases_guard.h - what the cases of guarded objects share, in both worlds
 *
 * Layer:   tests.
 * Context: guard_use() is for workers.
 */
#ifndef POOL_CASES_GUARD_H
#define POOL_CASES_GUARD_H

#include "test.h"

unsigned char *guard_page_of(const void *p);
bool guard_backend_open(struct plat_backend *backend, unsigned int size,
			unsigned int align);
bool guard_pages_are(bool readable, const void *obj, unsigned int size);
void guard_use(unsigned int i, void *arg);

#endif /* POOL_CASES_GUARD_H */
