// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * report.c - the results of a replay as text, the same in both worlds
 *
 * Layer:   above replay.c.
 * Context: any; the workers are done.
 *
 * One "key value" line each, so that scripts can pick some.
 */
#include "replay.h"

/* The sums of the workers' results. */
struct sum {
	unsigned int waits;
	unsigned int nulls;
	unsigned int wrong;
	unsigned int first_wrong;	/* numbered from 1; 0 if there is none */
	unsigned long long peak_held;
	unsigned long long ns;
};

static struct sum sum_up(const struct replay *r)
{
	struct sum sum = { 0 };
	unsigned int i;

	for (i = 0; i < r->workers; i++) {
		const struct replay_worker *w = &r->worker[i];

		sum.waits += w->waits;
		sum.nulls += w->nulls;
		sum.wrong += w->wrong;
		sum.ns += w->ns;
		if (!sum.first_wrong)
			sum.first_wrong = w->first_wrong;
		if (w->peak_held > sum.peak_held)
			sum.peak_held = w->peak_held;
	}
	return sum;
}

/* Failed allocations and objects with wrong contents, of all workers. */
unsigned int replay_failures(const struct replay *r)
{
	struct sum sum = sum_up(r);

	return sum.nulls + sum.wrong;
}

/**
 * replay_report() - Write the results as text.
 * @r: the replay.
 * @buf: where to.
 * @size: its bytes; 1024 are enough.
 *
 * pools counts those of the trace, pools_made the pools in fact: fewer if some were merged, or are
 * of one size, or are no pools: see trace_plan().  unpooled counts the allocations of pools that
 * are none.  ns_per_event is the workers' time, added up, per event: the indirect call to the
 * allocator, the contents as said, the reading of the event, waits for other workers, and one look
 * at what is held every few thousand events.  peak_live follows from the trace; peak_held was
 * sampled, 0 is unknown.  first_wrong is the allocation, from 1, of the first object found changed.
 *
 * Return: bytes written, as snprintf().
 */
size_t replay_report(const struct replay *r, char *buf, size_t size)
{
	const struct trace *t = r->trace;
	struct sum sum = sum_up(r);
	unsigned long long hundredths = world_divide(sum.ns * 100, t->events);
	int n;

	n = snprintf(buf, size,
		     "allocator %s\nworkers %u\ncontents %s\n"
		     "pools %u\npools_made %u\nevents %u\nallocations %u\n"
		     "unpooled %u\n"
		     "ns_per_event %llu.%02llu\n"
		     "peak_live %llu\npeak_held %llu\n"
		     "waits %u\nfailed_allocations %u\nwrong_contents %u\n"
		     "first_wrong %u\n",
		     r->ops->name, r->workers,
		     r->content == REPLAY_FULL ? "full" : "word",
		     t->pools, r->made, t->events, t->allocs, t->unpooled,
		     world_divide(hundredths, 100),
		     hundredths - world_divide(hundredths, 100) * 100,
		     t->peak_bytes, sum.peak_held,
		     sum.waits, sum.nulls, sum.wrong, sum.first_wrong);
	return n > 0 ? (size_t)n : 0;
}

/**
 * replay_settings() - Write the settings that the trace asks of pools as text.
 * @t: the trace, its header read.
 * @buf: where to.
 * @size: its bytes; 128 are enough.
 *
 * Return: bytes written, as snprintf(); the text is for pool_configure().
 */
size_t replay_settings(const struct trace *t, char *buf, size_t size)
{
	int n = snprintf(buf, size, "global,%s,buckets=%u,cluster=%u,hot_size=%u",
			 trace_mode_word[t->mode], t->buckets, t->cluster,
			 t->hot_size);

	return n > 0 ? (size_t)n : 0;
}
