// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tick.c - age pools step by step, in calls of pools
 *
 * Layer:   above the seam; kernel/age.c does this in the kernel.
 * Context: any, with nothing held; most calls only read a clock.
 *
 * A pass begins PERIOD after the last one has ended.  Then each tick is a step, until the pass
 * is over.  Calls in signal handlers do no step, nor does a call that cannot have the registry's
 * mutex at once.
 */
#include "main.h"
#include "seam/plat.h"
#include "slab/slab.h"

#include <time.h>

/* Milliseconds between two passes, each of which releases half of what is idle. */
#define PERIOD	2000

/* Written by any thread: true during a pass; the time of the next pass, 0: not known yet. */
static bool going;
static unsigned long due;

/* Return milliseconds, never 0, of the coarse clock, which is read without a system call. */
static unsigned long coarse_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return ((unsigned long)now.tv_sec * 1000 + (unsigned long)now.tv_nsec / 1000000) | 1;
}

/* True if a pass must begin.  @now: 0 if the clock was not read. */
static bool is_due(unsigned long now)
{
	unsigned long when = plat_read(&due);

	return when && now && (long)(now - when) >= 0;
}

/*
 * Do a step, if the registry mutex is free.  With the mutex held "going" is read again, because
 * another thread may have ended the pass.  Cancellation is off, because the end of the pool that
 * the step works on waits for the step.
 */
static void step(unsigned long now)
{
	struct plat_irq irq = plat_busy_enter();
	struct pool_step piece = { .pool = NULL };

	if (pool_registry_trylock()) {
		if (plat_read(&going) || is_due(now)) {
			plat_write(&going, pool_pass_next(&piece));
			if (!plat_read(&going))
				plat_write(&due, 0ul);
		}
		plat_mutex_unlock(PLAT_REGISTRY);
		pool_pass_give(&piece);
		pool_slab_trim_step(!plat_read(&going));
	}
	plat_busy_leave(irq);
}

void pool_tick(unsigned int flags)
{
	unsigned long now = 0;

	if (!plat_may(PLAT_ALLOC, flags) ||
	    (plat_read(&pool_options.debug) & POOL_D_NO_AGE))
		return;
	if (!plat_read(&going))
		now = coarse_ms();
	if (now && !plat_read(&due))
		plat_write(&due, (now + PERIOD) | 1);
	else if (plat_read(&going) || is_due(now))
		step(now);
}
