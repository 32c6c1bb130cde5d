// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plugin.c - a plugin that allocates SIZE bytes; the build defines SIZE
 *
 * Layer:   loaded by prog.c.
 * Context: a plain thread.
 */
#include <stdlib.h>

void *plugin_get(void);

/* Code behind the call keeps the compiler from making it a jump. */
void *plugin_get(void)
{
	char *p = malloc(SIZE);

	if (p)
		*p = 1;
	return p;
}
