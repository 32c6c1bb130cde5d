// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * age.c - on request, a thread calls pool_age() every few seconds
 *
 * Layer:   above everything; user space only, twin of kernel/age.c.
 * Context: plain threads.
 */
#include "helper.h"
#include "seam/plat.h"

#include <errno.h>

static void work(void)
{
	pool_age();
}

static struct pool_helper helper = {
	.change = PTHREAD_MUTEX_INITIALIZER, .what = "ageing", .work = work,
};

bool pool_age_start(unsigned int seconds)
{
	int cancel;

	if (!seconds || seconds > INT_MAX / 1000) {
		plat_log(PLAT_ERR, "ageing is not started: not 1 to %d seconds: %u",
			 INT_MAX / 1000, seconds);
		errno = EINVAL;
		return false;
	}
	cancel = pool_helper_begin(&helper);
	return pool_helper_began(&helper, cancel,
				 pool_helper_start(&helper, -1, (int)seconds * 1000),
				 NULL);
}

void pool_age_stop(void)
{
	pool_helper_end(&helper, NULL);
}
