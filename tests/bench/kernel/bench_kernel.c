// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel.c - the cost of an object in the kernel: pools and other allocators
 *
 * Layer:   part of pool_replay.ko, which calls it -> peers; twin of worker.c.
 * Context: process context, bound to CPU 0; may sleep.
 *
 * The unit is the clock's nanosecond.  Under qemu -icount shift=0 each instruction takes one, so it
 * is a count of instructions.  Elsewhere it is time, and says little in a virtual machine.  The
 * least of some runs is taken, since interrupts only add to it.  The cost of the loop and of the
 * write to the object is in all figures, and has a row of its own.
 *
 *   workload       an operation is an allocation, a write and a free
 *   hot            one object at a time
 *   batch10, batch100, batch1000	as many are allocated, then freed, newest
 *					first
 *   fifo1000       oldest first
 *   shuffled1000   in shuffled order, the same for all
 *   remote1000     allocated on CPU 0, freed on CPU 1, oldest first
 *   irq            as hot, in a hard interrupt
 *   irq100         as batch100, in a hard interrupt
 *   refused        an allocation that fails, since 64 objects are the limit and
 *		    all in use
 *   create         a pool, or the peer's equivalent, is created
 *   destroy1, destroy1000	one is destroyed that had 1 or 1000 objects at once
 *
 * The last three wait, and so count the time of the wait, too.
 */
#include "bench_kernel.h"
#include "../random.h"

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#define OPS		10000
#define RUNS		4
#define LIMIT		64
#define LIVES		10

static unsigned int bench_size = 64;
module_param(bench_size, uint, 0644);
MODULE_PARM_DESC(bench_size, "Bytes of the benchmark's objects");

static unsigned int bench_cpus;
module_param(bench_cpus, uint, 0644);
MODULE_PARM_DESC(bench_cpus, "CPUs to count visits on; 0: costs");

static char *bench_what = "costs";
module_param(bench_what, charp, 0444);
MODULE_PARM_DESC(bench_what, "The table: costs, contention, latency, many or waits");

unsigned int bench_order[BENCH_LIVE];

static void *held[BENCH_LIVE];

static const struct bench_peer * const peers[] = {
	&bench_cache, &bench_cache_bulk, &bench_mempool,
#ifdef BENCH_HAS_OBJPOOL
	&bench_objpool,
#endif
	&bench_pool, &bench_pool_call, &bench_pool_bulk, &bench_empty,
};

typedef void (*give_fn)(void **held, unsigned int n);

/* A workload on one peer; run() returns the ns of OPS operations, or 0 if it failed. */
struct job {
	const struct bench_peer *peer;
	unsigned int batch;
	give_fn give;
	u64 ns;
	struct irq_work irq;
	struct completion done;
};

static u64 run_pairs(const struct job *job)
{
	u64 start = ktime_get_ns();

	return job->peer->pairs(OPS) ? ktime_get_ns() - start : 0;
}

static u64 run_batch(const struct job *job)
{
	u64 start = ktime_get_ns();
	unsigned int n;

	for (n = OPS / job->batch; n; n--) {
		if (!job->peer->take(held, job->batch))
			return 0;
		job->give(held, job->batch);
	}
	return ktime_get_ns() - start;
}

static u64 run_refused(const struct job *job)
{
	u64 start, ns = 0;

	if (!job->peer->take(held, LIMIT))
		return 0;
	start = ktime_get_ns();
	if (job->peer->refused(OPS))
		ns = ktime_get_ns() - start;
	job->peer->give_fifo(held, LIMIT);
	return ns;
}

/* Two CPUs */

/* Runs on CPU 0, or on CPU 1; both are idle otherwise. */
static long take_there(void *arg)
{
	struct job *job = arg;
	u64 start;

	usleep_range(200, 300);
	start = ktime_get_ns();
	if (!job->peer->take(held, job->batch))
		return -ENOMEM;
	job->ns += ktime_get_ns() - start;
	return 0;
}

static long give_there(void *arg)
{
	struct job *job = arg;
	u64 start;

	usleep_range(200, 300);
	start = ktime_get_ns();
	job->give(held, job->batch);
	job->ns += ktime_get_ns() - start;
	return 0;
}

static u64 run_remote(const struct job *job)
{
	struct job both = *job;
	unsigned int n;

	for (n = OPS / job->batch; n; n--) {
		if (work_on_cpu(0, take_there, &both))
			return 0;
		work_on_cpu(1, give_there, &both);
	}
	return both.ns;
}

/* Beginning and end */

static u64 run_create(const struct job *job)
{
	u64 start, ns = 0;
	unsigned int n;

	for (n = LIVES; n; n--) {
		job->peer->teardown();
		start = ktime_get_ns();
		if (!job->peer->setup(bench_size, 0))
			return 0;
		ns += ktime_get_ns() - start;
	}
	return ns * (OPS / LIVES);
}

static u64 run_destroy(const struct job *job)
{
	u64 start, ns = 0;
	unsigned int n;

	for (n = LIVES; n; n--) {
		if (!job->peer->take(held, job->batch))
			return 0;
		job->give(held, job->batch);
		start = ktime_get_ns();
		job->peer->teardown();
		ns += ktime_get_ns() - start;
		if (!job->peer->setup(bench_size, 0))
			return 0;
	}
	return ns * (OPS / LIVES);
}

/* Hard interrupts: a whole run is in one interrupt, whose own cost is then not counted. */

static void pairs_in_irq(struct irq_work *irq)
{
	struct job *job = container_of(irq, struct job, irq);
	u64 start = ktime_get_ns();

	if (job->peer->pairs_atomic(OPS))
		job->ns = ktime_get_ns() - start;
	complete(&job->done);
}

static void batch_in_irq(struct irq_work *irq)
{
	struct job *job = container_of(irq, struct job, irq);
	u64 start = ktime_get_ns();
	unsigned int n;

	for (n = OPS / job->batch; n; n--) {
		if (!job->peer->take_atomic(held, job->batch))
			break;
		job->give(held, job->batch);
	}
	if (!n)
		job->ns = ktime_get_ns() - start;
	complete(&job->done);
}

static u64 run_irq(const struct job *job)
{
	struct job there = *job;

	there.irq = IRQ_WORK_INIT_HARD(job->batch == 1 ? pairs_in_irq :
							 batch_in_irq);
	init_completion(&there.done);
	irq_work_queue(&there.irq);
	wait_for_completion(&there.done);
	irq_work_sync(&there.irq);
	return there.ns;
}

/* The table */

/* @give: the offset, in struct bench_peer, of the function that frees; 0: none is needed. */
struct workload {
	const char *name;
	unsigned int batch;
	unsigned int limit;
	size_t give;
	u64 (*run)(const struct job *job);
	size_t needs;
};

#define GIVE(how)	offsetof(struct bench_peer, give_##how)
#define NEEDS(what)	offsetof(struct bench_peer, what)

static const struct workload workloads[] = {
	{ "hot", 1, 0, 0, run_pairs, NEEDS(pairs) },
	{ "batch10", 10, 0, GIVE(lifo), run_batch, NEEDS(take) },
	{ "batch100", 100, 0, GIVE(lifo), run_batch, NEEDS(take) },
	{ "batch1000", 1000, 0, GIVE(lifo), run_batch, NEEDS(take) },
	{ "fifo1000", 1000, 0, GIVE(fifo), run_batch, NEEDS(take) },
	{ "shuffled1000", 1000, 0, GIVE(shuffled), run_batch, NEEDS(take) },
	{ "remote1000", 1000, 0, GIVE(fifo), run_remote, NEEDS(take) },
	{ "irq", 1, 0, 0, run_irq, NEEDS(pairs_atomic) },
	{ "irq100", 100, 0, GIVE(lifo), run_irq, NEEDS(take_atomic) },
	{ "refused", 1, LIMIT, GIVE(fifo), run_refused, NEEDS(refused) },
	{ "create", 0, 0, 0, run_create, NEEDS(take) },
	{ "destroy1", 1, 0, GIVE(fifo), run_destroy, NEEDS(take) },
	{ "destroy1000", 1000, 0, GIVE(fifo), run_destroy, NEEDS(take) },
};

static void *member(const struct bench_peer *peer, size_t offset)
{
	return *(void *const *)((const char *)peer + offset);
}

static bool can(const struct bench_peer *peer, const struct workload *w)
{
	return member(peer, w->needs) && (!w->give || member(peer, w->give));
}

/* Returns the least cost of an operation in some runs, in hundredths of a ns; 0: a run failed. */
static u64 least(const struct bench_peer *peer, const struct workload *w)
{
	const struct job job = {
		.peer = peer,
		.batch = w->batch,
		.give = w->give ? (give_fn)member(peer, w->give) : NULL,
	};
	u64 best = 0;
	int i;

	for (i = 0; i < RUNS; i++) {
		u64 ns;

		cond_resched();
		ns = w->run(&job);
		if (!ns)
			return 0;
		if (!best || ns < best)
			best = ns;
	}
	return div_u64(best * 100, OPS);
}

/* Measure one workload on a new pool, or on the peer's equivalent. */
static u64 measure(const struct bench_peer *peer, const struct workload *w)
{
	u64 cost = 0;

	if (peer->setup(bench_size, w->limit))
		cost = least(peer, w);
	peer->teardown();
	return cost;
}

/* A table that is being written, as text in a buffer. */
struct table {
	char *buf;
	size_t size;
	size_t len;
	const char *why;
};

static void add_row(struct table *t, const struct bench_peer *peer,
		    const struct workload *w)
{
	u64 cost = measure(peer, w);
	u32 rest;

	if (!cost) {
		t->why = "an allocation failed";
		return;
	}
	cost = div_u64_rem(cost, 100, &rest);
	t->len += scnprintf(t->buf + t->len, t->size - t->len,
			    "%s %s %llu.%02u\n", w->name, peer->name, cost,
			    rest);
	if (t->len + 1 >= t->size)
		t->why = "the table is too long";
}

static void costs(struct table *t)
{
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(workloads); i++) {
		if (workloads[i].run == run_remote && num_online_cpus() < 2)
			continue;
		for (k = 0; k < ARRAY_SIZE(peers) && !t->why; k++)
			if (can(peers[k], &workloads[i]))
				add_row(t, peers[k], &workloads[i]);
	}
}

const char *bench_kernel(char *buf, size_t size)
{
	struct table table = { .buf = buf, .size = size };

	random_order(bench_order, BENCH_LIVE, 1);
	if (bench_size < sizeof(long))
		return "bench_size is too small";
	if (!strcmp(bench_what, "contention"))
		return bench_contend(bench_size, buf, size);
	if (!strcmp(bench_what, "latency"))
		return bench_latency(buf, size);
	if (!strcmp(bench_what, "many"))
		return bench_many(buf, size);
	if (!strcmp(bench_what, "waits"))
		return bench_waits(bench_size, buf, size);
	if (bench_cpus)
		return bench_visits(bench_size, bench_cpus, buf, size);
	costs(&table);
	return table.why;
}
