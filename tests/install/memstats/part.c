// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * part.c - the second file of the program; also compiled as the plugin
 *
 * Layer:   tests, user space; see memstats.sh.
 * Context: a plain thread.
 */
#include <libpool/pool.h>

#include "part.h"

#include <stdlib.h>

/* Keep the first object, so that it shows as not freed. */
void *part_make(void)
{
	void *p = malloc(40);	/* @kept */

	if (p)
		free(malloc(56));	/* @gone */
	return p;
}
