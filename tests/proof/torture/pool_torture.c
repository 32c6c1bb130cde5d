// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pool_torture.c - a module that does everything to pools at once, and looks at each object
 *
 * Layer:   above the API.
 * Context: module load and unload; a thread that leads the others.
 *
 * Loading it starts the test.  The test lasts @seconds, and until each kind of unit has had its
 * least number of rounds.  The first error ends it.  Then the log has one line "--- End of
 * test: SUCCESS" or "FAILURE", and so has the parameter "state".
 */
#define pr_fmt(fmt) "pool_torture: " fmt

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "torture.h"

static unsigned int seconds = 60;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "How long, at least");

static unsigned int threads = 2;
module_param(threads, uint, 0444);
MODULE_PARM_DESC(threads, "Threads per CPU");

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "Of what units do");

static char *kinds = "all";
module_param(kinds, charp, 0444);
MODULE_PARM_DESC(kinds, "Kinds of units, separated by commas: thread, hardirq, softirq, irq_work, ipi, nmi, hotplug, pressure, switch, life; all");

static char *state = "running";
module_param(state, charp, 0444);
MODULE_PARM_DESC(state, "Not to be set: running, SUCCESS or FAILURE");

/* Seconds between two lines of numbers. */
#define LINE_EVERY	10

/* Units may take this many times @seconds until all have made their least number of rounds. */
#define PATIENCE	10

static const struct kind {
	const char *name;
	unsigned long least;		/* rounds, of all units */
	unsigned int pause;		/* pause of its threads after each round, in us */
	void (*round)(struct torture_unit *unit);
} table[TORTURE_KINDS] = {
	[TORTURE_THREAD] = { "thread", 10000, 200, torture_round },
	[TORTURE_HARDIRQ] = { "hardirq", 10000 },
	[TORTURE_SOFTIRQ] = { "softirq", 5000 },
	[TORTURE_IRQ_WORK] = { "irq_work", 5000 },
	[TORTURE_IPI] = { "ipi", 300 },
	[TORTURE_NMI] = { "nmi", 500 },
	[TORTURE_HOTPLUG] = { "hotplug", 5, 200000, torture_hotplug },
	[TORTURE_PRESSURE] = { "pressure", 2, 2000000, torture_pressure },
	[TORTURE_SWITCH] = { "switch", 80, 5000, torture_switch },
	[TORTURE_LIFE] = { "life", 8, 20000, torture_life },
};

static struct {
	struct torture_unit *unit;
	unsigned int n;
	bool on;
} kind[TORTURE_KINDS];

static struct task_struct *leader;

bool torture_on(enum torture_kind k)
{
	return kind[k].on;
}

struct torture_unit *torture_unit_of(enum torture_kind k, unsigned int cpu)
{
	return &kind[k].unit[cpu];
}

const char *torture_kind_name(enum torture_kind k)
{
	return table[k].name;
}

/* Units */

static unsigned int units_of(enum torture_kind k)
{
	if (k == TORTURE_THREAD)
		return nr_cpu_ids * threads;
	if (k == TORTURE_LIFE)
		return 2;
	return table[k].round ? 1 : nr_cpu_ids;
}

/* Units that are off are made, too, so that timers can be cancelled. */
static bool make_units(enum torture_kind k)
{
	unsigned int n = units_of(k), i;

	kind[k].unit = vzalloc(array_size(n, sizeof(*kind[k].unit)));
	if (!kind[k].unit)
		return false;
	kind[k].n = n;
	for (i = 0; i < n; i++) {
		struct torture_unit *unit = &kind[k].unit[i];

		unit->kind = k;
		unit->cpu = i % nr_cpu_ids;
		unit->random = (seed + 1ull) * 0x9e3779b97f4a7c15ull +
			       k * 1000003ull + i;
	}
	return true;
}

static unsigned long sum(enum torture_kind k, size_t member)
{
	unsigned long n = 0;
	unsigned int i;

	for (i = 0; i < kind[k].n; i++)
		n += READ_ONCE(*(unsigned long *)((char *)&kind[k].unit[i] + member));
	return n;
}

/* Threads */

/*
 * Bind the thread again: it lost its binding if its CPU went offline.  No CPU goes offline
 * meanwhile.
 */
static void bind(struct torture_unit *unit)
{
	if (raw_smp_processor_id() == unit->cpu || !cpus_read_trylock())
		return;
	if (cpu_online(unit->cpu))
		set_cpus_allowed_ptr(current, cpumask_of(unit->cpu));
	cpus_read_unlock();
}

static int work(void *arg)
{
	struct torture_unit *unit = arg;
	const struct kind *is = &table[unit->kind];

	while (!kthread_should_stop()) {
		if (torture_failed()) {
			msleep(20);
			continue;
		}
		if (unit->kind == TORTURE_THREAD) {
			bind(unit);
			torture_interrupts_go_on(unit->cpu);
			torture_interrupt(unit);
		}
		is->round(unit);
		usleep_range(is->pause, 2 * is->pause);
	}
	return 0;
}

static bool start_threads(enum torture_kind k)
{
	unsigned int i;

	for (i = 0; i < kind[k].n; i++) {
		struct torture_unit *unit = &kind[k].unit[i];
		struct task_struct *task;

		task = kthread_run(work, unit, "torture/%s%u", table[k].name, i);
		if (IS_ERR(task))
			return false;
		unit->task = task;
	}
	return true;
}

static void stop_threads(enum torture_kind k)
{
	unsigned int i;

	for (i = 0; i < kind[k].n; i++)
		if (kind[k].unit[i].task)
			kthread_stop(kind[k].unit[i].task);
}

/* Stop all units; the unit that takes CPUs offline first. */
static void stop_all(void)
{
	unsigned int k = TORTURE_KINDS;

	while (k--)
		stop_threads(k);
	torture_interrupts_end();
}

static bool start_all(void)
{
	unsigned int k;

	if (!torture_interrupts_begin())
		return false;
	for (k = 0; k < TORTURE_KINDS; k++)
		if (kind[k].on && table[k].round && !start_threads(k))
			return false;
	return true;
}

/* The test */

static void print_numbers(unsigned int passed)
{
	unsigned long got = 0, none = 0;
	char text[400], wrong[200];
	unsigned int k;
	int n = 0;

	for (k = 0; k < TORTURE_KINDS; k++) {
		got += sum(k, offsetof(struct torture_unit, got));
		none += sum(k, offsetof(struct torture_unit, none));
		n += scnprintf(text + n, sizeof(text) - n, " %s=%lu",
			       table[k].name,
			       sum(k, offsetof(struct torture_unit, rounds)));
	}
	torture_wrongs(wrong, sizeof(wrong));
	pr_info("%u s:%s objects=%lu none=%lu nested=%lu\n", passed, text, got,
		none, torture_pools_nested());
	pr_info("%u s: wrong:%s\n", passed, wrong);
}

/* Returns the first kind that lacks rounds; TORTURE_KINDS if none does. */
static unsigned int idle_kind(void)
{
	unsigned int k;

	for (k = 0; k < TORTURE_KINDS; k++)
		if (kind[k].on &&
		    sum(k, offsetof(struct torture_unit, rounds)) < table[k].least)
			break;
	return k;
}

static void wait_for_end(void)
{
	time64_t start = ktime_get_seconds();
	unsigned int passed = 0, printed = 0, k = 0;

	while (!kthread_should_stop() && !torture_failed() &&
	       (passed < seconds || (k = idle_kind()) < TORTURE_KINDS)) {
		if (passed > seconds * PATIENCE) {
			torture_wrong(TORTURE_IDLE, NULL, table[k].name,
				      sum(k, offsetof(struct torture_unit, rounds)),
				      table[k].least);
			break;
		}
		schedule_timeout_interruptible(HZ);
		torture_aim(passed);
		passed = ktime_get_seconds() - start;
		if (passed >= printed + LINE_EVERY) {
			printed = passed;
			print_numbers(passed);
		}
	}
	if (passed > printed)
		print_numbers(passed);
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);
	const char *at = words;

	while ((at = strstr(at, word))) {
		if ((at == words || at[-1] == ',') &&
		    (!at[len] || at[len] == ','))
			return true;
		at += len;
	}
	return false;
}

/* Leave NMIs out of "all" on machines without a local APIC, which cannot send any. */
static bool is_wanted(enum torture_kind k)
{
	if (has_word(kinds, table[k].name))
		return true;
	return has_word(kinds, "all") && (k != TORTURE_NMI || torture_has_nmis());
}

/* On an error leave the pools as they are, so that the line below is printed. */
static int lead(void *unused)
{
	if (start_all())
		wait_for_end();
	else
		torture_wrong(TORTURE_MAKE, NULL, "units", 0, 1);
	stop_all();
	if (!torture_failed()) {
		torture_pools_empty(&kind[TORTURE_SWITCH].unit[0]);
		torture_pools_judge();
	}
	if (!torture_failed())
		torture_pools_destroy();
	state = torture_failed() ? "FAILURE" : "SUCCESS";
	pr_info("--- End of test: %s: seconds=%u threads=%u seed=%u kinds=%s%s\n",
		state, seconds, threads, seed, kinds,
		torture_on(TORTURE_NMI) || !has_word(kinds, "all") ? "" : " but nmi");
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

/* Module */

static void torture_free(void)
{
	unsigned int k;

	pool_destroy_all();
	for (k = 0; k < TORTURE_KINDS; k++)
		vfree(kind[k].unit);
	torture_objects_end();
}

static int __init torture_init(void)
{
	unsigned int k;
	bool good = torture_objects_begin();

	for (k = 0; k < TORTURE_KINDS; k++) {
		good = good && make_units(k);
		kind[k].on = is_wanted(k);
	}
	if (good && torture_pools_make())
		leader = kthread_run(lead, NULL, "torture");
	if (!IS_ERR_OR_NULL(leader))
		return 0;
	torture_free();
	return -ENOMEM;
}

static void __exit torture_exit(void)
{
	kthread_stop(leader);
	torture_free();
}

module_init(torture_init);
module_exit(torture_exit);

MODULE_DESCRIPTION("Everything at once on the pools of pool.ko");
MODULE_LICENSE("Dual MIT/GPL");
/* MODULE_IMPORT_NS() takes a token or a string, depending on the kernel. */
MODULE_INFO(import_ns, "LIBPOOL");
MODULE_INFO(import_ns, "LIBPOOL_TEST");
