// SPDX-License-Identifier: GPL-2.0-only
/*
 * hotplug.c - CPUs that went offline
 *
 * Layer:   seam, cold half; twin of user/thread.c.
 * Context: process context, with cpu_hotplug_lock held for writing.  Hence the
 *	    lock order (Documentation/contexts), and nothing that locks
 *	    cpu_hotplug_lock (caches made, shrunk or destroyed, static keys
 *	    changed) is called with the registry mutex held.
 *
 * The state belongs to the "prepare" section, so the kernel calls its teardown on a live CPU after
 * a CPU has died.  No call is then inside an array of the dead CPU, and none starts there until the
 * CPU is online again, and no step prepares a CPU for that.
 */
#include "seam/plat.h"
#include "main.h"

#include <linux/cpuhotplug.h>

static enum cpuhp_state state;

static int cpu_dead(unsigned int cpu)
{
	pool_cpu_gone(cpu);
	return 0;
}

/*
 * Register the state without calls for online CPUs, because its removal would call the teardown for
 * them.
 */
int pool_hotplug_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "pool:dead",
					    NULL, cpu_dead);

	if (ret < 0)
		return ret;
	state = ret;
	return 0;
}

void pool_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(state);
}
