// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * held.c - the events that lockdep gets of a held array
 *
 * Layer:   tests of the hot sections of pool_hot.h and here.h.
 */
#include "test.h"
#include "helper_traced.h"

#include <linux/lockdep.h>

#define MANY	300

/* The events of lockdep for a pool's array while the case's task was in calls of the pool. */
static struct {
	struct task_struct *task;
	const struct pool_hot *hot;
	unsigned int held;
	unsigned int opened;
	unsigned int beneath;		/* other locks, taken while the array was held */
	unsigned int wrong;
} seen;

#if IS_ENABLED(CONFIG_LOCKDEP) && IS_ENABLED(CONFIG_TRACEPOINTS)

static bool is_held(void)
{
	return READ_ONCE(seen.hot->open) == POOL_HELD;
}

static void on_acquire(void *data, struct lockdep_map *lock, unsigned int subclass,
		       int trylock, int read, int check, struct lockdep_map *next,
		       unsigned long ip)
{
	if (current != seen.task || !in_task())
		return;
	if (lock == &pool_array_map) {
		seen.held++;
		seen.wrong += !is_held() || !trylock || read;
	} else if (is_held()) {
		seen.beneath++;
		seen.wrong += !lock_is_held(&pool_array_map);
	}
}

static void on_release(void *data, struct lockdep_map *lock, unsigned long ip)
{
	if (current != seen.task || !in_task() || lock != &pool_array_map)
		return;
	seen.opened++;
	seen.wrong += !is_held() || !lock_is_held(lock);
}

static void use_seen(struct pool *pool, void (*use)(struct pool *pool))
{
	WRITE_ONCE(seen.task, current);
	use(pool);
	WRITE_ONCE(seen.task, NULL);
}

/* Call @use while lockdep's events are noted; false if they cannot be. */
static bool watched(struct pool *pool, void (*use)(struct pool *pool))
{
	bool acquires, releases = false;

	memset(&seen, 0, sizeof(seen));
	seen.hot = &test_local(pool)->hot;
	acquires = TRACED("lock_acquire", on_acquire,
			  releases = TRACED("lock_release", on_release, use_seen(pool, use)));
	return acquires && releases && !lock_is_held(&pool_array_map);
}

#else

static bool watched(struct pool *pool, void (*use)(struct pool *pool))
{
	return false;
}

#endif

static void hit_twice(struct pool *pool)
{
	pool_free(&pool->head, pool_alloc(&pool->head));
}

static void fill_and_spill(struct pool *pool)
{
	test_wave(pool, MANY);
}

POOL_CASE(a_held_array_is_a_lock_to_lockdep,
	  ONLY_IF(IS_ENABLED(CONFIG_LOCKDEP) && IS_ENABLED(CONFIG_TRACEPOINTS),
		  "this kernel does not trace locks", test_pool(64)))
{
	fill_and_spill(pool);
	EXPECT(watched(pool, hit_twice));
	EXPECT_EQ(seen.held, 2);
	EXPECT_EQ(seen.opened, 2);
	EXPECT_EQ(seen.beneath, 0);
	EXPECT_EQ(seen.wrong, 0);
	EXPECT(watched(pool, fill_and_spill));
	EXPECT_LE(2 * MANY, seen.held);
	EXPECT_EQ(seen.opened, seen.held);
	EXPECT_LE(1, seen.beneath);
	EXPECT_EQ(seen.wrong, 0);
}
