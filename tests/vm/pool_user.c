// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pool_user.c - a user of pools that is built in, for builtin.sh; a test, never installed
 *
 * Layer:   above the API.
 * Context: init calls of a kernel that boots.
 *
 * Comes before pools have started, and then again, unless "idle" is set.  Its parameters
 * say what it got.  It is compiled in a kernel's tree alone: kernel.sh copies it there.
 */
#include <linux/init.h>
#include <linux/moduleparam.h>
#include <linux/pool.h>

static bool idle;
module_param(idle, bool, 0444);
MODULE_PARM_DESC(idle, "Make no pool");

static unsigned int early, late;
module_param(early, uint, 0444);
MODULE_PARM_DESC(early, "Pools that it got before pools have started");
module_param(late, uint, 0444);
MODULE_PARM_DESC(late, "What it could do of three things when they had");

static int __init come_early(void)
{
	struct pool_attr attr = { .name = "aligned", .size = 100, .align = 64, .limit = 10 };

	early += !!create_pool("plain", 100, MEM_F_SHARED);
	early += !!create_pool_ext(&attr);
	return 0;
}

/* Leave the object of "kept" in use.  A driver that is built in owns the pools that it creates. */
static int __init come_late(void)
{
	struct pool_head *kept, *ended;

	if (idle)
		return 0;
	kept = create_pool("kept", 100, MEM_F_SHARED);
	ended = create_pool("ended", 3000, 0);
	if (!kept || !ended)
		return -ENOMEM;
	late += !!pool_alloc(kept);
	pool_free(ended, pool_alloc(ended));
	late += pool_set_limit(ended, 10);
	late += !pool_destroy(ended);
	pool_set_limit(NULL, 10);
	return 0;
}

early_initcall(come_early);
device_initcall(come_late);
