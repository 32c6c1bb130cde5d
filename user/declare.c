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
 *    The loader lists what is loaded, the oldest first.  Where a plugin brings libpool
 *    along, this includes the plugin: the registrations of its first load stay, once;
 *  - when an object that was loaded later declares pools, libpool registers a handler
 *    with atexit() that notes exit().  Handlers run before all destructors of objects, if
 *    they were registered after the program's start.  One that a constructor of a library
 *    registers may be too early, so the first objects register one each.
 */
#include "main.h"
#include "plat.h"

#include <link.h>
#include <stdlib.h>

/* Relaxed: written by exit(), in the thread that then runs the destructors. */
static bool exiting;

/* An address, how many objects the loader lists before the one that has it, and its unloads. */
struct place {
	uintptr_t addr;
	unsigned int before;
	unsigned long long unloads;
};

/* When libpool started: its own place, and behind the last object. */
static struct place self, last;

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

/* NULL: the end of the list. */
static struct place place_of(const void *addr)
{
	struct place place = { .addr = (uintptr_t)addr };

	pool_look_at_list(look, &place);
	return place;
}

/* Called by libpool's first constructor, before any declaration. */
void libpool_declare_start(void)
{
	self = place_of(&self);
	last = place_of(NULL);
}

static void note_exit(void)
{
	plat_write(&exiting, true);
}

/* So many handlers atexit() takes without memory.  Plugins may come and go more often. */
#define HOOKS_MOST	32

/* It needs no lock, since one more registration does no harm. */
static bool hook_exit(void)
{
	static unsigned int hooks;
	unsigned int n = plat_read(&hooks);

	if (n < HOOKS_MOST && !atexit(note_exit))
		plat_write(&hooks, ++n);
	return n;
}

/*
 * May the object that has @entries be unloaded before the program ends?  Then it gives back.
 * What was listed before libpool is gone only where a plugin brought libpool along.  Then what
 * was unloaded was listed before "last", too.
 */
static bool may_leave(struct pool_decl **entries)
{
	struct place place = place_of(entries);
	unsigned long long before = place.before;

	if (place_of(&self).before != self.before)
		before += place.unloads - last.unloads;
	return before >= last.before && hook_exit();
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

static void declare(struct pool_decl *decl, bool leaves, unsigned int abi)
{
	bool made = pool_create_declared(decl, NULL, abi);

	if (!made)
		fail(decl);
	decl->registered = made && leaves;
}

/* The entry of the one that is left and made first; NULL: none is left. */
static struct pool_decl **next_left(struct pool_decl **entry,
				    struct pool_decl **end)
{
	struct pool_decl **next = NULL;

	for (; entry < end; entry++)
		if (*entry && (!next || pool_declared_before(*entry, *next)))
			next = entry;
	return next;
}

/*
 * Create the declared pools of a program or library.  The first call makes all pools and clears
 * the entries, which begin at @first and end before @end.  Larger ones come first: a pool can be
 * shared by smaller ones that come later, never by larger ones.  @abi is POOL_ABI of their
 * header.
 *
 * @own is the entry of the declaration that calls.  Linkers throw away what nothing refers to,
 * and this argument refers to the entry.
 */
void pool_decls_get(struct pool_decl **own, struct pool_decl **first,
		    struct pool_decl **end, unsigned int abi)
{
	struct pool_decl **entry;
	bool leaves;

	if (!*own)
		return;
	leaves = may_leave(first);
	while ((entry = next_left(first, end))) {
		declare(*entry, leaves, abi);
		*entry = NULL;
	}
}

/*
 * Give back the pool of a declaration whose object is being unloaded, or whose program ends.  The
 * memory of the declaration may be about to go, so pools that stay forget it.
 */
void pool_decl_put(struct pool_decl *decl)
{
	if (decl->registered && !plat_read(&exiting))
		pool_destroy_declared(decl);
	pool_registry_forget(decl);
}
