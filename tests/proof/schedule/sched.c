// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sched.c - fibres, and which of them runs
 *
 * Layer:   tests; the enumerator.
 * Context: one thread.
 *
 * A fibre runs on a stack that is part of the world.  At each point it stops, and
 * the search decides which fibre goes on.  Where no preemption is left the points are
 * passed, and only the judge looks.
 */
#include "seam/plat.h"
#include "sched.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

struct fibre sched_fibre[SCHED_FIBRES];

/* pool_thread_area of each CPU while it does not run. */
static unsigned char *sched_area[SCHED_CPUS];

#define SCHED_ADDRESS	((void *)0x110000000000ul)
struct sched *const sched = SCHED_ADDRESS;

__thread unsigned char *pool_thread_area;

/* Save the callee-saved registers, and go on where another stack was left. */
void sched_switch(void **from, void *const *to);
__asm__(".text\n"
	".type sched_switch, @function\n"
	"sched_switch:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov (%rsi), %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size sched_switch, .-sched_switch\n");

static void stop(enum sched_event event)
{
	if (event != SCHED_POINT)
		sched_order(__ATOMIC_RELEASE);
	sched->event = event;
	sched_switch(&sched_fibre[sched->cur].sp, &sched->sp);
}

static void fibre_main(void)
{
	const struct scenario *s = sched->scenario;
	unsigned int cpu = sched_cpu(sched->cur);

	if (sched->cur < SCHED_CPUS)
		s->cpu[cpu]();
	else
		s->irq[cpu]();
	sched_fibre[sched->cur].state = FIBRE_DONE;
	stop(SCHED_END);
	abort();
}

/* Make a stack look as if sched_switch() was called just before the fibre begins. */
static void fibre_begin(unsigned int who)
{
	void **sp = (void **)(void *)world_stack_end(who);

	*--sp = NULL;
	*--sp = (void *)fibre_main;
	sp -= 6;
	memset(sp, 0, 6 * sizeof(*sp));
	sched_fibre[who].sp = sp;
	sched_fibre[who].state = FIBRE_BEGUN;
}

unsigned int sched_cpu(unsigned int who)
{
	return who % SCHED_CPUS;
}

const char *sched_name(unsigned int who)
{
	static const char *const names[] = {
		"cpu0", "cpu1", "cpu2", "irq0", "irq1", "irq2", "main", "",
		"late0", "late1", "late2", "ilate0", "ilate1", "ilate2"
	};

	return names[who];
}

bool sched_runnable(unsigned int who)
{
	const struct fibre *f = &sched_fibre[who];

	return (f->state == FIBRE_NEW || f->state == FIBRE_BEGUN) &&
	       (!f->waits || !*f->waits);
}

/* Run a fibre until it stops; see sched->event and sched->failed. */
void sched_run(unsigned int who)
{
	struct fibre *f = &sched_fibre[who % SCHED_LATE];

	sched->is_late = who >= SCHED_LATE;
	who %= SCHED_LATE;
	if (f->state == FIBRE_NEW)
		fibre_begin(who);
	f->waits = NULL;
	f->yielded = false;
	sched->cur = who;
	pool_thread_area = sched_area[sched_cpu(who)];
	sched->guarded = true;
	late_show(sched_cpu(who));
	if (!sigsetjmp(sched->back, 0))
		sched_switch(&sched->sp, &f->sp);
	late_hide(sched_cpu(who));
	sched->guarded = false;
	sched_area[sched_cpu(who)] = pool_thread_area;
	sched->cur = SCHED_NOBODY;
	sched->over = f->over;
	if (f->state == FIBRE_DONE)
		*f = (struct fibre){ .state = FIBRE_DONE };
}

/* Run a function to its end, outside of all fibres. */
void sched_call(void (*fn)(void))
{
	sched->alone = 0;
	sched->cur = SCHED_NOBODY;
	sched_as_cpu(0);
	sched->guarded = true;
	if (fn && !sigsetjmp(sched->back, 0))
		fn();
	sched->guarded = false;
}

void sched_as_cpu(unsigned int cpu)
{
	pool_thread_area = (unsigned char *)plat_areas[cpu];
}

void sched_begin(const struct scenario *s)
{
	unsigned int i;

	sched->scenario = s;
	sched->cur = SCHED_NOBODY;
	sched->event = SCHED_START;
	sched->failed = false;
	sched->steps = 0;
	plat_begin(s->cpus);
	judge_begin();
	for (i = 0; i < SCHED_CPUS; i++) {
		if (s->cpu[i])
			sched_fibre[i].state = FIBRE_NEW;
		if (s->irq[i])
			sched_fibre[SCHED_CPUS + i].state = FIBRE_NEW;
		sched_area[i] = (unsigned char *)plat_areas[i];
	}
	sched_call(s->setup);
	judge_settled();
}

void sched_die(const char *why)
{
	fprintf(stderr, "schedule: %s\n", why);
	exit(2);
}

/* End the schedule; the caller does not go on. */
void sched_fail(const char *fmt, ...)
{
	va_list args;

	if (sched->failed)
		return;
	va_start(args, fmt);
	vsnprintf(sched->why, sizeof(sched->why), fmt, args);
	va_end(args);
	sched->failed = true;
	siglongjmp(sched->back, 1);
}

void sched_note(const char *fmt, ...)
{
	va_list args;

	if (!sched->tracing)
		return;
	printf("%5u %s  ", sched->steps, sched_name(sched->cur));
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static void count_step(void)
{
	sched->points++;
	if (++sched->steps > SCHED_STEPS_MAX)
		sched_fail("it does not end");
}

static unsigned long value_of(const void *p, unsigned int size)
{
	switch (size) {
	case 1:
		return *(const unsigned char *)p;
	case 2:
		return *(const unsigned short *)p;
	case 4:
		return *(const unsigned int *)p;
	default:
		return *(const unsigned long *)p;
	}
}

void sched_point(const char *function, const char *op, const char *operand,
		 const void *p, unsigned int size)
{
	bool matters;

	if (sched->cur == SCHED_NOBODY)
		return;
	count_step();
	judge_point();
	matters = touched_now(p, strcmp(op, "load")) ||
		  late_any(sched_cpu(sched->cur));
	if (matters && !sched->freely)
		stop(SCHED_POINT);
	if (world_is_free(p))
		sched_fail("%s: %s %s, in memory that was given back",
			   function, op, operand);
	if (sched->tracing)
		sched_note("%-28s %s %s [%#lx]", function, op, operand,
			   value_of(p, size));
}

/* Let others run first; if no other fibre can run, a loop of yields would never end. */
static void yield(const char *name)
{
	if (sched->cur == SCHED_NOBODY) {
		if (sched->alone++ > SCHED_STEPS_MAX)
			sched_fail("it waits for nobody");
		return;
	}
	count_step();
	judge_point();
	sched_note("%s", name);
	sched_fibre[sched->cur].yielded = true;
	stop(SCHED_YIELD);
}

void plat_pause(bool sleep)
{
	yield(sleep ? "plat_pause(true)" : "plat_pause(false)");
}

/* Wait until a word is 0. */
void sched_wait(const unsigned int *word)
{
	if (!*word)
		return;
	if (sched->cur == SCHED_NOBODY) {
		sched_fail("it waits for nobody");
		return;
	}
	count_step();
	judge_point();
	sched_note("waits");
	sched_fibre[sched->cur].waits = word;
	stop(SCHED_WAIT);
}

static void crashed(int sig)
{
	if (!sched->guarded)
		_exit(128 + sig);
	snprintf(sched->why, sizeof(sched->why), "it crashes: signal %d", sig);
	sched->failed = true;
	siglongjmp(sched->back, 1);
}

/* Finds a loop without a point in it, by CPU time: machines stand still for a second at times. */
static void watch(int sig)
{
	if (sched->guarded && sched->points == sched->watched)
		crashed(sig);
	sched->watched = sched->points;
}

void sched_init(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
	struct itimerval second = { { 1, 0 }, { 1, 0 } };
	struct sigaction sa = { .sa_flags = SA_ONSTACK | SA_NODEFER };
	stack_t stack = { .ss_size = 65536 };
	unsigned int i;

	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mmap(SCHED_ADDRESS, 4096, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		 0) != SCHED_ADDRESS || sigaltstack(&stack, NULL))
		sched_die("no memory");
	sched->cur = SCHED_NOBODY;
	sa.sa_handler = crashed;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &sa, NULL);
	sa.sa_handler = watch;
	sigaction(SIGPROF, &sa, NULL);
	setitimer(ITIMER_PROF, &second, NULL);
}
