// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_many.c - what calls cost in a kernel that has many pools, or many CPUs that use one
 *
 * Layer:   part of pool_replay.ko; bench_kernel.c calls it; twin of tests/bench/scale.
 * Context: process context, bound to CPU 0; may sleep.
 *
 * Rows "NAME PEER COST", in ns: instructions under "qemu -icount shift=0".  Each is the least of
 * some runs, and has the cost of the loop in it.
 *
 *	robin_SIZE	300 pools, or slab caches; each has one object, which is freed and allocated
 *	count, scan	what the shrinker calls for a count of unused pages, and to scan a page of
 *			them: 1000 pools of 64 buckets were used, and have nothing to give
 *	refused		an allocation that fails at the limit, since all objects are in use; all
 *			CPUs have used the pool
 *
 * Only "refused" is measured where there are several CPUs.
 */
#include "bench_kernel.h"
#include "seam/plat.h"

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#define RUNS		12
#define ROBIN		300
#define SHRUNK		1000
#define LIMIT		64
#define REFUSALS	1000

static struct pool_head *pools[SHRUNK];
static struct kmem_cache *caches[ROBIN];
static char names[ROBIN][16];	/* the slab keeps pointers to these names */

static void end_pools(void)
{
	unsigned int i;

	for (i = 0; i < SHRUNK; i++) {
		pool_destroy(pools[i]);
		pools[i] = NULL;
	}
}

/* Create @n pools; each has had an object.  False: the caller must still call end_pools(). */
static bool make_pools(unsigned int n, unsigned int size)
{
	char name[16];
	unsigned int i;

	for (i = 0; i < n; i++) {
		void *obj;

		snprintf(name, sizeof(name), "many%u", i);
		pools[i] = create_pool(name, size, MEM_F_EXACT);
		obj = pools[i] ? pool_alloc(pools[i]) : NULL;
		if (!obj)
			return false;
		pool_free(pools[i], obj);
	}
	return true;
}

static void end_caches(void)
{
	unsigned int i;

	for (i = 0; i < ROBIN; i++) {
		kmem_cache_destroy(caches[i]);
		caches[i] = NULL;
	}
}

static bool make_caches(unsigned int size)
{
	unsigned int i;

	for (i = 0; i < ROBIN; i++) {
		snprintf(names[i], sizeof(names[i]), "pool-many%u", i);
		/* The region for user copies keeps the kernel from merging this cache. */
		caches[i] = kmem_cache_create_usercopy(names[i], size, 8, 0, 0, size, NULL);
		if (!caches[i])
			return false;
	}
	return true;
}

static bool pools_round(void)
{
	unsigned int i;

	for (i = 0; i < ROBIN; i++) {
		unsigned long *obj = pool_alloc(pools[i]);

		if (!obj)
			return false;
		WRITE_ONCE(*obj, i);
		pool_free(pools[i], obj);
	}
	return true;
}

static bool caches_round(void)
{
	unsigned int i;

	for (i = 0; i < ROBIN; i++) {
		unsigned long *obj = kmem_cache_alloc(caches[i], GFP_KERNEL);

		if (!obj)
			return false;
		WRITE_ONCE(*obj, i);
		kmem_cache_free(caches[i], obj);
	}
	return true;
}

/* Count as the shrinker does, which has locked the registry. */
static bool count(void)
{
	unsigned long bytes;
	bool known;

	plat_mutex_lock(PLAT_REGISTRY);
	known = pool_unused_bytes(POOL_F_ATOMIC, &bytes);
	plat_mutex_unlock(PLAT_REGISTRY);
	return known;
}

static unsigned long given;

static bool scan(void)
{
	plat_mutex_lock(PLAT_REGISTRY);
	given = pool_shrink_bytes(PAGE_SIZE, POOL_F_ATOMIC);
	plat_mutex_unlock(PLAT_REGISTRY);
	return true;
}

static bool be_refused(void)
{
	unsigned int i;

	for (i = 0; i < REFUSALS; i++)
		if (pool_alloc(pools[0]))
			return false;
	return true;
}

/* Write a row: the least time of a call of @run, for one of the @n operations that it does. */
static const char *row(const char *name, const char *peer, bool (*run)(void), unsigned int n,
		       char *buf, size_t size, size_t *len)
{
	u64 best = U64_MAX;
	unsigned int i;

	for (i = 0; i < RUNS; i++) {
		u64 start;

		cond_resched();
		start = ktime_get_ns();
		if (!run())
			return "many: an object was not to be had, or was not refused";
		best = min(best, ktime_get_ns() - start);
	}
	*len += scnprintf(buf + *len, size - *len, "%s %s %llu\n", name, peer, div_u64(best, n));
	return NULL;
}

static const char *robin(unsigned int object, char *buf, size_t size, size_t *len)
{
	const char *why = "many: no pool, or no slab cache";
	char name[16];

	snprintf(name, sizeof(name), "robin_%u", object);
	if (make_caches(object) && make_pools(ROBIN, object))
		why = row(name, "kmem_cache", caches_round, ROBIN, buf, size, len);
	if (!why)
		why = row(name, "pool", pools_round, ROBIN, buf, size, len);
	end_pools();
	end_caches();
	return why;
}

static const char *shrinks(char *buf, size_t size, size_t *len)
{
	const char *why = "many: no pool";

	if (pool_configure("buckets=64") && make_pools(SHRUNK, 64))
		why = row("scan", "pool", scan, 1, buf, size, len);
	if (!why && given)
		why = "many: there is something to give";
	if (!why)
		why = row("count", "pool", count, 1, buf, size, len);
	end_pools();
	return why;
}

static void *held[LIMIT];

static long use(void *unused)
{
	held[0] = pool_alloc(pools[0]);
	return held[0] ? 0 : -ENOMEM;
}

/* Use the pool on each CPU, then take all objects on this one. */
static bool use_up(void)
{
	unsigned int cpu, n;

	for_each_online_cpu(cpu) {
		if (work_on_cpu(cpu, use, NULL))
			return false;
		pool_free(pools[0], held[0]);
		held[0] = NULL;
	}
	for (n = 0; n < LIMIT; n++) {
		held[n] = pool_alloc(pools[0]);
		if (!held[n])
			return false;
	}
	return true;
}

static const char *refused(char *buf, size_t size, size_t *len)
{
	const struct pool_attr attr = { .name = "many", .size = 64, .limit = LIMIT };
	const char *why = "many: no pool, or no object";
	unsigned int n;

	pools[0] = create_pool_ext(&attr);
	if (pools[0] && use_up())
		why = row("refused", "pool", be_refused, REFUSALS, buf, size, len);
	for (n = 0; n < LIMIT; n++) {
		pool_free(pools[0], held[n]);
		held[n] = NULL;
	}
	end_pools();
	return why;
}

const char *bench_many(char *buf, size_t size)
{
	static const unsigned int objects[] = { 256, 1024, 4096 };
	size_t len = 0;
	const char *why = refused(buf, size, &len);
	unsigned int i;

	if (num_online_cpus() > 1)
		return why;
	for (i = 0; i < ARRAY_SIZE(objects) && !why; i++)
		why = robin(objects[i], buf, size, &len);
	return why ? why : shrinks(buf, size, &len);
}
