// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * area.c - the areas of threads: where they are, and the pools' parts in them
 *
 * Layer:   seam, cold half; below thread.c.
 * Context: plain threads.
 *
 * A hit finds a pool's local part by adding the pool's offset to the address of the
 * thread's area.  So a part is at the same offset in all areas, and may never move.
 * The number of pools is not known in advance, and reserved address space is lost to
 * the program.  So an area begins small, and the distance from one area to the next is
 * what all of its parts would take:
 *
 *	area 0                    area 1                    area 2
 *	 |near|....................|near|....................|near|......
 *	                                  |far parts of area 0|
 *	 |<-------- STRIDE ------->|
 *	 |<--------- far = near + k * STRIDE --------------->|
 *
 * Far parts are mapped when the number of pools asks for them, for all areas at once.  k
 * is the same for all areas.  It exists because of the zeros that threads without an area
 * point to.  The zeros are part of the program or library, at an address that is not ours
 * to choose, and other mappings often follow them.  Other mappings may follow areas, too.
 * So k is chosen, once, such that there is room behind the zeros and behind all areas of
 * that time; below zero if need be, as where the stack is just behind the libraries and may
 * grow as far as them.  If another mapping later takes the place of an area's far parts, they
 * cannot be mapped; then further pools stay closed.
 */
#include "main.h"
#include "plat.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* About how many local parts a far part has, and its bytes: whole pages. */
#define PART_LOCALS	256
#define PART_BYTES \
	((PART_LOCALS * sizeof(struct pool_local) + PLAT_PAGES - 1) / \
	 PLAT_PAGES * PLAT_PAGES)
#define PARTS	((PLAT_LOCALS + PART_LOCALS - 1) / PART_LOCALS)

/* What /proc/PID/maps calls them. */
#define NAME	"libpool:areas"

/* The distance from one area to the next. */
#define STRIDE		(PLAT_AREA_BYTES + PARTS * PART_BYTES)

/* How many places are tried for an area. */
#define PLACES		16

unsigned char plat_zeros[PLAT_AREA_BYTES] __attribute__((aligned(PLAT_PAGES)));

struct plat_area *plat_areas[PLAT_AREAS];
unsigned int plat_area_count;

/*
 * Guards the offsets of pools.  Held while the memory of parts goes back, so no call
 * that a thread without an area makes may need it.  Before the area mutex.
 */
static pthread_mutex_t offset_mutex = PTHREAD_MUTEX_INITIALIZER;
static bool offset_used[PLAT_LOCALS];	/* not 0, which is always closed */
static unsigned int lowest = 1;		/* no offset below is free */
static unsigned int highest;		/* no offset from here on was ever used */
static bool said;			/* the log is told that there are no more */

/* Guards what follows, plat_areas and the free areas.  Allocations and frees only try it. */
static pthread_mutex_t area_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct plat_area *free_areas;
static unsigned char *next_place;	/* for an area; NULL: not known yet */

/* Both mutexes to write, one of them to read. */
static unsigned long far;		/* offset of far parts; 0: none yet */
static unsigned int parts;		/* far parts that all areas have */

/* For a fork, and where areas are reaped. */
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

/* The address at an offset, which may be one below zero. */
static unsigned char *at_offset(const void *start, unsigned long offset)
{
	return (unsigned char *)start + (long)offset;
}

/* Do far parts at this offset stay within the address space? */
static bool offset_fits(const void *start, unsigned long offset)
{
	uintptr_t at = (uintptr_t)start + offset;

	return (at >= (uintptr_t)start) == ((long)offset >= 0) && at <= UINTPTR_MAX - STRIDE;
}

/* Is the place of far parts at this offset free in all areas?  Area mutex held. */
static bool areas_have_room(unsigned long offset)
{
	unsigned int i;

	for (i = 0; i < plat_area_count; i++) {
		unsigned char *at;

		if (!offset_fits(plat_areas[i], offset))
			return false;
		at = at_offset(plat_areas[i], offset);
		if (!pool_map_at(at, PARTS * PART_BYTES, PROT_NONE))
			return false;
		munmap(at, PARTS * PART_BYTES);
	}
	return true;
}

/*
 * Map zeros at this offset, for threads without an area, if all areas have room for far
 * parts at that offset, too.  Area mutex held.
 */
static bool try_far(long k)
{
	unsigned long offset = PLAT_AREA_BYTES + (unsigned long)k * STRIDE;

	if (!offset_fits(plat_zeros, offset) || !areas_have_room(offset) ||
	    !pool_map_at(at_offset(plat_zeros, offset), PARTS * PART_BYTES + PLAT_PAGES,
			 PROT_READ))
		return false;
	far = offset;
	return true;
}

/*
 * Try large distances first, since they are in the way of nothing, not even of the heap.
 * With 32 bits the largest one may well be where libraries are.  Area mutex held.
 */
static bool find_far(void)
{
	long most = (long)((1ul << (sizeof(most) > 4 ? 36 : 29)) / STRIDE);
	long k = most;

	while (!far && k && !try_far(k))
		k /= 2;
	if (far || try_far(0))
		return true;
	for (k = -most; k && !try_far(k); k /= 2)
		;
	return far;
}

/* Map one more far part for an area.  Area mutex held. */
static bool add_part(struct plat_area *area)
{
	unsigned char *at = at_offset(area, far + area->parts * PART_BYTES);

	if (!pool_map_at(at, PART_BYTES, PROT_READ | PROT_WRITE))
		return false;
	pool_map_name(at, PART_BYTES, NAME);
	tool_root(at, PART_BYTES);
	area->parts++;
	return true;
}

/* Map one more far part for all areas.  Both mutexes held. */
static bool add_part_each(void)
{
	unsigned int i;

	if (parts == PARTS || (!far && !find_far()))
		return false;
	for (i = 0; i < plat_area_count; i++)
		if (plat_areas[i]->parts == parts && !add_part(plat_areas[i]))
			return false;
	parts++;
	return true;
}

/* Offset mutex held. */
static bool add_parts(void)
{
	bool done;

	pthread_mutex_lock(&area_mutex);
	done = add_part_each();
	pthread_mutex_unlock(&area_mutex);
	return done;
}

/* Make an area with all parts at a place; NULL: that is not free.  Area mutex held. */
static struct plat_area *area_at(unsigned char *place)
{
	struct plat_area *area = (struct plat_area *)(void *)place;
	unsigned int i;

	if (!place || !pool_map_at(place, PLAT_AREA_BYTES, PROT_READ | PROT_WRITE))
		return NULL;
	while (area->parts < parts)
		if (!add_part(area))
			break;
	if (area->parts == parts)
		return area;
	for (i = 0; i < area->parts; i++)
		munmap(at_offset(place, far + i * PART_BYTES), PART_BYTES);
	munmap(place, PLAT_AREA_BYTES);
	return NULL;
}

/*
 * The first area: far below the place where the system puts mappings by itself.  Halfway
 * down the addresses are free; checkers admit only a smaller distance.
 */
static struct plat_area *first_area(void)
{
	unsigned char *top = pool_map(NULL, PLAT_PAGES, PROT_NONE);
	uintptr_t distance = (uintptr_t)top / 2;
	struct plat_area *area = NULL;

	if (!top)
		return NULL;
	munmap(top, PLAT_PAGES);
	while (!area && distance > STRIDE) {
		uintptr_t at = (uintptr_t)top - distance;

		area = area_at((unsigned char *)(at & ~(PLAT_PAGES - 1)));
		distance /= 2;
	}
	return area;
}

/* Make an area at the next free place, or where the system puts it.  Area mutex held. */
static struct plat_area *new_area(void)
{
	struct plat_area *area = next_place ? NULL : first_area();
	unsigned int tries;

	for (tries = 0; !area && next_place && tries < PLACES; tries++) {
		area = area_at(next_place);
		next_place += STRIDE;
	}
	if (area)
		next_place = (unsigned char *)area + STRIDE;
	return area || parts ? area : pool_map(NULL, PLAT_AREA_BYTES,
					  PROT_READ | PROT_WRITE);
}

/* Append a new area to the table; NULL: there can be no more.  Area mutex held. */
static struct plat_area *append_area(void)
{
	struct plat_area *area;

	if (plat_area_count == PLAT_AREAS)
		return NULL;
	area = new_area();
	if (!area)
		return NULL;
	pool_map_name(area, PLAT_AREA_BYTES, NAME);
	tool_root(area, PLAT_AREA_BYTES);
	pool_cpu_init(&area->cpu);
	area->number = plat_area_count;
	plat_areas[plat_area_count] = area;
	__atomic_store_n(&plat_area_count, plat_area_count + 1,
			 __ATOMIC_RELEASE);
	return area;
}

/* Lock by tries: an allocation asks for an area, and the holder may be descheduled. */
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

/* Get an area for a thread; NULL: there is none, or not now. */
struct plat_area *pool_area_get(void)
{
	struct plat_area *area;

	if (!try_area_lock())
		return NULL;
	area = free_areas;
	if (area) {
		free_areas = area->next_free;
		area->is_free = false;
	} else {
		area = append_area();
	}
	pthread_mutex_unlock(&area_mutex);
	return area;
}

void pool_area_put(struct plat_area *area)
{
	pthread_mutex_lock(&area_mutex);
	area->next_free = free_areas;
	area->is_free = true;
	free_areas = area;
	pthread_mutex_unlock(&area_mutex);
}

/* The offset of a pool's parts.  A mutex held, or the pool has it already. */
static unsigned long offset_of(unsigned int i)
{
	if (i < PLAT_NEAR)
		return offsetof(struct plat_area, local) +
		       i * sizeof(struct pool_local);
	return far + (i - PLAT_NEAR) * sizeof(struct pool_local);
}

/* A part is zero again.  A handler, and the end of another pool, may write, too. */
static void has_not(struct plat_area *area, unsigned int i)
{
	__atomic_fetch_and(&area->has[i / PLAT_WORD_BITS], ~(1ul << i % PLAT_WORD_BITS),
			   __ATOMIC_RELAXED);
}

/* The first part from number @i on that an area has; @end or more: there is none below. */
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

/* How many offsets an area with @n far parts has. */
static unsigned int locals_of(unsigned int n)
{
	unsigned long locals = PLAT_NEAR + n * PART_BYTES / sizeof(struct pool_local);

	return locals < PLAT_LOCALS ? (unsigned int)locals : PLAT_LOCALS;
}

/* The first part from number *@i on that an area has, whose number *@i becomes; NULL: none. */
struct pool_local *pool_area_part(struct plat_area *area, unsigned int *i)
{
	*i = next_part(area, *i, PLAT_LOCALS);
	return *i < PLAT_LOCALS ? (void *)at_offset(area, offset_of(*i)) : NULL;
}

/* Take a free offset; 0: there is none.  Offset mutex held. */
static unsigned int take_offset(void)
{
	while (lowest < PLAT_LOCALS && offset_used[lowest])
		lowest++;
	if (lowest == PLAT_LOCALS || (lowest >= locals_of(parts) && !add_parts()))
		return 0;
	offset_used[lowest] = true;
	if (lowest >= highest)
		highest = lowest + 1;
	return lowest;
}

/* Did this call find none, as the first one? */
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

/* Clear a part.  pool_area_trim() reads meanwhile whether it has a CPU, and so is not zero. */
static void clear(struct pool_local *local)
{
	memset(local, 0, offsetof(struct pool_local, cpu));
	memset(&local->by_pool, 0, sizeof(*local) - offsetof(struct pool_local, by_pool));
	plat_write(&local->cpu, NULL);
}

void plat_local_free(struct pool *pool)
{
	unsigned int number = pool->view.part;
	struct pool_local *local;
	unsigned int i;

	pool_each_part(pool, i, local) {
		clear(local);
		has_not(plat_areas[i], number);
	}
	pool->view.part = 0;
	pool->own.hot = offset_of(0);
	pool->head.hot = pool->own.hot;
	pthread_mutex_lock(&offset_mutex);
	offset_used[number] = false;
	if (number < lowest)
		lowest = number;
	pthread_mutex_unlock(&offset_mutex);
}

/* Give back whole pages of zeros. */
static void trim(const unsigned char *from, const unsigned char *to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)from + page - 1) & ~(page - 1);
	uintptr_t end = (uintptr_t)to & ~(page - 1);

	if (first < end)
		madvise((void *)first, end - first, MADV_DONTNEED);
}

/* The first offset from @i on that a pool has; other parts are zero.  Offset mutex held. */
static unsigned int next_offset(unsigned int i, unsigned int end)
{
	while (i < end && !offset_used[i])
		i++;
	return i;
}

/*
 * Give back the pages of an area between the parts @from and @to, except those of parts that it
 * has, and, if it @lives, those that its thread may get.
 */
static void trim_between(const struct plat_area *area, unsigned int from, unsigned int to,
			 bool lives)
{
	while (from < to) {
		unsigned int kept = lives ? next_offset(from, to) :
					    pool_smaller(next_part(area, from, to), to);

		if (kept > from)
			trim(at_offset(area, offset_of(from)),
			     at_offset(area, offset_of(kept - 1)) + sizeof(struct pool_local));
		from = kept + 1;
	}
}

/* @end: no offset from there on was ever used. */
static void trim_area(const struct plat_area *area, unsigned int end, bool lives)
{
	trim_between(area, 0, end < PLAT_NEAR ? end : PLAT_NEAR, lives);
	trim_between(area, PLAT_NEAR, end, lives);
}

/*
 * Give back the memory of an area that pool_cpu_gone() has emptied.  A part that was not emptied
 * stays, since other threads may still take from it.
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

/* Give back the memory of local parts that no pool has, in all areas. */
void pool_areas_trim(void)
{
	unsigned int count = plat_nr_cpus();
	unsigned int i;

	pthread_mutex_lock(&offset_mutex);
	for (i = 0; i < count; i++)
		trim_area(plat_areas[i], highest, true);
	pthread_mutex_unlock(&offset_mutex);
}
