// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * place.c - where areas are, and their far extents
 *
 * Layer:   seam, cold half; below area.c.
 * Context: area mutex held.
 *
 * A hit finds a pool's local part by adding the pool's offset to the address of the
 * thread's area.  So a part is at the same offset in all areas, and may never move.
 * The number of pools is not known in advance, and reserved address space is lost to
 * the program.  So an area begins small, and areas are as far apart as all their parts
 * would need:
 *
 *	area 0                    area 1                    area 2
 *	 |near|....................|near|....................|near|......
 *	                                  |far extents of area 0|
 *	 |<-------- STRIDE ------->|
 *	 |<--------- far = near + k * STRIDE --------------->|
 *
 * Far extents are mapped when the number of pools needs them, at once for all areas that walks
 * include; the other areas get them with their next owner.  k is the same for all areas, and for
 * plat_zeros, to which threads without an area point.  plat_zeros belongs to the program or
 * library, so its address is not ours to choose, and other mappings often follow it, as they may
 * follow areas.  So k is chosen once, such that the far extents of plat_zeros and of all present
 * areas have room.  It is negative if need be, for example where the stack is just above the
 * libraries and may grow down to them.  If another mapping later occupies the place of an area's
 * far extents, they cannot be mapped, and further pools have no caches.
 */
#include "place.h"
#include "live.h"
#include "main.h"

#include <stdint.h>
#include <sys/mman.h>

#define EXTENTS	((PLAT_LOCALS + POOL_FAR_LOCALS - 1) / POOL_FAR_LOCALS)

/* The name of areas in /proc/PID/maps. */
#define NAME	"libpool:areas"

/* The distance from one area to the next. */
#define STRIDE		(PLAT_AREA_BYTES + EXTENTS * POOL_FAR_BYTES)

/* Places to try for an area before the system chooses one. */
#define PLACES		16

/*
 * Forks may copy this many unowned areas, because excluding an area from forks costs a system call.
 */
#define FORKED		32

unsigned char plat_zeros[PLAT_AREA_BYTES] __attribute__((aligned(PLAT_PAGES)));

unsigned long pool_far;
unsigned int pool_far_extents;

static unsigned char *next_place;	/* address for the next area; NULL: not known yet */

/* True if far extents at this offset stay within the address space. */
static bool offset_fits(const void *start, unsigned long offset)
{
	uintptr_t at = (uintptr_t)start + offset;

	return (at >= (uintptr_t)start) == ((long)offset >= 0) && at <= UINTPTR_MAX - STRIDE;
}

/* True if all areas have free addresses for far extents at this offset. */
static bool areas_have_room(unsigned long offset)
{
	unsigned int i;

	for (i = 0; i < plat_area_count; i++) {
		unsigned char *at;

		if (!plat_areas[i])
			continue;
		if (!offset_fits(plat_areas[i], offset))
			return false;
		at = pool_at_offset(plat_areas[i], offset);
		if (!pool_map_at(at, EXTENTS * POOL_FAR_BYTES, PROT_NONE))
			return false;
		munmap(at, EXTENTS * POOL_FAR_BYTES);
	}
	return true;
}

/*
 * Map zeros at this offset, for threads without an area, if all areas have room for far extents at
 * that offset, too.
 */
static bool try_far(long k)
{
	unsigned long offset = PLAT_AREA_BYTES + (unsigned long)k * STRIDE;

	if (!offset_fits(plat_zeros, offset) || !areas_have_room(offset) ||
	    !pool_map_at(pool_at_offset(plat_zeros, offset), EXTENTS * POOL_FAR_BYTES + PLAT_PAGES,
			 PROT_READ))
		return false;
	pool_far = offset;
	return true;
}

/*
 * Choose k.  Large distances are tried first, since the heap does not grow that far.  With 32
 * bits the largest distance may hit the libraries.
 */
static bool find_far(void)
{
	long most = (long)((1ul << (sizeof(most) > 4 ? 36 : 29)) / STRIDE);
	long k = most;

	while (!pool_far && k && !try_far(k))
		k /= 2;
	if (pool_far || try_far(0))
		return true;
	for (k = -most; k && !try_far(k); k /= 2)
		;
	return pool_far;
}

/* Map one more far extent for an area. */
static bool add_extent(struct plat_area *area)
{
	unsigned char *at = pool_at_offset(area, pool_far + area->extents * POOL_FAR_BYTES);

	if (!pool_map_at(at, POOL_FAR_BYTES, PROT_READ | PROT_WRITE))
		return false;
	pool_map_name(at, POOL_FAR_BYTES, NAME);
	tool_root(at, POOL_FAR_BYTES);
	plat_write(&area->extents, area->extents + 1);
	return true;
}

/* Map the far extents that an area lacks, until it has @n. */
static bool add_extents_to(struct plat_area *area, unsigned int n)
{
	while (area->extents < n)
		if (!add_extent(area))
			return false;
	return true;
}

/* Map one more far extent for each area.  The caller holds the offset mutex and the area mutex. */
bool pool_place_grow(void)
{
	unsigned int i = UINT_MAX;

	if (pool_far_extents == EXTENTS || (!pool_far && !find_far()))
		return false;
	while ((i = plat_cpu_below(i)) != UINT_MAX)
		if (!add_extents_to(plat_areas[i], pool_far_extents + 1))
			return false;
	pool_far_extents++;
	return true;
}

/* Map an area with its far extents at @place; NULL: other mappings are there. */
static struct plat_area *area_at(unsigned char *place)
{
	struct plat_area *area = (struct plat_area *)(void *)place;
	unsigned int i;

	if (!place || !pool_map_at(place, PLAT_AREA_BYTES, PROT_READ | PROT_WRITE))
		return NULL;
	if (add_extents_to(area, pool_far_extents))
		return area;
	for (i = 0; i < area->extents; i++)
		munmap(pool_at_offset(place, pool_far + i * POOL_FAR_BYTES), POOL_FAR_BYTES);
	munmap(place, PLAT_AREA_BYTES);
	return NULL;
}

/*
 * Map the first area halfway between 0 and the place where the system puts mappings by itself,
 * because these addresses are free.  Checkers such as ASan allow only a smaller distance.
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

/* Map an area at the next free place, or where the system chooses. */
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
	return area || pool_far_extents ? area : pool_map(NULL, PLAT_AREA_BYTES,
					  PROT_READ | PROT_WRITE);
}

struct plat_area *pool_place_new(void)
{
	struct plat_area *area = new_area();

	if (!area)
		return NULL;
	pool_map_name(area, PLAT_AREA_BYTES, NAME);
	tool_root(area, PLAT_AREA_BYTES);
	pool_cpu_init(&area->cpu);
	return area;
}

/*
 * Tell the kernel whether forks copy an area.  A fork must copy areas of threads, whose objects
 * the child takes over.  An area without an owner would cost it as much, so it is excluded.  False:
 * the area is not mapped, because this is the child of a fork without handlers.
 */
static bool set_forked(unsigned int number, int advice)
{
	struct plat_area *area = plat_areas[number];

	return number < FORKED ||
	       (!madvise(area, PLAT_AREA_BYTES, advice) &&
		(!area->extents ||
		 !madvise(pool_at_offset(area, pool_far), area->extents * POOL_FAR_BYTES, advice)));
}

struct plat_area *pool_place_again(unsigned int number)
{
	struct plat_area *area = plat_areas[number];

	return area && set_forked(number, MADV_DOFORK) && add_extents_to(area, pool_far_extents) ?
	       area : NULL;
}

void pool_place_leave(unsigned int number)
{
	set_forked(number, MADV_DONTFORK);
}

void pool_place_fork_child(void)
{
	unsigned int i;

	for (i = FORKED; i < plat_area_count; i++)
		if (!pool_is_live(i))
			plat_areas[i] = NULL;
}
