// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_contend.c - what CPUs do to each other in one allocator
 *
 * Layer:   part of pool_replay.ko; bench_kernel.c calls it -> peers.
 * Context: process context; may sleep.  All CPUs at once, by a kworker each.
 *
 * Counted, not timed.  A CPU has interrupts off while it calls the allocator, so nothing else is
 * counted.  Waits are calls of the slow path of spinlocks: another CPU held the lock.  contended.h
 * counts what happens inside of pool.ko; lines_mark.h tells tests/vm/lines.c when to count
 * instructions and cache lines.  Each workload runs once before it is counted.
 *
 *   workload       an operation is an allocation and a free
 *   batch64, batch1000	each CPU allocates 64 or 1000, then frees them, newest first
 *   pairs64, pairs1000	a CPU of the first half allocates them, and one of the other half
 *			frees them, oldest first
 *   limit64        each CPU allocates 64 or until it is refused, then frees what it got; all
 *		    may have three quarters of what they ask for
 */
#include "bench_kernel.h"
#include "lines_mark.h"

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#define OPS		20000	/* per CPU, or per pair of CPUs */
#define CPUS_MAX	32
#define LIMIT_BATCH	64
#define LIMIT		(LIMIT_BATCH * 3 / 4)	/* per CPU */

/* Objects that a CPU has for the other CPU of its pair. */
struct slot {
	void *objs[BENCH_LIVE];
	bool full;
};

struct contention {
	const char *name;
	unsigned int batch;
	bool limited;
	bool (*run)(unsigned int cpu, unsigned int batch);
};

static const struct bench_peer *peer;
static const struct contention *contention;
static struct slot *slots;
static unsigned int cpus;
static atomic_t here;
static atomic_t failed;
static atomic_t operations;
static atomic_t refusals;
static atomic_t waits;
static DEFINE_PER_CPU(bool, counting);
static DEFINE_PER_CPU(struct work_struct, works);

/* Count what this CPU does from here on. */
static unsigned long count_on(void)
{
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_write(counting, true);
	LINES_MARK(LINES_MARK_ON);
	return flags;
}

static void count_off(unsigned long flags)
{
	LINES_MARK(LINES_MARK_OFF);
	this_cpu_write(counting, false);
	local_irq_restore(flags);
}

static int on_wait(struct kprobe *probe, struct pt_regs *regs)
{
	if (this_cpu_read(counting))
		atomic_inc(&waits);
	return 0;
}

static struct kprobe probe = {
	.symbol_name = "native_queued_spin_lock_slowpath",
	.pre_handler = on_wait,
};

static bool run_batch(unsigned int cpu, unsigned int batch)
{
	void **held = slots[cpu].objs;
	unsigned int n;

	for (n = OPS / batch; n; n--) {
		unsigned long flags = count_on();
		bool got = peer->take_atomic(held, batch);

		if (got)
			peer->give_lifo(held, batch);
		count_off(flags);
		if (!got)
			return false;
		cond_resched();
	}
	atomic_add(OPS / batch * batch, &operations);
	return true;
}

/* Make one round of a pair; false if the other CPU is not ready, or an allocation failed. */
static bool hand_over(struct slot *slot, void **held, unsigned int batch, bool gets)
{
	unsigned long flags;
	bool got = true;

	/* pairs with the releases below: the objects are there, or have been read */
	if (smp_load_acquire(&slot->full) == gets)
		return false;
	if (!gets)
		memcpy(held, slot->objs, batch * sizeof(*held));
	flags = count_on();
	if (gets)
		got = peer->take_atomic(held, batch);
	else
		peer->give_fifo(held, batch);
	count_off(flags);
	if (!got) {
		atomic_inc(&failed);
		return false;
	}
	if (gets)
		memcpy(slot->objs, held, batch * sizeof(*held));
	/* pairs with the acquire above */
	smp_store_release(&slot->full, gets);
	return true;
}

/* Hand objects over through the slot of the pair's second CPU. */
static bool run_pairs(unsigned int cpu, unsigned int batch)
{
	bool gets = cpu < cpus / 2;
	struct slot *slot = &slots[gets ? cpu + cpus / 2 : cpu];
	void **held = kmalloc_array(batch, sizeof(*held), GFP_KERNEL);
	unsigned int n = 0;
	bool had = held;

	while (had && n < OPS / batch && !atomic_read(&failed)) {
		if (hand_over(slot, held, batch, gets))
			n++;
		else
			usleep_range(20, 50);
	}
	if (gets)
		atomic_add(n * batch, &operations);
	kfree(held);
	return had;
}

static bool run_limit(unsigned int cpu, unsigned int batch)
{
	void **held = slots[cpu].objs;
	unsigned int n, done = 0;

	while (done < OPS) {
		unsigned long flags = count_on();
		bool got = true;

		for (n = 0; n < batch && got; n += got)
			got = peer->take_atomic(&held[n], 1);
		peer->give_lifo(held, n);
		count_off(flags);
		atomic_add(!got, &refusals);
		done += n + !got;
		cond_resched();
	}
	atomic_add(done, &operations);
	return true;
}

static const struct contention contentions[] = {
	{ "batch64", 64, false, run_batch },
	{ "batch1000", 1000, false, run_batch },
	{ "pairs64", 64, false, run_pairs },
	{ "pairs1000", 1000, false, run_pairs },
	{ "limit64", LIMIT_BATCH, true, run_limit },
};

/* Runs on a kworker of each CPU; all begin together. */
static void work(struct work_struct *unused)
{
	atomic_inc(&here);
	while (atomic_read(&here) < cpus)
		cond_resched();
	if (!contention->run(raw_smp_processor_id(), contention->batch))
		atomic_inc(&failed);
}

static bool run_all(void)
{
	unsigned int cpu;

	atomic_set(&here, 0);
	for (cpu = 0; cpu < cpus; cpu++) {
		INIT_WORK(per_cpu_ptr(&works, cpu), work);
		schedule_work_on(cpu, per_cpu_ptr(&works, cpu));
	}
	for (cpu = 0; cpu < cpus; cpu++)
		flush_work(per_cpu_ptr(&works, cpu));
	return !atomic_read(&failed);
}

static size_t row(char *buf, size_t size)
{
	int busy = 0, lost = 0;

#ifdef CONTENDED_H
	busy = atomic_read(&contended_busy);
	lost = atomic_read(&contended_lost);
#endif
	return scnprintf(buf, size, "%s %s %d %d %d %d %d\n", contention->name, peer->name,
			 atomic_read(&operations), atomic_read(&refusals), busy, lost,
			 atomic_read(&waits));
}

static void forget(void)
{
	atomic_set(&operations, 0);
	atomic_set(&refusals, 0);
	atomic_set(&waits, 0);
#ifdef CONTENDED_H
	atomic_set(&contended_busy, 0);
	atomic_set(&contended_lost, 0);
#endif
}

/* Run once to fill the caches, and once to count. */
static bool measure(unsigned int object, char *buf, size_t size, size_t *len)
{
	bool ok = peer->setup(object, contention->limited ? LIMIT * cpus : 0);

	ok = ok && run_all();
	forget();
	LINES_MARK(LINES_MARK_BEGIN);
	ok = ok && run_all();
	LINES_MARK(LINES_MARK_END);
	if (ok)
		*len += row(buf + *len, size - *len);
	peer->teardown();
	return ok;
}

const char *bench_contend(unsigned int object, char *buf, size_t size)
{
	static const struct bench_peer * const peers[] = { &bench_cache, &bench_pool };
	const char *why = NULL;
	unsigned int i, k;
	size_t len = 0;

	cpus = num_online_cpus();
	if (cpus % 2 || cpus > CPUS_MAX)
		return "CPUs are not in pairs, or too many";
	if (register_kprobe(&probe))
		return "waits for spinlocks cannot be seen";
	slots = kvcalloc(cpus, sizeof(*slots), GFP_KERNEL);
	if (!slots)
		why = "no memory";
	atomic_set(&failed, 0);
	for (i = 0; !why && i < ARRAY_SIZE(contentions); i++) {
		contention = &contentions[i];
		for (k = 0; k < ARRAY_SIZE(peers) && !why; k++) {
			peer = peers[k];
			if (contention->limited && !peer->refused)
				continue;
			if (!measure(object, buf, size, &len))
				why = "a thread or an object was not to be had";
		}
	}
	kvfree(slots);
	unregister_kprobe(&probe);
	return why;
}
