// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * guard_fill.c - fill and check the bytes of a guarded object's pages around the object
 *
 * Layer:   below the backend, between the two guard.c.
 * Context: any.
 *
 *	pages                        obj             obj + size
 *	|---------- before -----------|---- object ----|- behind -|
 *
 * An object ends where its pages end, as far as its alignment allows: fewer bytes than the
 * alignment are behind it, and less than a page before it.  A write there causes no fault, so
 * these bytes are filled, and checked later.  The fill of a byte depends on its address, so that
 * no run of equal bytes matches.
 */
#include "seam/plat.h"

#define GUARD_FILL_BYTE	0xa5u

static unsigned char byte_at(const unsigned char *p)
{
	return (unsigned char)(GUARD_FILL_BYTE ^ (unsigned long)p);
}

static void fill(unsigned char *from, const unsigned char *to)
{
	for (; from < to; from++)
		*from = byte_at(from);
}

/*
 * Return the offset of an object in its pages, less than a page; the pages have @bytes.  @align is
 * a power of two, at most a page.
 */
size_t pool_guard_fill_before(size_t bytes, size_t size, size_t align)
{
	return (bytes - size) & ~(align - 1);
}

/* Fill the bytes before and behind an object of @size bytes.  Its pages have @bytes. */
void pool_guard_fill_put(void *pages, size_t bytes, const void *obj, size_t size)
{
	unsigned char *start = pages;
	const unsigned char *from = obj;

	fill(start, from);
	fill(start + (from - start) + size, start + bytes);
}

/*
 * True if the bytes around an object of @size bytes still have their fill.  Its pages have @bytes.
 * @where: set to the offset from @obj of a wrong byte, the nearest behind the object, or else the
 * nearest before it.
 */
bool pool_guard_fill_check(const void *pages, size_t bytes, const void *obj,
			   size_t size, long *where)
{
	const unsigned char *start = pages;
	const unsigned char *from = obj;
	const unsigned char *p;

	for (p = from + size; p < start + bytes; p++)
		if (*p != byte_at(p))
			goto bad;
	for (p = from; p-- > start;)
		if (*p != byte_at(p))
			goto bad;
	return true;
bad:
	*where = p - from;
	return false;
}
