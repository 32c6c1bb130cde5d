/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - differences between the kernels this is built for
 *
 * Layer:   none; included by the files of kernel/ that need it.
 * Context: compile time.
 *
 * Features are tested for, not versions: distributions backport them.
 */
#ifndef POOL_COMPAT_H
#define POOL_COMPAT_H

#include <linux/export.h>
#include <linux/slab.h>

/* Absent before 6.5, where a usercopy region keeps a cache from merging. */
#ifndef SLAB_NO_MERGE
#define SLAB_NO_MERGE	0
#endif

/* Namespaces are tokens before 6.13 and strings since; Kbuild looks. */
#ifdef POOL_NS_IS_TOKEN
#define POOL_EXPORT_NS(sym, ns)	EXPORT_SYMBOL_NS_GPL(sym, ns)
#else
#define POOL_EXPORT_NS(sym, ns)	EXPORT_SYMBOL_NS_GPL(sym, #ns)
#endif

/* Exports for all modules, and exports for the tests of this one. */
#define POOL_EXPORT(sym)	POOL_EXPORT_NS(sym, LIBPOOL)
#define POOL_EXPORT_TEST(sym)	POOL_EXPORT_NS(sym, LIBPOOL_TEST)

#endif /* POOL_COMPAT_H */
