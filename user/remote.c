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
 *				     |  asker gives up         ^ handler
 *				     +-------------------------+
 *
 * A thread that has blocked the signal does not answer.  It is not asked again before its
 * handler has run.
 */
#include "main.h"
#include "plat.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The low bit of "asked": the handler is at work. */
#define TAKEN		1ul

/* How often an asker looks for an answer, some 60 us apart. */
#define ANSWER_LOOKS	2000

/* One thread asks at a time; the signal and what it did before. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int lent;
static struct sigaction before;

/*
 * The acquire pairs with the release in ask(): the pool is there.  The release pairs with
 * the acquire in has_answered(): what was in the array is parked.
 */
static void on_signal(int sig)
{
	struct plat_area *area = plat_this_area();
	unsigned long asked;

	(void)sig;
	if (!area)
		return;
	plat_write(&area->deaf, false);
	asked = plat_read(&area->asked);
	if (!asked || (asked & TAKEN) ||
	    !plat_cmpxchg_acquire(&area->asked, &asked, asked | TAKEN))
		return;
	pool_empty_array((struct pool *)asked);
	plat_write_release(&area->asked, 0ul);
}

/* SIGKILL and SIGSTOP cannot be handled, and a signal with a handler is not free. */
static bool take_signal(int signo)
{
	struct sigaction action = {
		.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK,
	};

	if (sigaction(signo, NULL, &before))
		return false;
	if ((before.sa_flags & SA_SIGINFO) ||
	    (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)) {
		errno = EBUSY;
		return false;
	}
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
		plat_write(&plat_areas[i]->deaf, false);
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
	return area != plat_this_area() && !plat_read(&area->deaf) &&
	       plat_read(&area->thread) &&
	       plat_read(&plat_local_of(pool, area->number)->hot.n);
}

/* Mutex held. */
static bool ask(struct pool *pool, struct plat_area *area)
{
	if (!has_hot(pool, area))
		return false;
	plat_write_release(&area->asked, (unsigned long)pool);
	if (!syscall(SYS_tgkill, getpid(), plat_read(&area->thread), lent))
		return true;
	plat_write(&area->asked, 0ul);
	return false;
}

static bool has_answered(struct plat_area *area)
{
	return !plat_read_acquire(&area->asked);
}

/*
 * A request that the handler has not taken is withdrawn; one that it has taken ends.  All
 * areas were asked at once, so @looks is what is left for all of them.
 */
static void wait_for_answer(struct plat_area *area, unsigned int *looks)
{
	unsigned long asked = plat_read(&area->asked);

	while (!has_answered(area) && *looks) {
		--*looks;
		pool_nap();
	}
	asked &= ~TAKEN;
	if (asked && plat_cmpxchg_acquire(&area->asked, &asked, 0ul)) {
		plat_write(&area->deaf, true);
		return;
	}
	while (!has_answered(area))
		pool_nap();
}

bool plat_empty_arrays(struct pool *pool)
{
	unsigned int areas = plat_nr_cpus();
	unsigned int looks = ANSWER_LOOKS;
	bool any = false;
	unsigned int i;

	if (!pool->cached || !plat_read(&lent))
		return false;
	pthread_mutex_lock(&mutex);
	for (i = 0; i < areas && lent; i++)
		any |= ask(pool, plat_areas[i]);
	for (i = 0; i < areas && any; i++)
		wait_for_answer(plat_areas[i], &looks);
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
