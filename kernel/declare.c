// SPDX-License-Identifier: GPL-2.0-only
/*
 * declare.c - declared pools, kernel
 *
 * Layer:   above the registry; twin of user/declare.c.
 * Context: process context; may sleep.
 *
 * A module's init must find what its files have declared.  The kernel's loader
 * keeps one table that any file of a module can add to and that can be
 * found from its struct module: the parameters.  A declaration is a parameter
 * that cannot be set and that no file shows; its argument is the struct
 * pool_decl.  The kernel tells a user that tries to set it that there is none.
 *
 * Larger pools are made first: a pool can be shared by smaller ones that come later,
 * never by larger ones.  So the order of files does not decide which are merged.
 */
#define pr_fmt(fmt) "pool: " fmt

#include "plat.h"

#include <linux/module.h>
#include <linux/moduleparam.h>

static int refuse(const char *value, const struct kernel_param *param)
{
	return -ENOENT;
}

const struct kernel_param_ops pool_decl_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = refuse,
};

/*
 * The next declaration of a module from *i on; NULL: none.  A kernel without modules has
 * none to ask, and struct module has no members there.
 */
static struct pool_decl *next_decl(struct module *module, unsigned int *i)
{
#ifdef CONFIG_MODULES
	while (*i < module->num_kp) {
		const struct kernel_param *param = &module->kp[(*i)++];

		if (param->ops == &pool_decl_ops)
			return param->arg;
	}
#endif
	return NULL;
}

/* The one that is not registered and made first; NULL: none. */
static struct pool_decl *next_left(struct module *module)
{
	struct pool_decl *decl, *next = NULL;
	unsigned int i = 0;

	while ((decl = next_decl(module, &i)))
		if (!decl->registered && (!next || pool_declared_before(decl, next)))
			next = decl;
	return next;
}

static bool declare(struct pool_decl *decl, struct module *module)
{
	decl->registered = pool_create_declared(decl, module, POOL_ABI);
	return decl->registered;
}

/*
 * Give a declared pool back.  The variable is NULL afterwards in any case.  A pool with
 * objects in use stays, with its registration, as if it had never been destroyed.
 */
static void undeclare(struct pool_decl *decl)
{
	unsigned long used = pool_destroy_declared(decl);
	char shown[POOL_SHOWN_LEN + 1];

	pool_show_name(shown, decl->name);
	if (used)
		pr_warn("declared pool \"%s\" not destroyed: %lu objects in use\n",
			shown, used);
	decl->registered = false;
	*decl->ptr = NULL;
}

void pool_release_declared_of(struct module *module)
{
	struct pool_decl *decl;
	unsigned int i = 0;

	if (!module)
		return;
	while ((decl = next_decl(module, &i)))
		if (decl->registered)
			undeclare(decl);
}

/* Can this caller not declare pools? */
static bool unfit(struct module *module, unsigned int abi)
{
	if (!module)
		pr_err("declared pools are refused: not in a module\n");
	else if (abi != POOL_ABI)
		pr_err("%s: declared pools are refused: built with the header of another version\n",
		       module_name(module));
	return !module || abi != POOL_ABI;
}

int pool_register_declared_of(struct module *module, unsigned int abi)
{
	struct pool_decl *decl;

	if (unfit(module, abi))
		return -EINVAL;
	while ((decl = next_left(module)))
		if (!declare(decl, module)) {
			pool_release_declared_of(module);
			return -ENOMEM;
		}
	return 0;
}
