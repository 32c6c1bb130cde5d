// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * declare.c - declared pools, user space
 *
 * Layer:   above the registry; twin of kernel/declare.c.
 * Context: before main(), in dlopen(), in dlclose(), in exit().
 *
 * dlclose() gives the pools of what it unloads back.  exit() does not, since other
 * threads may still use them.  A destructor cannot tell one from the other, so:
 *
 *  - what was loaded before libpool's own constructor ran, the program and the
 *    libraries that it is linked with, is never unloaded: it never gives back.
 *    The loader counts what it loads.  Where a plugin brings libpool along, this
 *    includes the plugin: the registrations of its first load stay, once;
 *  - when the first object that was loaded later declares a pool, libpool registers
 *    a handler with atexit() that notes exit().  Handlers run before all destructors
 *    of objects, if they were registered after the program's start.
 */
#include "main.h"
#include "plat.h"

#include <link.h>
#include <stdlib.h>

/* How many objects the loader had loaded when libpool started. */
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

/* Called by libpool's first constructor, before any declaration. */
void libpool_declare_start(void)
{
	loads_at_start = count_loads();
}

static void print_exit(void)
{
	plat_write(&exiting, true);
}

/* Registers once.  It needs no lock, since a second registration does no harm. */
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

/* End the program: a variable left NULL would crash the first allocation. */
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

/* The entry of the largest that is left, the first of equal ones; NULL: none is left. */
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
 * pool_decls_get() - Create the declared pools of a program or library.
 * @own: the entry of the declaration that calls.  Linkers throw away what nothing refers
 *	to, and this argument refers to the entry.
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
 * pool_decl_put() - Give back the pool of a declaration.
 * @decl: the declaration; its object is being unloaded, or the program ends.
 *
 * The memory of the declaration may be about to go, so pools that stay forget it.
 */
void pool_decl_put(struct pool_decl *decl)
{
	if (decl->registered && !plat_read(&exiting))
		pool_destroy_declared(decl);
	pool_registry_forget(decl);
}
