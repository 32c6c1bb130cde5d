// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * torn.c - release the CPU lock that an ending thread still holds
 *
 * Layer:   beside common/, whose structs it mends, as fork.c does.
 * Context: a thread that ends, in thread_exit(): none of its calls will go on.
 *
 * A thread that ends inside a call still holds the lock that the call had got, that of its own
 * area: it was cancelled asynchronously, or a signal handler that interrupted the call ended it.
 * Threads that wait for the lock would never return, and this thread is the first, since it drains
 * its area next.  Locks of other areas, which few calls need, are not searched for, because each
 * exit would have to read each area.
 *
 * What the lock protects may be half written, so it is rebuilt from data that the lock does not
 * protect.  The rest is lost, as in a fork:
 *
 *   clusters, empty ones too	are lost
 *   an array found HELD	is lost
 *   an array found OPEN	is whole
 *
 * Lost objects are counted in pool->abandoned.  No mutex may be locked: a fork holds all of them
 * while it waits for the lock.
 */
#include "main.h"
#include "seam/plat.h"

#include <linux/futex.h>

static bool is_mine(const struct pool_cpu *cpu)
{
	return (plat_read(&cpu->lock.holder) & FUTEX_TID_MASK) == plat_own_id();
}

/* Empty an array whose holder never returns.  Returns how many objects are lost. */
static unsigned int lose_array(struct pool_local *local)
{
	unsigned int n = plat_read(&local->hot.n);

	pool_hot_less(local, 0);
	plat_write(&local->hot.cap, 0);
	pool_word_sub(&local->pool->slots, plat_read(&local->hot.slots));
	plat_write(&local->hot.slots, 0);
	return n;
}

/*
 * Rebuild a part.  The part is not written to if nothing was lost, because a pool that is being
 * destroyed has drained it.
 */
static void mend_part(struct pool_cpu *cpu, struct pool_local *local)
{
	unsigned long lost = plat_read(&local->clustered);
	struct pool *pool = plat_read(&local->pool);
	unsigned long bytes;

	if (!pool)
		return;
	if (plat_read(&local->hot.open) == POOL_HELD)
		lost += lose_array(local);
	pool_list_init(&local->by_pool);
	pool_list_init(&local->by_age);
	pool_list_add(&local->by_cpu, &cpu->parts);
	plat_write(&cpu->set_up, cpu->set_up + 1);
	pool_clustered_less(local, (unsigned int)plat_read(&local->clustered));
	if (lost)
		plat_word_add(&pool->abandoned, lost);
	if (!plat_read(&local->hot.slots))
		return;
	bytes = pool_bytes(pool, plat_read(&local->hot.slots));
	plat_write(&cpu->hot_bytes, cpu->hot_bytes + bytes);
	pool_list_add(&local->by_age, &cpu->by_age);
}

void pool_torn_mend(struct plat_area *area)
{
	struct pool_cpu *cpu = &area->cpu;
	struct pool_local *local;
	unsigned int i;

	if (!is_mine(cpu))
		return;
	pool_cpu_init(cpu);
	cpu->stashed = 0;
	plat_write(&cpu->hot_bytes, 0ul);
	for (i = 0; (local = pool_area_part(area, &i)); i++)
		mend_part(cpu, local);
	plat_write(&cpu->charged, cpu->hot_bytes);
	plat_write(&cpu->refunded, 0ul);
	plat_cpu_unlock(cpu);
}
