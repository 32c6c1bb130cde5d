// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * control.c - changes of pools, CPUs and memory while pools are used
 *
 * Layer:   torture.
 * Context: each function is a round of a thread of its own.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "torture.h"

/* Take a CPU offline and bring it back; never CPU 0, which some machines need. */
void torture_hotplug(struct torture_unit *unit)
{
	unsigned int cpu;

	if (nr_cpu_ids < 2)
		return;
	cpu = 1 + torture_random(unit) % (nr_cpu_ids - 1);
	if (remove_cpu(cpu))
		return;
	msleep(torture_random(unit) % 20);
	if (add_cpu(cpu))
		torture_wrong(TORTURE_MAKE, NULL, "CPU does not come back", cpu, 0);
	else
		torture_count(&unit->rounds);
}

/* Pages that memory pressure leaves free. */
#define LEFT	((16 << 20) / PAGE_SIZE)
#define ORDER	4

/* Allocate most of the memory, and free it soon. */
void torture_pressure(struct torture_unit *unit)
{
	struct page *page, *next;
	LIST_HEAD(pages);

	while (si_mem_available() > LEFT && !torture_failed()) {
		page = alloc_pages(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN,
				   ORDER);
		if (!page)
			break;
		list_add(&page->lru, &pages);
		cond_resched();
	}
	msleep(20);
	list_for_each_entry_safe(page, next, &pages, lru) {
		list_del(&page->lru);
		__free_pages(page, ORDER);
	}
	torture_count(&unit->rounds);
}

/* Each second text undoes the one before it. */
static const char * const words[] = {
	"integrity", "no-integrity,hot-first", "poison", "no-poison",
	"no-global", "global", "no-cache", "cache", "cold-first", "hot-first",
	"memstats", "no-memstats", "fail", "no-fail", "trace", "no-trace",
	"integrity,poison,no-global", "no-integrity,hot-first,no-poison,global",
};

static const unsigned long bounds[] = { 524288, 65536, 16384, 2048, 0 };

/* Words are chosen at random, so each option that was switched on is switched off some time. */
static void switch_words(struct torture_unit *unit, struct torture_pool *pool)
{
	const char *word = words[torture_random(unit) % ARRAY_SIZE(words)];

	/* These options would write to free objects. */
	if ((pool->flags & MEM_F_TYPESAFE) &&
	    (strstr(word, "integrity") || strstr(word, "poison")))
		return;
	if (!pool_set_debug(pool->head, word))
		torture_wrong(TORTURE_MAKE, pool, word, 0, 1);
}

static void switch_limits(struct torture_unit *unit, struct torture_pool *pool)
{
	unsigned int limit = torture_random(unit) % 4 * 16 * nr_cpu_ids;

	if (pool->limit)
		return;
	if (!pool_set_min_avail(pool->head, 0) ||
	    !pool_set_limit(pool->head, limit) ||
	    !pool_set_min_avail(pool->head, limit / 4))
		torture_wrong(TORTURE_MAKE, pool, "limit", limit, limit);
}

static void look(struct torture_pool *pool)
{
	static char text[4096];

	torture_pool_looks_right(pool);
	if (dump_pools_to_buf(text, sizeof(text), "raw byusage") < 0)
		torture_wrong(TORTURE_MAKE, pool, "dump", 0, 1);
	pool_debug_to_buf(pool->head, text, sizeof(text));
}

/* Collect all pools once in eight calls: each time the slab empties its caches, which is slow. */
static void collect(struct torture_unit *unit)
{
	if (torture_random(unit) % 8)
		return;
	if (torture_random(unit) % 2)
		pool_gc(NULL);
	else
		pool_reclaim(NULL);
}

void torture_switch(struct torture_unit *unit)
{
	struct torture_pool *pool =
		&torture_pools[torture_random(unit) % torture_nr_pools];

	torture_pool_looks_right(pool);
	switch (torture_random(unit) % 10) {
	case 0 ... 2:
		switch_words(unit, pool);
		break;
	case 3:
		switch_limits(unit, pool);
		break;
	case 4:
		pool_set_hot_size(bounds[torture_random(unit) % ARRAY_SIZE(bounds)]);
		break;
	case 5:
		torture_renew_reserve(pool);
		break;
	case 6:
		pool_flush(pool->head);
		break;
	case 7:
		pool_reclaim(pool->head);
		break;
	case 8:
		collect(unit);
		break;
	default:
		look(pool);
	}
	torture_count(&unit->rounds);
}

/* Pools of one round of life, which other threads merge with theirs. */
#define LIVES	3
#define HELD	8

struct life {
	struct torture_unit *unit;
	struct torture_pool pool[LIVES];
};

/* Use a pool for a moment: runs on any CPU, perhaps in an IPI. */
static void live(void *arg)
{
	struct life *life = arg;
	void *obj[HELD];
	unsigned int i, n;

	for (i = 0; i < LIVES; i++) {
		struct torture_pool *pool = &life->pool[i];

		for (n = 0; n < HELD; n++) {
			obj[n] = __pool_alloc(pool->head, POOL_F_ATOMIC);
			if (obj[n])
				torture_own(life->unit, pool, obj[n]);
		}
		for (n = 0; n < HELD; n++) {
			if (obj[n])
				torture_disown(pool, obj[n]);
			__pool_free(pool->head, obj[n], POOL_F_ATOMIC);
		}
	}
}

static bool come(struct torture_unit *unit, struct torture_pool *pool)
{
	u32 random = torture_random(unit);
	struct pool_attr attr = {
		.name = random % 2 ? "t_life" : "t_live",
		.size = 32u << random / 2 % 4,
		.flags = random / 8 % 4 ? MEM_F_SHARED : 0,
		.limit = random / 32 % 8 ? 0 : 64,
	};

	pool->name = attr.name;
	pool->size = attr.size;
	pool->id = torture_nr_pools;
	pool->head = create_pool_ext(&attr);
	return pool->head;
}

static void depart(struct torture_pool *pool)
{
	if (pool_destroy(pool->head))
		torture_wrong(TORTURE_COUNT, pool, "objects left", 1, 0);
}

/* Make pools and end them; memory may be too short for some. */
void torture_life(struct torture_unit *unit)
{
	struct life *life = kzalloc(sizeof(*life), GFP_KERNEL);
	unsigned int i, cpu;

	if (!life)
		return;
	life->unit = unit;
	for (i = 0; i < LIVES && come(unit, &life->pool[i]); i++)
		;
	if (i == LIVES) {
		for_each_online_cpu(cpu)
			smp_call_function_single(cpu, live, life, 1);
		live(life);
		torture_count(&unit->rounds);
	}
	while (i--)
		depart(&life->pool[i]);
	kfree(life);
}
