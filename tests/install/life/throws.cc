// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * throws.cc - constructors and callbacks that throw exceptions
 *
 * Layer:   tests, a program of its own: see life.sh.
 * Context: main program.
 *
 * Prints what is in use, and what is allocated, when all that was got is freed.
 */
#include <libpool/pool.h>

#include <cstdio>
#include <stdexcept>

static unsigned int builds;

/* The constructor of every third object throws. */
static void build(void *obj, void *)
{
	if (++builds % 3 == 0)
		throw std::runtime_error("no object");
	*static_cast<int *>(obj) = 1;
}

static void look(struct pool_head *, void *)
{
	throw 1;
}

static unsigned int get(struct pool_head *pool, unsigned int n, void **objs)
{
	unsigned int got = 0;

	for (unsigned int i = 0; i < n; i++) {
		try {
			objs[got] = pool_alloc(pool);
			got += objs[got] != nullptr;
		} catch (const std::runtime_error &) {
		}
	}
	return got;
}

static bool walk_throws()
{
	try {
		pool_for_each(look, nullptr);
	} catch (int) {
		return true;
	}
	return false;
}

static bool bulk_throws(struct pool_head *pool)
{
	void *objs[100];

	try {
		pool_alloc_bulk(pool, 0, 100, objs);
	} catch (const std::runtime_error &) {
		return true;
	}
	return false;
}

int main()
{
	struct pool_attr attr = {};
	struct pool_stats now;
	struct pool_head *pool;
	unsigned int got;
	void *objs[300];

	attr.name = "throws";
	attr.size = 64;
	attr.ctor = build;
	pool = create_pool_ext(&attr);
	got = pool ? get(pool, 300, objs) : 0;
	if (got != 200 || !bulk_throws(pool) || !walk_throws())
		return 1;
	while (got)
		pool_free(pool, objs[--got]);
	pool_reclaim(pool);
	pool_stats_get(pool, &now, sizeof(now));
	std::printf("in use %llu, allocated %llu above what is cached\n",
		    now.used, now.allocated - now.cached);
	return pool_destroy(pool) != nullptr;
}
