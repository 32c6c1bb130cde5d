// SPDX-License-Identifier: GPL-2.0-only
/*
 * rcu.c - frees after a grace period of RCU
 *
 * Layer:   API; above pool_hot.h.
 * Context: any in which call_rcu() may be called, so not in an NMI.
 *
 * Until it is freed the object counts as moving, so that the end of its pool waits for it, and so
 * does an allocation at the limit that may wait.
 */
#include "seam/plat.h"
#include "compat.h"
#include "shared/moving.h"

#include <linux/rcupdate.h>

static void free_now(struct rcu_head *head)
{
	struct pool_rcu *rcu = container_of(head, struct pool_rcu, head);
	struct pool_head *pool = rcu->pool;

	pool_free_inline(pool, rcu->obj, 0);
	pool_arrive(&pool_of(pool)->moving, 1);
}

void pool_free_rcu(struct pool_head *pool, void *obj, struct pool_rcu *rcu)
{
	if (!obj)
		return;
	rcu->pool = pool;
	rcu->obj = obj;
	pool_depart(&pool_of(pool)->moving, 1);
	pool_compat_call_rcu(&rcu->head, free_now);
}
