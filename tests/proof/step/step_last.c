// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * step_last.c - the last free object, which moves at every single instruction
 *
 * Layer:   tests of common/shared/reach.c and alloc.c, user space on x86-64.
 * Context: see test.h.  Built without a red zone, as step.c.
 */
#include "stepper.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

/* What a handler does while one allocation looks for the last object. */
static struct {
	struct pool *pool;
	struct pool_cpu *cpu;		/* the area of another thread, which waits */
	sem_t ready, done;
	void *obj;
	unsigned long steps;
	unsigned long at;		/* the step at which an action ends */
	unsigned long seed;
	unsigned long moved;
} other;

static bool begin_other(unsigned int limit,
			void (*fn)(int sig, siginfo_t *info, void *context))
{
	struct sigaction act = { .sa_sigaction = fn, .sa_flags = SA_SIGINFO };

	memset(&other, 0, sizeof(other));
	pool_fail_every = 0;
	test_options(65536, 8);
	other.pool = test_pool(64);
	return other.pool && pool_set_limit(&other.pool->head, limit) &&
	       !sigaction(SIGTRAP, &act, NULL);
}

static void end_flush(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	if (++other.steps != other.at)
		return;
	trap_end(context);
	pool_backend_put(other.pool, other.obj);
	pool_arrive(&other.pool->moving, 1);
}

/* A flush moves the only object to the backend, and ends at each instruction of a call once. */
TEST_CASE(a_flush_that_ends_at_any_instruction_leaves_an_object_to_be_had)
{
	unsigned long at, refused = 0;

	ASSERT(begin_other(1, end_flush));
	for (at = 1; at <= 1200 / STEP_LESS; at++) {
		void *obj;

		other.obj = pool_alloc_nocache(&other.pool->head);
		pool_depart(&other.pool->moving, 1);
		other.at = at;
		other.steps = 0;
		trap_on();
		obj = pool_alloc(&other.pool->head);
		trap_off();
		refused += !obj;
		if (obj)
			pool_backend_put(other.pool, obj);
		EXPECT(other.steps >= at);
	}
	signal(SIGTRAP, SIG_DFL);
	EXPECT_EQ(refused, 0);
	EXPECT(test_quiet(other.pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&other.pool->head), NULL);
}

static void move_up(struct pool_local *local)
{
	struct pool_cluster *c;

	c = pool_refill_local_from_shared(other.pool, &local->moving);
	if (c) {
		pool_cluster_insert(other.cpu, local, c);
		pool_arrive(&local->moving, c->n);
	}
	other.moved += c != NULL;
}

static void move_down(struct pool_local *local, struct pool_cluster *c)
{
	unsigned int n = c->n;

	pool_cluster_detach(c);
	if (!pool_put_to_shared_cache(other.pool, c))
		pool_cluster_insert(other.cpu, local, c);
	pool_cluster_settled(local, n);
	other.moved++;
}

/* At random steps, move free objects from the shared pool to that CPU, or back. */
static void move(int sig, siginfo_t *info, void *context)
{
	struct pool_local *local = plat_local_of(other.pool, (unsigned int)other.at);
	struct pool_cluster *c;

	(void)sig;
	(void)info;
	if (++other.steps == 4000)
		trap_end(context);
	if (test_random(&other.seed) % 8 || !plat_cpu_trylock(other.cpu))
		return;
	c = pool_cluster_newest(local);
	if (c)
		move_down(local, c);
	else
		move_up(local);
	plat_cpu_unlock(other.cpu);
}

/* A thread with an empty part of the pool, which it keeps until it may end. */
static void *use_and_wait(void *arg)
{
	(void)arg;
	test_free(other.pool, test_alloc(other.pool));
	pool_backend_put(other.pool, test_alloc(other.pool));
	other.at = plat_cpu_hint();
	other.cpu = plat_cpu_of((unsigned int)other.at);
	sem_post(&other.ready);
	while (sem_wait(&other.done))
		;
	return NULL;
}

static bool begin_thread(pthread_t *thread)
{
	sem_init(&other.ready, 0, 0);
	sem_init(&other.done, 0, 0);
	if (pthread_create(thread, NULL, use_and_wait, NULL))
		return false;
	while (sem_wait(&other.ready))
		;
	return true;
}

static void end_thread(pthread_t thread)
{
	signal(SIGTRAP, SIG_DFL);
	sem_post(&other.done);
	pthread_join(thread, NULL);
}

static void free_and_take(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	if (++other.steps != other.at)
		return;
	trap_end(context);
	__pool_free(&other.pool->head, other.obj, POOL_F_ATOMIC);
	other.obj = pool_take_remote(other.pool, POOL_F_ATOMIC);
}

/* Leave one object in a cluster of that CPU, and one in use that was in this CPU's array. */
static void share_out(struct pool_local *local)
{
	void *obj = pool_alloc_nocache(&other.pool->head);

	EXPECT(pool_shared_put_one(other.pool, obj, 0));
	EXPECT(plat_cpu_trylock(other.cpu));
	move_up(local);
	plat_cpu_unlock(other.cpu);
	test_free(other.pool, test_alloc(other.pool));
	other.obj = test_alloc(other.pool);
	EXPECT(other.obj);
}

/*
 * At one moment the handler frees an object on this CPU and takes the one on the other CPU, so one
 * object is always free.
 */
TEST_CASE(an_object_freed_here_while_another_is_taken_is_found)
{
	struct pool_local *local;
	unsigned long at = 0, refused = 0;
	pthread_t thread;

	ASSERT(begin_other(2, free_and_take));
	ASSERT(begin_thread(&thread));
	local = plat_local_of(other.pool, (unsigned int)other.at);
	do {
		void *obj;

		pool_thread_idle();
		pool_reclaim(&other.pool->head);
		share_out(local);
		at += STEP_LESS;
		other.at = at;
		other.steps = 0;
		trap_on();
		obj = __pool_alloc(&other.pool->head, 0);
		trap_off();
		refused += !obj;
		pool_free(&other.pool->head, obj);
		pool_free(&other.pool->head, other.obj);
	} while (other.steps >= at && at < 16000);
	end_thread(thread);
	EXPECT(at > 100 && at < 16000);
	EXPECT_EQ(refused, 0);
	EXPECT(test_quiet(other.pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&other.pool->head), NULL);
}

/* Of three objects one is in use, and two are always free. */
TEST_CASE(objects_that_go_up_and_down_at_any_instruction_are_found)
{
	unsigned long seed, refused = 0;
	pthread_t thread;
	void *objs[3];

	ASSERT(begin_other(3, move));
	ASSERT(begin_thread(&thread));
	pool_reclaim(&other.pool->head);
	for (seed = 1; seed <= 300 / STEP_LESS; seed++) {
		unsigned int i;

		for (i = 0; i < 3; i++)
			objs[i] = pool_alloc_nocache(&other.pool->head);
		ASSERT(objs[2]);
		EXPECT(pool_shared_put_one(other.pool, objs[0], 0));
		EXPECT(pool_shared_put_one(other.pool, objs[1], 0));
		other.steps = 0;
		other.seed = seed * 88172645463325252ul;
		trap_on();
		objs[0] = __pool_alloc(&other.pool->head, 0);
		trap_off();
		refused += !objs[0];
		if (objs[0])
			test_free(other.pool, objs[0]);
		test_free(other.pool, objs[2]);
		pool_thread_idle();
		pool_reclaim(&other.pool->head);
	}
	end_thread(thread);
	EXPECT_EQ(refused, 0);
	EXPECT(other.moved > 0);
	EXPECT(test_quiet(other.pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&other.pool->head), NULL);
}

/* Two events in one call of a thread whose area walks visit after the main thread's. */
static struct {
	struct pool_local *local;	/* the main thread's */
	struct pool_cluster *c;		/* empty; NULL while in the main part */
	void *obj;			/* parked until the first event */
	unsigned long first, second;	/* steps */
	unsigned long refused;
} two;

/* Free the object that this thread uses, then take the parked one. */
static void free_and_unpark(void)
{
	__pool_free(&other.pool->head, other.obj, POOL_F_ATOMIC);
	two.obj = pool_unpark_all(other.pool, POOL_F_ATOMIC);
	other.obj = NULL;
}

/* Free an object to a cluster of the main thread, and then take the other one back. */
static void cluster_and_take(void)
{
	if (two.obj && plat_cpu_trylock(other.cpu)) {
		two.c->obj[0] = two.obj;
		two.c->n = 1;
		pool_cluster_insert(other.cpu, two.local, two.c);
		plat_cpu_unlock(other.cpu);
		two.obj = NULL;
		two.c = NULL;
		other.moved++;
	}
	other.obj = __pool_alloc(&other.pool->head, POOL_F_ATOMIC);
}

static void at_two_steps(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	if (++other.steps == two.first)
		free_and_unpark();
	if (other.steps != two.second)
		return;
	trap_end(context);
	cluster_and_take();
}

/* Park one of two objects; the other is in use, and was in this thread's open array. */
static void park_one(void)
{
	test_free(other.pool, test_alloc(other.pool));
	other.obj = test_alloc(other.pool);
	two.obj = NULL;
	two.c = pool_cluster_get_one(other.pool, 0);
	two.c->obj[0] = pool_alloc_nocache(&other.pool->head);
	two.c->n = 1;
	pool_park_cluster(other.pool, two.c);
}

static void alloc_between(void)
{
	void *obj;

	park_one();
	other.steps = 0;
	trap_on();
	obj = __pool_alloc(&other.pool->head, 0);
	trap_off();
	two.refused += !obj;
	pool_free(&other.pool->head, obj);
	pool_free(&other.pool->head, other.obj);
	pool_free(&other.pool->head, two.obj);
	if (two.c)
		pool_cluster_put(other.pool, two.c, 0);
	pool_thread_idle();
	pool_reclaim(&other.pool->head);
}

static void *alloc_at_pairs(void *arg)
{
	for (two.first = 4; two.first < 400; two.first += 8 * STEP_LESS) {
		two.second = two.first;
		do {
			two.second += 8 * STEP_LESS;
			alloc_between();
		} while (other.steps >= two.second && two.second < two.first + 400);
	}
	return arg;
}

/* Two steps at any two instructions of a call free and take objects, so that one is always free. */
TEST_CASE(an_object_freed_here_and_taken_while_another_goes_away_and_back_is_found)
{
	pthread_t thread;

	ASSERT(begin_other(2, at_two_steps));
	memset(&two, 0, sizeof(two));
	test_free(other.pool, test_alloc(other.pool));
	pool_backend_put(other.pool, test_alloc(other.pool));
	two.local = test_local(other.pool);
	other.cpu = plat_cpu_of(plat_cpu_hint());
	ASSERT(!pthread_create(&thread, NULL, alloc_at_pairs, NULL));
	pthread_join(thread, NULL);
	signal(SIGTRAP, SIG_DFL);
	EXPECT_EQ(two.refused, 0);
	EXPECT(other.moved > 0);
	EXPECT(test_quiet(other.pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&other.pool->head), NULL);
}
