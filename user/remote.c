// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * remote.c - arrays of other threads, emptied by a signal
 *
 * Layer:   seam, cold half; user space only.
 * Context: plain threads, except for on_signal(), which is a signal handler.
 *
 * Only its own thread may touch a hot array.  So a thread that needs objects in the arrays
 * of others asks these threads.  It writes the pool into their areas, and sends the signal
 * that the program has lent.  The handler parks the objects of the array, and says so.
 *
 *	asked, in an area:   0 ---> pool ---> pool | TAKEN ---> 0
 *				     |      handler            ^ handler
 *				     +---> DEAF ---------------+
 *				      asker	  handler
 *
 * A thread that has blocked the signal does not answer.  It is not asked again before its
 * handler has run.  All of this is one word, so no order of asker and handler leaves a mark
 * behind.  An asker whose time was short takes its request back without a mark.
 */
#include "main.h"
#include "plat.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In "asked": the handler is at work; this alone: the thread did not answer. */
#define TAKEN		1ul
#define DEAF		2ul

/* How often an asker looks for an answer, some 60 us apart. */
#define ANSWER_LOOKS	2000

/* One thread asks at a time; the signal and what it did before. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int lent;
static struct sigaction before;

/*
 * The area for which this thread answers, "making" or not; NULL: none.  The id in an area is
 * no proof, since its thread may have ended without a notice, and this one have its id.
 */
static __thread struct plat_area *own_area
	__attribute__((tls_model("initial-exec")));

/*
 * Take a request, or the mark of an old one; 0: there was none.  The acquire pairs with the
 * release in ask(): the pool is there.
 */
static unsigned long take_request(struct plat_area *area)
{
	unsigned long asked = plat_read(&area->asked);
	unsigned long taken;

	do {
		if (!asked || (asked & TAKEN))
			return 0;
		taken = asked == DEAF ? 0 : asked | TAKEN;
	} while (!plat_cmpxchg(&area->asked, &asked, taken));
	return taken & ~TAKEN;
}

/*
 * A thread that is "making" is emptying its area, and pool_heard() answers when it has done
 * so.  The release pairs with the acquire in has_answered(): what was in the array is
 * parked.
 */
static void on_signal(int sig)
{
	struct plat_area *area = plat_read(&own_area);
	unsigned long pool = area ? take_request(area) : 0;

	(void)sig;
	if (!pool || !plat_this_area())
		return;
	pool_empty_array((struct pool *)pool);
	plat_write_release(&area->asked, 0ul);
}

/*
 * This thread has emptied its area, which answers any request.  One that did not answer
 * before has not heard the signal now, either.  The release: as in on_signal().
 */
void pool_heard(struct plat_area *area)
{
	unsigned long asked = plat_read(&area->asked);

	while (asked && asked != DEAF &&
	       !plat_cmpxchg(&area->asked, &asked, 0ul))
		;
}

/*
 * This thread answers for its area from now on; 0: no thread does.  The fence pairs with
 * the one in ask(): a request to the thread before is one that ask() takes back, or is
 * dropped here.
 */
void pool_answers(struct plat_area *area, unsigned int thread)
{
	if (thread)
		plat_write(&own_area, area);
	else if (plat_read(&own_area) == area)
		plat_write(&own_area, NULL);
	plat_write(&area->thread, thread);
	plat_fence();
	plat_write(&area->asked, 0ul);
}

/* Signals by which the system tells a thread that its own instruction failed; ends with 0. */
static const int own[] = {
	SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, 0
};

/* Signals that other threads send; a signal that a thread raises itself must reach it. */
void pool_signals_of_others(sigset_t *set)
{
	unsigned int i;

	sigfillset(set);
	for (i = 0; own[i]; i++)
		sigdelset(set, own[i]);
}

/*
 * Does a signal end a program that made an error?  With on_signal() as its handler the failed
 * instruction would run again, for ever, and abort() would not end the program at once.
 */
static bool is_fatal(int signo)
{
	unsigned int i;

	for (i = 0; own[i]; i++)
		if (own[i] == signo)
			return true;
	return signo == SIGABRT;
}

/*
 * sigaction() refuses numbers that are no signal, SIGKILL, SIGSTOP, and the signals that the C
 * library uses itself.  A signal with a handler is not free.  No other handler interrupts
 * on_signal(): it might jump out, and then the asker waits for ever, or fork, and then the fork
 * waits for the asker.
 */
static bool take_signal(int signo)
{
	struct sigaction action = {
		.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK,
	};

	if (is_fatal(signo)) {
		errno = EINVAL;
		return false;
	}
	if (sigaction(signo, NULL, &before))
		return false;
	if ((before.sa_flags & SA_SIGINFO) ||
	    (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)) {
		errno = EBUSY;
		return false;
	}
	pool_signals_of_others(&action.sa_mask);
	return !sigaction(signo, &action, NULL);
}

/*
 * A thread that has blocked the signal may have one pending, and the signal's earlier
 * action may end the program.  Ignoring a signal discards pending ones.
 */
static void give_signal_back(void)
{
	static const struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(lent, &ignore, NULL);
	sigaction(lent, &before, NULL);
	plat_write(&lent, 0);
}

/* All threads are asked again: another signal may not be blocked. */
static void hear_all(void)
{
	unsigned int areas = plat_nr_cpus();
	unsigned int i;

	for (i = 0; i < areas; i++)
		plat_write(&plat_areas[i]->asked, 0ul);
}

bool pool_reclaim_signal(int signo)
{
	bool done = true;

	pthread_mutex_lock(&mutex);
	if (lent && signo) {
		errno = EBUSY;
		done = signo == lent;
	} else if (signo) {
		hear_all();
		done = take_signal(signo);
		plat_write(&lent, done ? signo : 0);
	} else if (lent) {
		give_signal_back();
	}
	pthread_mutex_unlock(&mutex);
	return done;
}

/* Is another thread worth asking?  Read unlocked: an empty array costs only a signal. */
static bool has_hot(struct pool *pool, struct plat_area *area)
{
	return area != plat_this_area() && !plat_read(&area->asked) &&
	       plat_read(&area->thread) &&
	       plat_read(&plat_local_of(pool, area->number)->hot.n);
}

/* End a request that the handler has not taken; false: it has, or another one answers. */
static bool end_request(struct plat_area *area, unsigned long mark)
{
	unsigned long asked = plat_read(&area->asked) & ~TAKEN;

	return asked && plat_cmpxchg(&area->asked, &asked, mark);
}

/* Mutex held.  A request that cannot be taken back is answered. */
static bool ask(struct pool *pool, struct plat_area *area)
{
	unsigned int thread;

	if (!has_hot(pool, area))
		return false;
	plat_write_release(&area->asked, (unsigned long)pool);
	plat_fence();
	thread = plat_read(&area->thread);
	if (thread && !syscall(SYS_tgkill, getpid(), thread, lent))
		return true;
	return !end_request(area, 0);
}

static bool has_answered(struct plat_area *area)
{
	return !(plat_read_acquire(&area->asked) & ~DEAF);
}

/* How long an asker waits. */
struct patience {
	unsigned int looks;	/* that are left */
	unsigned int start;	/* by the clock of plat_sleep() */
	unsigned int ms;	/* from then on, or POOL_FOREVER */
};

/* Wait a little; false: the patience is at its end. */
static bool waits(struct patience *p)
{
	if (!p->looks || (p->ms != POOL_FOREVER &&
			  plat_sleep(0) - p->start >= p->ms))
		return false;
	p->looks--;
	pool_nap();
	return true;
}

/* An asker whose time is limited does not stand in a line. */
static bool lock(struct patience *p)
{
	if (p->ms == POOL_FOREVER)
		return !pthread_mutex_lock(&mutex);
	while (pthread_mutex_trylock(&mutex))
		if (!waits(p))
			return false;
	p->looks = ANSWER_LOOKS;
	return true;
}

/*
 * A request that the handler has not taken is withdrawn; one that it has taken ends.  All
 * areas were asked at once, so the asker's patience is for all of them.
 */
static void wait_for_answer(struct plat_area *area, struct patience *p)
{
	while (!has_answered(area) && waits(p))
		;
	if (!has_answered(area) && end_request(area, p->looks ? 0 : DEAF))
		return;
	while (!has_answered(area))
		pool_nap();
}

bool plat_empty_arrays(struct pool *pool, unsigned int ms)
{
	struct patience p = { .looks = ANSWER_LOOKS, .ms = ms };
	unsigned int areas = plat_nr_cpus();
	bool any = false;
	unsigned int i;

	if (!pool->cached || !plat_read(&lent) || !ms)
		return false;
	p.start = plat_sleep(0);
	if (!lock(&p))
		return false;
	for (i = 0; i < areas && lent; i++)
		any |= ask(pool, plat_areas[i]);
	for (i = 0; i < areas && any; i++)
		wait_for_answer(plat_areas[i], &p);
	pthread_mutex_unlock(&mutex);
	return any;
}

void pool_remote_fork_hold(void)
{
	pthread_mutex_lock(&mutex);
}

void pool_remote_fork_release(void)
{
	pthread_mutex_unlock(&mutex);
}
