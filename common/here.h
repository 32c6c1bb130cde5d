/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * here.h - this CPU's array of a pool, entered: the short parts of the slow paths
 *
 * Layer:   [hot array] -> local clusters; the inline half of hot.c.
 * Context: any; between enter and leave nothing sleeps, logs or allocates.
 *
 * The open byte has three states.  A call that finds HELD has interrupted the
 * owner on this very CPU and must not touch n, slot or open.  A call that finds
 * OPEN makes it HELD; one that finds CLOSED leaves it, and may open the array
 * once it has the CPU lock.  After any moment with the array open, the lock free
 * or the guard left, everything is read again.
 */
#ifndef POOL_HERE_H
#define POOL_HERE_H

/* Hold an array that was found open: before anything of it is read. */
static inline void pool_here_hold(struct pool_here *here)
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
static inline bool pool_here_enter(struct pool_here *here, struct pool *pool)
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
		pool_here_hold(here);
	return true;
}

/* Undo pool_here_enter(); opens an array that was opened meanwhile. */
static inline void pool_here_leave(struct pool_here *here)
{
	if (here->was == POOL_OPEN) {
		plat_barrier();
		plat_write(&here->local->hot.open, POOL_OPEN);
	}
	plat_leave();
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
static inline bool pool_here_lock(struct pool_here *here)
{
	struct pool_cpu *cpu = plat_read(&here->local->cpu);

	if (!cpu && here->pool->cached)
		cpu = plat_this_cpu();
	if (!cpu || !plat_cpu_trylock(cpu, &here->irq))
		return false;
	here->cpu = cpu;
	if (!here->local->pool)
		pool_local_init(here->local, here->pool, cpu);
	if (here->was == POOL_CLOSED &&
	    plat_read(&here->local->hot.open) == POOL_OPEN)
		pool_here_hold(here);
	return true;
}

static inline void pool_here_unlock(struct pool_here *here)
{
	plat_cpu_unlock(here->cpu, here->irq);
	here->cpu = NULL;
}

/* Take the freshest object of an array that is held; NULL: none, or closed. */
static inline void *pool_hot_pop(struct pool_here *here)
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
static inline bool pool_hot_push(struct pool_here *here, void *obj)
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
static inline void pool_hot_append(struct pool_local *local, void **objs,
				   unsigned int n)
{
	unsigned int have = plat_read(&local->hot.n);

	plat_move(local->slot + have, objs, n);
	plat_write(&local->hot.n, have + n);
}

/* Take the @n freshest objects of a held array that has them, coldest first. */
static inline void pool_hot_take(struct pool_local *local, void **objs,
				 unsigned int n)
{
	unsigned int left = plat_read(&local->hot.n) - n;

	plat_move(objs, local->slot + left, n);
	plat_write(&local->hot.n, left);
}

/* Forget the @n coldest objects of a held array: they were copied elsewhere. */
static inline void pool_hot_forget(struct pool_local *local, unsigned int n)
{
	unsigned int left = plat_read(&local->hot.n) - n;

	plat_move(local->slot, local->slot + n, left);
	plat_write(&local->hot.n, left);
}

/*
 * Would @bytes more still be within the bound?  CPU lock held: only its holder
 * raises the charge, so the answer stays true until it does.
 */
static inline bool pool_cluster_fits(const struct pool_cpu *cpu,
				     unsigned long bytes)
{
	unsigned long bound = plat_read(&pool_options.hot_size);
	unsigned long charged = plat_word_read(&cpu->charged);

	return charged <= bound && bytes <= bound - charged;
}

/**
 * pool_age_room() - See that there is room under the byte bound.
 * @here: entered and locked.
 * @bytes: what is about to be charged; 0 after the bound was lowered.
 * @out: what is evicted and to be brought away.
 *
 * Any cluster may be gone afterwards, also one of this pool.
 *
 * Return: whether @bytes fit.
 */
static inline bool pool_age_room(struct pool_here *here, unsigned long bytes,
				 struct pool_carried *out)
{
	return pool_cluster_fits(here->cpu, bytes) ||
	       pool_age_make_room(here, bytes, out);
}

/**
 * pool_hot_grow() - Make an array accept more, or open one that is closed.
 * @here: entered and locked; here->was changes when the array opens.
 * @out: what is evicted and to be brought away.
 *
 * Most arrays that ask are as large as they may be, so that is found out first.
 * Otherwise any cluster may be gone afterwards.
 *
 * Return: false when it is as large as it may be, or there is no budget.
 */
static inline bool pool_hot_grow(struct pool_here *here,
				 struct pool_carried *out)
{
	const struct pool_local *local = here->local;
	unsigned int room = plat_read(&local->hot.room);

	if (room >= local->most && plat_read(&local->hot.cap) >= room)
		return false;
	return pool_hot_enlarge(here, out);
}

/* An array with room is the newest of its CPU's. */
static inline void pool_age_renew(struct pool_cpu *cpu,
				  struct pool_local *local)
{
	local->stamp = cpu->visits;
	if (plat_read(&local->hot.room))
		pool_list_first(&local->by_age, &cpu->by_age);
}

/**
 * pool_visit_begin() - Begin a visit: take the CPU's lock, and count it.
 * @here: entered.
 * @out: what the visit carries out, to be brought away once @here is left.
 *
 * The pool's array is the newest now.
 *
 * Return: false: there is no lock to be had, and no visit.
 */
static inline __attribute__((__always_inline__))
bool pool_visit_begin(struct pool_here *here, struct pool_carried *out)
{
	unsigned long bound = plat_read(&pool_options.hot_size);
	struct pool_local *local = here->local;

	if (!pool_here_lock(here))
		return false;
	if (local->bound != bound || local->size != here->pool->head.size ||
	    local->word != plat_read(&here->pool->debug))
		pool_local_fit(local);
	here->cpu->visits++;
	pool_age_renew(here->cpu, local);
	if (plat_read(&local->hot.room) > local->most &&
	    here->was == POOL_OPEN)
		pool_age_shrink(here);
	if (here->cpu->bound != bound)
		pool_age_come_down(here, out);
	return true;
}

/* With fewer empty clusters than this a CPU fetches some. */
#define POOL_STASH_LOW	2

static inline void pool_visit_end(struct pool_here *here,
				  struct pool_carried *out)
{
	out->low = here->cpu->stashed < POOL_STASH_LOW;
	pool_here_unlock(here);
}

#endif /* POOL_HERE_H */
