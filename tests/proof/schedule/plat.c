// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plat.c - cold half of the seam, for the schedule enumerator
 *
 * Layer:   seam; the third beside kernel/plat.c and user/plat.c, in the order of
 *	    common/seam/plat.h.
 * Context: as common/seam/plat.h says; fibres.
 *
 * Operations that no scenario reaches are missing; the linker leaves their callers out.
 */
#include "seam/plat.h"
#include "sched.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const struct plat_policy plat_policies[] = {
	{ "abort", POOL_POLICY_ABORT },
	{ NULL, 0 },
};

struct plat_area *plat_areas[PLAT_CPUS];
unsigned int plat_cpus;
unsigned long plat_live;
const struct plat_area plat_zeros;

/* The pool at each place; places are the same in all areas. */
static const struct pool *places[PLAT_LOCALS];

static struct {
	unsigned int holder;	/* 0: none */
	const char *name;
} mutexes[] = {
	[PLAT_WAITERS] = { 0, "waiters mutex" },
	[PLAT_REGISTRY] = { 0, "registry mutex" },
	[PLAT_CREATE] = { 0, "create mutex" },
	[PLAT_DUMP] = { 0, "dump mutex" },
};

/* A word that stands for the arena, so that calls which change the arena are points. */
static unsigned int arena_users;

/* Make areas for a scenario.  The world is as it was when the program began. */
void plat_begin(unsigned int cpus)
{
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		plat_areas[i] = world_alloc(sizeof(struct plat_area));
		plat_areas[i]->number = i;
		pool_cpu_init(&plat_areas[i]->cpu);
	}
	plat_cpus = cpus;
	plat_live = (1ul << cpus) - 1;
	pool_options_start(&(struct pool_start){
		.cpus = cpus, .page = WORLD_GRANULE, .nodes = 1,
	});
}

/* Locks: any other fibre may hold one at the next step. */

static bool try_lock(unsigned int *lock, const char *op, const char *what)
{
	sched_point(__func__, op, what, lock, sizeof(*lock));
	if (*lock)
		return false;
	*lock = sched->cur + 1;
	return true;
}

static void wait_lock(unsigned int *lock, const char *what)
{
	while (!try_lock(lock, "lock", what))
		sched_wait(lock);
}

static void unlock(unsigned int *lock, const char *what)
{
	sched_point(__func__, "unlock", what, lock, sizeof(*lock));
	if (*lock != sched->cur + 1)
		sched_fail("%s is unlocked by whoever does not hold it", what);
	sched_order(__ATOMIC_RELEASE);
	*lock = 0;
}

bool plat_cpu_trylock(struct pool_cpu *cpu)
{
	return try_lock(&cpu->lock.holder, "try lock", "cpu->lock");
}

void plat_cpu_lock(struct pool_cpu *cpu)
{
	wait_lock(&cpu->lock.holder, "cpu->lock");
}

void plat_cpu_unlock(struct pool_cpu *cpu)
{
	unlock(&cpu->lock.holder, "cpu->lock");
}

static bool has_place(struct pool *pool, unsigned int i)
{
	if (places[i])
		return false;
	places[i] = pool;
	pool->own.hot = offsetof(struct plat_area, local) +
			i * sizeof(struct pool_local);
	pool->head.hot = pool->own.hot;
	return true;
}

bool plat_local_alloc(struct pool *pool)
{
	unsigned int i;

	sched_point(__func__, "take", "places", places, sizeof(places[0]));
	for (i = 0; i < PLAT_LOCALS; i++)
		if (has_place(pool, i))
			return true;
	sched_die("a scenario has too many pools");
}

void plat_local_free(struct pool *pool)
{
	unsigned int i;

	sched_point(__func__, "give", "places", places, sizeof(places[0]));
	for (i = 0; i < plat_cpus; i++)
		if (plat_local_of(pool, i)->pool)
			sched_fail("a pool that ends has parts that are set up");
	for (i = 0; i < PLAT_LOCALS; i++)
		if (places[i] == pool)
			places[i] = NULL;
}

void plat_mutex_lock(enum plat_mutex mutex)
{
	wait_lock(&mutexes[mutex].holder, mutexes[mutex].name);
}

static void wake(void)
{
	unsigned int i;

	for (i = 0; i < SCHED_FIBRES; i++)
		if (!sched_fibre[i].word)
			sched_fibre[i].asleep = 0;
}

void plat_mutex_unlock(enum plat_mutex mutex)
{
	if (mutex == PLAT_REGISTRY)
		wake();
	unlock(&mutexes[mutex].holder, mutexes[mutex].name);
}

void plat_registry_wait(void)
{
	unsigned int who = sched->cur;

	if (who == SCHED_NOBODY) {
		sched_fail("it waits for nobody");
		return;
	}
	sched_fibre[who].asleep = 1;
	unlock(&mutexes[PLAT_REGISTRY].holder, "registry mutex");
	sched_wait(&sched_fibre[who].asleep);
	plat_mutex_lock(PLAT_REGISTRY);
}

/* The first to allocate gets the lower address; for the rest the order is irrelevant. */
static void point_at_arena(const char *function, const char *op)
{
	sched_point(function, op, "arena", &arena_users, sizeof(arena_users));
}

static void *allocate(const char *function, size_t size)
{
	point_at_arena(function, "take from");
	return world_alloc(size);
}

static void release(const char *function, void *p)
{
	point_at_arena(function, "give to");
	world_free(p);
}

void *plat_mem_alloc(size_t size, enum plat_mem how)
{
	(void)how;
	return allocate(__func__, size);
}

void plat_mem_free(void *p)
{
	if (p)
		release(__func__, p);
}

bool plat_backend_create(struct plat_backend *backend, const char *name, unsigned long long id,
			 unsigned int size, const struct pool_attr *attr,
			 unsigned int debug, const char **why)
{
	(void)name;
	(void)id;
	(void)attr;
	(void)debug;
	(void)why;
	*backend = (struct plat_backend){ .size = size };
	return true;
}

void plat_backend_destroy(struct plat_backend *backend, unsigned long lost)
{
	if (backend->live != lost)
		sched_fail("%u objects are left when their source ends",
			   backend->live);
}

unsigned int plat_backend_alloc(struct plat_backend *backend, unsigned int n, void **objs,
				unsigned int flags)
{
	unsigned int i;

	(void)flags;
	for (i = 0; i < n; i++) {
		objs[i] = allocate(__func__, backend->size);
		backend->live++;
		judge_made(backend, objs[i]);
	}
	return n;
}

unsigned int plat_backend_free(struct plat_backend *backend, unsigned int n, void **objs,
			       enum pool_fault *fault)
{
	unsigned int i;

	(void)fault;
	for (i = 0; i < n; i++) {
		point_at_arena(__func__, "give to");
		judge_unmade(objs[i]);
		backend->live--;
		world_free(objs[i]);
	}
	return n;
}

bool plat_sparse;

bool plat_backend_denser(const struct plat_backend *backend, const void *old,
			 const void *new)
{
	(void)backend;
	return plat_sparse && (!old || !new || (uintptr_t)new < (uintptr_t)old);
}

bool plat_guard_check(const struct plat_backend *backend, const void *obj, long *where)
{
	(void)backend;
	(void)obj;
	(void)where;
	return true;
}

bool plat_peek(void *to, const void *from, size_t bytes)
{
	if (world_block(from) < 0)
		return false;
	memcpy(to, from, bytes);
	return true;
}

/* Empty: the only memory is the arena. */
void plat_trim(bool asked)
{
	(void)asked;
}

/* Nothing to do: scenarios have interrupts, which come at any step. */
bool plat_empty_arrays(struct pool *pool, unsigned int ms)
{
	(void)pool;
	(void)ms;
	return false;
}

/* plat_pause() would be here: sched.c. */

/* The clock stands still, except for calls that wait for less than POOL_ASK_EVERY. */
static unsigned int clock = 1;

unsigned int plat_resched(void)
{
	return clock;
}

/* A wait with a time limit may end at any moment: try with others running first, and without. */
unsigned int plat_wait(unsigned int *word, unsigned int seen, unsigned int ms)
{
	unsigned int who = sched->cur;

	sched_point(__func__, "wait at", "word", word, sizeof(*word));
	if (*word != seen)
		return clock;
	if (ms != POOL_FOREVER) {
		plat_pause(true);
		clock += ms < POOL_ASK_EVERY ? ms : 0;
		return clock;
	}
	if (who == SCHED_NOBODY) {
		sched_fail("it waits for nobody");
		return 0;
	}
	sched_fibre[who].word = word;
	sched_fibre[who].asleep = 1;
	sched_wait(&sched_fibre[who].asleep);
	return clock;
}

void plat_wake(unsigned int *word)
{
	unsigned int i;

	sched_point(__func__, "wake at", "word", word, sizeof(*word));
	sched_order(__ATOMIC_SEQ_CST);
	for (i = 0; i < SCHED_FIBRES; i++)
		if (sched_fibre[i].word == word) {
			sched_fibre[i].word = NULL;
			sched_fibre[i].asleep = 0;
		}
}

void plat_show(struct pool *pool, bool shown)
{
	if (shown)
		judge_shown(pool);
	else
		judge_hidden(pool);
}

void plat_where(char *buf, size_t size)
{
	snprintf(buf, size, "%s", sched_name(sched->cur));
}

void plat_fault(enum pool_policy policy)
{
	(void)policy;
	sched_fail("a fault is reported");
}

size_t plat_symbol(char *buf, size_t size, const void *addr)
{
	return snprintf(buf, size, "%p", addr);
}

/* Empty: the text is not read. */
void plat_print(char *text)
{
	(void)text;
}

void plat_log(enum plat_level level, const char *fmt, ...)
{
	char line[256];
	va_list args;

	(void)level;
	if (!sched->tracing)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	sched_note("log: %s", line);
}
