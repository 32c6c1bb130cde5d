// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * clock.c - the clock hand: idle hot arrays give their room back
 *
 * Layer:   hot array -> local clusters, sideways over all pools of a CPU
 * Context: this CPU entered, its lock held.
 *
 * Every POOL_CLOCK_TICKS slow paths, and whenever an array finds no budget, the
 * hand looks at one array.  It judges by counts, never by time or by addresses,
 * so that both worlds judge alike: as many objects as at its last visit, and no
 * fill and no spill since, means idle.  An idle array loses half of its room, and
 * all of it when it is idle at the next visit, too: otherwise hundreds of idle
 * arrays would keep half of the bound for thousands of slow paths.  The hand may be
 * wrong about an array whose calls all hit: such an array opens and doubles again
 * when it needs to.  What does not fit an idle array any more goes to a cluster,
 * where the bound and the age of clusters decide about it.
 */
#include "plat.h"

/* Note whether anything has happened here since the last visit. */
static void look(struct pool_local *local)
{
	unsigned int n = plat_read(&local->hot.n);
	unsigned long events = local->fills + local->spills;

	if (n == local->seen_n && events == local->seen_events)
		local->idle++;
	else
		local->idle = 0;
	local->seen_n = n;
	local->seen_events = events;
}

/* A cluster that takes @n objects, or as many as one can; NULL: none. */
static struct pool_cluster *cluster_for(struct pool_cpu *cpu,
					struct pool_local *local,
					unsigned int n, unsigned int max)
{
	struct pool_cluster *c = pool_cluster_newest(local);

	if (c && c->n + n <= max && !pool_seal_of(c->obj[0]))
		return c;
	c = pool_cluster_unstash(cpu);
	if (c)
		pool_cluster_reset(c, local);
	return c;
}

/*
 * Lower the room of a held array to @room and move its @n coldest objects, which
 * no longer fit, to @c.  The room goes first, then the cluster is charged: the
 * sum never rises.  In between the cluster keeps the objects uncounted.
 */
static void shrink_into(struct pool_cpu *cpu, struct pool_local *local,
			unsigned int room, struct pool_cluster *c,
			unsigned int n)
{
	if (n) {
		plat_move(c->obj + c->n, local->slot, n);
		pool_hot_forget(local, n);
	}
	pool_hot_shrink(cpu, local, room);
	if (n)
		pool_cluster_add(cpu, c, c->obj + c->n, n);
}

/*
 * Lower the room of an array that the caller holds, as far as one cluster takes
 * what no longer fits; an array of less than two slots is given up.
 */
static void shrink(struct pool_cpu *cpu, struct pool_local *local,
		   unsigned int room)
{
	unsigned int max = pool_cluster_max(local->pool);
	unsigned int n = plat_read(&local->hot.n);
	struct pool_cluster *c = NULL;
	unsigned int excess;

	if (room < 2)
		room = 0;
	excess = n > room ? n - room : 0;
	if (excess) {
		c = cluster_for(cpu, local, excess, max);
		if (!c)
			return;
		if (excess > max - c->n)
			excess = max - c->n;
	}
	if (room < n - excess)
		room = n - excess;
	shrink_into(cpu, local, room, c, excess);
}

/* Enter like any user, look, leave; closed if nothing is left of it. */
static void visit(struct pool_cpu *cpu, struct pool_local *local)
{
	unsigned char open = POOL_OPEN;
	unsigned int room;

	if (plat_read(&local->hot.open) != POOL_OPEN)
		return;
	plat_write(&local->hot.open, POOL_HELD);
	plat_barrier();
	look(local);
	room = plat_read(&local->hot.room);
	if (local->idle || pool_hot_over(cpu, local))
		shrink(cpu, local, local->idle > 1 ? 0 : room / 2);
	if (!plat_read(&local->hot.room))
		open = POOL_CLOSED;
	plat_barrier();
	plat_write(&local->hot.open, open);
}

/* After the bound was lowered an owner need not wait for the hand. */
static void shrink_own(struct pool_here *here)
{
	struct pool_local *local = here->local;

	if (here->was != POOL_OPEN || !pool_hot_over(here->cpu, local))
		return;
	shrink(here->cpu, local, plat_read(&local->hot.room) / 2);
	if (plat_read(&local->hot.room))
		return;
	plat_barrier();
	plat_write(&local->hot.open, POOL_CLOSED);
	here->was = POOL_CLOSED;
}

/**
 * pool_clock_tick() - Count a slow path; move the hand when it is time.
 * @here: entered and locked.  Its own array is held and passed over by the hand.
 */
void pool_clock_tick(struct pool_here *here)
{
	struct pool_cpu *cpu = here->cpu;
	struct pool_list *node;

	shrink_own(here);
	node = cpu->by_clock.next;
	if (++cpu->ticks < POOL_CLOCK_TICKS || node == &cpu->by_clock)
		return;
	cpu->ticks = 0;
	pool_list_del(node);
	pool_list_add_last(node, &cpu->by_clock);
	visit(cpu, pool_list_entry(node, struct pool_local, by_clock));
}
