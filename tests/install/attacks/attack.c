// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * attack.c - one attack on an allocator, and whether it works
 *
 * Layer:   tests; linked to libpool, or, with -DATTACK_MALLOC, only to the C library.
 * Context: a process of its own, which may die of the attack.
 *
 *	attack NAME		"works": nothing stood in its way; "no": it had no effect
 *	attack place		where the first object is within its page
 *
 * Attackers know the addresses of objects, what is in their own, and this program's text.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE	64
#define MANY	500

#ifdef ATTACK_MALLOC
static void *get(void)
{
	return malloc(SIZE);
}

static void put(void *obj)
{
	free(obj);
}

/* malloc() has one heap, so no free can go to a wrong one. */
static void put_other(void *obj)
{
	free(obj);
}

/* Returns where an object of malloc() ends: behind the bytes that malloc_usable_size() reports. */
static size_t behind(void)
{
	return SIZE + 8;
}
#else
#include "pool.h"

static struct pool_head *pool, *other;

__attribute__((constructor)) static void begin(void)
{
	pool = create_pool("attacked", SIZE, MEM_F_EXACT);
	other = create_pool("other", SIZE, MEM_F_EXACT);
	if (!pool || !other)
		exit(2);
}

static void *get(void)
{
	return pool_alloc(pool);
}

static void put(void *obj)
{
	pool_free(pool, obj);
}

static void put_other(void *obj)
{
	pool_free(other, obj);
}

static size_t behind(void)
{
	return SIZE;
}
#endif

/* Hide a pointer from the compiler, which would warn of the attack or drop it. */
static char *hidden(void *p)
{
	__asm__ volatile("" : "+r"(p) : : "memory");
	return p;
}

static void *objs[MANY + 8];

static void get_many(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		objs[i] = get();
}

/* True if one of the next @n objects is handed out twice. */
static bool comes_twice(unsigned int n)
{
	unsigned int i, k;

	get_many(n);
	for (i = 0; i < n; i++)
		for (k = 0; k < i; k++)
			if (objs[i] == objs[k])
				return true;
	return false;
}

/* True if one of the next allocations returns @what. */
static bool comes(const void *what)
{
	unsigned int i;

	get_many(8);
	for (i = 0; i < 8; i++)
		if (objs[i] == what)
			return true;
	return false;
}

/* Returns one of two objects: the one at the lower address, or the one at the higher. */
static char *neighbour(bool low)
{
	char *a = hidden(get()), *b = hidden(get());

	return (a < b) == low ? a : b;
}

/* Free @before others, an object, @n others, and the object again. */
static bool frees_twice(unsigned int before, unsigned int n)
{
	void *obj = hidden(get());
	unsigned int i;

	get_many(before + n);
	for (i = 0; i < before; i++)
		put(objs[i]);
	put(obj);
	for (; i < before + n; i++)
		put(objs[i]);
	put(hidden(obj));
	return comes_twice(before + n + 2);
}

static bool double_free(void)
{
	return frees_twice(0, 0);
}

static bool double_free_few(void)
{
	return frees_twice(0, 3);
}

static bool double_free_many(void)
{
	return frees_twice(MANY / 2, MANY / 2);
}

static bool interior(void)
{
	char *obj = hidden(get());

	put(hidden(obj + 16));
	return comes(obj + 16);
}

static bool foreign(void)
{
	static char buffer[4 * SIZE] __attribute__((aligned(16)));

	put(hidden(buffer + 16));
	return comes(buffer + 16);
}

static bool wrong_pool(void)
{
	void *obj = hidden(get());

	put_other(obj);
#ifndef ATTACK_MALLOC
	return pool_alloc(other) == obj;
#else
	return false;
#endif
}

/* Change the byte behind an object, free the object, and go on. */
static bool overflow(void)
{
	char *obj = neighbour(true);

	obj[behind()] ^= 1;
	put(obj);
	get();
	return true;
}

static char target[SIZE] __attribute__((aligned(64)));

/* Glibc mixes a link with the place that it is at, which the attacker knows. */
static bool link_overwritten(void)
{
	uintptr_t *a = (uintptr_t *)(void *)hidden(get()), *b;

	b = (uintptr_t *)(void *)hidden(get());
	put(a);
	put(b);
	*b = (uintptr_t)target ^ (uintptr_t)b >> 12;
	if (comes(target))
		return true;
	put(objs[0]);
	b = objs[0];
	*b = (uintptr_t)target;
	return comes(target);
}

/* Overwrite the eight bytes before an object, where a header would have the object's size. */
static bool header_overwritten(void)
{
	char *obj = neighbour(false), *next;
	size_t wrong = 0x91;

	memcpy(obj - sizeof(wrong), &wrong, sizeof(wrong));
	obj = hidden(obj);
	put(obj);
#ifdef ATTACK_MALLOC
	next = hidden(malloc(0x88));
	return next == obj;
#else
	next = hidden(get());
	return next != obj && next < obj + SIZE && obj < next + SIZE;
#endif
}

static const char secret[] = "secret";	/* one byte could be what a pool fills with */

static bool read_free(void)
{
	char *obj = hidden(get());

	memcpy(obj + SIZE / 2, secret, sizeof(secret));
	obj = hidden(obj);
	put(obj);
	return !memcmp(hidden(obj) + SIZE / 2, secret, sizeof(secret));
}

static bool write_free(void)
{
	char *obj = hidden(get()), *next;

	memset(obj, 0, SIZE);
	obj = hidden(obj);
	put(obj);
	memcpy(hidden(obj) + SIZE / 2, secret, sizeof(secret));
	next = hidden(get());
	return next == obj && !memcmp(next + SIZE / 2, secret, sizeof(secret));
}

/* True if each object is where the two before it predict; after the last place comes the first. */
static bool next_place(void)
{
	char *a = hidden(get()), *b = hidden(get());
	unsigned int i;

	for (i = 0; i < 4; i++) {
		char *c = hidden(get());

		if (c - b == b - a)
			return true;
		a = b;
		b = c;
	}
	return false;
}

static const struct {
	const char *name;
	bool (*works)(void);
} attacks[] = {
	{ "double-free", double_free },
	{ "double-free-few", double_free_few },
	{ "double-free-many", double_free_many },
	{ "interior", interior },
	{ "foreign", foreign },
	{ "wrong-pool", wrong_pool },
	{ "overflow", overflow },
	{ "link", link_overwritten },
	{ "header", header_overwritten },
	{ "read-free", read_free },
	{ "write-free", write_free },
	{ "next-place", next_place },
};

int main(int argc, char **argv)
{
	const char *name = argc == 2 ? argv[1] : "";
	unsigned int i;

	if (!strcmp(name, "place")) {
		printf("%u\n", (unsigned int)((uintptr_t)get() & 0xfff));
		return 0;
	}
	for (i = 0; i < sizeof(attacks) / sizeof(*attacks); i++)
		if (!strcmp(name, attacks[i].name)) {
			puts(attacks[i].works() ? "works" : "no");
			return 0;
		}
	fprintf(stderr, "attack: no attack is called \"%s\"\n", name);
	return 2;
}
