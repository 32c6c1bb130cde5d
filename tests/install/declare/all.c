// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * all.c - every way to declare a pool, in C
 *
 * Layer:   tests, user space; see declare.sh.
 * Context: a program; also compiled as pedantic C11.
 */
#include "shared.h"

#define ALIGN	(2 * sizeof(void *))

DECLARE_POOL(first, "first", 64); DECLARE_POOL(second, "second", 60);

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A type with a large alignment, and a type whose alignment is that of a pointer. */
struct wide {
	_Alignas(256) char text[300];
};

struct node {
	struct node *next;
};

static struct pool_head *registered;

DECLARE_STATIC_POOL(third, "third", 64);
REGISTER_POOL(&registered, "registered", 1000);
DECLARE_ALIGNED_POOL(page, "page", 100, 4096);
DECLARE_STATIC_ALIGNED_POOL(line, "line", 100, 64);
DECLARE_TYPED_POOL(typed, "typed", struct wide);
DECLARE_STATIC_TYPED_POOL(static_typed, "static", struct wide);
DECLARE_TYPED_POOL(extra, "extra", struct node, 100);
DECLARE_TYPED_POOL(cacheline, "cacheline", struct node, 0, 64);
DECLARE_UNSHARED_POOL(apart, "apart", 64);
DECLARE_STATIC_UNSHARED_POOL(static_apart, "apart", 64);
DECLARE_STATIC_TYPED_POOL(both, "both", struct wide, sizeof(int), 64);

static struct pool_head *late_typed;
static struct pool_head *late_aligned;

REGISTER_TYPED_POOL(&late_typed, "late", struct wide, 0, 0);
REGISTER_ALIGNED_POOL(&late_aligned, "late-line", 100, 64);

/* other.c: includes the same header, and uses a pool of this file. */
int other_works(void);

static int early;

/* A constructor without priority runs after all declarations. */
__attribute__((constructor)) static void before_main(void)
{
	void *obj = first ? pool_alloc(first) : NULL;

	early = obj && in_header && registered;
	if (obj)
		pool_free(first, obj);
}

/* Use the pools as late as possible: they exist until the process ends. */
__attribute__((destructor)) static void after_main(void)
{
	void *obj = pool_alloc(first);

	if (!obj)
		puts("nothing at the end");
	pool_free(first, obj);
}

static int works(struct pool_head *pool, unsigned int size, uintptr_t align)
{
	void *obj[5];
	int i, good = 0;

	if (!pool || pool->size < size)
		return 0;
	for (i = 0; i < 5; i++) {
		obj[i] = pool_alloc(pool);
		if (!obj[i] || (uintptr_t)obj[i] % align)
			break;
		memset(obj[i], 1, pool->size);
		good++;
	}
	while (i--)
		pool_free(pool, obj[i]);
	return good == 5;
}

/* A pool that is created with an alignment, as newer releases of HAProxy do. */
static int aligned_works(void)
{
	struct pool_head *pool = create_aligned_pool("buffer", 16384, 64,
						     MEM_F_SHARED | MEM_F_EXACT);

	return works(pool, 16384, 64) && !pool_destroy(pool);
}

int main(void)
{
	struct pool_stats stats;

	if (!early)
		return 1;
	if (first != second || first != third)
		return 2;
	pool_stats_get(first, &stats, sizeof(stats));
	if (stats.registrations != 3 || strcmp(stats.name, "first"))
		return 3;
	if (!works(first, 64, ALIGN) || !works(registered, 1000, ALIGN) ||
	    !works(in_header, 4000, ALIGN) || !works(page, 100, 4096) ||
	    !works(line, 100, 64) || !works(typed, 512, 256))
		return 4;
	if (!works(apart, 64, ALIGN) || !works(static_apart, 64, ALIGN) ||
	    apart == first || apart == static_apart)
		return 10;
	if (typed != static_typed || typed != late_typed ||
	    line != late_aligned)
		return 5;
	if (!works(extra, sizeof(struct node) + 100, ALIGN) ||
	    !works(cacheline, sizeof(struct node), 64) ||
	    !works(both, 512 + sizeof(int), 256))
		return 8;
	if (!aligned_works())
		return 9;
	pool_stats_get(in_header, &stats, sizeof(stats));
	if (stats.registrations != 2)
		return 6;
	return other_works() ? 0 : 7;
}
