// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * declare.c - declared pools, user space
 *
 * Layer:   above the registry; twin of kernel/declare.c.
 * Context: before main(), in dlopen(), in dlclose(), in exit().
 *
 * dlclose() must release the pools of the object that it unloads.  exit() must not, since other
 * threads may still use them.  A destructor cannot tell the two apart, so:
 *
 *  - Objects that were loaded before libpool's constructor ran, which are the program and the
 *    libraries that it is linked with, are never unloaded, so they never release pools.  The
 *    loader lists objects in the order in which it loaded them.  If a plugin loads libpool, the
 *    plugin is such an object, too, so the registrations of its first load stay.
 *  - When an object that was loaded later declares pools, libpool registers a handler with
 *    atexit() that notes exit().  Handlers run before all destructors of objects, if they were
 *    registered after the program's start.  A handler that a library's constructor registers may
 *    be too early, so each of the first HOOKS_MOST objects registers one.
 */
#include "main.h"
#include "seam/plat.h"

#include <link.h>
#include <stdlib.h>

/* True during exit(), written by the thread that then runs the destructors, so relaxed. */
static bool exiting;

/*
 * An address, the number of loaded objects before the object that has the address, and the number
 * of objects unloaded so far.
 */
struct place {
	uintptr_t addr;
	unsigned int before;
	unsigned long long unloads;
};

/* The places, at libpool's start, of libpool itself and of the end of the loader's list. */
static struct place self START_DATA, last START_DATA;

static bool has(const struct dl_phdr_info *info, uintptr_t addr)
{
	unsigned int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    addr - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) <
		    info->dlpi_phdr[i].p_memsz)
			return true;
	return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct place *place = arg;

	(void)size;
	place->unloads = info->dlpi_subs;
	if (has(info, place->addr))
		return 1;
	place->before++;
	return 0;
}

/* Find the place of an address; NULL: the end of the loader's list. */
static struct place place_of(const void *addr)
{
	struct place place = { .addr = (uintptr_t)addr };

	pool_look_at_list(look, &place);
	return place;
}

/* Prepare declarations; libpool's first constructor calls this before any of them. */
AT_START void libpool_declare_start(void)
{
	self = place_of(&self);
	last = place_of(NULL);
}

static void note_exit(void)
{
	plat_write(&exiting, true);
}

/* atexit() has memory for 32 handlers, but plugins may be loaded more often. */
#define HOOKS_MOST	32

/* Register a handler.  Needs no lock, since one registration too many does no harm. */
static bool hook_exit(void)
{
	static unsigned int hooks;
	unsigned int n = plat_read(&hooks);

	if (n < HOOKS_MOST && !atexit(note_exit))
		plat_write(&hooks, ++n);
	return n;
}

/*
 * True if the object that has @entries may be unloaded before the program ends, so that its pools
 * must be released.  If libpool's own place has changed, a plugin loaded libpool, and objects
 * before "last" were unloaded, which lowers the numbers of all later objects.
 */
static bool may_leave(struct pool_decl **entries)
{
	struct place place = place_of(entries);
	unsigned long long before = place.before;

	if (place_of(&self).before != self.before)
		before += place.unloads - last.unloads;
	return before >= last.before && hook_exit();
}

/* The program's handler for failures; set before declarations, or before dlopen(), so relaxed. */
static pool_declare_failed_t *failed;

void pool_declare_failed(pool_declare_failed_t *fn)
{
	plat_write(&failed, fn);
}

/* Call the handler, or end the program, since a variable left NULL would crash an allocation. */
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

static void declare(struct pool_decl *decl, bool leaves, unsigned int abi)
{
	bool made = pool_create_declared(decl, NULL, abi);

	if (!made)
		fail(decl);
	decl->registered = made && leaves;
}

/* Find the entry of the declaration to be created next; NULL: none is left. */
static struct pool_decl **next_missing(struct pool_decl **entry,
				       struct pool_decl **end)
{
	struct pool_decl **next = NULL;

	for (; entry < end; entry++)
		if (*entry && (!next || pool_declared_before(*entry, *next)))
			next = entry;
	return next;
}

/*
 * Create the declared pools of a program or library.  The first call creates all pools and clears
 * the entries, which begin at @first and end before @end.  Larger pools are created first, because
 * a pool can serve later declarations of smaller objects, never of larger ones.  @abi is POOL_ABI
 * of their header.
 *
 * @own is the entry of the declaration that calls.  The argument keeps the entry, because linkers
 * discard data that nothing refers to.
 */
void pool_decls_get(struct pool_decl **own, struct pool_decl **first,
		    struct pool_decl **end, unsigned int abi)
{
	struct pool_decl **entry;
	bool leaves;

	if (!*own)
		return;
	leaves = may_leave(first);
	while ((entry = next_missing(first, end))) {
		declare(*entry, leaves, abi);
		*entry = NULL;
	}
}

/*
 * Release the pool of a declaration whose object is being unloaded, or whose program ends.  The
 * memory of the declaration may be unmapped next, so a pool that stays drops its pointer to it.
 */
void pool_decl_put(struct pool_decl *decl)
{
	if (decl->registered && !plat_read(&exiting))
		pool_destroy_declared(decl);
	pool_registry_forget(decl);
}
