// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * remote.c - arrays of other threads, emptied by a signal
 *
 * Layer:   seam, cold half; user space only.
 * Context: plain threads, except for on_signal(), which is a signal handler.
 *
 * Only its own thread may touch a hot array.  So a thread that needs objects in arrays of other
 * threads asks them: it writes the pool into their areas, and sends the signal that the program
 * lent to the library.  The handler parks the objects of the array, and clears the request.
 *
 *	asked, in an area:   0 ---> pool ---> pool | RUNNING ---> 0
 *				     |      handler            ^ handler
 *				     +---> DEAF ---------------+
 *				      asker	  handler
 *
 * A thread that has blocked the signal does not answer.  The asker sets DEAF, and no call asks the
 * thread again before its handler has run.  Request and DEAF are one word, so no order of asker and
 * handler leaves a stale DEAF.  An asker whose time is over withdraws its request without DEAF.
 *
 * A thread that only waits for a processor is not deaf, however long it waits.  So after
 * ANSWER_LOOKS the asker asks the system about the thread.  A thread that sleeps, or that has run
 * since, has blocked the signal: otherwise the signal would have woken it and been handled first.
 */
#include "main.h"
#include "seam/plat.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* In "asked": RUNNING: the handler runs; DEAF, alone: the thread did not answer. */
#define RUNNING		1ul
#define DEAF		2ul

/* How often an asker looks for answers, some 60 us apart, before it asks about a thread. */
#define ANSWER_LOOKS	2000
#define MORE_LOOKS	16

/* A thread that has run for 10 ms since it was asked would have answered, even in an emulator. */
#define ANSWER_RUNS	10000000ull

/*
 * Protects "lent", the lent signal, and "before", its earlier action; excludes a second thread that
 * asks.  Lock order: after the creation lock, before the registry mutex.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int lent;
static struct sigaction before;

/*
 * The area for which this thread answers, "making" or not; NULL: none.  The thread id in the area
 * does not prove that, because its thread may have ended unnoticed, and this one may have the same
 * id.
 */
static __thread struct plat_area *own_area
	__attribute__((tls_model("initial-exec")));

/*
 * Accept the request of an area, and clear DEAF; 0: there is no request.  The acquire pairs with
 * the release in ask(), so that the pool is seen as the asker saw it.
 */
static unsigned long accept_request(struct plat_area *area)
{
	unsigned long asked = plat_read(&area->asked);
	unsigned long accepted;

	do {
		if (!asked || (asked & RUNNING))
			return 0;
		accepted = asked == DEAF ? 0 : asked | RUNNING;
	} while (!plat_cmpxchg(&area->asked, &asked, accepted));
	return accepted & ~RUNNING;
}

/*
 * Answer a request.  While the thread is "making" its area is being emptied, and pool_heard()
 * answers afterwards.  The release pairs with the acquire in has_answered(), so that the asker sees
 * the parked objects.
 */
static void on_signal(int sig)
{
	struct plat_area *area = plat_read(&own_area);
	unsigned long pool = area ? accept_request(area) : 0;

	(void)sig;
	if (!pool || !plat_this_area())
		return;
	pool_empty_array((struct pool *)pool);
	plat_write_release(&area->asked, 0ul);
}

/*
 * Answer a request after this thread has emptied its area.  DEAF stays set, because the
 * signal is still blocked.  The release pairs as that of on_signal().
 */
void pool_heard(struct plat_area *area)
{
	unsigned long asked = plat_read(&area->asked);

	while (asked && asked != DEAF &&
	       !plat_cmpxchg(&area->asked, &asked, 0ul))
		;
}

/*
 * Make this thread answer for an area; @thread is its id, or 0: nobody answers from now on.  The
 * fence pairs with that in ask(): a request to the thread before is withdrawn by ask(), or dropped
 * here.
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

/* Signals that a thread's own instruction causes; ends with 0. */
static const int own[] = {
	SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, 0
};

/* Set @set to all signals except those of own[], which must not be blocked. */
void pool_signals_of_others(sigset_t *set)
{
	unsigned int i;

	sigfillset(set);
	for (i = 0; own[i]; i++)
		sigdelset(set, own[i]);
}

/*
 * True for signals that end a program after an error.  With on_signal() as handler a failed
 * instruction would be repeated for ever, and abort() would not end the program at once.
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
 * Install the handler for a lent signal, unless the signal has one.  sigaction() refuses numbers
 * that are no signal, SIGKILL, SIGSTOP, and the C library's own signals.  Other signals are blocked
 * during on_signal(), because a handler that left it by longjmp() would let the asker wait for
 * ever, and a handler that forks would wait for the asker.
 */
static bool install_handler(int signo)
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
 * Restore the signal's action.  The signal is ignored first, which discards pending ones: a thread
 * that has blocked it may have one pending, and the earlier action may end the program.
 */
static void restore_action(void)
{
	static const struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(lent, &ignore, NULL);
	sigaction(lent, &before, NULL);
	plat_write(&lent, 0);
}

/* Clear DEAF of all areas, since threads may not have blocked the new signal. */
static void hear_all(void)
{
	unsigned int i = UINT_MAX;

	while ((i = plat_cpu_below(i)) != UINT_MAX)
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
		done = install_handler(signo);
		plat_write(&lent, done ? signo : 0);
	} else if (lent) {
		restore_action();
	}
	pthread_mutex_unlock(&mutex);
	return done;
}

/* True if another thread is worth asking.  Read unlocked: a stale count costs only a signal. */
static bool has_hot(struct pool *pool, struct plat_area *area)
{
	const struct pool_local *local = plat_local_of(pool, area->number);

	return local && area != plat_this_area() && !plat_read(&area->asked) &&
	       plat_read(&area->thread) &&
	       plat_read(&local->hot.n);
}

/* End a request that was not accepted yet; false: the handler or another thread has accepted it. */
static bool end_request(struct plat_area *area, unsigned long deaf)
{
	unsigned long asked = plat_read(&area->asked) & ~RUNNING;

	return asked && plat_cmpxchg(&area->asked, &asked, deaf);
}

/* Send a thread a request and the signal.  True: it will answer, or has answered.  Mutex held. */
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

/* How long an asker waits for an answer. */
struct patience {
	unsigned int looks;	/* looks before the asker asks about the thread */
	unsigned int start;	/* time by plat_resched() */
	unsigned int ms;	/* limit from "start" on, or POOL_FOREVER */
};

static bool is_over(const struct patience *p)
{
	return p->ms != POOL_FOREVER && plat_resched() - p->start >= p->ms;
}

/* Lock the mutex; false: the time is over.  With a limit the mutex is only tried. */
static bool lock(const struct patience *p)
{
	if (p->ms == POOL_FOREVER)
		return !pthread_mutex_lock(&mutex);
	while (pthread_mutex_trylock(&mutex)) {
		if (is_over(p))
			return false;
		pool_nap();
	}
	return true;
}

/* Return the state of a thread as in proc(5), R: running or runnable; 0: not known, or ended. */
static char state_of(unsigned int thread)
{
	char path[48], text[128], *at;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%u/stat", thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n < 0 ? 0 : n] = 0;
	/* The name of the thread, in parentheses, may itself have parentheses. */
	at = strrchr(text, ')');
	return at && at[1] ? at[2] : 0;
}

/* Return how many nanoseconds a thread of this process has run; 0: not known. */
static unsigned long long runtime_of(unsigned int thread)
{
	clockid_t clock = (clockid_t)(~thread << 3 | 6);
	struct timespec ran;

	return clock_gettime(clock, &ran) ? 0 : (unsigned long long)ran.tv_sec * 1000000000 +
						(unsigned long long)ran.tv_nsec;
}

/*
 * True if a thread that has not answered yet may still do so once it gets a processor.  @since: its
 * runtime when the asker first asked about it; 0: this is the first time.  Cancellation is off,
 * since read() is a cancellation point.
 */
static bool will_answer(unsigned int thread, unsigned long long *since)
{
	unsigned long long ran = runtime_of(thread);
	int error = errno, state;
	bool waits;

	if (!*since)
		*since = ran;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	waits = ran && ran - *since < ANSWER_RUNS && state_of(thread) == 'R';
	pthread_setcancelstate(state, NULL);
	errno = error;
	return waits;
}

/*
 * Wait for the answer of one thread.  When the time is over, withdraw a request that the handler
 * has not accepted, and go on waiting if it has.  All threads were asked at once, so they share the
 * looks.
 */
static void wait_for_answer(struct plat_area *area, struct patience *p)
{
	unsigned long long since = 0;
	bool deaf = false;

	while (!has_answered(area) && !deaf && !is_over(p)) {
		if (p->looks) {
			p->looks--;
			pool_nap();
			continue;
		}
		deaf = !will_answer(plat_read(&area->thread), &since);
		p->looks = deaf ? 0 : MORE_LOOKS;
	}
	if (!has_answered(area) && end_request(area, deaf ? DEAF : 0))
		return;
	while (!has_answered(area))
		pool_nap();
}

/*
 * Reduce this thread's old arrays.  Other threads are not asked, because a signal would end their
 * sleep.
 */
static bool age_arrays(void)
{
	struct plat_area *area = plat_this_area();
	unsigned int most = POOL_AGE_MOST;

	while (area && most && pool_age_prepare(&area->cpu)) {
		pool_age_array(&area->cpu);
		most--;
	}
	return most < POOL_AGE_MOST;
}

bool plat_empty_arrays(struct pool *pool, unsigned int ms)
{
	struct patience p = { .looks = ANSWER_LOOKS, .ms = ms };
	unsigned int i = UINT_MAX;
	bool any;

	if (!pool)
		return age_arrays();
	if (!pool->cached || !ms)
		return false;
	any = pool_empty_ownerless();
	p.start = plat_resched();
	if (!plat_read(&lent) || !lock(&p))
		return any;
	while (lent && (i = plat_cpu_below(i)) != UINT_MAX)
		any |= ask(pool, plat_areas[i]);
	for (i = UINT_MAX; any && (i = plat_cpu_below(i)) != UINT_MAX;)
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
