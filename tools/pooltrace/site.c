// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * site.c - the table of call sites, and the modules that they are in
 *
 * Layer:   the preload library, below recorder.c.
 * Context: see recorder.h.
 *
 * A site is looked up without a lock.  A new one is added by one thread at a time.  A
 * signal handler may find the lock taken by the thread that it interrupted, so nobody
 * waits for it long: the event has an unknown site then, and is counted.
 */
#include "state.h"

#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

/* The most callers that are looked at behind one that is skipped. */
#define CALLERS		32

/* How often a thread looks at a lock that another one has. */
#define TRIES		1000

/* The most slots that a look-up reads, so that a full table costs little. */
#define PROBES		64

static uint32_t first_slot(uintptr_t addr)
{
	return (uint32_t)(addr * 0x9e3779b97f4a7c15ull >> 40) & (RAW_SITES - 1);
}

/* The site, or 0 with @slot set to where it would go; RAW_SITES: there is no room. */
static uint32_t look_up(const struct raw_head *head, uintptr_t addr, uint32_t epoch,
			uint32_t *slot)
{
	uint32_t i = first_slot(addr);
	uint32_t n;

	for (n = 0; n < PROBES; n++, i = (i + 1) & (RAW_SITES - 1)) {
		const struct raw_site *site = &head->site[i];
		uint64_t there = __atomic_load_n(&site->addr, __ATOMIC_ACQUIRE);

		/* The number 0 means unknown. */
		if (!i)
			continue;
		if (there == addr && site->epoch == epoch)
			return i;
		if (!there) {
			*slot = i;
			return 0;
		}
	}
	*slot = RAW_SITES;
	return 0;
}

/* Only under the lock. */
static uint32_t module_of(struct raw_head *head, const char *name)
{
	uint32_t i;

	for (i = 1; i < head->modules; i++)
		if (!strncmp(head->module[i], name, RAW_NAME_MAX))
			return i;
	if (i == RAW_MODULES)
		return 0;
	snprintf(head->module[i], sizeof(head->module[i]), "%s", name);
	head->modules = i + 1;
	return i;
}

/* The address is one that a call returns to; one byte less is in the call. */
static void find_module(struct raw_head *head, struct raw_site *site, uintptr_t addr)
{
	struct dl_find_object found;
	const struct link_map *map;
	const char *name, *slash;

	site->module = 0;
	site->offset = addr - 1;
	if (_dl_find_object((void *)(addr - 1), &found))
		return;
	map = found.dlfo_link_map;
	slash = strrchr(map->l_name, '/');
	name = slash ? slash + 1 : map->l_name;
	site->module = module_of(head, *name ? name : head->program);
	site->offset = addr - 1 - map->l_addr;
}

/* Is @name one of the words of a list? */
static bool has_word(const char *list, const char *name)
{
	size_t len = strlen(name);
	const char *at = list;

	while (len && (at = strstr(at, name))) {
		if ((at == list || at[-1] == ',') && (!at[len] || at[len] == ','))
			return true;
		at += len;
	}
	return false;
}

/*
 * Does the code there allocate for its caller, and strings?  The C library calls some functions by
 * two names, one of which has underscores in front.  dladdr() knows the functions that other modules
 * may call, and its lock may be held by a thread that waits for nobody here.
 */
static uint8_t flags_of(const struct raw_head *head, const struct raw_site *site, uintptr_t addr)
{
	const char *list = getenv(RAW_ENV_SKIP);
	const char *module = head->module[site->module];
	char place[RAW_NAME_MAX + 24];
	uint8_t copies = 0;
	Dl_info found;

	if (!list || !*list || !site->module)
		return 0;
	if (!dladdr((void *)(addr - 1), &found) || !found.dli_sname)
		found.dli_sname = "";
	if (strstr(found.dli_sname, "strdup") || strstr(found.dli_sname, "strndup"))
		copies = RAW_COPIES;
	snprintf(place, sizeof(place), "%s+0x%llx", module, (unsigned long long)site->offset);
	if (has_word(list, module) || has_word(list, place) || has_word(list, found.dli_sname) ||
	    has_word(list, found.dli_sname + strspn(found.dli_sname, "_")))
		return RAW_SKIPPED | copies;
	return 0;
}

static bool lock(struct state *s)
{
	unsigned int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (!__atomic_exchange_n(&s->site_lock, 1, __ATOMIC_ACQUIRE))
			return true;
		sched_yield();
	}
	return false;
}

static uint32_t add(struct state *s, uintptr_t addr, uint32_t epoch)
{
	uint32_t slot;
	uint32_t found;

	if (!lock(s))
		return 0;
	/* Another thread may have added it since. */
	found = look_up(s->head, addr, epoch, &slot);
	if (!found && slot < RAW_SITES) {
		struct raw_site *site = &s->head->site[slot];

		find_module(s->head, site, addr);
		s->head->flags[slot] = flags_of(s->head, site, addr);
		site->epoch = epoch;
		__atomic_store_n(&site->addr, addr, __ATOMIC_RELEASE);
		found = slot;
	}
	__atomic_store_n(&s->site_lock, 0, __ATOMIC_RELEASE);
	return found;
}

static uint32_t number_of(struct state *s, uintptr_t addr)
{
	uint32_t epoch = __atomic_load_n(&s->epoch, __ATOMIC_ACQUIRE);
	uint32_t slot;
	uint32_t found = look_up(s->head, addr, epoch, &slot);

	if (!found && slot < RAW_SITES)
		found = add(s, addr, epoch);
	if (!found)
		__atomic_fetch_add(&s->head->unknown_sites, 1, __ATOMIC_RELAXED);
	return found;
}

/* A walk from this function to the callers of the one that allocates. */
struct walk {
	struct state *s;
	uintptr_t from;			/* where malloc() returns to; 0: that was seen */
	uint32_t found;
	unsigned int left;
	uint8_t seen;			/* flags of those that were skipped */
};

static uint8_t flags(struct state *s, uint32_t site)
{
	return site ? __atomic_load_n(&s->head->flags[site], __ATOMIC_RELAXED) : 0;
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg)
{
	uintptr_t addr = _Unwind_GetIP(context);
	struct walk *w = arg;

	if (!addr || !w->left--)
		return _URC_END_OF_STACK;
	if (w->from) {
		w->from = addr == w->from ? 0 : w->from;
		return _URC_NO_REASON;
	}
	w->seen |= flags(w->s, w->found);
	w->found = number_of(w->s, addr);
	return flags(w->s, w->found) & RAW_SKIPPED ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Only behind code that is skipped callers are looked for, since that takes long. */
uint32_t site_of(struct state *s, uintptr_t addr)
{
	struct walk w = { .s = s, .from = addr, .left = CALLERS };

	w.found = number_of(s, addr);
	if (!(flags(s, w.found) & RAW_SKIPPED))
		return w.found;
	_Unwind_Backtrace(visit, &w);
	if (w.found && w.seen & RAW_COPIES)
		__atomic_fetch_or(&s->head->flags[w.found], RAW_STRINGS, __ATOMIC_RELAXED);
	return w.found;
}
