// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * unwind.c - functions of users that do not return, or fork
 *
 * Layer:   tests of constructors and of pool_for_each(); user space only.
 * Context: see test.h and life.h.
 *
 * pthread_exit() in a user's function leaves all of its callers in the same way as
 * an exception of C++ does; tests/install/life/throws.cc tests these.
 */
#include "life.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define HELD		8

static unsigned int returns;		/* calls that return before one does not */
static unsigned int alive;		/* constructed objects */
static void *held[HELD];
static unsigned int holds;

static void build(void *obj, void *arg)
{
	(void)arg;
	if (!returns--)
		pthread_exit(NULL);
	memset(obj, 0x11, 64);
	alive++;
}

static void tear_down(void *obj, void *arg)
{
	(void)arg;
	memset(obj, 0x22, 64);
	alive--;
}

static struct pool *built_pool(unsigned int debug)
{
	struct pool_attr attr = {
		.name = "built", .size = 64, .ctor = build, .dtor = tear_down,
	};
	struct pool_head *head;

	pool_fail_every = 0;
	pool_options.debug = debug;
	head = create_pool_ext(&attr);
	ck_assert(head);
	return pool_of(head);
}

static void take(struct pool *pool)
{
	held[holds] = pool_alloc(&pool->head);
	holds += held[holds] != NULL;
}

static void *take_some(void *arg)
{
	struct pool_head *head = &((struct pool *)arg)->head;

	take(arg);
	take(arg);
	pool_free(head, held[--holds]);
	take(arg);
	return arg;
}

static void *take_bulk(void *arg)
{
	struct pool_head *head = &((struct pool *)arg)->head;
	struct pool_reserved *r;

	if (pool_alloc_bulk(head, 0, 3, held))
		holds = 3;
	r = pool_reserve(head, 3);
	pool_unreserve(r);
	return arg;
}

/* Run @fn in a thread that its constructor may end. */
static void run(void *(*fn)(void *arg), struct pool *pool)
{
	pthread_t thread;

	holds = 0;
	ck_assert(!pthread_create(&thread, NULL, fn, pool));
	pthread_join(thread, NULL);
}

/* True if every object that the thread did not get is in the pool or given back. */
static bool leaves_nothing(unsigned int debug, void *(*fn)(void *arg))
{
	unsigned int round;
	bool good = true;

	alive = 0;
	for (round = 0; round < HELD && good; round++) {
		struct pool *pool = built_pool(debug);

		returns = round;
		run(fn, pool);
		returns = ~0u;
		good = test_quiet(pool, holds);
		while (holds)
			pool_free(&pool->head, held[--holds]);
		take(pool);
		good = good && holds == 1;
		pool_free(&pool->head, held[0]);
		good = !pool_destroy(&pool->head) && good && !alive;
		pool_destroy_every();
	}
	return good;
}

TEST_CASE(a_constructor_that_does_not_return_leaves_nothing)
{
	EXPECT(leaves_nothing(0, take_some));
	EXPECT(leaves_nothing(POOL_D_NO_CACHE | POOL_D_NO_GLOBAL, take_some));
}

TEST_CASE(a_constructor_of_a_checked_pool_that_does_not_return_leaves_nothing)
{
	EXPECT(leaves_nothing(POOL_D_INTEGRITY, take_some));
	EXPECT(leaves_nothing(POOL_D_POISON | POOL_D_TAG, take_some));
	EXPECT(leaves_nothing(POOL_D_INTEGRITY | POOL_D_POISON, take_some));
}

TEST_CASE(a_bulk_call_whose_constructor_does_not_return_leaves_nothing)
{
	EXPECT(leaves_nothing(0, take_bulk));
	EXPECT(leaves_nothing(POOL_D_INTEGRITY, take_bulk));
}

static unsigned int pins_of(const struct pool *pool)
{
	unsigned int pins;

	plat_mutex_lock(PLAT_REGISTRY);
	pins = pool->pins;
	plat_mutex_unlock(PLAT_REGISTRY);
	return pins;
}

static void exit_at(struct pool_head *head, void *arg)
{
	if (pool_of(head) == arg)
		pthread_exit(NULL);
}

static void *walk_and_exit(void *arg)
{
	pool_for_each(exit_at, arg);
	return arg;
}

static unsigned long in_callback;

static void sleep_at(struct pool_head *head, void *arg)
{
	(void)arg;
	(void)head;
	plat_word_add(&in_callback, 1);
	for (;;) {
		pthread_testcancel();
		plat_pause(true);
	}
}

static void *walk_and_sleep(void *arg)
{
	pool_for_each(sleep_at, arg);
	return arg;
}

TEST_CASE(a_callback_that_does_not_return_lets_go_of_its_pool)
{
	struct pool *first = test_pool(64);
	struct pool *pool = test_pool(128);
	pthread_t thread;

	ASSERT(first && pool);
	run(walk_and_exit, pool);
	EXPECT_EQ(pins_of(pool), 0);
	ASSERT(!pthread_create(&thread, NULL, walk_and_sleep, pool));
	while (!plat_read(&in_callback))
		plat_pause(true);
	EXPECT_EQ(pins_of(first), 1);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	EXPECT_EQ(pins_of(first), 0);
	EXPECT_PTR_EQ(pool_destroy(&first->head), NULL);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

static pid_t child;

static void fork_at(struct pool_head *head, void *arg)
{
	if (pool_of(head) == arg)
		child = fork();
}

static unsigned long go_on;

static void wait_at(struct pool_head *head, void *arg)
{
	(void)arg;
	(void)head;
	plat_word_add(&in_callback, 1);
	while (!plat_read(&go_on))
		plat_pause(true);
}

static void *walk_others(void *arg)
{
	pool_for_each(wait_at, arg);
	return arg;
}

/* End the child with 0, or with a number that says what is wrong there. */
static void end_in_child(struct pool *first, struct pool *pool)
{
	if (child)
		return;
	if (pins_of(first) || pins_of(pool))
		_exit(1);
	_exit(pool_destroy(&first->head) || pool_destroy(&pool->head) ? 2 : 0);
}

/* Another thread walks, too, and has pinned a pool.  That thread does not exist in the child. */
TEST_CASE(a_walk_goes_on_in_a_child_that_it_has_forked)
{
	struct pool *first = test_pool(64);
	struct pool *pool = test_pool(128);
	pthread_t thread;
	int status = -1;

	ASSERT(first && pool);
	in_callback = 0;
	go_on = 0;
	ASSERT(!pthread_create(&thread, NULL, walk_others, NULL));
	while (!plat_read(&in_callback))
		plat_pause(true);
	pool_for_each(fork_at, pool);
	end_in_child(first, pool);
	ASSERT(child > 0);
	EXPECT(waitpid(child, &status, 0) == child);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(pins_of(first), 1);
	EXPECT_EQ(pins_of(pool), 0);
	plat_word_add(&go_on, 1);
	pthread_join(thread, NULL);
	EXPECT_PTR_EQ(pool_destroy(&first->head), NULL);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

static void need_pin(struct pool_head *head, void *arg)
{
	(void)arg;
	child = fork();
	if (child)
		return;
	_exit(pool_of(head)->pins == 1 ? 0 : 1);
}

POOL_CASE(a_child_keeps_the_pool_that_its_walk_is_at, test_pool(64))
{
	int status = -1;

	pool_for_each(need_pin, NULL);
	ASSERT(child > 0);
	EXPECT(waitpid(child, &status, 0) == child);
	EXPECT_EQ(status, 0);
}

/* Pin the pool, as a thread that is about to destroy it does, and fork. */
static void drop_and_fork_at(struct pool_head *head, void *arg)
{
	unsigned long seen = pool_of(head)->joins;

	if (pool_of(head) != arg)
		return;
	ck_assert(pool_registry_drop(arg, NULL, NULL, &seen) == POOL_ENDS);
	fork_at(head, arg);
}

/* True if the child ends with 0.  A child that hangs is ended after a minute. */
static bool child_ends(void)
{
	unsigned int moments = 60000;
	int status = -1;

	while (!waitpid(child, &status, WNOHANG)) {
		if (!--moments)
			kill(child, SIGKILL);
		usleep(1000);
	}
	return !status;
}

TEST_CASE(a_child_does_not_end_the_pool_that_its_walk_is_at)
{
	struct pool *pool = test_pool(64);
	struct pool *other = test_pool(128);

	ASSERT(pool && other);
	pool_for_each(drop_and_fork_at, pool);
	if (!child)
		_exit(pins_of(pool) || pool_destroy(&other->head) ? 1 : 0);
	EXPECT(child > 0 && child_ends());
	pool_end(pool, 0);
	pool_destroy(&other->head);
}
