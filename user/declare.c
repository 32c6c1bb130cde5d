// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * declare.c - declared pools, user space
 *
 * Layer:   above the registry; twin of kernel/declare.c.
 * Context: before main(), in dlopen(), in dlclose(), in exit().
 *
 * What dlclose() unloads gives its pools back.  What exit() ends does not: other
 * threads may be using them still.  A destructor cannot tell the one from the
 * other, so:
 *
 *  - what was loaded before libpool's own constructor ran, the program and the
 *    libraries that it is linked with, is never unloaded: it never gives back.
 *    The loader counts what it loads.  Where a plugin brings libpool along, this
 *    includes the plugin: the registrations of its first load stay, once;
 *  - when the first object that was loaded later declares a pool, libpool asks,
 *    with atexit(), to be told of exit().  Handlers run before all destructors
 *    of objects, if they were registered after the program's start.
 */
#include "main.h"
#include "plat.h"

#include <link.h>
#include <stdlib.h>

/* Objects that the loader had loaded when libpool started. */
static unsigned long long loads_at_start;

/* Relaxed: written by exit(), in the thread that then runs the destructors. */
static bool exiting;

static int read_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
	(void)size;
	*(unsigned long long *)loads = info->dlpi_adds;
	return 1;
}

static unsigned long long count_loads(void)
{
	unsigned long long loads = 0;

	dl_iterate_phdr(read_loads, &loads);
	return loads;
}

/* Before any declaration: called by libpool's first constructor. */
void libpool_declare_start(void)
{
	loads_at_start = count_loads();
}

static void print_exit(void)
{
	plat_write(&exiting, true);
}

/* Once; the creation lock is not needed, twice would do no harm. */
static bool hook_exit(void)
{
	static bool hooked;

	if (!plat_read(&hooked))
		plat_write(&hooked, !atexit(print_exit));
	return plat_read(&hooked);
}

/* Relaxed: set before declarations, or before dlopen(). */
static pool_declare_failed_t *failed;

void pool_declare_failed(pool_declare_failed_t *fn)
{
	plat_write(&failed, fn);
}

/* No variable is left NULL for the first allocation to crash on. */
static void fail(const struct pool_decl *decl)
{
	pool_declare_failed_t *fn = plat_read(&failed);

	if (fn) {
		fn(decl);
		return;
	}
	plat_log(PLAT_ERR, "%s:%d: a declared pool cannot be made: the program ends",
		 decl->file, decl->line);
	exit(EXIT_FAILURE);
}

static void declare(struct pool_decl *decl, unsigned int abi)
{
	*decl->ptr = pool_create_declared(decl, NULL, abi);
	if (!*decl->ptr)
		fail(decl);
	decl->registered = *decl->ptr && count_loads() != loads_at_start &&
			   hook_exit();
}

/* The entry of the largest that is left, the first of equal ones; NULL: none is. */
static struct pool_decl **largest(struct pool_decl **first,
				  struct pool_decl **end)
{
	struct pool_decl **most = NULL;

	for (; first < end; first++)
		if (*first && (!most || (*first)->size > (*most)->size))
			most = first;
	return most;
}

/**
 * pool_decls_get() - Create what the declarations of a program or library say.
 * @own: the entry of the declaration that calls.  Naming it keeps it from linkers that
 *	throw away what nothing refers to.
 * @first: the entries of all.
 * @end: behind the last one.
 * @abi: POOL_ABI of their header.
 *
 * The first call makes all pools and clears the entries.  Larger ones come first: a pool
 * can be shared by smaller ones that come later, never by larger ones.
 */
void pool_decls_get(struct pool_decl **own, struct pool_decl **first,
		    struct pool_decl **end, unsigned int abi)
{
	struct pool_decl **entry;

	if (!*own)
		return;
	while ((entry = largest(first, end))) {
		declare(*entry, abi);
		*entry = NULL;
	}
}

/**
 * pool_decl_put() - Give back what a declaration has created.
 * @decl: the declaration; its object is being unloaded, or the program ends.
 *
 * What stays knows it no more: its memory may be about to go.
 */
void pool_decl_put(struct pool_decl *decl)
{
	if (decl->registered && !plat_read(&exiting))
		pool_destroy_declared(decl);
	pool_registry_forget(decl);
}
