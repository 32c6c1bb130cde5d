// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * work.c - a library with a pool, for a program of Python
 *
 * Layer:   a test.
 * Context: any thread.
 */
#include <libpool/pool.h>

DECLARE_STATIC_POOL(things, "things", 100);

/* Leave three objects in use. */
void work(void)
{
	for (int i = 0; i < 3; i++)
		pool_alloc(things);
}
