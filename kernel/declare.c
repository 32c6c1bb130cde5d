// SPDX-License-Identifier: GPL-2.0-only
/*
 * declare.c - declared pools, kernel
 *
 * Layer:   above the registry; twin of user/declare.c.
 * Context: process context; may sleep.
 *
 * A module's init must find the declarations of all files of the module.  The loader keeps one
 * table to which any file can add, and which struct module leads to: the parameters.  So a
 * declaration is a parameter whose argument is the struct pool_decl.  No file shows it, and an
 * attempt to set it fails with ENOENT.
 *
 * Larger pools are created first, because a pool can serve later declarations of smaller objects,
 * never of larger ones.  So the order of files does not decide which pools are merged.
 */
#define pr_fmt(fmt) "pool: " fmt

#include "seam/plat.h"

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
 * Return the next declaration of a module from *i on; NULL: none.  In a kernel without modules
 * struct module has no members.
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

/* Return the declaration to be registered next; NULL: all are. */
static struct pool_decl *next_unregistered(struct module *module)
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
 * Release a declared pool, and set its variable to NULL.  A pool with objects in use stays, with
 * its registration, as if it had not been destroyed.
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

/* True, with a line in the log, if this caller cannot declare pools. */
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
	while ((decl = next_unregistered(module)))
		if (!declare(decl, module)) {
			pool_release_declared_of(module);
			return -ENOMEM;
		}
	return 0;
}
