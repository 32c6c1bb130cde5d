// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * replay.c - executes a trace against an allocator
 *
 * Layer:   above trace.c, in both worlds.
 * Context: process context, a plain thread; allocates nothing itself.
 *
 * One word per allocation of the trace passes objects on: NULL until the
 * object is there, and again after it was freed.  The release of the allocating
 * worker pairs with the acquire of the freeing one and carries the contents.
 */
#include "replay.h"

/* Events between two readings of the bytes that are allocated. */
#define SAMPLE_EVERY	4096

/* Objects up to this many words are filled completely, larger ones at both ends. */
#define WHOLE_WORDS	32
#define END_WORDS	8

/* The word of an allocation that failed.  Its free does nothing. */
#define NO_OBJECT	((void *)1)

/* Spread the numbers of the pool and of the allocation over a word. */
static unsigned long pattern_of(const struct trace_event *e)
{
	unsigned long long mixed = e->alloc * 65536ull + e->pool + 1;

	mixed *= 0x9e3779b97f4a7c15ull;
	return (unsigned long)(mixed ^ mixed >> 32);
}

/* Returns the word of an object of @n words that comes after word @i. */
static size_t next_word(size_t i, size_t n)
{
	i++;
	return n > WHOLE_WORDS && i == END_WORDS ? n - END_WORDS : i;
}

static void fill(void *obj, unsigned int size, unsigned long pattern)
{
	size_t words = size / sizeof(pattern);
	unsigned long *word = obj;
	unsigned char *byte = obj;
	size_t i;

	for (i = 0; i < words; i = next_word(i, words))
		word[i] = pattern + i;
	for (i = words * sizeof(pattern); i < size; i++)
		byte[i] = (unsigned char)(pattern + i);
}

static bool filled(const void *obj, unsigned int size, unsigned long pattern)
{
	size_t words = size / sizeof(pattern);
	const unsigned long *word = obj;
	const unsigned char *byte = obj;
	size_t i;

	for (i = 0; i < words; i = next_word(i, words))
		if (word[i] != pattern + i)
			return false;
	for (i = words * sizeof(pattern); i < size; i++)
		if (byte[i] != (unsigned char)(pattern + i))
			return false;
	return true;
}

/* For REPLAY_WORD: write to an object, the least that every user does. */
static void touch(void *obj, unsigned int size)
{
	*(unsigned char *)obj = (unsigned char)size;
}

/* Objects of caches that have no pool come from malloc(). */
static void *get_object(const struct replay *r, unsigned int pool)
{
	return r->pool[pool] ? r->ops->alloc(r->pool[pool]) :
			       world_object(r->trace->pool[pool].size);
}

static void put_object(const struct replay *r, unsigned int pool, void *obj)
{
	if (r->pool[pool])
		r->ops->free(r->pool[pool], obj);
	else
		world_free(obj);
}

static void do_alloc(struct replay_worker *w, const struct trace_event *e)
{
	struct replay *r = w->replay;
	unsigned int size = r->trace->pool[e->pool].size;
	void *obj = get_object(r, e->pool);

	if (!obj) {
		w->nulls++;
		obj = NO_OBJECT;
	} else if (r->content == REPLAY_FULL) {
		fill(obj, size, pattern_of(e));
	} else {
		touch(obj, size);
	}
	__atomic_store_n(&r->slot[e->alloc], obj, __ATOMIC_RELEASE);
}

static void *wait_for_object(struct replay_worker *w, void **slot)
{
	void *obj = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

	if (obj)
		return obj;
	w->waits++;
	do {
		world_wait();
		obj = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	} while (!obj);
	return obj;
}

/* Free an object; @e is the free, or the allocation if the trace never frees the object. */
static void do_free(struct replay_worker *w, const struct trace_event *e)
{
	struct replay *r = w->replay;
	unsigned int size = r->trace->pool[e->pool].size;
	void *obj = wait_for_object(w, &r->slot[e->alloc]);

	r->slot[e->alloc] = NULL;
	if (obj == NO_OBJECT)
		return;
	if (r->content == REPLAY_FULL && !filled(obj, size, pattern_of(e))) {
		if (!w->wrong++)
			w->first_wrong = e->alloc + 1;
	}
	put_object(r, e->pool, obj);
}

static void sample(struct replay_worker *w)
{
	const struct replay_ops *ops = w->replay->ops;
	unsigned long long held = ops->held ? ops->held() : 0;

	if (held > w->peak_held)
		w->peak_held = held;
	world_breathe();
}

/**
 * replay_split() - Give each worker its events.
 * @r: all fields but the results are set.
 *
 * CPU c of the trace goes to worker c modulo their number.
 */
void replay_split(struct replay *r)
{
	const struct trace *t = r->trace;
	unsigned int n = 0;
	unsigned int i, k;

	for (i = 0; i < r->workers; i++) {
		struct replay_worker *w = &r->worker[i];

		w->replay = r;
		w->first = n;
		for (k = 0; k < t->events; k++)
			if (t->event[k].cpu % r->workers == i)
				r->event[n++] = t->event[k];
		w->count = n - w->first;
	}
}

/* True if the trace has made pool @i before. */
static bool made_before(const struct replay *r, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < i; k++)
		if (r->pool[k] == r->pool[i])
			return true;
	return false;
}

/**
 * replay_create() - Make the pools, in the order of the trace.
 * @r: after replay_split().
 *
 * Return: false when one could not be made; replay_destroy() must follow then, too.
 */
bool replay_create(struct replay *r)
{
	const struct trace *t = r->trace;
	unsigned int i;

	for (i = 0; i < t->pools; i++) {
		if (t->pool[i].use != TRACE_POOLED)
			continue;
		r->pool[i] = r->ops->create(t->pool[i].name, t->pool[i].size);
		if (!r->pool[i])
			return false;
		r->made += !made_before(r, i);
	}
	return true;
}

/**
 * replay_work() - Execute one worker's events.
 * @w: the worker; called once, while other threads execute the events of the other workers.
 */
void replay_work(struct replay_worker *w)
{
	const struct trace_event *event = w->replay->event + w->first;
	unsigned int i;

	for (i = 0; i < w->count; i++) {
		if (i % SAMPLE_EVERY == 0)
			sample(w);
		if (event[i].kind == TRACE_ALLOC)
			do_alloc(w, &event[i]);
		else
			do_free(w, &event[i]);
	}
	sample(w);
}

/**
 * replay_free_rest() - Free what the trace leaves live.
 * @r: all workers are done; called by the first worker's thread.
 */
void replay_free_rest(struct replay *r)
{
	const struct trace *t = r->trace;
	unsigned int i;

	for (i = 0; i < t->events; i++) {
		const struct trace_event *e = &r->event[i];

		if (i % SAMPLE_EVERY == 0)
			world_breathe();
		if (e->kind == TRACE_ALLOC && r->slot[e->alloc])
			do_free(&r->worker[0], e);
	}
}

/**
 * replay_destroy() - End all pools.
 * @r: no worker is at work.
 *
 * Return: false when one of them has objects in use.
 */
bool replay_destroy(struct replay *r)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < r->trace->pools; i++) {
		if (r->pool[i] && !r->ops->destroy(r->pool[i]))
			good = false;
		r->pool[i] = NULL;
	}
	return good;
}
