// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_wait.c - what a free costs while tasks wait, and when a waiter has the object
 *
 * Layer:   part of pool_replay.ko; bench_kernel.c calls it.
 * Context: process context, bound to one CPU; sleeps.
 *
 * Tasks wait for the only object of a pool with a limit of 1, of a mempool whose own objects are
 * all that it has, or of a slab below a semaphore.  In each round this task frees the object and
 * goes to sleep.  A waiter that has the object hands it back in a pointer, and waits again.  So the
 * figures have one switch between tasks, and frees by this task alone.
 *
 * A row: wait PEER WAITERS FREE WAITER AVERAGE FEWEST.  FREE is the least time of a free, WAITER
 * from its begin until a waiter has the object, the least and the average, in ns: instructions
 * under "qemu -icount shift=0".  FEWEST is how often the waiter that had the object least often had
 * it, in 100 rounds.  The rows of bench_kernel_limit.c follow.
 */
#include "bench_kernel.h"
#include "pool.h"

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mempool.h>
#include <linux/sched.h>
#include <linux/semaphore.h>
#include <linux/slab.h>
#include <linux/string.h>

#define ROUNDS		100
#define WAITERS_MAX	32

struct wait_peer {
	const char *name;
	bool (*setup)(unsigned int size);
	void (*teardown)(void);
	void *(*get)(void);
	void (*put)(void *obj);
};

static struct kmem_cache *cache;
static struct pool_head *pool;
static mempool_t *mempool;
static struct semaphore semaphore;

static bool setup_pool(unsigned int size)
{
	struct pool_attr attr = { .name = "bench", .size = size, .limit = 1 };

	pool = create_pool_ext(&attr);
	return pool;
}

static void teardown_pool(void)
{
	pool_destroy(pool);
	pool = NULL;
}

static void *get_pool(void)
{
	return pool_alloc_timeout(pool, 0, POOL_FOREVER);
}

static void put_pool(void *obj)
{
	pool_free(pool, obj);
}

static void teardown_cache(void)
{
	kmem_cache_destroy(cache);
	cache = NULL;
}

/* Give the mempool an object while it is being created, and refuse all its later requests. */
static bool mempool_is_made;

static void *alloc_once(gfp_t gfp, void *data)
{
	return mempool_is_made ? NULL : kmem_cache_alloc(data, gfp);
}

static bool setup_mempool(unsigned int size)
{
	cache = bench_cache_create(size);
	mempool_is_made = false;
	if (cache)
		mempool = mempool_create(1, alloc_once, mempool_free_slab, cache);
	mempool_is_made = true;
	return mempool;
}

static void teardown_mempool(void)
{
	mempool_destroy(mempool);
	mempool = NULL;
	teardown_cache();
}

static void *get_mempool(void)
{
	return mempool_alloc(mempool, GFP_KERNEL);
}

static void put_mempool(void *obj)
{
	mempool_free(obj, mempool);
}

static bool setup_semaphore(unsigned int size)
{
	sema_init(&semaphore, 1);
	cache = bench_cache_create(size);
	return cache;
}

static void *get_semaphore(void)
{
	return down_killable(&semaphore) ? NULL : kmem_cache_alloc(cache, GFP_KERNEL);
}

static void put_semaphore(void *obj)
{
	kmem_cache_free(cache, obj);
	up(&semaphore);
}

static const struct wait_peer wait_peers[] = {
	{ "mempool", setup_mempool, teardown_mempool, get_mempool, put_mempool },
	{ "semaphore", setup_semaphore, teardown_cache, get_semaphore, put_semaphore },
	{ "pool", setup_pool, teardown_pool, get_pool, put_pool },
};

static const struct wait_peer *peer;
static struct completion handed;	/* the object is in "box" */
static void *box;
static u64 got_at;
static bool ending;
static unsigned int had[WAITERS_MAX];	/* how often each waiter had the object */

static int wait_often(void *mine)
{
	unsigned int *times = mine;
	bool last;

	do {
		void *obj = peer->get();

		got_at = ktime_get_ns();
		(*times)++;
		last = READ_ONCE(ending);
		box = obj;
		complete(&handed);
	} while (!last);
	return 0;
}

struct took {
	u64 put;
	u64 waiter;
	u64 sum;
	unsigned int fewest;
};

/* Free the object, wait until a waiter has handed it back, and let the waiter wait again. */
static void round_of(struct took *took)
{
	u64 start, put;

	start = ktime_get_ns();
	peer->put(box);
	put = ktime_get_ns() - start;
	wait_for_completion(&handed);
	took->put = min(took->put, put);
	took->waiter = min(took->waiter, got_at - start);
	took->sum += got_at - start;
	schedule_timeout_idle(2);
}

/*
 * Run all rounds with @n waiters; false if a waiter could not be started, or the object not be
 * allocated.
 */
static bool run(unsigned int n, struct took *took)
{
	unsigned int i, k, made = 0;

	ending = false;
	memset(had, 0, sizeof(had));
	init_completion(&handed);
	box = peer->get();
	while (box && made < n && !IS_ERR(kthread_run(wait_often, &had[made], "bench_wait")))
		made++;
	schedule_timeout_idle(10);
	for (i = 0; made == n && i < ROUNDS; i++)
		round_of(took);
	took->fewest = ROUNDS;
	for (k = 0; k < made; k++)
		took->fewest = min(took->fewest, had[k]);
	WRITE_ONCE(ending, true);
	while (box && made--) {
		peer->put(box);
		wait_for_completion(&handed);
	}
	if (box)
		peer->put(box);
	/* Wait until the last task has left the code of this module. */
	schedule_timeout_idle(10);
	return box && i == ROUNDS;
}

const char *bench_waits(unsigned int object, char *buf, size_t size)
{
	static const unsigned int waiters[] = { 1, 4, WAITERS_MAX };
	size_t len = 0;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(wait_peers) * ARRAY_SIZE(waiters); i++) {
		struct took took = { U64_MAX, U64_MAX, 0, 0 };
		bool ok;

		peer = &wait_peers[i / ARRAY_SIZE(waiters)];
		k = waiters[i % ARRAY_SIZE(waiters)];
		ok = peer->setup(object) && run(k, &took);
		peer->teardown();
		if (!ok)
			return "a task or an object was not to be had";
		len += scnprintf(buf + len, size - len, "wait %s %u %llu %llu %llu %u\n",
				 peer->name, k, took.put, took.waiter,
				 div_u64(took.sum, ROUNDS), took.fewest);
	}
	return bench_limits(object, buf + len, size - len);
}
