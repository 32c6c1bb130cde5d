// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * jump.c - siglongjmp() out of a handler that interrupted a hit
 *
 * Layer:   tests of common/, user space on x86-64; the table is in stepper.c.
 * Context: see test.h and trap.h.  Built without a red zone.
 *
 * A handler leaves a call that hits for good: after its first instruction, after its second, and so
 * on, until the call ends earlier.  The array may stay held.  Then its thread's calls are nested,
 * until the thread ends or idles, or the pool is destroyed.  The object in hand may be lost.
 * Nothing else may be lost, and no call gets an object that another one has.
 */
#include "stepper.h"

#include <setjmp.h>
#include <signal.h>

#define JUMP_OBJS	6

static struct {
	sigjmp_buf back;
	struct pool *pool;
	bool frees;			/* else it allocates */
	void (*call)(void);
	void (*way_out)(void);
	unsigned long at;		/* the instruction after which the handler jumps */
	unsigned long steps;
	void *hand;			/* object in hand, not yet accounted for */
	void *result;
	bool jumped;
	unsigned long jumps;
	unsigned long held;		/* jumps that left the array held */
	unsigned long got;		/* objects allocated while it was held */
	unsigned long wrong;
	unsigned int lost;
	void *lost_objs[1024];
} jump;

static void on_trap(int sig)
{
	(void)sig;
	if (++jump.steps == jump.at)
		siglongjmp(jump.back, 1);
}

static void alloc_by_call(void)
{
	jump.result = pool_alloc(&jump.pool->head);
}

static void alloc_inline(void)
{
	jump.result = pool_alloc_inline(&jump.pool->head, 0);
}

static void free_by_call(void)
{
	pool_free(&jump.pool->head, jump.hand);
}

static void free_inline(void)
{
	pool_free_inline(&jump.pool->head, jump.hand, 0);
}

static const struct {
	bool frees;
	void (*call)(void);
} calls[] = {
	{ false, alloc_by_call }, { false, alloc_inline },
	{ true, free_by_call }, { true, free_inline },
};

/* Returns false if the call ended before that instruction. */
static bool is_left(void)
{
	jump.steps = 0;
	if (sigsetjmp(jump.back, 1))
		return true;
	trap_on();
	jump.call();
	trap_off();
	return false;
}

static void wrong_unless(bool good)
{
	jump.wrong += !good;
}

/* Allocate up to @n objects that no other call has, and write to each. */
static unsigned int take_all(void **objs, unsigned int n)
{
	unsigned int i, got = 0;

	for (i = 0; i < n; i++) {
		objs[got] = pool_alloc(&jump.pool->head);
		if (!objs[got])
			continue;
		step_take(objs[got]);
		memset(objs[got++], 0x5a, jump.pool->head.size);
	}
	return got;
}

static void give_all(void **objs, unsigned int n)
{
	while (n--) {
		step_give(objs[n]);
		pool_free(&jump.pool->head, objs[n]);
	}
}

/* Stock the shared pool for nested calls, which get nothing from the backend. */
static void stock_shared(void)
{
	unsigned int i, n = 0;
	void *objs[JUMP_OBJS];

	for (i = 0; i < JUMP_OBJS; i++) {
		objs[n] = pool_alloc_nocache(&jump.pool->head);
		n += objs[n] != NULL;
	}
	while (n--)
		if (!pool_shared_put_one(jump.pool, objs[n], 0))
			test_free(jump.pool, objs[n]);
}

/*
 * Make this thread's next call of either kind a hit.  Above the top of the array is
 * an old pointer, of an object that is in use now.  Returns how many @objs there are.
 */
static unsigned int warm_up(void **objs)
{
	struct pool_hot *hot;
	unsigned int n;

	give_all(objs, take_all(objs, JUMP_OBJS));
	stock_shared();
	hot = &test_local(jump.pool)->hot;
	n = take_all(objs, hot->n == hot->cap);
	wrong_unless(hot->open == POOL_OPEN && hot->n && hot->n < hot->cap);
	return n;
}

/* Fail if an object of the array is in use, or is in the array twice. */
static void look_at_array(struct pool_local *local)
{
	unsigned int i;

	for (i = 0; i < local->hot.n; i++) {
		wrong_unless(local->slot[i]);
		step_take(local->slot[i]);
	}
	for (i = 0; i < local->hot.n; i++)
		step_give(local->slot[i]);
}

/* Make calls in the thread that jumped; these must leave a held array alone. */
static void go_on(struct pool_local *local)
{
	bool held = local->hot.open == POOL_HELD;
	unsigned int n = local->hot.n;
	void *objs[JUMP_OBJS];
	unsigned int got;

	got = take_all(objs, JUMP_OBJS);
	give_all(objs, got);
	if (!held)
		return;
	jump.held++;
	jump.got += got;
	wrong_unless(local->hot.open == POOL_HELD && local->hot.n == n);
}

/* Runs in a thread of its own, so that each try begins with the thread's full caches. */
static void jump_once(unsigned int i, void *arg)
{
	struct pool_local *local;
	void *objs[JUMP_OBJS];
	unsigned int n;

	(void)i;
	(void)arg;
	n = warm_up(objs);
	local = test_local(jump.pool);
	jump.hand = local->slot[local->hot.n - 1];
	if (jump.frees) {
		jump.hand = pool_alloc_nocache(&jump.pool->head);
		wrong_unless(jump.hand);
	}
	jump.jumped = is_left();
	if (jump.jumped) {
		jump.jumps++;
		look_at_array(local);
		go_on(local);
	} else if (!jump.frees) {
		wrong_unless(jump.result == jump.hand);
		test_free(jump.pool, jump.result);
	}
	give_all(objs, n);
	if (jump.way_out)
		jump.way_out();
}

/* Check that all objects are there again, except at most one for each jump. */
static void account(void)
{
	struct pool_stats now;

	pool_drain_parked(jump.pool);
	pool_sum(jump.pool, &now);
	if (now.used == jump.lost + 1 && jump.jumped && jump.hand &&
	    jump.lost < ARRAY_LEN(jump.lost_objs)) {
		step_take(jump.hand);
		jump.lost_objs[jump.lost++] = jump.hand;
	}
	jump.hand = NULL;
	wrong_unless(now.used == jump.lost);
}

/* Take all objects that the pool has, and some more, and put them back: none may be in use. */
static void look_at_all(void)
{
	struct pool_stats now;
	unsigned int n;

	pool_sum(jump.pool, &now);
	n = pool_smaller(now.allocated + JUMP_OBJS, TEST_OBJS);
	give_all(test_objs, take_all(test_objs, n));
}

/* Free the lost objects, which the jumps had in hand; then all must add up. */
static void end_lost(void)
{
	give_all(jump.lost_objs, jump.lost);
	jump.lost = 0;
}

static void leave_by_idling(void)
{
	void *objs[JUMP_OBJS];

	pool_thread_idle();
	account();
	give_all(objs, warm_up(objs));
}

/* Destroy the pool and make another one, which gets the same place in this thread's area. */
static void leave_by_destroying(void)
{
	void *objs[JUMP_OBJS];

	account();
	end_lost();
	wrong_unless(!pool_destroy(&jump.pool->head));
	jump.pool = test_pool(48);
	wrong_unless(jump.pool);
	if (jump.pool)
		give_all(objs, warm_up(objs));
}

/* Jump out of the call after each of its instructions, in a new thread each time. */
static void leave_everywhere(unsigned int call)
{
	unsigned long held = jump.held;

	jump.call = calls[call].call;
	jump.frees = calls[call].frees;
	jump.at = 0;
	do {
		jump.at++;
		test_threads(1, jump_once, NULL);
		account();
		look_at_all();
		wrong_unless(!step.twice && !step.full);
	} while (jump.jumped && !jump.wrong && jump.at < 1000);
	wrong_unless(jump.held > held && jump.at < 1000);
}

static bool jumps_lose_no_more(void (*way_out)(void))
{
	struct sigaction act = { .sa_handler = on_trap };
	unsigned int i;
	bool good;

	if (!step_begin(65536, 8, 0) || sigaction(SIGTRAP, &act, NULL))
		return false;
	memset(&jump, 0, sizeof(jump));
	jump.pool = test_pool(48);
	jump.way_out = way_out;
	if (!jump.pool)
		return false;
	for (i = 0; i < ARRAY_LEN(calls) && !jump.wrong; i++)
		leave_everywhere(i);
	good = jump.jumps && jump.got && !jump.wrong;
	end_lost();
	good = good && test_quiet(jump.pool, 0);
	good = !pool_destroy(&jump.pool->head) && good;
	step.steps++;
	step.got++;
	return step_end() && good;
}

TEST_CASE(a_jump_out_of_any_instruction_of_a_hit_loses_one_object_at_most)
{
	EXPECT(jumps_lose_no_more(NULL));
}

TEST_CASE(a_thread_that_jumped_out_of_a_hit_may_idle_and_go_on)
{
	EXPECT(jumps_lose_no_more(leave_by_idling));
}

TEST_CASE(a_pool_whose_array_a_jump_left_held_can_be_destroyed)
{
	EXPECT(jumps_lose_no_more(leave_by_destroying));
}
