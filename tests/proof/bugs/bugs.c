// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bugs.c - the bugs of the matrix, in both worlds
 *
 * Layer:   tests, above the API.
 * Context: may sleep; one cell at a time.
 *
 * The program or kernel must survive.  So a write to memory that is not the pool's is undone at
 * once: a cell says what the pool sees, not what malloc() or the slab allocator does.  A wrong
 * pointer that a pool accepted is taken out again.  A free that would pass a wrong pointer directly
 * to the platform, because the pool has neither checks nor caches, is left out, and the bug counts
 * as not found.
 */
#include "bugs.h"

/* Memory that belongs to no pool. */
static unsigned char foreign[BUGS_SIZE] __attribute__((aligned(64)));

static unsigned char before[BUGS_DAMAGE];
static unsigned char damaged[BUGS_DAMAGE];

/* Fill an object with bytes that are neither zeros nor any filler. */
static void use(struct bugs_cell *cell)
{
	unsigned int i;

	for (i = 0; i < BUGS_SIZE; i++)
		cell->victim[i] = (unsigned char)(i * 7 + 1);
}

static void put_victim(struct bugs_cell *cell)
{
	cell->puts = plat_read(&cell->pool->store_puts);
	pool_free(&cell->pool->head, cell->victim);
	cell->is_used = false;
}

/* True if the victim's memory belongs to the user, or still to the pool. */
static bool is_held(struct bugs_cell *cell)
{
	return cell->is_used ||
	       plat_read(&cell->pool->store_puts) == cell->puts;
}

/*
 * Undo writes to memory that is not the pool's.  Around guarded objects all memory is the pool's.
 */
static void undo(struct bugs_cell *cell, long at, unsigned int n)
{
	struct pool_layout layout;
	bool held = is_held(cell);
	unsigned int i;

	if (plat_read(&cell->pool->debug) & POOL_D_UAF)
		return;
	pool_layout_of(cell->pool, BUGS_SIZE, &layout);
	for (i = 0; i < n; i++, at++)
		if (!held || at < 0 || at >= (long)layout.total)
			bugs_write(cell->victim + at, &before[i], 1);
}

/* Flip bits, so that each byte changes, whatever it was. */
static void damage(struct bugs_cell *cell)
{
	const struct bug *bug = cell->bug;
	unsigned int i;

	bugs_step(cell, BUGS_ACCESS);
	if (!bugs_read(before, cell->victim + bug->at, bug->bytes)) {
		bugs_found(cell, BUGS_ACCESS, "page fault");
		return;
	}
	for (i = 0; i < bug->bytes; i++)
		damaged[i] = bug->flip ? before[i] ^ bug->flip : 0;
	if (!bugs_write(cell->victim + bug->at, damaged, bug->bytes))
		bugs_found(cell, BUGS_ACCESS, "page fault");
	undo(cell, bug->at, bug->bytes);
}

static void free_rightly(struct bugs_cell *cell)
{
	bugs_step(cell, BUGS_FREE);
	put_victim(cell);
}

/* Allocate, as a program that goes on after the bug does. */
static void alloc_next(struct bugs_cell *cell)
{
	void *next;

	bugs_step(cell, BUGS_ALLOC);
	next = bugs_get(cell->pool);
	if (next)
		pool_free(&cell->pool->head, next);
	else
		bugs_found(cell, BUGS_WRONG, "nothing left");
}

static void no_bug(struct bugs_cell *cell)
{
	bugs_step(cell, BUGS_ACCESS);
	use(cell);
	free_rightly(cell);
	alloc_next(cell);
}

static void write_outside(struct bugs_cell *cell)
{
	damage(cell);
	free_rightly(cell);
	alloc_next(cell);
}

static void write_free(struct bugs_cell *cell)
{
	use(cell);
	free_rightly(cell);
	damage(cell);
	alloc_next(cell);
}

static void write_free_evicted(struct bugs_cell *cell)
{
	use(cell);
	free_rightly(cell);
	damage(cell);
}

static bool is_poison(void)
{
	unsigned int i;

	for (i = 0; i < BUGS_SIZE; i++)
		if (before[i] != plat_read(&pool_options.poison))
			return false;
	return true;
}

static bool is_pattern(const void *obj)
{
	unsigned int phase;

	for (phase = 1; phase <= 3; phase++)
		if (pool_pattern_check(obj, BUGS_SIZE, phase) < 0)
			return true;
	return false;
}

/* Read an object; note a filler, which a program does not expect. */
static void read_all(struct bugs_cell *cell, const void *obj)
{
	bugs_step(cell, BUGS_ACCESS);
	if (!bugs_read(before, obj, BUGS_SIZE))
		bugs_found(cell, BUGS_ACCESS, "page fault");
	else if (is_poison())
		bugs_found(cell, BUGS_SHOWN, "poison");
	else if (is_pattern(obj))
		bugs_found(cell, BUGS_SHOWN, "pattern");
}

static void read_free(struct bugs_cell *cell)
{
	use(cell);
	free_rightly(cell);
	read_all(cell, cell->victim);
	alloc_next(cell);
}

static void use_new(struct bugs_cell *cell)
{
	read_all(cell, cell->victim);
	free_rightly(cell);
}

static void use_again(struct bugs_cell *cell)
{
	void *next;

	use(cell);
	free_rightly(cell);
	next = bugs_get(cell->pool);
	if (!next)
		return;
	read_all(cell, next);
	pool_free(&cell->pool->head, next);
}

/* True if a pool would pass a wrong pointer directly to the platform. */
static bool passes_on(const struct pool *pool)
{
	unsigned int word = plat_read(&pool->debug);

	return (word & POOL_D_NO_CACHE) && !(word & POOL_D_CHECKED);
}

/* Take a wrongly freed pointer out of a pool. */
static void take_back(struct bugs_cell *cell, struct pool *pool)
{
	void *others[BUGS_OBJS], *obj = NULL;
	unsigned int n = 0;

	while (n < BUGS_OBJS) {
		obj = bugs_get(pool);
		if (obj == cell->wrong)
			break;
		others[n++] = obj;
	}
	if (obj != cell->wrong)
		bugs_found(cell, BUGS_WRONG, "lost");
	while (n--)
		pool_free(&pool->head, others[n]);
}

/* Free cell->wrong, a pointer that is no object of the pool. */
static void misfree(struct bugs_cell *cell, struct pool *pool)
{
	if (passes_on(pool))
		return;
	pool_free(&pool->head, cell->wrong);
	if (!bugs_look(cell))
		take_back(cell, pool);
}

static void free_twice(struct bugs_cell *cell)
{
	free_rightly(cell);
	cell->wrong = cell->victim;
	misfree(cell, cell->pool);
	alloc_next(cell);
}

static void free_twice_late(struct bugs_cell *cell)
{
	unsigned int i;

	free_rightly(cell);
	for (i = 0; i < BUGS_OBJS / 2; i++) {
		pool_free(&cell->pool->head, cell->obj[i]);
		cell->obj[i] = NULL;
	}
	cell->wrong = cell->victim;
	misfree(cell, cell->pool);
	alloc_next(cell);
}

static void free_twice_evicted(struct bugs_cell *cell)
{
	free_rightly(cell);
	pool_reclaim(&cell->pool->head);
	cell->wrong = cell->victim;
	misfree(cell, cell->pool);
	alloc_next(cell);
}

static void misfree_there(void *arg)
{
	struct bugs_cell *cell = arg;

	plat_cpu_ready(cell->pool, 0);
	misfree(cell, cell->pool);
}

static void free_twice_there(struct bugs_cell *cell)
{
	free_rightly(cell);
	cell->wrong = cell->victim;
	bugs_on_other(misfree_there, cell);
	alloc_next(cell);
}

static void free_to_other(struct bugs_cell *cell)
{
	bugs_step(cell, BUGS_FREE);
	cell->wrong = cell->victim;
	misfree(cell, cell->other);
	put_victim(cell);
	alloc_next(cell);
}

static void free_foreign(struct bugs_cell *cell)
{
	bugs_step(cell, BUGS_FREE);
	cell->wrong = foreign;
	misfree(cell, cell->pool);
	put_victim(cell);
	alloc_next(cell);
}

static void free_interior(struct bugs_cell *cell)
{
	bugs_step(cell, BUGS_FREE);
	cell->wrong = cell->victim + cell->bug->at;
	misfree(cell, cell->pool);
	put_victim(cell);
	alloc_next(cell);
}

/* Leave the victim in use. */
static void leak(struct bugs_cell *cell)
{
	alloc_next(cell);
}

/*
 * Free all objects, destroy the pool, and make a call with its pointer.  The call is left out
 * without checks, because the pool's memory may belong to another user then; so the bug counts as
 * not found.  The cell goes on with a new pool.
 */
static void use_destroyed(struct bugs_cell *cell, enum bugs_when now,
			  void (*call)(struct bugs_cell *cell))
{
	bool checked = plat_read(&cell->pool->debug) & POOL_D_CHECKED;
	unsigned int i;

	free_rightly(cell);
	for (i = 0; i < BUGS_OBJS; i++) {
		pool_free(&cell->pool->head, cell->obj[i]);
		cell->obj[i] = NULL;
	}
	bugs_step(cell, now);
	if (pool_destroy(&cell->pool->head)) {
		bugs_found(cell, BUGS_WRONG, "in use");
		return;
	}
	if (checked) {
		call(cell);
		bugs_look(cell);
	}
	if (!bugs_make_pool(cell))
		bugs_found(cell, BUGS_WRONG, "no pool");
}

static void call_destroy(struct bugs_cell *cell)
{
	pool_destroy(&cell->pool->head);
}

static void call_alloc(struct bugs_cell *cell)
{
	pool_alloc(&cell->pool->head);
}

static void call_free(struct bugs_cell *cell)
{
	pool_free(&cell->pool->head, cell->victim);
}

static void destroy_twice(struct bugs_cell *cell)
{
	use_destroyed(cell, BUGS_DESTROY, call_destroy);
}

static void alloc_destroyed(struct bugs_cell *cell)
{
	use_destroyed(cell, BUGS_ALLOC, call_alloc);
}

static void free_destroyed(struct bugs_cell *cell)
{
	use_destroyed(cell, BUGS_FREE, call_free);
}

const struct bug bugs[] = {
	{ "no-bug", no_bug, 0, 0, 0 },
	{ "overflow-1", write_outside, BUGS_SIZE, 1, 0xff },
	{ "overflow-8", write_outside, BUGS_SIZE, 8, 0xff },
	{ "overflow-4096", write_outside, BUGS_SIZE, 4096, 0xff },
	{ "underflow-1", write_outside, -1, 1, 0xff },
	{ "underflow-4096", write_outside, -4096, 4096, 0xff },
	{ "write-free-first", write_free, 0, 1, 0xff },
	{ "write-free-middle", write_free, BUGS_SIZE / 2, 1, 0xff },
	{ "write-free-last", write_free, BUGS_SIZE - 1, 1, 0xff },
	{ "write-free-uniform", write_free, 0, BUGS_SIZE, 0 },
	{ "write-free-bit", write_free, BUGS_SIZE / 3, 1, 0x10 },
	{ "write-free-evicted", write_free_evicted, 100, 4, 0xff },
	{ "read-free", read_free, 0, 0, 0 },
	{ "double-free", free_twice, 0, 0, 0 },
	{ "double-free-late", free_twice_late, 0, 0, 0 },
	{ "double-free-evicted", free_twice_evicted, 0, 0, 0 },
	{ "double-free-other-cpu", free_twice_there, 0, 0, 0 },
	{ "wrong-pool", free_to_other, 0, 0, 0 },
	{ "never-allocated", free_foreign, 0, 0, 0 },
	{ "interior", free_interior, 64, 0, 0 },
	{ "leak", leak, 0, 0, 0 },
	{ "destroy-twice", destroy_twice, 0, 0, 0 },
	{ "destroyed-alloc", alloc_destroyed, 0, 0, 0 },
	{ "destroyed-free", free_destroyed, 0, 0, 0 },
	{ "uninitialised-new", use_new, 0, 0, 0 },
	{ "uninitialised-again", use_again, 0, 0, 0 },
	{ NULL, NULL, 0, 0, 0 },
};
