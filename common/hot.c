// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * hot.c - the hot array: entering it, and how large it may be
 *
 * Layer:   [hot array] -> local clusters
 * Context: any; between enter and leave nothing sleeps, logs or allocates.
 *
 * The open byte has three states.  A call that finds HELD has interrupted the
 * owner on this very CPU and must not touch n, slot or open.  A call that finds
 * OPEN makes it HELD; one that finds CLOSED leaves it, and may open the array
 * once it has the CPU lock.  After any moment with the array open, the lock free
 * or the guard left, everything is read again.
 */
#include "plat.h"

/* A hot array starts with this many slots. */
#define HOT_FIRST	4

/* Fewer slots than this are not worth an array. */
#define HOT_LEAST	2

/* Parts of the byte bound: what one array may take, and all together. */
#define HOT_ONE		8
#define HOT_ALL		2

/* Hold an array that was found open: before anything of it is read. */
static void hold(struct pool_here *here)
{
	plat_write(&here->local->hot.open, POOL_HELD);
	plat_barrier();
	here->was = POOL_OPEN;
}

/**
 * pool_here_enter() - Enter this CPU's hot array of a pool.
 * @here: filled in.
 * @pool: the pool.
 *
 * Return: true: guard held, array held or closed, pool_here_leave() must follow.
 * False: the owner was interrupted; nothing is held, and this was counted.
 */
bool pool_here_enter(struct pool_here *here, struct pool *pool)
{
	struct pool_local *local = plat_enter(pool);
	unsigned char open = plat_read(&local->hot.open);

	if (open == POOL_HELD) {
		plat_word_add(&local->nested, 1);
		plat_leave();
		return false;
	}
	here->pool = pool;
	here->local = local;
	here->cpu = NULL;
	here->was = open;
	if (open == POOL_OPEN)
		hold(here);
	return true;
}

/* Undo pool_here_enter(); opens an array that was opened meanwhile. */
void pool_here_leave(struct pool_here *here)
{
	if (here->was == POOL_OPEN) {
		plat_barrier();
		plat_write(&here->local->hot.open, POOL_OPEN);
	}
	plat_leave();
}

/* First slow path of this CPU in this pool.  CPU lock held. */
static void local_init(struct pool_local *local, struct pool *pool,
		       struct pool_cpu *cpu)
{
	pool_list_init(&local->by_pool);
	pool_list_init(&local->by_clock);
	local->cpu = cpu;
	local->pool = pool;
}

/**
 * pool_here_lock() - Take this CPU's lock, for its lists.
 * @here: entered.
 *
 * An array found closed may have been opened since by who interrupted us; from
 * here on nobody can, so this looks again: here->was may change.
 *
 * Return: false where there are no lists or the lock cannot be had: the caller
 * goes down a layer.
 */
bool pool_here_lock(struct pool_here *here)
{
	struct pool_cpu *cpu = here->pool->cached ? plat_this_cpu() : NULL;

	if (!cpu || !plat_cpu_trylock(cpu, &here->irq))
		return false;
	here->cpu = cpu;
	if (!here->local->pool)
		local_init(here->local, here->pool, cpu);
	if (here->was == POOL_CLOSED &&
	    plat_read(&here->local->hot.open) == POOL_OPEN)
		hold(here);
	return true;
}

void pool_here_unlock(struct pool_here *here)
{
	plat_cpu_unlock(here->cpu, here->irq);
	here->cpu = NULL;
}

/* Take the freshest object of an array that is held; NULL: none, or closed. */
void *pool_hot_pop(struct pool_here *here)
{
	struct pool_local *local = here->local;
	unsigned int n;

	if (here->was != POOL_OPEN)
		return NULL;
	n = plat_read(&local->hot.n);
	if (!n)
		return NULL;
	plat_write(&local->hot.n, n - 1);
	return local->slot[n - 1];
}

/* Put an object on top of an array that is held; false: full, or closed. */
bool pool_hot_push(struct pool_here *here, void *obj)
{
	struct pool_local *local = here->local;
	unsigned int n;

	if (here->was != POOL_OPEN)
		return false;
	n = plat_read(&local->hot.n);
	if (n >= plat_read(&local->hot.cap))
		return false;
	local->slot[n] = obj;
	plat_write(&local->hot.n, n + 1);
	return true;
}

/* Put @n objects, coldest first, on top of a held array that has the room. */
void pool_hot_append(struct pool_local *local, void **objs, unsigned int n)
{
	unsigned int have = plat_read(&local->hot.n);

	plat_move(local->slot + have, objs, n);
	plat_write(&local->hot.n, have + n);
}

/* Take the @n freshest objects of a held array that has them, coldest first. */
void pool_hot_take(struct pool_local *local, void **objs, unsigned int n)
{
	unsigned int left = plat_read(&local->hot.n) - n;

	plat_move(objs, local->slot + left, n);
	plat_write(&local->hot.n, left);
}

/* Forget the @n coldest objects of a held array: they were copied elsewhere. */
void pool_hot_forget(struct pool_local *local, unsigned int n)
{
	unsigned int left = plat_read(&local->hot.n) - n;

	plat_move(local->slot, local->slot + n, left);
	plat_write(&local->hot.n, left);
}

/*
 * As many of @want slots as an array may have under @bound; 0: no array at all.
 * Divides only where not all of them fit: a division takes as long as the rest
 * of a slow path that needs none.
 */
static unsigned int hot_most(const struct pool *pool, unsigned int want,
			     unsigned long bound)
{
	unsigned long part = bound / HOT_ONE;
	unsigned long max;

	if (want > POOL_HOT_MAX)
		want = POOL_HOT_MAX;
	if (want >= HOT_LEAST && pool->head.size <= part &&
	    (unsigned long)want * pool->head.size <= part)
		return want;
	max = part / pool->head.size;
	if (max < HOT_LEAST)
		return 0;
	return max < want ? (unsigned int)max : want;
}

/* Is there room for not even one slot more?  Of an array that is open. */
static bool hot_is_largest(const struct pool *pool, unsigned int room,
			   unsigned long bound)
{
	return room >= POOL_HOT_MAX ||
	       (room + 1ul) * pool->head.size > bound / HOT_ONE;
}

/**
 * pool_hot_over() - Does an array have more than it may?
 * @cpu: its CPU, lock held.
 * @local: the array.
 *
 * Return: true after the bound was lowered, until it fits, and where the options
 * keep arrays closed.
 */
bool pool_hot_over(struct pool_cpu *cpu, struct pool_local *local)
{
	unsigned long bound = plat_read(&pool_options.hot_size);
	unsigned int room = plat_read(&local->hot.room);

	if (room == 1)
		room = HOT_LEAST;
	return pool_is_closed(local->pool) ||
	       cpu->hot_bytes > bound / HOT_ALL ||
	       plat_word_read(&cpu->charged) > bound ||
	       room > POOL_HOT_MAX ||
	       (unsigned long)room * local->pool->head.size > bound / HOT_ONE;
}

/*
 * Let an array accept @room objects, or none where the options keep it closed.
 * The fence pairs with the one of pool_switch(): either the switch is seen here,
 * or its 0 comes after this store.
 */
static void set_cap(struct pool_local *local, unsigned int room)
{
	const struct pool *pool = local->pool;

	if (pool_is_closed(pool))
		room = 0;
	plat_write(&local->hot.cap, room);
	plat_fence();
	if (room && pool_is_closed(pool))
		plat_write(&local->hot.cap, 0);
}

/* Charge @room - the present room, then show it.  CPU lock held. */
static void hot_resize_up(struct pool_cpu *cpu, struct pool_local *local,
			  unsigned int room)
{
	unsigned long bytes = (unsigned long)(room - local->hot.room) *
			      local->pool->head.size;

	plat_word_add(&cpu->charged, bytes);
	cpu->hot_bytes += bytes;
	plat_write(&local->hot.room, room);
	set_cap(local, room);
}

/*
 * Double an array, or open one that is closed; see pool_hot_grow().
 *
 * An array without room is not on the clock, open or not: between the moment
 * that its owner found it open and the one that it is held, an interrupter may
 * have closed it, and the owner leaves it open again.
 */
__attribute__((__noinline__))
static bool hot_double(struct pool_here *here, unsigned int room,
		       unsigned long bound)
{
	unsigned int want = hot_most(here->pool, room ? room * 2 : HOT_FIRST,
				     bound);
	struct pool_local *local = here->local;
	struct pool_cpu *cpu = here->cpu;
	unsigned long bytes;

	if (want <= room)
		return false;
	bytes = (unsigned long)(want - room) * here->pool->head.size;
	if (cpu->hot_bytes + bytes > bound / HOT_ALL ||
	    !pool_cluster_fits(cpu, bytes)) {
		cpu->ticks = POOL_CLOCK_TICKS;
		return false;
	}
	hot_resize_up(cpu, local, want);
	if (!room)
		pool_list_add_last(&local->by_clock, &cpu->by_clock);
	if (here->was == POOL_CLOSED) {
		plat_barrier();
		hold(here);
	}
	return true;
}

/**
 * pool_hot_grow() - Make an array accept more, or open one that is closed.
 * @here: entered and locked; here->was changes when the array opens.
 *
 * Most arrays that ask are as large as they may be, so that is found out first.
 *
 * Return: false when it is as large as it may be, or there is no budget: then
 * the clock hand is sent to find some.
 */
bool pool_hot_grow(struct pool_here *here)
{
	unsigned long bound = plat_read(&pool_options.hot_size);
	unsigned int room = plat_read(&here->local->hot.room);

	if (pool_is_closed(here->pool))
		return false;
	if (plat_read(&here->local->hot.cap) < room) {
		set_cap(here->local, room);
		return here->was == POOL_OPEN;
	}
	if (room && hot_is_largest(here->pool, room, bound))
		return false;
	return hot_double(here, room, bound);
}

/**
 * pool_hot_shrink() - Lower the room of an array to @room slots.
 * @cpu: its CPU, lock held.
 * @local: the array, held by the caller or without an owner; n <= @room.
 * @room: slots; 0 takes the array off the clock, to be closed by the caller.
 */
void pool_hot_shrink(struct pool_cpu *cpu, struct pool_local *local,
		     unsigned int room)
{
	unsigned long bytes = (unsigned long)(local->hot.room - room) *
			      local->pool->head.size;

	set_cap(local, room);
	plat_write(&local->hot.room, room);
	cpu->hot_bytes -= bytes;
	plat_word_sub(&cpu->charged, bytes);
	if (!room)
		pool_list_del(&local->by_clock);
}

/**
 * pool_hot_detach() - Close an array and copy out what it held.
 * @cpu: its CPU, lock held.
 * @local: the array, without an owner; perhaps closed already.
 * @objs: POOL_HOT_SLOTS of them.
 *
 * The objects stay charged, and counted as moving, until the caller has brought
 * them elsewhere and says so by pool_cluster_settled().
 *
 * Return: how many objects.
 */
unsigned int pool_hot_detach(struct pool_cpu *cpu, struct pool_local *local,
			     void **objs)
{
	unsigned int n = plat_read(&local->hot.n);
	unsigned long bytes = (unsigned long)n * local->pool->head.size;

	plat_move(objs, local->slot, n);
	plat_write(&local->hot.open, POOL_CLOSED);
	pool_hot_shrink(cpu, local, n);
	plat_write(&local->hot.n, 0);
	plat_write(&local->hot.cap, 0);
	plat_write(&local->hot.room, 0);
	cpu->hot_bytes -= bytes;
	pool_list_del(&local->by_clock);
	plat_word_add(&local->moving, n);
	return n;
}
