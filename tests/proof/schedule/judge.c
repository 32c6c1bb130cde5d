// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * judge.c - what must be true, at each step and at the end
 *
 * Layer:   tests; the enumerator.
 * Context: fibres; between two points all is one step.
 *
 *   at each step   real sum <= charged <= bound, on each CPU, and places count what
 *                  they have, where no store is late
 *   alloc          no user has the object; NULL only if there was a moment at
 *                  which no object was within reach
 *   free           it is as its user left it
 *   backend        never more than the limit; no user has what is given back
 *   end            numbers are exact; each object is in one place, or a user's;
 *                  pools can be destroyed, and nothing is left behind
 */
#include "judge.h"

#include <string.h>

/* The kind of call that a fibre is in. */
enum doing {
	DOING_NOTHING,
	DOING_ALLOC,
	DOING_FREE,
	DOING_HAND_ON,			/* drains all that a CPU has */
};

struct call {
	struct pool *pool;
	enum doing doing;
	unsigned int n;			/* objects that the call wants at most */
	unsigned int hot;		/* most that its CPU's array had meanwhile */
	bool had_none;			/* at one moment no object was within reach */
};

/* Part of the world. */
struct pool *pools[PLAT_LOCALS];
unsigned char owner[WORLD_GRANULES];
unsigned char whose[WORLD_GRANULES];	/* the id of the object's pool */
unsigned int used[IDS];			/* objects that users have, by id */
static struct call call[SCHED_FIBRES + 1];
unsigned int granules;			/* in use before the scenario began */

void judge_begin(void)
{
	granules = world_used();
}

/*
 * Leave each pool as a call that was refused before the scenario may leave it: with the departures
 * that the call read, and perhaps a note that nothing is free (pool_used_up()).
 */
void judge_settled(void)
{
	struct pool_reading reading;
	unsigned int i;

	for (i = 0; i < PLAT_LOCALS; i++) {
		if (!pools[i])
			continue;
		pool_reach_read(pools[i], &reading);
		pools[i]->settled = reading.departures;
		if (pools[i]->limit)
			pool_used_up(pools[i], pools[i]->limit);
	}
}

void judge_shown(struct pool *pool)
{
	unsigned int i;

	if (pool->id >= IDS)
		sched_die("a scenario makes too many pools");
	for (i = 0; i < PLAT_LOCALS && pools[i]; i++)
		;
	pools[i] = pool;
}

void judge_hidden(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < PLAT_LOCALS; i++)
		if (pools[i] == pool)
			pools[i] = NULL;
}

int index_of(const void *obj)
{
	return world_block((const void *)((unsigned long)obj &
					  ~POOL_SEAL_BITS));
}

/* Note an object that the platform has allocated. */
void judge_made(struct plat_backend *backend, void *obj)
{
	struct pool *pool = pool_list_entry(backend, struct pool, backend);
	int at = index_of(obj);

	owner[at] = OWNER_POOL;
	whose[at] = (unsigned char)pool->id;
	if (pool->limit && backend->live > pool->limit)
		sched_fail("there are %u objects, above the limit of %u",
			   backend->live, pool->limit);
}

void judge_unmade(void *obj)
{
	int at = index_of(obj);

	if (at < 0 || owner[at] != OWNER_POOL)
		sched_fail("%p is given to the platform: %s", obj,
			   at < 0 || owner[at] == OWNER_NONE ? "no object" :
							       "it is a user's");
	owner[at] = OWNER_NONE;
}

/*
 * Count the objects in a CPU's array.  Objects that a call takes out are not within reach until
 * other CPUs see their new place, which may be late.
 */
static unsigned int hot_of(const struct pool *pool, unsigned int cpu)
{
	unsigned int n = plat_local_of(pool, cpu)->hot.n;
	unsigned int i;

	for (i = cpu; i < SCHED_FIBRES; i += SCHED_CPUS)
		if (call[i].pool == pool && call[i].hot > n)
			n = call[i].hot;
	return n;
}

/* Note the most objects that the array had during a call that must know this. */
static void look_at_array(unsigned int who)
{
	struct call *c = &call[who];
	unsigned int n;

	if (!sched->weak || !c->pool ||
	    sched_cpu(who) != sched_cpu(sched->cur))
		return;
	n = plat_local_of(c->pool, sched_cpu(who))->hot.n;
	if (c->hot < n)
		c->hot = n;
}

/*
 * True if there is an object that a call may get under a limit.  Objects count unless users have
 * them, other calls move them, or they are in other CPUs' arrays; while calls wait these count,
 * too.
 */
static bool has_some(unsigned int who)
{
	const struct pool *pool = call[who].pool;
	unsigned long taken = used[pool->id];
	unsigned int i;

	if (pool->waiting)
		return false;
	for (i = 0; i < SCHED_FIBRES; i++)
		if (i != who && call[i].pool == pool)
			taken += call[i].n;
	for (i = 0; i < plat_cpus; i++)
		if (i != sched_cpu(who))
			taken += hot_of(pool, i);
	return taken + call[who].n <= pool->limit;
}

static void look_for(unsigned int who)
{
	struct call *c = &call[who];

	if (c->doing == DOING_ALLOC && !c->had_none && !has_some(who))
		c->had_none = true;
}

void judge_point(void)
{
	unsigned int i;

	for (i = 0; i < plat_cpus && !sched->weak; i++)
		judge_bound(i);
	for (i = 0; i < PLAT_LOCALS && !sched->weak; i++)
		if (pools[i]) {
			judge_places(pools[i]);
			judge_slots(pools[i]);
		}
	for (i = 0; i < SCHED_FIBRES; i++)
		look_at_array(i);
	for (i = 0; i < SCHED_FIBRES; i++)
		look_for(i);
}

/* Write to the beginning and the end of an object, as its user does. */
static void stamp(const struct pool *pool, void *obj, unsigned long word)
{
	unsigned char *end = (unsigned char *)obj + pool->head.size;

	memcpy(obj, &word, sizeof(word));
	memcpy(end - sizeof(word), &word, sizeof(word));
}

static void check_stamp(const struct pool *pool, const void *obj)
{
	const unsigned char *end = (const unsigned char *)obj + pool->head.size;
	unsigned long word = (unsigned long)obj;

	if (memcmp(obj, &word, sizeof(word)) ||
	    memcmp(end - sizeof(word), &word, sizeof(word)))
		sched_fail("%p was written to while it was a user's", obj);
}

static struct call *call_begin(struct pool_head *head, enum doing doing,
			       unsigned int n)
{
	struct call *c = &call[sched->cur];

	c->pool = pool_of(head);
	c->doing = doing;
	c->n = n;
	return c;
}

static void call_end(struct call *c)
{
	sched_order(__ATOMIC_RELEASE);
	*c = (struct call){ .pool = NULL };
}

static struct call *take_begin(struct pool_head *head, unsigned int n)
{
	struct call *c = call_begin(head, DOING_ALLOC, n);

	c->had_none = !c->pool->limit || sched->cur >= SCHED_CPUS;
	sched_note("pool_alloc(%s)", c->pool->name);
	return c;
}

/* Judge a call that got NULL, or fewer objects than it asked for. */
static void refused(struct call *c)
{
	look_for(sched->cur);
	if (!c->had_none)
		sched_fail("NULL, though an object was free all the time");
}

/* Note that an object is a user's from now on. */
static void taken(const struct pool *pool, void *obj)
{
	int at = index_of(obj);

	sched_note("pool_alloc() = %p", obj);
	if (!obj)
		return;
	if (at < 0 || owner[at] != OWNER_POOL || whose[at] != pool->id)
		sched_fail("%p is handed out: %s", obj,
			   at >= 0 && owner[at] == OWNER_USER ?
			   "a user has it" : "it is no object of the pool");
	owner[at] = OWNER_USER;
	used[pool->id]++;
	stamp(pool, obj, (unsigned long)obj);
}

/* Judge the result of a single allocation. */
static void *take_end(struct call *c, void *obj)
{
	if (!obj)
		refused(c);
	taken(c->pool, obj);
	call_end(c);
	return obj;
}

void *s_alloc_flags(struct pool_head *head, unsigned int flags)
{
	struct call *c = take_begin(head, 1);

	return take_end(c, __pool_alloc(head, flags));
}

/* Try both ends: the caller gets the object in time, or its time is over. */
void *s_alloc_timeout(struct pool_head *head, unsigned int ms)
{
	struct call *c = take_begin(head, 1);

	c->had_none |= ms != POOL_FOREVER;
	return take_end(c, pool_alloc_timeout(head, 0, ms));
}

void *s_alloc_below(struct pool_head *head)
{
	struct call *c = take_begin(head, 1);

	return take_end(c, pool_alloc_nocache(head));
}

void *s_take_remote(struct pool_head *head)
{
	struct call *c = take_begin(head, 1);

	return take_end(c, pool_take_remote(pool_of(head), POOL_F_ATOMIC));
}

void *s_alloc(struct pool_head *head)
{
	return s_alloc_flags(head, 0);
}

/* No other fibre can run between the arrival of the last object and this line. */
bool s_alloc_bulk(struct pool_head *head, unsigned int n, void **objs)
{
	struct call *c = take_begin(head, n);
	bool got = pool_alloc_bulk(head, 0, n, objs);
	unsigned int i;

	if (!got)
		refused(c);
	for (i = 0; got && i < n; i++)
		taken(c->pool, objs[i]);
	call_end(c);
	return got;
}

void *s_alloc_reserved(struct pool_head *head, struct pool_reserved *reserve)
{
	void *obj = pool_alloc_reserved(reserve);

	taken(pool_of(head), obj);
	return obj;
}

void *s_wait_reserved(struct pool_head *head, struct pool_reserved *reserve)
{
	struct call *c = take_begin(head, 1);

	return take_end(c, pool_alloc_reserved_timeout(reserve, 0, POOL_FOREVER));
}

static void given(const struct pool *pool, void *obj)
{
	sched_note("pool_free(%s, %p)", pool->name, obj);
	check_stamp(pool, obj);
	stamp(pool, obj, 0);
	owner[index_of(obj)] = OWNER_POOL;
	used[pool->id]--;
}

void s_free_flags(struct pool_head *head, void *obj, unsigned int flags)
{
	struct call *c;

	if (!obj)
		return;
	c = call_begin(head, DOING_FREE, 1);
	given(c->pool, obj);
	__pool_free(head, obj, flags);
	sched_note("pool_free() ends");
	call_end(c);
}

void s_free_reserved(struct pool_head *head, struct pool_reserved *reserve,
		     void *obj)
{
	struct call *c = call_begin(head, DOING_FREE, 1);

	given(c->pool, obj);
	pool_free_reserved(reserve, obj, POOL_F_ATOMIC);
	sched_note("pool_free_reserved() ends");
	call_end(c);
}

void s_free(struct pool_head *head, void *obj)
{
	s_free_flags(head, obj, 0);
}

void s_free_bulk(struct pool_head *head, unsigned int n, void **objs)
{
	struct call *c = call_begin(head, DOING_FREE, n);
	unsigned int i;

	for (i = 0; i < n; i++)
		given(c->pool, objs[i]);
	pool_free_bulk(head, 0, n, objs);
	sched_note("pool_free_bulk() ends");
	call_end(c);
}

void s_set_hot_size(unsigned long bytes)
{
	sched_note("pool_set_hot_size(%lu)", bytes);
	judge_lowered();
	pool_set_hot_size(bytes);
}

void s_destroy(struct pool_head *head)
{
	sched_note("pool_destroy()");
	if (pool_destroy_of(head, NULL))
		sched_fail("a pool is not destroyed");
	sched_note("pool_destroy() ends");
}

/* Leave the thread without an area for a while, as pool_thread_idle() does. */
static bool hand_on(void)
{
	struct call *c = call_begin(&pools[0]->head, DOING_HAND_ON, 0);
	bool empty;

	look_at_array(sched->cur);
	pool_thread_area = (unsigned char *)&plat_zeros;
	empty = pool_cpu_gone(sched_cpu(sched->cur));
	call_end(c);
	return empty;
}

void s_idle(void)
{
	unsigned char *area = pool_thread_area;

	sched_note("idles");
	hand_on();
	pool_thread_area = area;
	sched_note("idles no more");
}

/* Leave the thread without an area for ever, as its exit does; walks pass over an empty area. */
void s_exit(void)
{
	unsigned long bit = 1ul << sched_cpu(sched->cur);

	sched_note("exits");
	if (hand_on())
		plat_word_sub_release(&plat_live, bit);
}
