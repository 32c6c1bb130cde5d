// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * guard_fill.c - the bytes of a guarded object's pages that are not the object's
 *
 * Layer:   below the backend, between the two guard.c.
 * Context: any.
 *
 *	pages                        obj             obj + size
 *	|---------- before -----------|---- object ----|- behind -|
 *
 * An object ends where its pages do, as far as its alignment allows: less than
 * the alignment is behind it, less than a page before it.  No fault tells of a
 * write there, so these bytes are filled, and looked at when somebody asks.  What
 * a byte is filled with depends on its address: no run of equal bytes matches.
 */
#include "plat.h"

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

/**
 * pool_guard_fill_before() - How far behind the start of its pages an object is.
 * @bytes: of its pages.
 * @size: of the object.
 * @align: of the object, a power of two, at most a page.
 *
 * Return: bytes, less than a page.
 */
size_t pool_guard_fill_before(size_t bytes, size_t size, size_t align)
{
	return (bytes - size) & ~(align - 1);
}

/**
 * pool_guard_fill_put() - Fill what is before and behind an object.
 * @pages: its pages.
 * @bytes: of its pages.
 * @obj: the object.
 * @size: of the object.
 */
void pool_guard_fill_put(void *pages, size_t bytes, const void *obj, size_t size)
{
	unsigned char *start = pages;
	const unsigned char *from = obj;

	fill(start, from);
	fill(start + (from - start) + size, start + bytes);
}

/**
 * pool_guard_fill_check() - Is it still what it was filled with?
 * @pages: the object's pages.
 * @bytes: of its pages.
 * @obj: the object.
 * @size: of the object.
 * @where: when not, offset from @obj of the bad byte that is nearest to it;
 *	one behind it rather than one before it.
 *
 * Return: true: intact.
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
