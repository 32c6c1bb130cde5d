// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * limited.c - a program with limited address space
 *
 * Layer:   tests, a user of libpool.
 * Context: run by life.sh, under "ulimit -v".
 *
 *	limited N	allocates N objects, fills, compares and frees them; twice
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpool/pool.h>

#define SIZE	64

struct obj {
	struct obj *next;
	unsigned char bytes[SIZE - sizeof(struct obj *)];
};

/* Allocate a list, newest first; it is shorter than @n if memory runs out. */
static struct obj *get_many(struct pool_head *pool, unsigned long n)
{
	struct obj *list = NULL;

	while (n--) {
		struct obj *obj = pool_alloc(pool);

		if (!obj)
			break;
		obj->next = list;
		memset(obj->bytes, (int)n, sizeof(obj->bytes));
		list = obj;
	}
	return list;
}

/* Free a list; returns how many objects had their contents. */
static unsigned long put_many(struct pool_head *pool, struct obj *list)
{
	unsigned long n, good = 0;

	for (n = 0; list; n++) {
		struct obj *obj = list;

		list = obj->next;
		good += obj->bytes[0] == (unsigned char)n &&
			!memcmp(obj->bytes, obj->bytes + 1,
				sizeof(obj->bytes) - 1);
		pool_free(pool, obj);
	}
	return good;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	struct pool_head *pool = create_pool("limited", SIZE, 0);
	int i;

	for (i = 0; i < 2 && pool; i++)
		if (put_many(pool, get_many(pool, n)) != n)
			return 1;
	return !n || pool_destroy(pool);
}
