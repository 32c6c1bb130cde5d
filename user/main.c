// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * main.c - libpool's start: options from the environment
 *
 * Layer:   above the seam; twin of kernel/main.c.
 * Context: before main().
 *
 * The exported functions are listed in libpool.map.
 */
#include "main.h"
#include "plat.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The environment is ignored where the program runs with more rights than its user.
 * Processors are counted now, since that opens a file, which a program may later forbid.
 */
void libpool_start(void)
{
	const char *text = secure_getenv("LIBPOOL_OPTIONS");
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	libpool_declare_start();
	pool_options_start(&(struct pool_start){
		.debug = tool_options(),
		.cpus = cpus > 0 ? (unsigned int)cpus : 1,
		.page = (unsigned int)sysconf(_SC_PAGESIZE),
	});
	if (text)
		pool_options_set(text, "LIBPOOL_OPTIONS", false);
}
