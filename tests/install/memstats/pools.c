// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pools.c - a program that uses a declared pool and one that it makes
 *
 * Layer:   tests, user space; see memstats.sh.
 * Context: main program.
 */
#include <libpool/pool.h>

#include <stdio.h>

DECLARE_STATIC_POOL(declared, "declared", 100);

static char text[65536];

int main(void)
{
	struct pool_head *made = create_pool("made", 200, 0);

	if (!made || !declared)
		return 1;
	pool_free(declared, pool_alloc(declared));
	pool_free(made, pool_alloc(made));
	if (!pool_memstats_to_buf(text, sizeof(text), ""))
		return 2;
	fputs(text, stdout);
	return pool_destroy(made) != NULL;
}
