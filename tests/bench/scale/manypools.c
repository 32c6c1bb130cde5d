// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * manypools.c - many pools with few objects each: what a call costs where hits are rare
 *
 * Layer:   a program per allocator: pools, or malloc() with -DSCALE_MALLOC; scale.sh runs both.
 * Context: one thread.
 *
 *	manypools cold ROUNDS		200 pools of 32 to 976 bytes; a round takes 1 to 4 objects
 *					of each of 20 pools, and frees what is older than 150 objects
 *	manypools robin ROUNDS SIZE	300 pools of SIZE bytes; a round takes and frees one object
 *					of each
 *	manypools buffers ROUNDS	5 pools of 4 to 64 KiB, 64 objects in use; a round replaces
 *					a random one, 64 times
 *	manypools checked ROUNDS N	a pool with the option "tag", N objects of 64 bytes in use; a
 *					round replaces a random one, 64 times
 *	manypools past ROUNDS SIZE	a pool without an array, since its objects are large, or by a
 *					limit of 16 if they are not; a round takes and frees one,
 *					64 times
 *
 * Prints the pairs of calls of a round.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

#define POOLS		300
#define COLD		200
#define COLD_AT_ONCE	20
#define COLD_IN_USE	150
#define BUFFERS		64
#define CHECKED		64
#define PAST		64

struct object {
	char *p;
	unsigned int pool;
};

static unsigned int sizes[POOLS];
static struct object ring[1024];	/* a power of two, whose remainder is cheap */

#ifdef SCALE_MALLOC
#define pool_parse_debugging(words, text, size)	((void)0)
#define set_limit(limit)	((void)(limit))

static void make_pools(unsigned int n)
{
	(void)n;
}

#define GET(i)		malloc(sizes[i])
#define PUT(i, p)	free(p)
#else
static struct pool_head *pools[POOLS];

static void make_pools(unsigned int n)
{
	char name[12];
	unsigned int i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		pools[i] = create_pool(name, sizes[i], MEM_F_EXACT);
		if (!pools[i])
			errx(2, "no pool of %u bytes", sizes[i]);
	}
}

static void set_limit(unsigned int limit)
{
	if (!pool_set_limit(pools[0], limit))
		errx(2, "no limit of %u", limit);
}

#define GET(i)		pool_alloc(pools[i])
#define PUT(i, p)	pool_free(pools[i], p)
#endif

/* A number below @n that looks random, and is the same in each run. */
static unsigned int below(unsigned int n)
{
	static unsigned int seed = 3;

	seed = seed * 1664525u + 1013904223u;
	return (unsigned int)((unsigned long long)(seed >> 8) * n >> 24);
}

/* Write to the object, as programs do; otherwise a compiler may drop a malloc() and its free. */
static inline char *take(unsigned int pool)
{
	char *p = GET(pool);

	*p = 1;
	__asm__ volatile("" : : "r"(p) : "memory");
	return p;
}

static inline void take_into(struct object *o, unsigned int pool)
{
	o->pool = pool;
	o->p = take(pool);
}

static inline void release(struct object *o)
{
	PUT(o->pool, o->p);
}

static void cold(unsigned long rounds)
{
	const unsigned int most = sizeof(ring) / sizeof(ring[0]);
	unsigned long head = 0, tail = 0;
	unsigned int i, n, pool;

	for (i = 0; i < COLD; i++)
		sizes[i] = 32 + 16 * (i % 60);
	make_pools(COLD);
	while (rounds--) {
		for (i = 0; i < COLD_AT_ONCE; i++) {
			pool = below(COLD);
			for (n = 1 + below(4); n; n--)
				take_into(&ring[head++ % most], pool);
		}
		while (head - tail > COLD_IN_USE)
			release(&ring[tail++ % most]);
	}
}

static void robin(unsigned long rounds, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < POOLS; i++)
		sizes[i] = size;
	make_pools(POOLS);
	while (rounds--) {
		for (i = 0; i < POOLS; i++)
			PUT(i, take(i));
	}
}

static void buffers(unsigned long rounds)
{
	struct object *o;
	unsigned int i;

	for (i = 0; i < 5; i++)
		sizes[i] = 4096u << i;
	make_pools(5);
	for (i = 0; i < BUFFERS; i++)
		take_into(&ring[i], below(5));
	while (rounds--) {
		for (i = 0; i < BUFFERS; i++) {
			o = &ring[below(BUFFERS)];
			release(o);
			take_into(o, below(5));
		}
	}
}

static void checked(unsigned long rounds, unsigned int n)
{
	char **p = calloc(n, sizeof(*p));
	unsigned int i, j;

	pool_parse_debugging("tag", NULL, 0);
	sizes[0] = 64;
	make_pools(1);
	for (i = 0; p && i < n; i++)
		p[i] = take(0);
	while (p && rounds--) {
		for (i = 0; i < CHECKED; i++) {
			j = below(n);
			PUT(0, p[j]);
			p[j] = take(0);
		}
	}
	free(p);
}

static void past(unsigned long rounds, unsigned int size)
{
	unsigned int i;

	sizes[0] = size;
	make_pools(1);
	if (size < 65536)
		set_limit(16);
	while (rounds--) {
		for (i = 0; i < PAST; i++)
			PUT(0, take(0));
	}
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (argc == 3 && !strcmp(argv[1], "cold")) {
		cold(rounds);
		puts("50");
	} else if (argc == 4 && !strcmp(argv[1], "robin")) {
		robin(rounds, (unsigned int)strtoul(argv[3], NULL, 10));
		printf("%d\n", POOLS);
	} else if (argc == 4 && !strcmp(argv[1], "checked")) {
		checked(rounds, (unsigned int)strtoul(argv[3], NULL, 10));
		printf("%d\n", CHECKED);
	} else if (argc == 4 && !strcmp(argv[1], "past")) {
		past(rounds, (unsigned int)strtoul(argv[3], NULL, 10));
		printf("%d\n", PAST);
	} else if (argc == 3 && !strcmp(argv[1], "buffers")) {
		buffers(rounds);
		printf("%d\n", BUFFERS);
	} else {
		errx(2, "usage: manypools cold|buffers ROUNDS, robin|past ROUNDS SIZE, or checked ROUNDS N");
	}
	return 0;
}
