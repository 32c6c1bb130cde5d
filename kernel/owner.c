// SPDX-License-Identifier: GPL-2.0-only
/*
 * owner.c - a module changes its own pools only, and may go and leave pools behind
 *
 * Layer:   seam, cold half, and API; user space has none, since a program has one owner, and
 *	    dlclose() only gives back what the unloaded code has declared.
 * Context: process context; may sleep.
 */
#define pr_fmt(fmt) "pool: " fmt

#include "seam/plat.h"
#include "main.h"

#include <linux/module.h>
#include <linux/notifier.h>

static bool has_registration(struct pool *pool, const void *owner)
{
	struct pool_list *node;
	bool found = false;

	plat_mutex_lock(PLAT_REGISTRY);
	for (node = pool->regs.next; node != &pool->regs; node = node->next)
		found |= pool_reg_of(node)->owner == owner;
	plat_mutex_unlock(PLAT_REGISTRY);
	return found;
}

/*
 * Return an owner's name.  @owner is a struct module, or, in code built into the kernel, a string.
 */
static const char *name_of(const void *owner)
{
#ifndef MODULE
	if (owner && !is_module_address((unsigned long)owner))
		return owner;
#endif
	return module_name((struct module *)owner);
}

/* True if this module may change this pool.  If not, a line in the log names the pool. */
static bool may_change(struct pool_head *head, const void *owner,
		       const char *function)
{
	if (!head) {
		pr_err("%s(NULL) by module %s is refused: a module changes pools that it created\n",
		       function, name_of(owner));
		return false;
	}
	if (has_registration(pool_of(head), owner))
		return true;
	pr_err("pool \"%s\": %s() by module %s is refused: it did not create this pool\n",
	       pool_of(head)->shown, function, name_of(owner));
	return false;
}

bool pool_set_limit_owned(struct pool_head *pool, unsigned int limit,
			  const void *owner)
{
	return may_change(pool, owner, "pool_set_limit") &&
	       pool_set_limit(pool, limit);
}

bool pool_set_min_avail_owned(struct pool_head *pool, unsigned int min_avail,
			      const void *owner)
{
	return may_change(pool, owner, "pool_set_min_avail") &&
	       pool_set_min_avail(pool, min_avail);
}

bool pool_set_debug_owned(struct pool_head *pool, const char *words,
			  const void *owner)
{
	return may_change(pool, owner, "pool_set_debug") &&
	       pool_set_debug(pool, words);
}

/*
 * Release the pools that a module left.  Its exit has returned, but its memory is still there, so
 * this is the last moment at which its destructors can be called.
 */
static int module_changed(struct notifier_block *block, unsigned long state,
			  void *data)
{
	unsigned int left = 0;

	/* Kernels without modules have neither notifications nor MODULE_STATE_GOING. */
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
