// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * functions.c - the documented calls as functions, with the header included
 *
 * Layer:   tests, user space; see document.sh.
 * Context: a program, compiled as C11 and as C++17.
 */
#include <libpool/pool.h>

#include <stdlib.h>
#include <string.h>

static char name[] = "made";

static unsigned int found;

static void is_made(struct pool_head *pool, void *arg)
{
	struct pool_stats now;

	(void)arg;
	pool_stats_get(pool, &now, sizeof(now));
	found += !strcmp(now.name, name);
}

int main(void)
{
	struct pool_head *(*make)(char *, unsigned int, unsigned int) =
		create_pool;
	void *(*end)(struct pool_head *) = pool_destroy;
	void (*all)(void) = pool_destroy_all;
	void *(*get)(struct pool_head *) = pool_alloc;
	void (*put)(struct pool_head *, void *) = pool_free;
	struct pool_head *pool = make(name, 64, MEM_F_SHARED);
	struct pool_head *same = (create_pool)(name, 64, MEM_F_SHARED);
	char detail[4096];

	if (!pool || same != pool || atexit(pool_destroy_all))
		return 1;
	pool_for_each(is_made, NULL);
	if (found != 1)
		return 2;
	put(pool, get(pool));
	/* Without the macro, the place of the creation is an address. */
	if (dump_pools_to_buf(detail, sizeof(detail), "detailed") < 0 ||
	    !strstr(detail, "made size=64 flags=0x1 align=16 [") ||
	    strstr(detail, "[?:"))
		return 3;
	if (end(pool) || pool_alloc(pool) == NULL)
		return 4;
	all();
	found = 0;
	pool_for_each(is_made, NULL);
	return found ? 5 : 0;
}
