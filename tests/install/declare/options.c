// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * options.c - options that a program sets in main(), and its declared pools
 *
 * Layer:   tests, user space; see declare.sh.
 * Context: a program: options WORDS [used].  Prints the answer, which names share a
 *	    pool, and the options, and then frees an object twice.
 */
#include <libpool/pool.h>

#include <stdio.h>
#include <string.h>

DECLARE_POOL(first, "first", 61);
DECLARE_STATIC_POOL(second, "second", 61);

static struct pool_head *copy;

/* Runs before main(), like the constructor of a C++ object that copies the pointer to the pool. */
__attribute__((constructor)) static void copy_it(void)
{
	copy = first;
}

int main(int argc, char **argv)
{
	char text[256], on[256];
	void *obj;

	if (argc > 2)
		pool_free(first, pool_alloc(first));
	if (pool_parse_debugging(argv[1], text, sizeof(text)) != 1)
		return 1;
	pool_debug_to_buf(first, on, sizeof(on));
	printf("%s%s%s, %u, %s", text, *text ? "; " : "",
	       first == second ? "one" : "two", first->size, on);
	fflush(stdout);
	if (first != copy)
		return 2;
	obj = pool_alloc(copy);
	if (!obj)
		return 3;
	memset(obj, 1, first->size);
	pool_free(first, obj);
	pool_free(copy, obj);
	return 0;
}
