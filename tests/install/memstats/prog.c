// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * prog.c - a program whose calls of malloc() and such are counted
 *
 * Layer:   tests, user space; see memstats.sh, which finds lines by their @.
 * Context: main program; exit() writes the text, to see what the program still has.
 *
 * malloc() of glibc gives exactly these sizes, on 64 bits.
 */
#include <libpool/pool.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "part.h"

#define TEXT	"a text of 23 characters"

static char text[65536];

static void show(void)
{
	size_t n = pool_memstats_to_buf(text, sizeof(text), "");

	if (n && n < sizeof(text))
		fputs(text, stdout);
}

static void *work(void *arg)
{
	int i;

	for (i = 0; i < 10000; i++) {
		void *p = malloc(24);	/* @loop */

		free(p);	/* @loop_free */
	}
	return arg;
}

static void use_each(void)
{
	char *a = calloc(5, 8);	/* @calloc */
	char *b = strdup(TEXT);	/* @strdup */
	char *c = strndup(TEXT, 23);	/* @strndup */

	a = realloc(a, 104);	/* @realloc */
	b = realloc(b, 24);	/* @same */
	free(strdup(c));	/* @twice */
	free(c);	/* @free_c */
	free(NULL);	/* no call */
	free(a);	/* @free_a */
	free(b);	/* @free_b */
}

int main(void)
{
	pthread_t threads[4];
	void *kept;
	int i;

	if (atexit(show))
		return 1;
	for (i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	use_each();
	kept = part_make();
	return !kept;
}
