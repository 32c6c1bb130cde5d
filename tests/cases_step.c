// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cases_step.c - a signal handler after every single instruction of each call
 *
 * Layer:   tests of common/, user space on x86-64.
 * Context: see test.h.  Built without a red zone.  The trap flag makes the CPU
 *	    raise SIGTRAP after each instruction; the handler allocates, keeps
 *	    some, frees, and checks the byte bound, all with POOL_F_ATOMIC.
 *
 * A table that knows each object's owner finds an object handed out twice.  It
 * is changed outside the stepped region, or by the handler, never by both.
 */
#include "test.h"

#include <signal.h>

#define TABLE	8192
#define KEPT	8
#define POOLS	2
#define SPARES	64

/* More of all for a long look; less of each wave, and bound, where slow. */
#ifndef STEP_ROUNDS
#define STEP_ROUNDS	1
#endif
#ifndef STEP_LESS
#define STEP_LESS	1
#endif

static struct {
	void *obj;
	bool owned;
} table[TABLE];

static struct {
	struct pool *pool[POOLS];
	void *kept[POOLS][KEPT];
	unsigned long steps;
	unsigned long turn;
	unsigned long bound;		/* the largest one in force */
	unsigned long got;
	unsigned long twice;		/* handed out while somebody had it */
	unsigned long beyond;		/* instants with the bound not held */
	unsigned long full;		/* the table was too small */
	struct pool_reserved *reserve;	/* of the first pool, or NULL */
	unsigned long reserved;		/* taken of it by the handler */
} step;

static bool *owned(void *obj)
{
	unsigned long i = ((unsigned long)obj >> 4) % TABLE;
	unsigned long tries;

	for (tries = 0; tries < TABLE; tries++, i = (i + 1) % TABLE) {
		if (!table[i].obj)
			table[i].obj = obj;
		if (table[i].obj == obj)
			return &table[i].owned;
	}
	step.full++;
	return &table[0].owned;
}

static void take(void *obj)
{
	bool *o = owned(obj);

	if (*o)
		step.twice++;
	*o = true;
}

static void give(void *obj)
{
	bool *o = owned(obj);

	if (!*o)
		step.twice++;
	*o = false;
}

/* Real sum <= charged <= bound, for the thread that was interrupted. */
static void check_bound(void)
{
	struct plat_area *area = plat_this_area();
	unsigned long held = 0, full = 0, charged;
	unsigned int i;

	if (!area)
		return;
	charged = plat_word_read(&area->cpu.charged);
	for (i = 0; i < POOLS; i++) {
		struct pool_local *l = plat_local_of(step.pool[i],
						     area->number);
		unsigned long rest = l->clustered + plat_word_read(&l->moving);

		held += (l->hot.room + rest) * step.pool[i]->head.size;
		full += (l->hot.n + rest) * step.pool[i]->head.size;
	}
	if (held > charged || full > charged ||
	    charged > step.bound)
		step.beyond++;
}

/* Now and then one of the reserve, which may be being taken from. */
static void take_reserved(void)
{
	void *obj = NULL;

	if (step.reserve && step.steps % 7 == 0)
		obj = pool_alloc_reserved(step.reserve);
	if (!obj)
		return;
	step.reserved++;
	take(obj);
	give(obj);
	__pool_free(&step.pool[0]->head, obj, POOL_F_ATOMIC);
}

/* Allocate two, keep one for a while, free the other; in turn for each pool. */
static void on_step(int sig)
{
	unsigned int which = step.turn % POOLS;
	void **slot = &step.kept[which][(step.turn / POOLS) % KEPT];
	struct pool_head *pool = &step.pool[which]->head;
	void *obj[2];
	unsigned int i;

	(void)sig;
	step.steps++;
	step.turn += 1 + step.steps % 5;
	check_bound();
	take_reserved();
	for (i = 0; i < 2; i++) {
		obj[i] = __pool_alloc(pool, POOL_F_ATOMIC);
		if (obj[i]) {
			take(obj[i]);
			step.got++;
		}
	}
	if (*slot) {
		give(*slot);
		__pool_free(pool, *slot, POOL_F_ATOMIC);
	}
	*slot = obj[0];
	if (obj[1]) {
		give(obj[1]);
		__pool_free(pool, obj[1], POOL_F_ATOMIC);
	}
	check_bound();
}

static inline void step_on(void)
{
	__asm__ __volatile__("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq"
			     : : : "memory", "cc");
}

static inline void step_off(void)
{
	__asm__ __volatile__("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq"
			     : : : "memory", "cc");
}

static void *stepped_alloc(struct pool *pool)
{
	void *obj;

	step_on();
	obj = pool_alloc(&pool->head);
	step_off();
	if (obj)
		take(obj);
	return obj;
}

static void stepped_free(struct pool *pool, void *obj)
{
	if (!obj)
		return;
	give(obj);
	step_on();
	pool_free(&pool->head, obj);
	step_off();
}

/*
 * Empty clusters that the handler, which may not make any, can put objects in:
 * without them all that it frees is parked, and little else happens.
 */
static void stock_spares(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < SPARES; i++)
		pool_cluster_put(pool, plat_cluster_alloc(), POOL_F_ATOMIC);
}

static bool step_begin(unsigned long bound, unsigned int cluster,
		       unsigned int mode)
{
	struct sigaction act = { .sa_handler = on_step };
	unsigned int i;

	memset(&step, 0, sizeof(step));
	memset(table, 0, sizeof(table));
	step.bound = bound / STEP_LESS;
	test_options(step.bound, cluster);
	test_mode(mode);
	for (i = 0; i < POOLS; i++) {
		step.pool[i] = test_pool(32 << i);
		if (!step.pool[i])
			return false;
		if (!mode)
			stock_spares(step.pool[i]);
	}
	return !sigaction(SIGTRAP, &act, NULL);
}

/* Does a pool say that somebody did something wrong?  Nobody does. */
static bool is_accused(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < POOL_FAULT_KINDS; i++)
		if (plat_word_read(&pool->faults[i]))
			return true;
	return false;
}

/* Free what the handler kept; then all must add up. */
static bool step_end(void)
{
	bool good = !step.twice && !step.beyond && !step.full && step.steps &&
		    step.got;
	unsigned int i, j;

	for (i = 0; i < POOLS; i++) {
		for (j = 0; j < KEPT; j++)
			test_free(step.pool[i], step.kept[i][j]);
		pool_drain_parked(step.pool[i]);
		good = good && !is_accused(step.pool[i]);
		good = good && test_quiet(step.pool[i], 0);
		good = !pool_destroy(&step.pool[i]->head) && good;
	}
	signal(SIGTRAP, SIG_DFL);
	return good;
}

static unsigned long nested_calls(void)
{
	struct pool_stats now;
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < POOLS; i++) {
		pool_sum(step.pool[i], &now);
		sum += now.nested;
	}
	return sum;
}

/* Allocate @n of each pool, then free them; hits, fills, spills, evictions. */
static void waves(unsigned int rounds, unsigned int n)
{
	unsigned int r, i;

	n /= STEP_LESS;
	for (r = 0; r < rounds; r++) {
		struct pool *pool = step.pool[r % POOLS];

		for (i = 0; i < n; i++)
			test_objs[i] = stepped_alloc(pool);
		for (i = 0; i < n; i++)
			stepped_free(pool, test_objs[i]);
	}
}

TEST_CASE(a_handler_after_every_instruction_of_hits_loses_nothing)
{
	unsigned long nested;

	ASSERT(step_begin(65536, 8, 0));
	waves(4 * STEP_ROUNDS, 3);
	waves(8 * STEP_ROUNDS, 20);
	nested = nested_calls();
	EXPECT(step_end());
	EXPECT(nested > 0);
}

TEST_CASE(a_handler_after_every_instruction_of_slow_paths_loses_nothing)
{
	unsigned long nested, evictions;

	ASSERT(step_begin(4096, 8, 0));
	waves(2 * STEP_ROUNDS, 150);
	nested = nested_calls();
	evictions = test_local(step.pool[0])->evictions +
		    test_local(step.pool[1])->evictions;
	EXPECT(step_end());
	EXPECT(nested > 0);
	EXPECT(evictions > 0);
}

TEST_CASE(a_handler_without_a_shared_pool_loses_nothing)
{
	ASSERT(step_begin(2048, 4, POOL_D_NO_GLOBAL));
	waves(2 * STEP_ROUNDS, 20);
	EXPECT(step_end());
}

TEST_CASE(a_handler_without_caches_loses_nothing)
{
	ASSERT(step_begin(2048, 4, POOL_D_NO_GLOBAL | POOL_D_NO_CACHE));
	waves(2 * STEP_ROUNDS, 15);
	step.got++;
	EXPECT(step_end());
}

TEST_CASE(a_handler_while_the_bound_changes_loses_nothing)
{
	unsigned int i;

	ASSERT(step_begin(8192, 8, 0));
	for (i = 0; i < 3 * STEP_ROUNDS; i++) {
		waves(2, 40);
		pool_set_hot_size(i & 1 ? step.bound : 1024);
	}
	EXPECT(step_end());
}

TEST_CASE(a_handler_during_reclaim_loses_nothing)
{
	unsigned int i;
	void *obj;

	ASSERT(step_begin(4096, 8, 0));
	for (i = 0; i < STEP_ROUNDS; i++) {
		waves(2, 80);
		step_on();
		obj = pool_take_remote(step.pool[0], 0);
		step_off();
		if (obj)
			take(obj);
		stepped_free(step.pool[0], obj);
		step_on();
		pool_flush(&step.pool[0]->head);
		pool_drain_parked(step.pool[1]);
		step_off();
	}
	EXPECT(step_end());
}

/* Some at once, then all of them back. */
static void bulk_wave(struct pool *pool, unsigned int n)
{
	unsigned int i;
	bool got;

	step_on();
	got = pool_alloc_bulk(&pool->head, 0, n, test_objs);
	step_off();
	for (i = 0; got && i < n; i++)
		take(test_objs[i]);
	for (i = 0; got && i < n; i++)
		give(test_objs[i]);
	step_on();
	if (got)
		pool_free_bulk(&pool->head, 0, n, test_objs);
	step_off();
}

TEST_CASE(a_handler_after_every_instruction_of_checked_calls_loses_nothing)
{
	static const struct {
		unsigned int debug;
		unsigned int n;		/* guarded pages are long to fill */
	} what[] = {
		{ POOL_D_INTEGRITY | POOL_D_COLD_FIRST, 12 },
		{ POOL_D_INTEGRITY | POOL_D_TAG | POOL_D_CALLER |
		  POOL_D_BACKUP | POOL_D_POISON | POOL_D_MEMSTATS, 6 },
		{ POOL_D_UAF | POOL_D_INTEGRITY | POOL_D_TAG, 2 },
	};
	unsigned int i;

	pool_options.policy = POOL_POLICY_CONTINUE;
	for (i = 0; i < ARRAY_LEN(what); i++) {
		ASSERT(step_begin(4096, 8, what[i].debug));
		waves(2 * STEP_ROUNDS, what[i].n);
		bulk_wave(step.pool[0], what[i].n / STEP_LESS);
		step.got++;
		EXPECT(step_end());
	}
}

/* What is on now and then, while objects of all times are about. */
static void stepped_switch(struct pool *pool, unsigned int set,
			   unsigned int clear)
{
	step_on();
	pool_switch(pool, set, clear);
	step_off();
}

TEST_CASE(a_handler_while_options_are_switched_loses_nothing)
{
	static const unsigned int words[] = {
		POOL_D_INTEGRITY, POOL_D_POISON | POOL_D_COLD_FIRST,
		POOL_D_INTEGRITY | POOL_D_MEMSTATS, POOL_D_NO_CACHE,
		POOL_D_NO_GLOBAL,
	};
	unsigned int i, j;
	void *held[8];

	pool_options.policy = POOL_POLICY_CONTINUE;
	ASSERT(step_begin(4096, 8, 0));
	for (i = 0; i < ARRAY_LEN(words) * STEP_ROUNDS; i++) {
		struct pool *pool = step.pool[i % POOLS];
		unsigned int word = words[i % ARRAY_LEN(words)];

		for (j = 0; j < ARRAY_LEN(held); j++)
			held[j] = stepped_alloc(pool);
		stepped_switch(pool, word, 0);
		for (j = 0; j < ARRAY_LEN(held); j += 2)
			stepped_free(pool, held[j]);
		waves(2, 16);
		stepped_switch(pool, 0, word);
		for (j = 1; j < ARRAY_LEN(held); j += 2)
			stepped_free(pool, held[j]);
		waves(2, 16);
	}
	EXPECT(step_end());
}

static void new_thread(unsigned int i, void *arg)
{
	(void)i;
	(void)arg;
	waves(2, 10);
}

TEST_CASE(a_handler_while_an_area_is_made_loses_nothing)
{
	unsigned int i;

	ASSERT(step_begin(4096, 8, 0));
	for (i = 0; i < 3 * STEP_ROUNDS; i++)
		test_threads(1, new_thread, NULL);
	EXPECT(step_end());
}

TEST_CASE(a_handler_while_an_area_is_given_up_loses_nothing)
{
	unsigned char *area = pool_thread_area;
	unsigned int number = plat_cpu_hint();
	unsigned int i;

	ASSERT(step_begin(4096, 8, 0));
	for (i = 0; i < STEP_ROUNDS; i++) {
		waves(2, 70);
		pool_thread_area = plat_area_lost;
		step_on();
		pool_cpu_gone(number);
		step_off();
		pool_thread_area = area;
		EXPECT_EQ(test_charged(), 0);
	}
	EXPECT(step_end());
}

TEST_CASE(a_handler_while_its_thread_idles_loses_nothing)
{
	unsigned int i;

	ASSERT(step_begin(4096, 8, 0));
	for (i = 0; i < STEP_ROUNDS; i++) {
		waves(2, 70);
		step_on();
		pool_thread_idle();
		step_off();
	}
	EXPECT(step_end());
}

TEST_CASE(a_handler_after_every_instruction_of_bulks_loses_nothing)
{
	unsigned int i;

	ASSERT(step_begin(8192, 8, 0));
	for (i = 0; i < 40 * STEP_ROUNDS / STEP_LESS; i++)
		bulk_wave(step.pool[i % POOLS], i * 7 % 72);
	EXPECT(step_end());
}

TEST_CASE(a_handler_that_takes_of_the_same_reserve_loses_nothing)
{
	unsigned int i, n = 0;

	ASSERT(step_begin(8192, 8, 0));
	pool_fail_every = 0;
	step.reserve = pool_reserve(&step.pool[0]->head, 60);
	ASSERT(step.reserve);
	for (i = 0; i < 60; i++) {
		step_on();
		test_objs[n] = pool_alloc_reserved(step.reserve);
		step_off();
		if (test_objs[n])
			take(test_objs[n++]);
	}
	EXPECT_EQ(n + step.reserved, 60);
	EXPECT(step.reserved > 0);
	for (i = 0; i < n; i++)
		stepped_free(step.pool[0], test_objs[i]);
	pool_unreserve(step.reserve);
	step.reserve = NULL;
	EXPECT(step_end());
}
