// SPDX-License-Identifier: GPL-2.0-only
/*
 * owner.c - modules that go and leave pools behind
 *
 * Layer:   seam, cold half; user space has none, since there dlclose() only gives
 *	    back what the unloaded code has declared.
 * Context: process context; may sleep.  The module's exit has returned, and its memory
 *	    is still there: the last moment at which its functions can be called.
 */
#define pr_fmt(fmt) "pool: " fmt

#include "plat.h"
#include "main.h"

#include <linux/module.h>
#include <linux/notifier.h>

static int module_changed(struct notifier_block *block, unsigned long state,
			  void *data)
{
	unsigned int left = 0;

	/* No kernel without modules calls this, nor knows their states. */
#ifdef CONFIG_MODULES
	if (state == MODULE_STATE_GOING)
		left = pool_owner_gone(data);
#endif
	if (left)
		pr_warn("module %s is gone without destroying pools: %u registrations stay\n",
			module_name(data), left);
	return NOTIFY_DONE;
}

static struct notifier_block block = {
	.notifier_call = module_changed,
};

int pool_owner_init(void)
{
	return register_module_notifier(&block);
}

void pool_owner_exit(void)
{
	unregister_module_notifier(&block);
}
