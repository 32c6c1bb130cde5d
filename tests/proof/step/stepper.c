// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stepper.c - a signal handler that uses pools after every single instruction
 *
 * Layer:   tests of common/, user space on x86-64; step.c is above.
 * Context: see test.h.  Built without a red zone.  The trap flag makes the CPU
 *	    raise SIGTRAP after each instruction; the handler allocates, keeps
 *	    some, frees, and checks the byte bound, all with POOL_F_ATOMIC.
 *
 * A table that knows each object's owner finds an object that is handed out twice.  It
 * is changed outside the stepped region, or by the handler, never by both.  If
 * a handler's own calls are stepped, too, it is changed between them.
 */
#include "stepper.h"

#include <signal.h>

#define TABLE	8192
#define SPARES	64

static struct {
	void *obj;
	bool owned;
} table[TABLE];

struct stepper step;

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

void step_take(void *obj)
{
	bool *o = owned(obj);

	if (*o)
		step.twice++;
	*o = true;
}

void step_give(void *obj)
{
	bool *o = owned(obj);

	if (!*o)
		step.twice++;
	*o = false;
}

/* Note whether objects <= charge <= bound holds for the thread that was interrupted. */
static void check_bound(void)
{
	struct plat_area *area = plat_this_area();
	unsigned long held = 0, full = 0, charged;
	unsigned int i;

	if (!area)
		return;
	charged = pool_charged(&area->cpu);
	for (i = 0; i < STEP_POOLS; i++) {
		struct pool_local *l = plat_local_of(step.pool[i],
						     area->number);
		unsigned int size = step.pool[i]->head.size;

		if (!l)
			continue;
		held += (l->hot.slots + l->clustered) * size;
		full += (l->hot.n + l->clustered) * size;
	}
	if (held > charged || full > charged ||
	    charged > step.bound)
		step.beyond++;
}

/*
 * In each 7th step take an object of the reserve, and free it: to the reserve if the case
 * refills, else to the pool.
 */
static void take_reserved(void)
{
	void *obj = NULL;

	if (step.reserve && step.steps % 7 == 0)
		obj = pool_alloc_reserved(step.reserve);
	if (!obj)
		return;
	step.reserved++;
	step_take(obj);
	step_give(obj);
	if (step.refills)
		pool_free_reserved(step.reserve, obj, POOL_F_ATOMIC);
	else
		__pool_free(&step.pool[0]->head, obj, POOL_F_ATOMIC);
}

static void *handler_alloc(struct pool_head *pool, bool stepped)
{
	void *obj;

	if (stepped)
		trap_on();
	obj = __pool_alloc(pool, POOL_F_ATOMIC);
	if (stepped)
		trap_off();
	if (!obj)
		return NULL;
	step_take(obj);
	step.got++;
	return obj;
}

static void handler_free(struct pool_head *pool, void *obj, bool stepped)
{
	if (!obj)
		return;
	step_give(obj);
	if (stepped)
		trap_on();
	__pool_free(pool, obj, POOL_F_ATOMIC);
	if (stepped)
		trap_off();
}

/* Use each pool in turn: allocate two objects, keep one for a while, free the other. */
static void use_pools(unsigned int level, bool stepped)
{
	unsigned int which = step.turn % STEP_POOLS;
	unsigned int place = (step.turn / STEP_POOLS) % STEP_KEPT;
	void **slot = &step.kept[level][which][place];
	struct pool_head *pool = &step.pool[which]->head;
	void *obj[2];

	step.turn += 1 + (step.steps + step.inner) % 5;
	check_bound();
	take_reserved();
	obj[0] = handler_alloc(pool, stepped);
	obj[1] = handler_alloc(pool, stepped);
	handler_free(pool, *slot, stepped);
	*slot = obj[0];
	handler_free(pool, obj[1], stepped);
	check_bound();
}

/* A handler interrupts a stepped call of a handler; its own calls are not stepped. */
static void on_inner_step(void)
{
	if (step.inner++ % STEP_INNER)
		return;
	use_pools(1, false);
}

static void on_step(int sig)
{
	(void)sig;
	if (step.inside) {
		on_inner_step();
		return;
	}
	step.steps++;
	step.inside = true;
	use_pools(0, step.deep && step.steps % step.deep == 0);
	step.inside = false;
}

void *step_alloc(struct pool *pool)
{
	void *obj;

	trap_on();
	obj = pool_alloc(&pool->head);
	trap_off();
	if (obj)
		step_take(obj);
	return obj;
}

void step_free(struct pool *pool, void *obj)
{
	if (!obj)
		return;
	step_give(obj);
	trap_on();
	pool_free(&pool->head, obj);
	trap_off();
}

/*
 * Stock empty clusters for the handler, which cannot make any.  Without them all that it
 * frees would be parked, and little else would happen.
 */
static void stock_spares(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < SPARES; i++)
		pool_cluster_put(pool, test_cluster_new(), POOL_F_ATOMIC);
}

bool step_begin(unsigned long bound, unsigned int cluster, unsigned int mode)
{
	struct sigaction act = {
		.sa_handler = on_step, .sa_flags = SA_NODEFER
	};
	unsigned int i;

	memset(&step, 0, sizeof(step));
	memset(table, 0, sizeof(table));
	step.bound = bound / STEP_LESS;
	test_options(step.bound, cluster);
	test_mode(mode);
	for (i = 0; i < STEP_POOLS; i++) {
		step.pool[i] = test_pool(32 << i);
		if (!step.pool[i])
			return false;
		if (!mode)
			stock_spares(step.pool[i]);
	}
	return !sigaction(SIGTRAP, &act, NULL);
}

/* True if a pool reports a fault, although no call makes one. */
static bool is_accused(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < POOL_FAULT_KINDS; i++)
		if (plat_read(&pool->faults[i]))
			return true;
	return false;
}

/* Free what the handler kept; then all numbers must add up. */
bool step_end(void)
{
	bool good = !step.twice && !step.beyond && !step.full && step.steps &&
		    step.got;
	unsigned int i, j;

	for (i = 0; i < STEP_POOLS; i++) {
		for (j = 0; j < STEP_LEVELS * STEP_KEPT; j++)
			test_free(step.pool[i],
				  step.kept[j / STEP_KEPT][i][j % STEP_KEPT]);
		pool_drain_parked(step.pool[i]);
		good = good && !is_accused(step.pool[i]);
		good = good && test_quiet(step.pool[i], 0);
		good = !pool_destroy(&step.pool[i]->head) && good;
	}
	signal(SIGTRAP, SIG_DFL);
	return good;
}
