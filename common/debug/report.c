// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * report.c - the report of a fault: one function, one format
 *
 * Layer:   beside the four.
 * Context: any; outside of hot sections, no lock held.  Allocates nothing.
 *
 *   pool: FAULT: written to while free: 0x7f0c2c0008c0 + 12, pool "buffer", size 64
 *   pool:   found by main+0x1f, thread 4711
 *   pool:   allocated by handler+0x40, freed by handler+0x96
 *   pool:   +0   af 55 12 ...
 *
 * The first line has all that scripts need to count and sort reports.  Names of functions and other
 * pools are looked up if the context allows it.  The number of reports per pool is limited, so that
 * a broken loop does not fill the log; further faults are only counted, without a warning.
 */
#include "seam/plat.h"

/* Bytes of a line of the dump, and number of lines. */
#define DUMP_BYTES	16
#define DUMP_LINES	4

/* Longest text of an address. */
#define SYMBOL_LEN	80

static const char * const what[POOL_FAULT_KINDS] = {
	[POOL_FAULT_WRITTEN] = "written to while free",
	[POOL_FAULT_OVERFLOW] = "written to behind its end",
	[POOL_FAULT_UNDERFLOW] = "written to in front of its beginning",
	[POOL_FAULT_DOUBLE_FREE] = "freed twice",
	[POOL_FAULT_FOREIGN] = "freed, but no object",
	[POOL_FAULT_INTERIOR] = "freed by a pointer into it",
	[POOL_FAULT_WRONG_POOL] = "freed to the wrong pool",
	[POOL_FAULT_DESTROYED] = "used after pool_destroy()",
	[POOL_FAULT_ELSEWHERE] = "freed, but not to its pool",
};

/* Format an address: as a symbol if the context allows that, otherwise as a number. */
static void name_of(char *text, const void *addr, unsigned int flags)
{
	if (!addr)
		snprintf(text, SYMBOL_LEN, "nobody");
	else if (plat_may(PLAT_NAME, flags))
		plat_symbol(text, SYMBOL_LEN, addr);
	else
		snprintf(text, SYMBOL_LEN, "0x%lx", (unsigned long)addr);
}

/*
 * Copy the name of the pool for which @is_it is true; false: there is none, or this context cannot
 * search.  Copies the name, because writing lines may block, and no pool may be pinned meanwhile.
 */
static bool find_pool(const struct pool_fault_info *info,
		      bool (*is_it)(struct pool *pool, const void *arg),
		      const void *arg, char name[POOL_SHOWN_LEN + 1])
{
	struct pool *pool = NULL;
	bool there = false;

	while (!there && plat_may(PLAT_WAIT, info->flags) &&
	       (pool = pool_registry_next(pool)))
		there = is_it(pool, arg);
	if (there) {
		snprintf(name, POOL_SHOWN_LEN + 1, "%s", pool->shown);
		pool_registry_put(pool);
	}
	return there;
}

/* True if @pool is not the pool to which the object was freed, and its table has the object. */
static bool is_owner(struct pool *pool, const void *arg)
{
	const struct pool_fault_info *info = arg;

	return pool != info->pool && pool_state_knows(pool, info->obj);
}

static bool is_tag(struct pool *pool, const void *tag)
{
	return pool_tag_of(pool) == tag;
}

static void print_finder(const struct pool_fault_info *info)
{
	char where[SYMBOL_LEN], symbol[SYMBOL_LEN];

	plat_where(where, sizeof(where));
	name_of(symbol, info->caller, info->flags);
	plat_log(PLAT_ERR, "  found by %s, %s", symbol, where);
}

/* Print the two callers behind an object, by plat_peek() because it may be in use by now. */
static void print_callers(const struct pool_fault_info *info,
			  const struct pool_layout *l)
{
	char got[SYMBOL_LEN], put[SYMBOL_LEN];
	void *caller[2];

	if (!l->caller || !plat_peek(caller, (const char *)info->obj + l->caller, sizeof(caller)))
		return;
	name_of(got, caller[0], info->flags);
	name_of(put, caller[1], info->flags);
	plat_log(PLAT_ERR, "  allocated by %s, freed by %s", got, put);
}

/*
 * Name the pool whose tag is behind the object, if it is another pool.  Skips free objects, whose
 * tag is the address of the freeing code.
 */
static void print_tag(const struct pool_fault_info *info,
		      const struct pool_layout *l)
{
	char name[POOL_SHOWN_LEN + 1];
	void *tag;

	if (!l->tag || info->kind == POOL_FAULT_WRITTEN)
		return;
	__builtin_memcpy(&tag, (const char *)info->obj + l->tag, sizeof(tag));
	if (is_tag(info->pool, tag))
		return;
	plat_log(PLAT_ERR, "  tag 0x%lx", (unsigned long)tag);
	if (find_pool(info, is_tag, tag, name))
		plat_log(PLAT_ERR, "  that is the tag of pool \"%s\"", name);
}

static void print_line(const struct pool_fault_info *info, long at, long end)
{
	const unsigned char *obj = info->obj;
	char text[DUMP_BYTES * 3 + 1] = "";
	unsigned int len = 0;
	long i;

	for (i = at; i < at + DUMP_BYTES && i < end; i++)
		len += (unsigned int)snprintf(text + len, sizeof(text) - len,
					      "%02x ", obj[i]);
	plat_log(PLAT_ERR, "  +%ld: %s", at, text);
}

/* Print the bytes around the first wrong one. */
static void print_bytes(const struct pool_fault_info *info, long end)
{
	long at = info->where / DUMP_BYTES * DUMP_BYTES - DUMP_BYTES;
	int line;

	if (at < 0)
		at = 0;
	for (line = 0; line < DUMP_LINES && at < end; line++) {
		print_line(info, at, end);
		at += DUMP_BYTES;
	}
}

static void print_report(const struct pool_fault_info *info, const char *owner)
{
	struct pool *pool = info->pool;
	struct pool_layout l;

	plat_log(PLAT_ERR, "FAULT: %s: 0x%lx + %ld, pool \"%s\", size %u",
		 what[info->kind], (unsigned long)info->obj, info->where,
		 pool->shown, pool->head.size);
	print_finder(info);
	if (owner)
		plat_log(PLAT_ERR, "  it is an object of pool \"%s\"", owner);
	if (info->kind == POOL_FAULT_FOREIGN || info->kind == POOL_FAULT_WRONG_POOL ||
	    info->kind == POOL_FAULT_DESTROYED)
		return;
	pool_layout_of(pool, pool->head.size, &l);
	print_callers(info, &l);
	if (!info->contents_stable)
		return;
	print_tag(info, &l);
	print_bytes(info, (long)l.total);
}

/* Count a report; false: the pool has reached its limit. */
static bool is_loud(struct pool *pool)
{
	unsigned long n = plat_word_add(&pool->reports, 1);

	if (n == POOL_REPORTS_MAX)
		plat_log(PLAT_ERR, "pool \"%s\": more faults are only counted",
			 pool->shown);
	return n < POOL_REPORTS_MAX;
}

/* Count and report a fault, then follow the policy, which may end the program. */
void pool_report(const struct pool_fault_info *info)
{
	unsigned int policy = plat_read(&pool_options.policy);
	struct pool_fault_info now = *info;
	bool loud = is_loud(now.pool);
	char owner[POOL_SHOWN_LEN + 1];
	bool owned;

	owned = now.kind == POOL_FAULT_FOREIGN &&
		find_pool(&now, is_owner, &now, owner);
	if (owned)
		now.kind = POOL_FAULT_WRONG_POOL;
	plat_word_add(&now.pool->faults[now.kind], 1);
	pool_trace_fault(now.pool, now.obj, now.kind, what[now.kind], now.caller);
	if (loud)
		print_report(&now, owned ? owner : NULL);
	if (loud || policy != POOL_POLICY_WARN)
		plat_fault((enum pool_policy)policy);
}
