// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * world.c - all memory that a schedule changes: to be saved, compared, put back
 *
 * Layer:   below sched.c and plat.c.
 * Context: one thread.
 */
#include "sched.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* The program's own .data and .bss. */
extern unsigned char __data_start[], _end[];

/* At a fixed address, so that each run of the program has equal pointers. */
struct arena {
	unsigned char mem[WORLD_GRANULES][WORLD_GRANULE];
	unsigned short len[WORLD_GRANULES];	/* granules of a block; 0: none */
	unsigned char stack[WORLD_STACKS][WORLD_STACK];
};

#define ARENA_ADDRESS	((void *)0x100000000000ul)

static struct arena *const arena = ARENA_ADDRESS;

static unsigned int top;	/* no granule from here on is in use */
static unsigned int used;	/* granules in use */

void world_init(void)
{
	if (mmap(ARENA_ADDRESS, sizeof(*arena), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		 0) != ARENA_ADDRESS)
		sched_die("no memory at the arena's address");
}

unsigned char *world_stack_end(unsigned int fibre)
{
	return arena->stack[fibre] + WORLD_STACK;
}

/* The first granule of @n free ones. */
static unsigned int find_free(unsigned int n)
{
	unsigned int at = 0, free = 0;

	while (free < n) {
		if (at == WORLD_GRANULES)
			sched_die("the arena is too small");
		if (arena->len[at]) {
			at += arena->len[at];
			free = 0;
		} else {
			at++;
			free++;
		}
	}
	return at - n;
}

void *world_alloc(size_t bytes)
{
	unsigned int n = (unsigned int)((bytes + WORLD_GRANULE - 1) /
					WORLD_GRANULE);
	unsigned int at = find_free(n);

	arena->len[at] = (unsigned short)n;
	used += n;
	if (top < at + n)
		top = at + n;
	return arena->mem[at];
}

int world_block(const void *p)
{
	size_t offset = (uintptr_t)p - (uintptr_t)arena;

	if (offset >= sizeof(arena->mem) || offset % WORLD_GRANULE ||
	    !arena->len[offset / WORLD_GRANULE])
		return -1;
	return (int)(offset / WORLD_GRANULE);
}

bool world_is_free(const void *p)
{
	size_t offset = (uintptr_t)p - (uintptr_t)arena;
	size_t first, at;

	if (offset >= sizeof(arena->mem))
		return false;
	at = offset / WORLD_GRANULE;
	for (first = at; first && !arena->len[first]; first--)
		;
	return at >= first + arena->len[first];
}

void *world_at(unsigned int granule)
{
	return arena->mem[granule];
}

unsigned int world_used(void)
{
	return used;
}

/* Free memory is zeroed, so that equal states have equal bytes. */
void world_free(void *p)
{
	int at = world_block(p);
	unsigned int n;

	if (at < 0) {
		sched_fail("memory is freed that is none: %p", p);
		return;
	}
	n = arena->len[at];
	memset(arena->mem[at], 0, n * WORLD_GRANULE);
	arena->len[at] = 0;
	used -= n;
	if (top != at + n)
		return;
	for (top = 0, n = 0; n < WORLD_GRANULES; n++)
		if (arena->len[n])
			top = n + arena->len[n];
}

struct range {
	unsigned char *at;
	size_t bytes;
};

#define RANGES	(3 + WORLD_STACKS)

/* The ranges of the world, in whole words. */
static void ranges_of(struct range *r, unsigned int granules, void *const *sp)
{
	unsigned char *data = (unsigned char *)((uintptr_t)__data_start & ~7ul);
	unsigned int i;

	*r++ = (struct range){ data, (size_t)(_end - data) & ~7ul };
	*r++ = (struct range){ arena->mem[0], granules * WORLD_GRANULE };
	*r++ = (struct range){ (unsigned char *)arena->len,
			       (granules * sizeof(arena->len[0]) + 7) & ~7ul };
	for (i = 0; i < WORLD_STACKS; i++) {
		unsigned char *end = world_stack_end(i);
		unsigned char *from = sp[i] ? sp[i] : end;

		*r++ = (struct range){ from, (size_t)(end - from) };
	}
}

struct saved {
	unsigned int top;
	void *sp[WORLD_STACKS];
	unsigned char bytes[];
};

size_t world_save(void *to, void *const *sp)
{
	struct saved *saved = to;
	unsigned char *at = saved->bytes;
	struct range range[RANGES];
	unsigned int i;

	saved->top = top;
	memcpy(saved->sp, sp, sizeof(saved->sp));
	ranges_of(range, top, sp);
	for (i = 0; i < RANGES; i++) {
		memcpy(at, range[i].at, range[i].bytes);
		at += range[i].bytes;
	}
	return (size_t)(at - (unsigned char *)to);
}

void world_restore(const void *from)
{
	const struct saved *saved = from;
	const unsigned char *at = saved->bytes;
	struct range range[RANGES];
	unsigned int i, old = top;

	if (old > saved->top) {
		memset(arena->mem[saved->top], 0,
		       (old - saved->top) * WORLD_GRANULE);
		memset(arena->len + saved->top, 0,
		       (old - saved->top) * sizeof(arena->len[0]));
	}
	ranges_of(range, saved->top, saved->sp);
	for (i = 0; i < RANGES; i++) {
		memcpy(range[i].at, at, range[i].bytes);
		at += range[i].bytes;
	}
}

static inline unsigned long mix(unsigned long h, unsigned long word)
{
	unsigned __int128 wide = (unsigned __int128)(h ^ word) *
				 0x9e3779b97f4a7c15ul;

	return (unsigned long)wide ^ (unsigned long)(wide >> 64);
}

/* Hash in four chains at once, so that multiplications overlap. */
static unsigned long hash_range(unsigned long h, const struct range *range)
{
	const unsigned long *w = (const unsigned long *)(void *)range->at;
	size_t n = range->bytes / sizeof(*w);
	unsigned long a = h, b = 2, c = 3, d = 5;

	for (; n >= 4; n -= 4, w += 4) {
		a = mix(a, w[0]) + 1;
		b = mix(b, w[1]) + 2;
		c = mix(c, w[2]) + 3;
		d = mix(d, w[3]) + 4;
	}
	while (n--)
		a = mix(a, *w++) + 1;
	return mix(mix(mix(a, b) + 1, c) + 1, d) + range->bytes;
}

unsigned long world_hash(void *const *sp)
{
	struct range range[RANGES];
	unsigned long h = top;
	unsigned int i;

	ranges_of(range, top, sp);
	for (i = 0; i < RANGES; i++)
		h = hash_range(h, &range[i]);
	return h;
}
