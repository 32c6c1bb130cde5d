// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * declared.c - create the pools of declarations, and release them
 *
 * Layer:   above the four, beside create.c; used by both worlds' declare.c.
 * Context: process context; may sleep.
 */
#include "seam/plat.h"

/*
 * True if @a must be created before @b, which is earlier in the table of declarations: it is
 * larger, or of equal size and further up in one file, since compilers may lay out a file's table
 * backwards.
 */
bool pool_declared_before(const struct pool_decl *a, const struct pool_decl *b)
{
	if (a->size != b->size)
		return a->size > b->size;
	return a->line < b->line && !strcmp(a->file, b->file);
}

/*
 * Create the pool of a declaration, and set its variable to the pool, or to NULL.  @owner: the
 * module of the declaration; NULL in user space.  @abi: POOL_ABI of its header.  False: no pool was
 * created, and one line in the log says why.
 */
bool pool_create_declared(const struct pool_decl *decl, const void *owner,
			  unsigned int abi)
{
	struct pool_attr attr = {
		.name = decl->name,
		.size = decl->size,
		.align = decl->align,
		.flags = decl->unshared ? 0 : MEM_F_SHARED,
	};
	struct pool_creator creator = {
		.file = decl->file,
		.line = decl->line,
		.owner = owner,
		.abi = abi,
		.decl = decl,
	};

	plat_write(decl->ptr, (struct pool_head *)NULL);
	return pool_create(&attr, &creator);
}

/*
 * Release a declaration's registrations, without a line in the log: one with its present pool, and
 * one with each pool that it was moved away from.  A pool with objects in use stays, with its
 * registration.  Returns how many objects of these pools are in use; 0: no pool stays only for the
 * declaration.
 */
unsigned long pool_destroy_declared(const struct pool_decl *decl)
{
	unsigned long used, all = 0;
	unsigned long long id = 0;
	struct pool *pool;

	while ((pool = pool_registry_of(decl, id))) {
		id = pool->id;
		used = pool_give_back(pool, decl, NULL);
		all += used;
		if (used)
			id++;
	}
	return all;
}
