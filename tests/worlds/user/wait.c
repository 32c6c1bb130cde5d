// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * wait.c - which calls wait for a thread that does not run, and how
 *
 * Layer:   tests of the CPU lock in user/, of common/api/alloc.c, reclaim.c, stats.c
 *	    and registry.c.
 * Context: see test.h and life.h.
 *
 * A thread that holds something and does nothing stands for one that a debugger or a collector has
 * stopped.  It gives up after MOMENTS milliseconds, so that a case can tell a call which waits for
 * it from one that does not.
 */
#include "life.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Milliseconds after which a holder gives up; a busy machine needs some. */
#define MOMENTS		60000

struct holder {
	struct pool *pool;
	void (*hold)(struct holder *h);
	void (*release)(struct holder *h);
	struct pool_cpu *cpu;		/* of the holder */
	struct pool *pinned;
	bool filtered;
	unsigned long holds;
	unsigned long done;		/* set by the code that must not wait */
	bool gave_up;
};

static void moment(void)
{
	usleep(1000);
}

/* Fill clusters, call hold(), and wait until the case is done or time is up. */
static void *holder_main(void *arg)
{
	struct holder *h = arg;
	unsigned int moments = MOMENTS;

	use_pool(0, h->pool);
	h->cpu = test_cpu();
	h->hold(h);
	__atomic_fetch_add(&h->holds, 1, __ATOMIC_RELEASE);
	while (!plat_read(&h->done) && --moments)
		moment();
	h->gave_up = !moments;
	h->release(h);
	return NULL;
}

static void hold_cpu(struct holder *h)
{
	plat_cpu_lock(h->cpu);
}

static void release_cpu(struct holder *h)
{
	plat_cpu_unlock(h->cpu);
}

/* Start a holder; returns after its hold() has returned. */
static pthread_t holder_start(struct holder *h)
{
	pthread_t thread;

	h->pool = test_pool(64);
	ck_assert(h->pool);
	ck_assert(!pthread_create(&thread, NULL, holder_main, h));
	while (!plat_read_acquire(&h->holds))
		moment();
	return thread;
}

/* Let the holder end; true if the case was done before the holder gave up. */
static bool holder_finish(struct holder *h, pthread_t thread)
{
	plat_word_add(&h->done, 1);
	pthread_join(thread, NULL);
	return !h->gave_up;
}

TEST_CASE(at_the_limit_nobody_waits_for_who_holds_a_cpu_lock)
{
	struct holder h = { .hold = hold_cpu, .release = release_cpu };
	pthread_t thread;

	pool_fail_every = 0;
	thread = holder_start(&h);
	pool_flush(&h.pool->head);
	/* pool_set_limit() waits for CPU locks. */
	plat_write(&h.pool->limit, 1u);
	EXPECT_PTR_EQ(pool_alloc(&h.pool->head), NULL);
	EXPECT_PTR_EQ(pool_alloc_nocache(&h.pool->head), NULL);
	EXPECT(holder_finish(&h, thread));
	test_objs[0] = pool_alloc(&h.pool->head);
	EXPECT(test_objs[0]);
	pool_free(&h.pool->head, test_objs[0]);
	EXPECT(test_quiet(h.pool, 0));
	pool_destroy(&h.pool->head);
}

TEST_CASE(statistics_and_dumps_pass_held_cpu_locks_over)
{
	struct holder h = { .hold = hold_cpu, .release = release_cpu };
	struct pool_stats now;
	pthread_t thread;
	char text[4096];

	thread = holder_start(&h);
	pool_stats_get(&h.pool->head, &now, sizeof(now));
	EXPECT(now.allocated == pool_total_allocated() / 64);
	EXPECT(pool_total_used() <= pool_total_allocated());
	EXPECT(dump_pools_to_buf(text, sizeof(text), "json") > 0);
	EXPECT(holder_finish(&h, thread));
	pool_destroy(&h.pool->head);
}

static void *reclaim_it(void *arg)
{
	struct holder *h = arg;

	pool_reclaim(&h->pool->head);
	return NULL;
}

/* Start a thread whose reclaim waits for the holder's CPU lock; returns when that thread sleeps. */
static pthread_t waiter_start(struct holder *h)
{
	unsigned int moments = MOMENTS / 2;
	pthread_t waiter;

	ck_assert(!pthread_create(&waiter, NULL, reclaim_it, h));
	while (!(plat_read(&h->cpu->lock.holder) & FUTEX_WAITERS) && --moments)
		moment();
	EXPECT(moments);
	return waiter;
}

TEST_CASE(a_reclaim_sleeps_until_a_cpu_lock_is_free)
{
	struct holder h = { .hold = hold_cpu, .release = release_cpu };
	pthread_t thread, waiter;

	pool_fail_every = 0;
	thread = holder_start(&h);
	EXPECT(plat_read(&h.cpu->lock.holder) != 0);
	waiter = waiter_start(&h);
	EXPECT(holder_finish(&h, thread));
	pthread_join(waiter, NULL);
	EXPECT_EQ(plat_read(&h.cpu->lock.holder), 0);
	EXPECT(test_quiet(h.pool, 0));
	pool_destroy(&h.pool->head);
}

/* Install a filter of system calls by which this thread can no longer hand a lock to a waiter. */
static bool refuse_unlocks(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_UNLOCK_PI_PRIVATE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]), .filter = code,
	};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/* Unlock under the filter; stay until the waiter has the lock, as a thread's end hands it over. */
static void release_under_a_filter(struct holder *h)
{
	unsigned int moments = MOMENTS;

	h->filtered = refuse_unlocks();
	plat_cpu_unlock(h->cpu);
	while (plat_read(&h->done) < 2 && --moments)
		moment();
	h->gave_up = !moments;
}

/* The filter is only in the holder's thread, so the waiter cannot know of it. */
TEST_CASE(a_waiter_gets_a_cpu_lock_whose_holder_may_not_hand_it_over)
{
	struct holder h = { .hold = hold_cpu, .release = release_under_a_filter };
	pthread_t thread, waiter;

	pool_fail_every = 0;
	thread = holder_start(&h);
	waiter = waiter_start(&h);
	plat_word_add(&h.done, 1);
	pthread_join(waiter, NULL);
	EXPECT(holder_finish(&h, thread));
	EXPECT(h.filtered);
	EXPECT_EQ(plat_read(&h.cpu->lock.holder), 0);
	EXPECT(test_quiet(h.pool, 0));
	pool_destroy(&h.pool->head);
}

static void hold_walk(struct holder *h)
{
	h->pinned = pool_registry_next(NULL);
}

static void release_walk(struct holder *h)
{
	pool_registry_put(h->pinned);
}

/* True if a thread of this process sleeps; a thread that retries in a loop does not sleep. */
static bool is_asleep(long id)
{
	char name[64], stat[512];
	const char *state;
	FILE *file;
	size_t n;

	snprintf(name, sizeof(name), "/proc/self/task/%ld/stat", id);
	file = fopen(name, "r");
	if (!file)
		return false;
	n = fread(stat, 1, sizeof(stat) - 1, file);
	fclose(file);
	stat[n] = 0;
	state = strrchr(stat, ')');
	return state && state[1] && state[2] == 'S';
}

bool falls_asleep(const unsigned long *id)
{
	unsigned int moments = MOMENTS / 2, asleep = 0;

	while (asleep < 20 && --moments) {
		moment();
		asleep = is_asleep((long)plat_read(id)) ? asleep + 1 : 0;
	}
	return moments;
}

static unsigned long destroyer;

static void *destroy_it(void *arg)
{
	struct holder *h = arg;

	plat_word_add(&destroyer, (unsigned long)gettid());
	return pool_destroy(&h->pool->head);
}

TEST_CASE(a_destruction_sleeps_until_a_walk_has_left_its_pool)
{
	struct holder h = { .hold = hold_walk, .release = release_walk };
	pthread_t thread, waiter;
	void *left;

	thread = holder_start(&h);
	EXPECT_PTR_EQ(h.pinned, h.pool);
	ASSERT(!pthread_create(&waiter, NULL, destroy_it, &h));
	EXPECT(falls_asleep(&destroyer));
	EXPECT(holder_finish(&h, thread));
	pthread_join(waiter, &left);
	EXPECT_PTR_EQ(left, NULL);
}

/* Make the pool uncountable for a moment, as the renewal of a declared pool does. */
static void hold_renewal(struct holder *h)
{
	pool_reclaim(&h->pool->head);
	plat_word_add(&h->pool->allocated, POOL_RENEWING);
}

static void release_renewal(struct holder *h)
{
	plat_word_sub_release(&h->pool->allocated, POOL_RENEWING);
}

TEST_CASE(an_allocation_does_not_wait_for_who_makes_its_pool_anew)
{
	struct holder h = { .hold = hold_renewal, .release = release_renewal };
	pthread_t thread;

	pool_fail_every = 0;
	thread = holder_start(&h);
	EXPECT_PTR_EQ(pool_alloc(&h.pool->head), NULL);
	EXPECT(holder_finish(&h, thread));
	test_objs[0] = pool_alloc(&h.pool->head);
	EXPECT(test_objs[0]);
	pool_free(&h.pool->head, test_objs[0]);
	pool_destroy(&h.pool->head);
}
