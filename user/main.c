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

/* Ignored where the program runs with more rights than its user. */
void libpool_start(void)
{
	const char *text = secure_getenv("LIBPOOL_OPTIONS");

	libpool_count_cpus();
	libpool_declare_start();
	pool_options_start();
	if (text)
		pool_options_set(text, "LIBPOOL_OPTIONS", false);
}
