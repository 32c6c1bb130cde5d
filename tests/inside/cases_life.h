/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * cases_life.h - constructors and destructors that are counted
 *
 * Layer:   tests, both worlds; only of attr.c, dtor.c and fill.c.
 */
#ifndef POOL_CASES_LIFE_H
#define POOL_CASES_LIFE_H

#include "test.h"

#define MADE	0xc7

/* Counts of what constructors and destructors have seen, and the size of their objects. */
static struct {
	unsigned int made;
	unsigned int undone;
	unsigned int bad;
	unsigned int size;
} life;

static inline void construct(void *obj, void *arg)
{
	life.bad += arg != &life;
	life.made++;
	memset(obj, MADE, life.size);
}

/* True if all bytes are as the constructor left them. */
static inline bool intact(const unsigned char *obj)
{
	unsigned int i, good = 0;

	for (i = 0; i < life.size; i++)
		good += obj[i] == MADE;
	return good == life.size;
}

static inline void destruct(void *obj, void *arg)
{
	life.bad += arg != &life || !intact(obj);
	life.undone++;
	memset(obj, 0, life.size);
}

/* Create a pool of objects of exactly @size bytes with these functions, and count anew. */
static inline struct pool *living(unsigned int size, unsigned int mode,
				  void (*ctor)(void *obj, void *arg),
				  void (*dtor)(void *obj, void *arg))
{
	struct pool_attr attr = {
		.name = "made", .size = size, .flags = MEM_F_EXACT,
		.mode = mode, .ctor = ctor, .dtor = dtor, .arg = &life,
	};

	memset(&life, 0, sizeof(life));
	life.size = size;
	return test_made(&attr);
}

static inline struct pool *constructed(unsigned int size, unsigned int mode)
{
	return living(size, mode, construct, destruct);
}

/* Allocate and free @n objects; true if all were as the constructor left them. */
static inline bool wave_intact(struct pool *pool, unsigned int n)
{
	return test_wave_good(pool, n, intact);
}

/* True if every object was constructed once, and destructed once while it was intact. */
static inline bool life_is_even(void)
{
	return life.made == life.undone && life.made && !life.bad;
}

#endif /* POOL_CASES_LIFE_H */
