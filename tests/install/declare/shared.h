/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * shared.h - a declaration in a header, as in many programs
 *
 * Layer:   tests, user space; see declare.sh.
 * Context: two files include it: each has a static pool of its own.
 */
#ifndef DECLARE_SHARED_H
#define DECLARE_SHARED_H

#include <libpool/pool.h>

extern struct pool_head *first, *global;

DECLARE_STATIC_POOL(in_header, "in-header", 4000);

#endif /* DECLARE_SHARED_H */
