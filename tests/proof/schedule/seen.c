// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * seen.c - states that were seen
 *
 * Layer:   tests; the enumerator.
 * Context: one thread.
 *
 * A state is known by a hash of 64 bits, of all memory and of the fibre that runs next.  It
 * is looked at again only with more preemptions left than before.
 */
#include "sched.h"

#include <string.h>
#include <sys/mman.h>

/* An entry is only two words, because a program may need gigabytes of entries. */
struct entry {
	unsigned long state;		/* 0: the entry is free */
	unsigned int left;		/* preemptions that were left */
	bool open;			/* on the way to the present state */
};

/* Entries, a power of two.  Entries never touched take no memory. */
#define ENTRIES_FIRST	(1ul << 16)

/* Not in the world. */
struct table {
	unsigned long size;
	unsigned long count;
	struct entry *entry;
};

#define TABLE_ADDRESS	((void *)0x120000000000ul)

static struct table *const table = TABLE_ADDRESS;

static void *map(void *at, size_t bytes)
{
	void *p = mmap(at, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		sched_die("no memory for states");
	return p;
}

static struct entry *find(unsigned long state)
{
	unsigned long i = state & (table->size - 1);

	while (table->entry[i].state && table->entry[i].state != state)
		i = (i + 1) & (table->size - 1);
	return &table->entry[i];
}

static void set_size(unsigned long size)
{
	table->size = size;
	table->entry = map(NULL, size * sizeof(struct entry));
}

void seen_init(void)
{
	if (map(TABLE_ADDRESS, sizeof(*table)) != table)
		sched_die("no memory at the table's address");
}

void seen_clear(void)
{
	if (table->entry)
		munmap(table->entry, table->size * sizeof(struct entry));
	table->count = 0;
	set_size(ENTRIES_FIRST);
}

static void grow(void)
{
	struct entry *old = table->entry;
	unsigned long n = table->size, i;

	set_size(2 * n);
	for (i = 0; i < n; i++)
		if (old[i].state)
			*find(old[i].state) = old[i];
	munmap(old, n * sizeof(*old));
}

/* Note that a state is about to be looked at, with this many preemptions left. */
enum seen seen_enter(unsigned long state, unsigned int left)
{
	struct entry *e;

	if (table->count * 2 > table->size)
		grow();
	state += !state;
	e = find(state);
	if (e->state && e->open && e->left == left)
		return SEEN_ON_THE_WAY;
	if (e->state && e->left >= left)
		return SEEN_ALREADY;
	table->count += !e->state;
	*e = (struct entry){ .state = state, .left = left, .open = true };
	return SEEN_NOT;
}

/* Note that all that follows from a state was looked at. */
void seen_leave(unsigned long state)
{
	find(state + !state)->open = false;
}

unsigned long seen_count(void)
{
	return table->count;
}
