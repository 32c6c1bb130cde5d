// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * thread.c - threads as CPUs: areas, and what happens at thread exit and fork
 *
 * Layer:   seam, cold half; twin of kernel/hotplug.c.
 * Context: plain threads, except for plat_area_make() and plat_cpu_ready(): any context.
 *
 * States of a thread, by where pool_thread_area points:
 *
 *   none ---> making <--> its area ---> lost
 *     ^          |
 *     +----------+ no area is free now; the next slow path tries again
 *
 * A thread is "making" again while pool_thread_idle() empties its area.  In all states but "its
 * area" the pointer leads to read-only zeros, where every hot array is closed, so that calls use
 * the shared pool, the backend and the pool's own parked list.
 */
#include "extra/helper.h"
#include "main.h"
#include "place.h"
#include "seam/plat.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread unsigned char *pool_thread_area
	__attribute__((tls_model("initial-exec"))) = plat_area_none;

/*
 * The memory of an area is given back once this many of its parts were emptied: many for a thread
 * that idles, since it may use them again at once; few for a thread that exits.
 */
#define IDLE_PARTS	64
#define EXIT_PARTS	4

static pthread_key_t exit_key START_DATA;
static bool have_exit_key START_DATA;

/* Empty an area that no thread uses meanwhile.  @parts: see IDLE_PARTS. */
static void empty(struct plat_area *area, unsigned int parts)
{
	area->untrimmed += plat_read(&area->cpu.set_up);
	pool_cpu_gone(area->number);
	if (area->untrimmed < parts)
		return;
	area->untrimmed = 0;
	pool_area_trim(area);
}

/* Empty an area without a thread, and release it for a later thread. */
static void hand_on(struct plat_area *area)
{
	empty(area, EXIT_PARTS);
	pool_area_put(area);
}

bool pool_empty_ownerless(void)
{
	struct plat_area *area = pool_areas_ownerless();
	bool any = false;

	while (area) {
		struct plat_area *next = area->next_free;

		empty(area, EXIT_PARTS);
		any |= !plat_read(&area->cpu.set_up);
		pool_area_put(area);
		area = next;
	}
	return any;
}

/*
 * Release the area of a thread that exits.  The thread points to no area from here on, so that no
 * handler and no later destructor of the program uses the area while it is drained.  A thread that
 * was cancelled asynchronously in a slow path still holds a lock: pool_torn_mend().
 */
static void thread_exit(void *arg)
{
	struct plat_area *area = arg;

	pool_answers(area, 0);
	pool_thread_area = plat_area_lost;
	pool_barrier();
	pool_torn_mend(area);
	hand_on(area);
}

/* True if the area's thread has ended.  False also if another thread has its id meanwhile. */
static bool is_dead(const struct plat_area *area)
{
	unsigned int thread = plat_read(&area->thread);

	return thread && syscall(SYS_tgkill, getpid(), thread, 0) &&
	       errno == ESRCH;
}

/*
 * True if the area's thread ended without thread_exit().  While the area mutex is held, no thread
 * can complete hand_on() and end.  So is_free and the id are of the same owner, and the owner
 * cannot have handed the area on between the two reads.
 */
static bool is_lost(const struct plat_area *area)
{
	bool lost;

	pool_areas_hold();
	lost = !area->is_free && is_dead(area);
	pool_areas_release();
	return lost;
}

/*
 * Excludes a second reaper of areas; outermost.  Only tried, because a destructor that a reaper
 * calls may reap.
 */
static pthread_mutex_t reap_mutex = PTHREAD_MUTEX_INITIALIZER;

/*
 * Hand on areas of threads that ended without thread_exit(), for example because a thread got its
 * area in the last round of key destructors.  The mutex keeps other reapers away.  This thread's
 * own area is skipped, because it has a wrong id in a child that was made without handlers of
 * forks.
 */
void pool_reap(void)
{
	unsigned int i = UINT_MAX;

	pool_empty_ownerless();
	if (pthread_mutex_trylock(&reap_mutex))
		return;
	while ((i = plat_cpu_below(i)) != UINT_MAX) {
		if (plat_areas[i] == plat_this_area() ||
		    !is_dead(plat_areas[i]) ||
		    !is_lost(plat_areas[i]))
			continue;
		pool_answers(plat_areas[i], 0);
		hand_on(plat_areas[i]);
	}
	pthread_mutex_unlock(&reap_mutex);
}

/*
 * Get an area and have thread_exit() called for it.  If that is refused, the area is released
 * again, because nobody would notice the thread's exit.  Callers work without an area, so errno is
 * kept.
 */
static struct plat_area *area_with_exit(void)
{
	int error = errno;
	struct plat_area *area = pool_area_get();

	if (area && pthread_setspecific(exit_key, area)) {
		pool_area_put(area);
		area = NULL;
	}
	errno = error;
	return area;
}

/* Make an area for this thread.  "making" keeps a handler that interrupts from making another. */
void plat_area_make(unsigned int flags)
{
	struct plat_area *area;
	struct plat_irq irq;

	if (!plat_may(PLAT_ALLOC, flags) || !have_exit_key)
		return;
	irq = plat_busy_enter();
	pool_thread_area = plat_area_making;
	pool_barrier();
	area = area_with_exit();
	pool_barrier();
	pool_thread_area = area ? (unsigned char *)area : plat_area_none;
	pool_barrier();
	if (area) {
		pool_answers(area, plat_own_id());
		pool_bound_share();
	}
	plat_busy_leave(irq);
}

void plat_cpu_ready(struct pool *pool, unsigned int flags)
{
	unsigned int i = pool->view.part;
	struct plat_area *area;

	if (pool_thread_area == plat_area_none)
		plat_area_make(flags);
	area = plat_this_area();
	if (area)
		__atomic_fetch_or(&area->has[i / PLAT_WORD_BITS], 1ul << i % PLAT_WORD_BITS,
				  __ATOMIC_RELAXED);
}

/* Empty this thread's area.  "making" keeps handlers that interrupt out of the area. */
void pool_thread_idle(void)
{
	struct plat_area *area = plat_this_area();

	if (!area)
		return;
	pool_thread_area = plat_area_making;
	pool_barrier();
	empty(area, IDLE_PARTS);
	pool_barrier();
	pool_thread_area = (unsigned char *)area;
	pool_barrier();
	pool_heard(area);
}

/* The signal mask of the thread that forks, protected by the registry mutex. */
static sigset_t fork_mask;

/*
 * Lock all locks, before fork(), in the thread that calls it.  Signals are blocked then, because
 * the child would miscount objects that a handler parks while it counts.  Signals stay allowed
 * while this waits for locks; a handler finds the locks of its own thread held, and skips them.
 */
static void fork_prepare(void)
{
	sigset_t others, mask;

	plat_mutex_lock(PLAT_DUMP);
	plat_mutex_lock(PLAT_CREATE);
	pool_remote_fork_hold();
	plat_mutex_lock(PLAT_REGISTRY);
	plat_mutex_lock(PLAT_WAITERS);
	pool_areas_hold();
	pool_fork_hold();
	pool_guard_fork_hold();
	pool_slab_fork_hold();
	pool_names_fork_hold();
	pool_signals_of_others(&others);
	pthread_sigmask(SIG_BLOCK, &others, &mask);
	fork_mask = mask;
}

/* Release all locks after fork(), in both processes. */
static void fork_release(bool child)
{
	pool_names_fork_release();
	pool_slab_fork_release(child);
	pool_guard_fork_release();
	pool_fork_release(child);
	pool_areas_release();
	plat_mutex_unlock(PLAT_WAITERS);
	plat_mutex_unlock(PLAT_REGISTRY);
	pool_remote_fork_release();
	plat_mutex_unlock(PLAT_CREATE);
	plat_mutex_unlock(PLAT_DUMP);
}

static void fork_parent(void)
{
	sigset_t mask = fork_mask;

	fork_release(false);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/*
 * Return a chain of all areas with an owner, except @own, whatever state the owners were in.  These
 * threads do not exist in the child.  Area mutex held.
 */
static struct plat_area *orphans(const struct plat_area *own)
{
	struct plat_area *chain = NULL;
	unsigned int i = UINT_MAX;

	while ((i = plat_cpu_below(i)) != UINT_MAX) {
		struct plat_area *area = plat_areas[i];

		if (area == own || area->is_free)
			continue;
		area->next_free = chain;
		chain = area;
	}
	return chain;
}

/*
 * Make the library whole after fork(), in the child's only thread.  The thread's area is read from
 * the key, since pool_thread_area may be "making".  The reap mutex is initialised, because its
 * holder may not exist in the child.
 *
 * Areas of other threads keep their parts, because each page that the child writes to would be
 * copied.  New threads take such areas over, and pool_empty_ownerless() empties the rest of them.
 */
static void fork_child(void)
{
	struct plat_area *own = have_exit_key ? pthread_getspecific(exit_key) :
						NULL;
	struct plat_area *area, *next;
	sigset_t mask = fork_mask;

	pool_lock_fork_child();
	pthread_mutex_init(&reap_mutex, NULL);
	if (own)
		pool_answers(own, plat_own_id());
	pool_fork_mend(own ? &own->cpu : NULL);
	next = orphans(own);
	pool_place_fork_child();
	fork_release(true);
	while (next) {
		area = next;
		next = area->next_free;
		pool_answers(area, 0);
		pool_area_put(area);
	}
	pool_fork_end();
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* Make the zeros read-only, since all threads without an area share them. */
static void protect_zeros(void)
{
	if (mprotect(plat_zeros, sizeof(plat_zeros), PROT_READ))
		plat_log(PLAT_WARN, "an area of zeros stays writable");
}

__attribute__((constructor(101))) static void thread_init(void)
{
	pool_trace_keep();
	libpool_find_stderr();
	protect_zeros();
	have_exit_key = !pthread_key_create(&exit_key, thread_exit);
	if (pthread_atfork(fork_prepare, fork_parent, fork_child) || pool_helper_at_forks())
		plat_log(PLAT_WARN, "a forked child cannot use pools");
	libpool_start();
}
