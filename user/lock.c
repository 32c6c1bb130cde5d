// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * lock.c - locks that threads wait for, and how a thread sleeps until one is free
 *
 * Layer:   seam, cold half.
 * Context: plain threads, except for plat_thread_id_find(), which is for any context.
 *
 * The CPU lock's word is the holder's thread id, as FUTEX_LOCK_PI needs it, so that the kernel can
 * lend the holder the waiter's priority.  Owners only try the lock: plat_impl.h, one instruction
 * each to lock and to unlock.
 *
 * If the kernel lacks such futexes (seccomp filter, emulator), the waiter retries with a pause in
 * between.  If only the holder has such a filter, it cannot wake the waiter.  So waiters also wake
 * up by themselves each LOOK_MS.
 */
#include "main.h"
#include "seam/plat.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__thread unsigned int plat_thread_id
	__attribute__((tls_model("initial-exec")));

unsigned int plat_thread_id_find(void)
{
	plat_thread_id = (unsigned int)syscall(SYS_gettid);
	return plat_thread_id;
}

/* A waiter retries after this time even if nobody wakes it. */
#define LOOK_MS		100

/* The timeout of SYS_futex: two longs, unlike struct timespec on some 32-bit systems. */
struct until {
	long sec;
	long nsec;
};

static bool futex(unsigned int *holder, int op, const struct until *until)
{
	return !syscall(SYS_futex, holder, op, 0, until, NULL, 0);
}

/* Lock, or sleep until the lock is free; false, with errno, which is ETIMEDOUT after LOOK_MS. */
static bool futex_lock(unsigned int *holder)
{
	struct until until;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_nsec += LOOK_MS * 1000000;
	until.sec = (long)now.tv_sec + now.tv_nsec / 1000000000;
	until.nsec = now.tv_nsec % 1000000000;
	return futex(holder, FUTEX_LOCK_PI_PRIVATE, &until);
}

/*
 * True if the kernel writes thread ids in the byte order in which this program reads them.
 * qemu-user does not swap them, so a lock that such a kernel hands over would never be free again.
 * Tested once, with a lock that only this thread knows.
 */
static bool futex_has_ids(void)
{
	static unsigned char answer;	/* 1: yes, 2: no */
	unsigned int lock = 0;

	if (plat_read(&answer))
		return plat_read(&answer) == 1;
	if (!futex_lock(&lock))
		return false;
	plat_write(&answer, plat_read(&lock) == plat_own_id() ? 1 : 2);
	futex(&lock, FUTEX_UNLOCK_PI_PRIVATE, NULL);
	return plat_read(&answer) == 1;
}

/*
 * Lock by a futex after a try failed.  The acquire of "holder" pairs with the release below.  Only
 * ThreadSanitizer needs it, because it does not see that the kernel hands the lock over.
 */
static void lock_by_futex(struct pool_cpu *cpu)
{
	while (!plat_cpu_trylock(cpu)) {
		if (!futex_has_ids()) {
			plat_pause(true);
			continue;
		}
		if (futex_lock(&cpu->lock.holder)) {
			__atomic_load_n(&cpu->lock.holder, __ATOMIC_ACQUIRE);
			return;
		}
		if (errno != EINTR && errno != EAGAIN && errno != ETIMEDOUT)
			plat_pause(true);
	}
}

void plat_cpu_lock(struct pool_cpu *cpu)
{
	int error = errno;

	lock_by_futex(cpu);
	errno = error;
}

/* Unlock a lock that has waiters: FUTEX_WAITERS is set beside this thread's id. */
void plat_cpu_unlock_waited(struct pool_cpu *cpu)
{
	int error = errno;

	__atomic_fetch_or(&cpu->lock.holder, FUTEX_WAITERS, __ATOMIC_RELEASE);
	if (!futex(&cpu->lock.holder, FUTEX_UNLOCK_PI_PRIVATE, NULL))
		plat_write_release(&cpu->lock.holder, 0u);
	errno = error;
}

/*
 * True for a thread of real-time priority.  It must nap, because sched_yield() would not run the
 * thread of lower priority for which it waits.
 */
static bool is_real_time(void)
{
	long policy = syscall(SYS_sched_getscheduler, 0);

	policy &= ~SCHED_RESET_ON_FORK;
	return policy == SCHED_FIFO || policy == SCHED_RR ||
	       policy == SCHED_DEADLINE;
}

/* Sleep for 10 us, or until a signal.  Cancellation is off, since nanosleep() is such a point. */
void pool_nap(void)
{
	struct timespec moment = { .tv_nsec = 10000 };
	int error = errno, state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	nanosleep(&moment, NULL);
	pthread_setcancelstate(state, NULL);
	errno = error;
}

/* Lock order: dump, creation, registry, waiters.  What each excludes: common/seam/plat.h. */
static pthread_mutex_t mutexes[] = {
	[PLAT_WAITERS] = PTHREAD_MUTEX_INITIALIZER,
	[PLAT_REGISTRY] = PTHREAD_MUTEX_INITIALIZER,
	[PLAT_CREATE] = PTHREAD_MUTEX_INITIALIZER,
	[PLAT_DUMP] = PTHREAD_MUTEX_INITIALIZER,
};

static pthread_cond_t registry_changed = PTHREAD_COND_INITIALIZER;
static unsigned int registry_waiters;	/* registry mutex: threads in plat_registry_wait() */

void plat_mutex_lock(enum plat_mutex mutex)
{
	pthread_mutex_lock(&mutexes[mutex]);
}

bool pool_registry_trylock(void)
{
	return !pthread_mutex_trylock(&mutexes[PLAT_REGISTRY]);
}

/* The pool that unlock_create() has to log, and why; "": none.  Creation lock. */
static char without_caches[POOL_SHOWN_LEN + 1];
static const char *without_why;

void pool_has_no_caches(const char *shown, const char *why)
{
	snprintf(without_caches, sizeof(without_caches), "%s", shown);
	without_why = why;
}

/* Unlock the creation lock, then log, because the program's log function may create or fork. */
static void unlock_create(void)
{
	char shown[sizeof(without_caches)];
	const char *why = without_why;

	snprintf(shown, sizeof(shown), "%s", without_caches);
	without_caches[0] = 0;
	pthread_mutex_unlock(&mutexes[PLAT_CREATE]);
	if (*shown)
		plat_log(PLAT_WARN,
			 "pool \"%s\" and further ones have no caches: %s", shown, why);
}

void plat_mutex_unlock(enum plat_mutex mutex)
{
	if (mutex == PLAT_CREATE) {
		unlock_create();
		return;
	}
	if (mutex == PLAT_REGISTRY && registry_waiters)
		pthread_cond_broadcast(&registry_changed);
	pthread_mutex_unlock(&mutexes[mutex]);
}

/* Wait for a change of the registry.  Cancellation is off: pthread_cond_wait() is such a point. */
void plat_registry_wait(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	registry_waiters++;
	pthread_cond_wait(&registry_changed, &mutexes[PLAT_REGISTRY]);
	registry_waiters--;
	pthread_setcancelstate(state, NULL);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#else
	pool_barrier();
#endif
}

void plat_pause(bool sleep)
{
	if (!sleep)
		relax();
	else if (is_real_time())
		pool_nap();
	else
		sched_yield();
}

unsigned int plat_resched(void)
{
	struct timespec now;
	unsigned int ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (unsigned int)now.tv_sec * 1000 +
	     (unsigned int)(now.tv_nsec / 1000000);
	return ms ? ms : 1;
}

/* Sleep while the word is as seen.  If the kernel refuses futexes, nap; the caller looks again. */
static void wait_until(unsigned int *word, unsigned int seen, const struct until *until)
{
	long err;

	do {
		err = syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, seen, until, NULL,
			      FUTEX_BITSET_MATCH_ANY);
	} while (err && errno == EINTR);
	if (err && errno != EAGAIN && errno != ETIMEDOUT)
		pool_nap();
}

/* Sleep as plat.h says.  Neither cancellation nor a signal, as of a profiler, ends it. */
unsigned int plat_wait(unsigned int *word, unsigned int seen, unsigned int ms)
{
	struct timespec now;
	struct until until;
	int error = errno;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now.tv_nsec += (long)(ms % 1000) * 1000000;
	until.sec = (long)now.tv_sec + (long)(ms / 1000) + now.tv_nsec / 1000000000;
	until.nsec = now.tv_nsec % 1000000000;
	wait_until(word, seen, ms == POOL_FOREVER ? NULL : &until);
	errno = error;
	return plat_resched();
}

void plat_wake(unsigned int *word)
{
	int error = errno;

	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX);
	errno = error;
}

/* Forget waiters, which the child has not, and the thread id, which differs in the child. */
void pool_lock_fork_child(void)
{
	static const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;

	registry_changed = fresh;
	registry_waiters = 0;
	plat_thread_id = 0;
}
