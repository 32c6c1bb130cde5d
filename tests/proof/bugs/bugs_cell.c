// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bugs_cell.c - a cell of the matrix: its pools, and its findings
 *
 * Layer:   tests, above the API; looks at counters of the pools.
 * Context: may sleep; one cell at a time.
 *
 * A cell makes two pools, allocates objects of the first, makes the bug, and then goes on as a
 * program would: it allocates, reclaims and destroys.  After each step it checks whether a fault
 * was counted.
 */
#include "bugs.h"

#define TRIES	100u

/* What report.c prints for each kind of fault. */
static const char * const reports[POOL_FAULT_KINDS] = {
	[POOL_FAULT_WRITTEN] = "written to while free",
	[POOL_FAULT_OVERFLOW] = "written to behind its end",
	[POOL_FAULT_UNDERFLOW] = "written to in front of its beginning",
	[POOL_FAULT_DOUBLE_FREE] = "freed twice",
	[POOL_FAULT_FOREIGN] = "freed, but no object",
	[POOL_FAULT_INTERIOR] = "freed by a pointer into it",
	[POOL_FAULT_WRONG_POOL] = "freed to the wrong pool",
	[POOL_FAULT_DESTROYED] = "used after pool_destroy()",
	[POOL_FAULT_ELSEWHERE] = "freed, but not to its pool",
};

static const char * const when_words[] = {
	[BUGS_NEVER] = "-",
	[BUGS_ACCESS] = "access",
	[BUGS_SHOWN] = "shown",
	[BUGS_FREE] = "free",
	[BUGS_ALLOC] = "alloc",
	[BUGS_RECLAIM] = "reclaim",
	[BUGS_DESTROY] = "destroy",
	[BUGS_WRONG] = "wrong",
};

/* Note a finding: only the first one counts, unless the cell itself does not work. */
void bugs_found(struct bugs_cell *cell, enum bugs_when when,
		const char *report)
{
	if (cell->when != BUGS_NEVER && when != BUGS_WRONG)
		return;
	cell->when = when;
	cell->report = report;
}

static void look_at(struct bugs_cell *cell, struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < POOL_FAULT_KINDS; i++)
		if (plat_read(&pool->faults[i]))
			bugs_found(cell, cell->now, reports[i]);
}

/* True if a fault has been counted by now. */
bool bugs_look(struct bugs_cell *cell)
{
	look_at(cell, cell->pool);
	look_at(cell, cell->other);
	return cell->when != BUGS_NEVER;
}

/* Note that the next step begins. */
void bugs_step(struct bugs_cell *cell, enum bugs_when now)
{
	bugs_look(cell);
	cell->now = now;
}

/* Allocate; retry after failures that an option injects. */
void *bugs_get(struct pool *pool)
{
	unsigned int tries = TRIES;
	void *obj = NULL;

	while (!obj && tries--)
		obj = pool_alloc(&pool->head);
	return obj;
}

/* Options as in LIBPOOL_OPTIONS; the first are those that the library was built with. */
const char * const bugs_options[] = {
	"none",
	"fail",
	"no-merge",
	"cold-first",
	"integrity",
	"no-global",
	"no-cache",
	"caller",
	"tag",
	"poison",
	"uaf",
	"backup",
	"memstats",
	"integrity,hot-first",
	"tag,integrity,caller",
	"tag,integrity,poison,caller,backup",
	"uaf,cache",
	"uaf,tag",
	NULL,
};

/* Make the pool that the bug is about; false: it cannot be made. */
bool bugs_make_pool(struct bugs_cell *cell)
{
	struct pool_head *head = create_pool("bugs", BUGS_SIZE, MEM_F_EXACT);

	cell->pool = head ? pool_of(head) : NULL;
	return head;
}

/* Set the options and make the pools of a cell. */
static bool make_pools(struct bugs_cell *cell, const char *options)
{
	struct pool_head *other;

	if (options != bugs_options[0] &&
	    !pool_options_set(options, "bugs", true))
		return false;
	pool_options.policy = POOL_POLICY_CONTINUE;
	other = create_pool("others", BUGS_SIZE, MEM_F_EXACT);
	cell->other = other ? pool_of(other) : NULL;
	return bugs_make_pool(cell) && other;
}

/* Choose the victim: an object with only this cell's memory around it. */
static bool take_victim(struct bugs_cell *cell)
{
	bool guarded = plat_read(&cell->pool->debug) & POOL_D_UAF;
	struct pool_layout layout;
	unsigned int i;

	pool_layout_of(cell->pool, BUGS_SIZE, &layout);
	for (i = 0; i < BUGS_OBJS; i++)
		cell->obj[i] = bugs_get(cell->pool);
	for (i = BUGS_OBJS / 2; i < BUGS_OBJS; i++) {
		if (!cell->obj[i])
			continue;
		if (!guarded && !bugs_has_room(cell->obj[i], layout.total))
			continue;
		cell->victim = cell->obj[i];
		cell->is_used = true;
		cell->obj[i] = NULL;
		return true;
	}
	return false;
}

/* End the pools; objects that were not freed are reported. */
static void end_pools(struct bugs_cell *cell)
{
	unsigned int i;

	bugs_step(cell, BUGS_RECLAIM);
	pool_reclaim(&cell->pool->head);
	pool_reclaim(&cell->other->head);
	bugs_step(cell, BUGS_DESTROY);
	for (i = 0; i < BUGS_OBJS; i++)
		pool_free(&cell->pool->head, cell->obj[i]);
	bugs_look(cell);
	if (pool_destroy(&cell->pool->head)) {
		bugs_found(cell, cell->is_used ? BUGS_DESTROY : BUGS_WRONG,
			   "in use");
		pool_destroy_every();
	} else if (pool_destroy(&cell->other->head)) {
		bugs_found(cell, BUGS_WRONG, "in use");
		pool_destroy_every();
	}
}

/**
 * bugs_run() - Run one cell.
 * @cell: filled in.
 * @bug: the bug.
 * @options: one of bugs_options[].
 *
 * In the end options are as they were, and there is no pool.
 */
void bugs_run(struct bugs_cell *cell, const struct bug *bug,
	      const char *options)
{
	struct pool_options saved = pool_options;

	*cell = (struct bugs_cell){ .bug = bug, .report = "-" };
	if (!make_pools(cell, options)) {
		bugs_found(cell, BUGS_WRONG, "no pool");
		pool_destroy_every();
	} else if (!take_victim(cell)) {
		bugs_found(cell, BUGS_WRONG, "no room");
		pool_destroy_every();
	} else {
		bug->make(cell);
		end_pools(cell);
	}
	pool_options = saved;
}

/**
 * bugs_line() - Write the line of a cell.
 * @cell: one that has run.
 * @options: its options.
 * @text: the line, with a newline; always terminated.
 * @size: its bytes.
 *
 * Return: what would have been written, without the terminator.
 */
size_t bugs_line(const struct bugs_cell *cell, const char *options, char *text,
		 size_t size)
{
	return snprintf(text, size, "%s %s %s %s\n", cell->bug->name,
			options, when_words[cell->when], cell->report);
}
