// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sigquit.c - on request, SIGQUIT dumps the pools and collects
 *
 * Layer:   above everything; user space only.
 * Context: plain threads, except for on_quit(), which is a signal handler.
 *
 * A handler may neither print nor collect, since it may have interrupted the code that
 * these use.  So it posts a semaphore, and a thread that waits for it does both.
 */
#include "helper.h"
#include "seam/plat.h"

#include <errno.h>
#include <signal.h>

static struct sigaction before;		/* pool_helper_lock(): the action to restore */

static void work(void)
{
	dump_pools();
	pool_gc(NULL);
}

static void restore(void);

static struct pool_helper helper = {
	.change = PTHREAD_MUTEX_INITIALIZER, .what = "the thread behind SIGQUIT",
	.work = work, .forget = restore, .by_wake = true,
	.stop = { .fd = -1 }, .stop_end = { .fd = -1 },
};

/* Wake the thread.  May run after the thread has ended. */
static void on_quit(int sig)
{
	int saved = errno;

	(void)sig;
	sem_post(&helper.wake);
	errno = saved;
}

/*
 * Restore SIGQUIT, unless the program has given it another handler since.  So does a child, which
 * has no thread for the handler to wake.  Locked.
 */
static void restore(void)
{
	struct sigaction now;

	if (helper.started && !sigaction(SIGQUIT, NULL, &now) &&
	    now.sa_handler == on_quit)
		sigaction(SIGQUIT, &before, NULL);
}

static bool is_free(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) &&
	       (action->sa_handler == SIG_DFL ||
		action->sa_handler == SIG_IGN);
}

/*
 * Install the handler and start the thread, between pool_helper_begin() and pool_helper_began().
 * Returns why that fails, or NULL.  The handler comes first, because a failure after the start
 * would have to wait for the thread while forks are excluded.
 */
static const char *start(void)
{
	struct sigaction ours = {
		.sa_handler = on_quit, .sa_flags = SA_RESTART | SA_ONSTACK,
	};

	if (sigaction(SIGQUIT, NULL, &before))
		return "its handler cannot be known";
	if (!is_free(&before))
		return "it has a handler already";
	sigemptyset(&ours.sa_mask);
	if (sigaction(SIGQUIT, &ours, NULL))
		return "it cannot be handled";
	if (!pool_helper_start(&helper, -1, -1))
		return NULL;
	sigaction(SIGQUIT, &before, NULL);
	return "no thread to be had";
}

bool pool_sigquit_start(void)
{
	int cancel = pool_helper_begin(&helper);
	const char *why = helper.started ? NULL : start();

	pool_helper_began(&helper, cancel, 0, NULL);
	if (why)
		plat_log(PLAT_ERR, "SIGQUIT is not for dumps: %s", why);
	return !why;
}

void pool_sigquit_stop(void)
{
	pool_helper_end(&helper, restore);
}
