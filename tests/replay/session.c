// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * session.c - one replay from the text to the end
 *
 * Layer:   above trace.c, replay.c and the crew, in both worlds.
 * Context: one thread, process context; may sleep.
 */
#include "session.h"

static const char no_memory[] = "out of memory";

/**
 * session_load() - Read a trace.
 * @s: all zero.
 * @text: the trace; no longer needed afterwards.
 * @len: its bytes.
 *
 * Return: NULL, or the reason of a failure; trace.error is set if the text is wrong.
 */
const char *session_load(struct session *s, const char *text, size_t len)
{
	struct trace *t = &s->trace;
	bool good;

	if (!trace_read_header(t, text, len))
		return t->error;
	t->pool = world_alloc(t->pools, sizeof(*t->pool));
	t->event = world_alloc(t->events, sizeof(*t->event));
	t->live = world_alloc(t->objects, sizeof(*t->live));
	if (!t->pool || !t->event || !t->live)
		return no_memory;
	good = trace_read_events(t);
	world_free(t->live);
	t->live = NULL;
	return good ? NULL : t->error;
}

/* Write to the slots, so that no worker's time includes the first touch of their pages. */
static bool get_memory(struct replay *r)
{
	const struct trace *t = r->trace;
	unsigned int i;

	r->worker = world_alloc(r->workers, sizeof(*r->worker));
	r->event = world_alloc(t->events, sizeof(*r->event));
	r->pool = world_alloc(t->pools, sizeof(*r->pool));
	r->slot = world_alloc(t->allocs, sizeof(*r->slot));
	for (i = 0; r->slot && i < t->allocs; i++)
		r->slot[i] = NULL;
	return r->worker && r->event && r->pool && r->slot;
}

/**
 * session_begin() - Make pools and threads.
 * @s: loaded.
 * @ops: the allocator to replay on.
 * @content: how much of objects is written.
 * @cpus: how many workers at most; 0: as many as the trace has CPUs.
 *
 * Return: NULL, or the reason of a failure; then there is nothing to end.
 */
const char *session_begin(struct session *s, const struct replay_ops *ops,
			  enum replay_content content, unsigned int cpus)
{
	struct replay *r = &s->replay;

	trace_plan(&s->trace);
	r->trace = &s->trace;
	r->ops = ops;
	r->content = content;
	r->workers = s->trace.cpus;
	if (cpus && cpus < r->workers)
		r->workers = cpus;
	if (!get_memory(r))
		return no_memory;
	replay_split(r);
	if (!replay_create(r)) {
		replay_destroy(r);
		return "a pool could not be made";
	}
	s->crew = crew_hire(r);
	if (!s->crew) {
		replay_destroy(r);
		return "the threads could not be made";
	}
	return NULL;
}

void session_work(struct session *s)
{
	crew_work(s->crew);
}

/**
 * session_end() - Free the rest, end the threads, destroy the pools.
 * @s: after session_begin(); its work may be done or not.
 *
 * Return: NULL if all went well; else what did not.
 */
const char *session_end(struct session *s)
{
	struct replay *r = &s->replay;

	crew_dismiss(s->crew);
	s->crew = NULL;
	if (!replay_destroy(r))
		return "a pool has objects in use after all were freed";
	if (replay_failures(r))
		return "allocations failed, or objects changed";
	return NULL;
}

/**
 * session_forget() - Give all memory back.
 * @s: in any state except between begin and end; all zero afterwards.
 */
void session_forget(struct session *s)
{
	world_free(s->trace.pool);
	world_free(s->trace.event);
	world_free(s->trace.live);
	world_free(s->replay.worker);
	world_free(s->replay.event);
	world_free(s->replay.pool);
	world_free(s->replay.slot);
	*s = (struct session){ .crew = NULL };
}
