// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * step_visit.c - one visit of the caches, with a look or a handler at each instruction
 *
 * Layer:   tests of common/core/quick.h, fill.c and spill.c, user space on x86-64.
 * Context: see test.h.  Built without a red zone, as step.c.
 */
#include "test.h"
#include "trap.h"

#include <signal.h>

#define ONCE_OBJECTS	(3 * POOL_HOT_SLOTS + 1)
#define ONCE_MOST	(UNDER_ASAN ? 50000 : 5000)	/* instructions of a visit, at most */
#define ONCE_EACH	(UNDER_ASAN ? 31 : 1)	/* AddressSanitizer adds very many */

/* A handler that uses a pool at one instruction of a call. */
static struct {
	struct pool_head *pool;
	struct pool_local *local;
	unsigned long steps;
	unsigned long at;
	unsigned long quick;		/* stepped visits that took the quick path */
} once;

static void use_once(int sig, siginfo_t *info, void *context)
{
	void *objs[2];
	unsigned int i;

	(void)sig;
	(void)info;
	if (++once.steps != once.at)
		return;
	trap_end(context);
	for (i = 0; i < 2; i++) {
		objs[i] = __pool_alloc(once.pool, POOL_F_ATOMIC);
		if (objs[i])
			memset(objs[i], 0xee, 64);
	}
	for (i = 0; i < 2; i++)
		__pool_free(once.pool, objs[i], POOL_F_ATOMIC);
}

/* Allocate until the array is empty, then once more, stepped; returns how many it got. */
static unsigned int stepped_fill(void)
{
	unsigned int n = 0;

	while (once.local->hot.n)
		test_objs[n++] = pool_alloc(once.pool);
	once.quick += pool_quick_fills(once.local, once.local->cpu,
				       pool_cluster_newest(once.local));
	trap_on();
	test_objs[n] = pool_alloc(once.pool);
	trap_off();
	return n + 1;
}

static bool next_spill_is_quick(void)
{
	const struct pool *pool = once.local->pool;

	return pool_quick_spills(pool, once.local, once.local->cpu,
				 pool_bytes(pool, POOL_QUICK_SPILL));
}

/* Free until the array is full, then once more, stepped; returns how many it freed. */
static unsigned int stepped_spill(void)
{
	unsigned int n = 0;

	while (once.local->hot.n < POOL_HOT_MAX && n < ONCE_OBJECTS - 1)
		pool_free(once.pool, test_objs[n++]);
	once.quick += next_spill_is_quick();
	trap_on();
	pool_free(once.pool, test_objs[n]);
	trap_off();
	return n + 1;
}

/* Write to all objects; true if none of them was written to twice. */
static bool are_different(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		memcpy(test_objs[i], &i, sizeof(i));
	for (i = 0; i < n; i++)
		if (memcmp(test_objs[i], &i, sizeof(i)))
			return false;
	return true;
}

/* Free all objects and allocate them again, with single steps in one spill or one fill. */
static bool visits_with_a_handler(bool spill)
{
	struct pool *all = pool_of(once.pool);
	unsigned int n;

	once.steps = 0;
	n = spill ? stepped_spill() : 0;
	test_free_many(all, test_objs + n, ONCE_OBJECTS - n);
	n = spill ? 0 : stepped_fill();
	test_alloc_many(all, test_objs + n, ONCE_OBJECTS - n);
	return are_different(ONCE_OBJECTS);
}

/* Arrays and clusters are whole, so the quick paths of quick.h run. */
TEST_CASE(a_handler_at_any_instruction_of_a_quick_visit_loses_nothing)
{
	struct sigaction act = { .sa_sigaction = use_once, .sa_flags = SA_SIGINFO };
	struct pool *pool;
	unsigned int spill;

	ASSERT(!sigaction(SIGTRAP, &act, NULL));
	test_options(1 << 20, POOL_CLUSTER_SIZE);
	pool = test_pool(64);
	ASSERT(pool);
	pool_fail_every = 0;
	test_wave(pool, 400);
	once.pool = &pool->head;
	once.local = test_local(pool);
	test_alloc_many(pool, test_objs, ONCE_OBJECTS);
	for (spill = 0; spill < 2; spill++) {
		once.at = 0;
		once.quick = 0;
		do {
			once.at += ONCE_EACH;
			ASSERT(visits_with_a_handler(spill));
		} while (once.steps >= once.at && once.at < ONCE_MOST);
		EXPECT(once.at > 100);
		EXPECT(once.at < ONCE_MOST);
		EXPECT_LE(once.at / ONCE_EACH / 2, once.quick);
	}
	signal(SIGTRAP, SIG_DFL);
	EXPECT(test_quiet(pool, ONCE_OBJECTS));
	test_free_many(pool, test_objs, ONCE_OBJECTS);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/* How many objects a part has, at each instruction at which another thread may fork. */
static struct {
	struct pool_local *local;
	struct pool_cpu *cpu;
	unsigned long least;		/* objects; one more is allowed */
	unsigned long seen;
	unsigned long wrong;
} part;

static unsigned long part_has(void)
{
	return part.local->hot.n + part.local->clustered;
}

static void look_at_part(int sig)
{
	(void)sig;
	if (plat_read(&part.cpu->lock.holder))
		return;
	part.seen++;
	part.wrong += part_has() - part.least > 1;
}

/* Allocate @n objects, then free them, by stepped calls that all stay within the caches. */
static void look_at_calls(struct pool_head *pool, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		part.least = part_has() - 1;
		trap_on();
		test_objs[i] = pool_alloc(pool);
		trap_off();
	}
	for (i = 0; i < n; i++) {
		part.least = part_has();
		trap_on();
		pool_free(pool, test_objs[i]);
		trap_off();
	}
}

/* A fork takes all locks first, and its child must then know what each array and cluster has. */
TEST_CASE(what_a_visit_moves_is_counted_once_while_the_lock_is_free)
{
	static const unsigned int clusters[] = { POOL_CLUSTER_SIZE, 1 };
	struct sigaction act = { .sa_handler = look_at_part };
	unsigned int i;

	ASSERT(!sigaction(SIGTRAP, &act, NULL));
	for (i = 0; i < 2; i++) {
		struct pool *pool;

		test_options(1 << 20, clusters[i]);
		pool = test_pool(64);
		ASSERT(pool);
		pool_fail_every = 0;
		test_wave(pool, 400);
		memset(&part, 0, sizeof(part));
		part.local = test_local(pool);
		part.cpu = test_cpu();
		look_at_calls(&pool->head, 200);
		EXPECT(part.local->fills > 0);
		EXPECT(part.local->spills > 0);
		EXPECT(part.seen > 0);
		EXPECT_EQ(part.wrong, 0);
		EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	}
	signal(SIGTRAP, SIG_DFL);
}
