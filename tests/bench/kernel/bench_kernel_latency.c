// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_latency.c - the longest allocation and the longest free, by context
 *
 * Layer:   part of pool_replay.ko; bench_kernel.c calls it.
 * Context: process context, bound to one CPU; may sleep.
 *
 * Each call is timed by the clock of the processor, which counts instructions under
 * "qemu -icount shift=0".  Eight pools share the bound.  A step picks one of them, and
 * allocates a burst of 1 to 128 objects there, or frees the burst that it has.  Bursts are
 * more than the bound, so calls fill, spill, evict and call the slab, where the context lets
 * them.  One pool is at its limit now and then.  Steps that are not timed come in between, in
 * process context, so objects cross from one context to the other.
 *
 *   context   calls are made
 *   task      by a kthread that may sleep
 *   irqsoff   by it, with interrupts off
 *   softirq   by a tasklet
 *   hardirq   by irq_work
 *   nmi       by an NMI, on x86
 *
 * A tick or another task may come during a call, where interrupts are on.  Such a call is
 * counted as disturbed, and not timed.
 */
#include "bench_kernel.h"
#include "../random.h"
#include "../../lib/nmi.h"
#include "pool.h"

#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timex.h>

#define POOLS		8
#define BURST		128
#define LIMIT		96	/* of the last pool */
#define LIVES		32	/* how many times pools are made anew */
#define ROUNDS		64
#define TIMED_STEPS	8
#define OTHER_STEPS	2

struct latency {
	unsigned long calls;
	unsigned long disturbed;
	cycles_t most;
};

/* The measurements of one context. */
struct context {
	const char *name;
	void (*run)(struct context *ctx);
	struct latency alloc;
	struct latency free;
	unsigned long refused;
};

static struct {
	struct pool_head *pool;
	unsigned int n;
	void *objs[BURST];
} bursts[POOLS];

static unsigned int seed;
static cycles_t reading;	/* cycles that reading the clock takes */

/* Return a sum of counts that changes if something else ran here. */
static unsigned long others(void)
{
	return jiffies + current->nvcsw + current->nivcsw;
}

static void note(struct latency *l, cycles_t took, unsigned long before)
{
	l->calls++;
	if (others() != before)
		l->disturbed++;
	else if (took - reading > l->most)
		l->most = took - reading;
}

static void *timed_alloc(struct context *ctx, struct pool_head *pool, unsigned int flags)
{
	unsigned long before = others();
	cycles_t begin = get_cycles();
	void *obj = pool_alloc_inline(pool, flags);

	note(&ctx->alloc, get_cycles() - begin, before);
	ctx->refused += !obj;
	return obj;
}

static void timed_free(struct context *ctx, struct pool_head *pool, void *obj)
{
	unsigned long before = others();
	cycles_t begin = get_cycles();

	pool_free_inline(pool, obj, 0);
	note(&ctx->free, get_cycles() - begin, before);
}

/* Allocate a burst, or free it. */
static void step(struct context *ctx, unsigned int flags)
{
	unsigned int i = random_below(&seed, POOLS);
	unsigned int n = bursts[i].n ? 0 : 1 + random_below(&seed, BURST);
	void *obj;

	while (!n && bursts[i].n)
		timed_free(ctx, bursts[i].pool, bursts[i].objs[--bursts[i].n]);
	while (bursts[i].n < n) {
		obj = timed_alloc(ctx, bursts[i].pool, flags);
		if (!obj)
			break;
		bursts[i].objs[bursts[i].n++] = obj;
	}
}

static void steps(struct context *ctx, unsigned int n, unsigned int flags)
{
	while (n--)
		step(ctx, flags);
}

static void run_task(struct context *ctx)
{
	steps(ctx, TIMED_STEPS, 0);
}

static void run_irqsoff(struct context *ctx)
{
	unsigned long flags;

	local_irq_save(flags);
	steps(ctx, TIMED_STEPS, POOL_F_ATOMIC);
	local_irq_restore(flags);
}

static struct {
	struct tasklet_struct tasklet;
	struct irq_work irq;
	struct completion done;
	struct context *ctx;
	bool ended;		/* written by the NMI, which must not call complete() */
} there;

static void on_tasklet(struct tasklet_struct *unused)
{
	steps(there.ctx, TIMED_STEPS, POOL_F_ATOMIC);
	complete(&there.done);
}

static void on_irq(struct irq_work *unused)
{
	steps(there.ctx, TIMED_STEPS, POOL_F_ATOMIC);
	complete(&there.done);
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!READ_ONCE(there.ended)) {
		steps(there.ctx, TIMED_STEPS, POOL_F_ATOMIC);
		WRITE_ONCE(there.ended, true);
	}
	return NMI_HANDLED;
}

static void run_softirq(struct context *ctx)
{
	there.ctx = ctx;
	init_completion(&there.done);
	tasklet_schedule(&there.tasklet);
	wait_for_completion(&there.done);
	tasklet_kill(&there.tasklet);
}

static void run_hardirq(struct context *ctx)
{
	there.ctx = ctx;
	init_completion(&there.done);
	irq_work_queue(&there.irq);
	wait_for_completion(&there.done);
	irq_work_sync(&there.irq);
}

/* The NMI interrupts this CPU. */
static void run_nmi(struct context *ctx)
{
	there.ctx = ctx;
	WRITE_ONCE(there.ended, false);
	send_nmi(raw_smp_processor_id());
	while (!READ_ONCE(there.ended))
		cpu_relax();
}

static void destroy_all(void)
{
	unsigned int i;

	for (i = 0; i < POOLS; i++) {
		while (bursts[i].n)
			pool_free(bursts[i].pool, bursts[i].objs[--bursts[i].n]);
		pool_destroy(bursts[i].pool);
		bursts[i].pool = NULL;
	}
}

static bool create_all(void)
{
	bool ok = true;
	unsigned int i;

	for (i = 0; i < POOLS; i++) {
		const struct pool_attr attr = {
			.name = "latency",
			.size = 64 << i % 4 * 2,
			.limit = i == POOLS - 1 ? LIMIT : 0,
		};

		bursts[i].pool = create_pool_ext(&attr);
		ok &= !!bursts[i].pool;
	}
	return ok;
}

static bool measure(struct context *ctx)
{
	static struct context untimed;
	unsigned int life, round;
	bool ok = true;

	for (life = 0; life < LIVES && ok; life++) {
		ok = create_all();
		for (round = 0; round < ROUNDS && ok; round++) {
			ctx->run(ctx);
			steps(&untimed, OTHER_STEPS, 0);
			cond_resched();
		}
		destroy_all();
	}
	return ok;
}

/* Returns the least cost of reading the clock; interrupts only add to it. */
static cycles_t time_of_reading(void)
{
	cycles_t least = ~(cycles_t)0;
	int i;

	for (i = 0; i < 100; i++) {
		cycles_t begin = get_cycles();

		least = min(least, get_cycles() - begin);
	}
	return least;
}

static size_t rows(const struct context *ctx, char *buf, size_t size)
{
	return scnprintf(buf, size, "%s alloc %lu %lu %lu %lu\n%s free %lu 0 %lu %lu\n",
			 ctx->name, ctx->alloc.calls, ctx->refused, ctx->alloc.disturbed,
			 (unsigned long)ctx->alloc.most, ctx->name, ctx->free.calls,
			 ctx->free.disturbed, (unsigned long)ctx->free.most);
}

static const char *measure_all(struct context *ctx, unsigned int n, char *buf, size_t size)
{
	size_t len = 0;

	for (; n--; ctx++) {
		seed = 1;
		if (!measure(ctx))
			return "no pool";
		len += rows(ctx, buf + len, size - len);
	}
	return NULL;
}

const char *bench_latency(char *buf, size_t size)
{
	struct context contexts[] = {
		{ .name = "task", .run = run_task },
		{ .name = "irqsoff", .run = run_irqsoff },
		{ .name = "softirq", .run = run_softirq },
		{ .name = "hardirq", .run = run_hardirq },
		{ .name = "nmi", .run = run_nmi },
	};
	const char *why;

	tasklet_setup(&there.tasklet, on_tasklet);
	there.irq = IRQ_WORK_INIT_HARD(on_irq);
	there.ended = true;
	reading = time_of_reading();
	if (!have_nmis())
		return measure_all(contexts, ARRAY_SIZE(contexts) - 1, buf, size);
	if (!nmis_begin(on_nmi))
		return "no NMI";
	why = measure_all(contexts, ARRAY_SIZE(contexts), buf, size);
	nmis_end();
	return why;
}
