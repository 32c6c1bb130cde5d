// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * kfree-of-pool.c - what scripts/kfree-of-pool.cocci remarks, and what it does not
 *
 * A line that it remarks ends in a comment "wrong".  Nothing compiles this.
 */
#include <linux/slab.h>

#include "pool.h"

static void a_variable(struct pool_head *pool)
{
	struct conn *c = pool_alloc(pool);

	if (!c)
		return;
	c->fd = 1;
	kfree(c); /* wrong */
}

static int a_member_on_one_way(struct user *u)
{
	u->c = pool_alloc_gfp(u->pool, GFP_KERNEL);
	if (u->bad)
		goto out;
	return 0;
out:
	kfree_rcu(u->c, rcu); /* wrong */
	return 1;
}

static void another_cache(struct user *u)
{
	u->c = pool_zalloc(u->pool);
	kmem_cache_free(u->cache, u->c); /* wrong */
	kvfree_rcu(u->name, rcu);
}

static void memory_of_the_slab(struct pool_head *pool)
{
	struct conn *c = pool_alloc(pool);

	pool_free(pool, c);
	c = kmalloc(sizeof(*c), GFP_KERNEL);
	kfree(c);
}
