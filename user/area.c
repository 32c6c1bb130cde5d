// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * area.c - the areas of threads: their owners, and the pools' parts in them
 *
 * Layer:   seam, cold half; below thread.c, above place.c and live.c.
 * Context: plain threads.
 */
#include "live.h"
#include "main.h"
#include "place.h"
#include "seam/plat.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

struct plat_area *plat_areas[PLAT_AREAS];
unsigned int plat_area_count;

/*
 * Protects the offsets of pools.  Lock order: after the registry mutex, before the area mutex.
 * Held over system calls that release memory of parts, so calls of threads without an area must not
 * lock it.
 */
static pthread_mutex_t offset_mutex = PTHREAD_MUTEX_INITIALIZER;
static bool offset_used[PLAT_LOCALS];	/* not offset 0, whose parts are always closed */
static unsigned int lowest = 1;		/* all offsets below are used */
static unsigned int highest;		/* this offset and all above were never used */
static bool said;			/* the log has said that there are no more */

/*
 * Protects ownerless, plat_areas and place.c.  Lock order: after the offset mutex.  Allocations and
 * frees only try to lock it, because the holder may be descheduled.
 */
static pthread_mutex_t area_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct plat_area *ownerless;	/* list of areas without owner that walks include */

/* Lock offset and area mutex, for a fork or to reap areas. */
void pool_areas_hold(void)
{
	pthread_mutex_lock(&offset_mutex);
	pthread_mutex_lock(&area_mutex);
}

void pool_areas_release(void)
{
	pthread_mutex_unlock(&area_mutex);
	pthread_mutex_unlock(&offset_mutex);
}

/* Map one more far extent for each area.  Offset mutex held. */
static bool add_extents(void)
{
	bool done;

	pthread_mutex_lock(&area_mutex);
	done = pool_place_grow();
	pthread_mutex_unlock(&area_mutex);
	return done;
}

/* Get an area that walks include from now on; NULL: no more are possible.  Area mutex held. */
static struct plat_area *add_area(void)
{
	unsigned int number = pool_live_hole();
	struct plat_area *area;

	if (number == PLAT_AREAS)
		return NULL;
	area = pool_place_again(number);
	if (!area) {
		area = pool_place_new();
		if (!area)
			return NULL;
		area->number = number;
		/*
		 * Pairs with the acquire in count.c, which reads the far extents without the mutex.
		 */
		plat_write_release(&plat_areas[number], area);
	}
	if (number == plat_area_count)
		plat_write(&plat_area_count, number + 1);
	pool_live_add(number);
	return area;
}

/* Lock the area mutex by a bounded number of tries, because the holder may be descheduled. */
static bool try_area_lock(void)
{
	unsigned int tries = PLAT_LAST_TRIES;

	while (pthread_mutex_trylock(&area_mutex)) {
		if (!tries--)
			return false;
		plat_pause(true);
	}
	return true;
}

/* Get an area for a thread; NULL: no more are possible, or the mutex was not free. */
struct plat_area *pool_area_get(void)
{
	struct plat_area *area;

	if (!try_area_lock())
		return NULL;
	area = ownerless;
	if (area)
		plat_write(&ownerless, area->next_free);
	else
		area = add_area();
	if (area)
		area->is_free = false;
	pthread_mutex_unlock(&area_mutex);
	return area;
}

/*
 * Release the area of a thread that ended.  Walks still include the area while parts of it are set
 * up, because another thread is draining its clusters or destroying a pool, or because the thread
 * exists only in the parent of this child.  The next owner gets these parts with their contents.
 */
void pool_area_put(struct plat_area *area)
{
	bool left = plat_read(&area->cpu.set_up);

	pthread_mutex_lock(&area_mutex);
	if (!area->is_free && left) {
		area->next_free = ownerless;
		plat_write(&ownerless, area);
	} else if (!area->is_free) {
		pool_live_remove(area->number);
		pool_place_leave(area->number);
	}
	area->is_free = true;
	pthread_mutex_unlock(&area_mutex);
}

/* Take all areas that have parts but no owner, as a chain by next_free; NULL: there are none. */
struct plat_area *pool_areas_ownerless(void)
{
	struct plat_area *chain, *area;

	if (!plat_read(&ownerless))
		return NULL;
	pthread_mutex_lock(&area_mutex);
	chain = ownerless;
	plat_write(&ownerless, NULL);
	for (area = chain; area; area = area->next_free)
		area->is_free = false;
	pthread_mutex_unlock(&area_mutex);
	return chain;
}

/* Return the bytes from an area to its part @i.  A mutex is held, or a pool has that part. */
static unsigned long offset_of(unsigned int i)
{
	if (i < PLAT_NEAR)
		return offsetof(struct plat_area, local) +
		       i * sizeof(struct pool_local);
	return pool_far + (i - PLAT_NEAR) * sizeof(struct pool_local);
}

/*
 * Clear the bit of a part that is zero again.  Atomic, because handlers and other destroyers may
 * write the word.
 */
static void has_not(struct plat_area *area, unsigned int i)
{
	__atomic_fetch_and(&area->has[i / PLAT_WORD_BITS], ~(1ul << i % PLAT_WORD_BITS),
			   __ATOMIC_RELAXED);
}

/* Return the first part from @i on that an area has, by number; @end or more: none below @end. */
static unsigned int next_part(const struct plat_area *area, unsigned int i, unsigned int end)
{
	while (i < end) {
		unsigned long bits = plat_parts_from(area, i);

		if (bits)
			return i + (unsigned int)__builtin_ctzl(bits);
		i += PLAT_WORD_BITS - i % PLAT_WORD_BITS;
	}
	return end;
}

/* Return how many offsets an area with @n far extents has. */
static unsigned int locals_of(unsigned int n)
{
	unsigned long locals = PLAT_NEAR + n * POOL_FAR_BYTES / sizeof(struct pool_local);

	return locals < PLAT_LOCALS ? (unsigned int)locals : PLAT_LOCALS;
}

/* Find the first part from number *@i on that an area has, and set *@i to it; NULL: none. */
struct pool_local *pool_area_part(struct plat_area *area, unsigned int *i)
{
	*i = next_part(area, *i, PLAT_LOCALS);
	return *i < PLAT_LOCALS ? (void *)pool_at_offset(area, offset_of(*i)) : NULL;
}

/* Return the far extents of an area, which are contiguous; their @bytes may be 0. */
const void *pool_area_far(const struct plat_area *area, size_t *bytes)
{
	*bytes = plat_read(&area->extents) * POOL_FAR_BYTES;
	return pool_at_offset(area, plat_read(&pool_far));
}

/* Take a free offset; 0: none is left.  Offset mutex held. */
static unsigned int take_offset(void)
{
	while (lowest < PLAT_LOCALS && offset_used[lowest])
		lowest++;
	if (lowest == PLAT_LOCALS || (lowest >= locals_of(pool_far_extents) && !add_extents()))
		return 0;
	offset_used[lowest] = true;
	if (lowest >= highest)
		highest = lowest + 1;
	return lowest;
}

/* True for the first call that found no offset, which must log that. */
static bool runs_out(unsigned int i)
{
	bool first = !i && !said;

	if (first)
		said = true;
	return first;
}

bool plat_local_alloc(struct pool *pool)
{
	unsigned int i;

	pthread_mutex_lock(&offset_mutex);
	i = take_offset();
	if (runs_out(i))
		pool_has_no_caches(pool->shown, lowest == PLAT_LOCALS ?
				   "too many pools" : "no memory for them");
	pthread_mutex_unlock(&offset_mutex);
	pool->view.part = i;
	pool->own.hot = offset_of(i);
	pool->head.hot = offset_of(pool->debug & POOL_D_HARDEN ? 0 : i);
	return i;
}

/* Free a pool's offset.  Its parts are zero: pool_drain() has cleared those that were set up. */
void plat_local_free(struct pool *pool)
{
	unsigned int number = pool->view.part;
	struct pool_local *local;
	unsigned int i;

	pool_each_part(pool, i, local)
		has_not(plat_areas[i], number);
	pool->view.part = 0;
	pool->own.hot = offset_of(0);
	pool->head.hot = pool->own.hot;
	pthread_mutex_lock(&offset_mutex);
	offset_used[number] = false;
	if (number < lowest)
		lowest = number;
	pthread_mutex_unlock(&offset_mutex);
}

/* Return the whole pages between two addresses, all zeros, to the system. */
static void trim(const unsigned char *from, const unsigned char *to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)from + page - 1) & ~(page - 1);
	uintptr_t end = (uintptr_t)to & ~(page - 1);

	if (first < end)
		madvise((void *)first, end - first, MADV_DONTNEED);
}

/* Find the first offset from @i on that a pool has; @end: none.  Offset mutex held. */
static unsigned int next_offset(unsigned int i, unsigned int end)
{
	while (i < end && !offset_used[i])
		i++;
	return i;
}

/*
 * Give back the pages between the parts @from and @to of an area, except pages of parts that are
 * set up, and, if the thread @lives, of parts that it may set up at any time.
 */
static void trim_between(const struct plat_area *area, unsigned int from, unsigned int to,
			 bool lives)
{
	while (from < to) {
		unsigned int kept = lives ? next_offset(from, to) :
					    pool_smaller(next_part(area, from, to), to);

		if (kept > from)
			trim(pool_at_offset(area, offset_of(from)),
			     pool_at_offset(area, offset_of(kept - 1)) + sizeof(struct pool_local));
		from = kept + 1;
	}
}

/* Return the unused pages of an area to the system.  @end: offsets from there on are unused. */
static void trim_area(const struct plat_area *area, unsigned int end, bool lives)
{
	trim_between(area, 0, end < PLAT_NEAR ? end : PLAT_NEAR, lives);
	trim_between(area, PLAT_NEAR, end, lives);
}

/*
 * Give back the memory of an area that pool_cpu_gone() has emptied.  Parts that were not emptied
 * stay, since other threads may still take objects from them.
 */
void pool_area_trim(struct plat_area *area)
{
	struct pool_local *local;
	unsigned int i, end;

	for (i = 0; (local = pool_area_part(area, &i)); i++)
		if (!plat_read(&local->cpu))
			has_not(area, i);
	pthread_mutex_lock(&offset_mutex);
	end = highest;
	pthread_mutex_unlock(&offset_mutex);
	trim_area(area, end, false);
}

/* Return the memory of parts that no pool has to the system, in all areas that walks include. */
void pool_areas_trim(void)
{
	unsigned int i = UINT_MAX;

	pthread_mutex_lock(&offset_mutex);
	while ((i = plat_cpu_below(i)) != UINT_MAX)
		trim_area(plat_areas[i], highest, true);
	pthread_mutex_unlock(&offset_mutex);
}
