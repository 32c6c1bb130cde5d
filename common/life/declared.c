// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * declared.c - make the pools of declarations, and give them back
 *
 * Layer:   above the four, beside create.c; used by both worlds' declare.c.
 * Context: process context; may sleep.
 */
#include "plat.h"

/*
 * Is @a made before @b, which is earlier in the table of declarations?  The larger one is, and of
 * equal ones of one file the upper one, since compilers may lay out a file's table backwards.
 */
bool pool_declared_before(const struct pool_decl *a, const struct pool_decl *b)
{
	if (a->size != b->size)
		return a->size > b->size;
	return a->line < b->line && !strcmp(a->file, b->file);
}

/*
 * Create the pool of a declaration.  Its variable is set to the pool, or to NULL.  @owner is the
 * module that has the declaration; user space: NULL.  @abi is POOL_ABI of its header.  False:
 * there is no pool, and one line in the log says why.
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
 * Give a declaration's registrations back, silently.  A declaration has one, and perhaps one more
 * that keeps a pool which it has left.  A pool with objects in use stays, and so does its
 * registration; the others go.  Returns how many objects are in use of pools that stay; 0: they
 * are gone, or others have registered with them.
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
