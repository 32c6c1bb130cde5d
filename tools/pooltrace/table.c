// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * table.c - numbers by numbers, in a hash table
 *
 * Layer:   pooltrace, below convert.c.
 * Context: one thread.
 *
 * An entry is in the first unused slot from its own on.  A removal moves entries down, so
 * that there is no gap before one of them.
 */
#include "table.h"

#include <err.h>
#include <stdlib.h>

static size_t own_slot(const struct table *t, uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (t->size - 1);
}

/* The key's entry, or the unused one where it would be. */
static struct table_entry *find(const struct table *t, uint64_t key)
{
	size_t i = own_slot(t, key);

	while (t->entry[i].key && t->entry[i].key != key)
		i = (i + 1) & (t->size - 1);
	return &t->entry[i];
}

static void grow(struct table *t)
{
	struct table old = *t;
	size_t i;

	t->size = old.size ? old.size * 2 : 1024;
	t->entry = calloc(t->size, sizeof(*t->entry));
	if (!t->entry)
		err(2, "a table of %zu entries", t->size);
	for (i = 0; i < old.size; i++)
		if (old.entry[i].key)
			*find(t, old.entry[i].key) = old.entry[i];
	free(old.entry);
}

bool table_get(const struct table *t, uint64_t key, uint32_t *value)
{
	const struct table_entry *e = t->size ? find(t, key) : NULL;

	if (!e || !e->key)
		return false;
	*value = e->value;
	return true;
}

void table_set(struct table *t, uint64_t key, uint32_t value)
{
	struct table_entry *e;

	if (t->used >= t->size / 2)
		grow(t);
	e = find(t, key);
	t->used += !e->key;
	*e = (struct table_entry){ key, value };
}

void table_remove(struct table *t, uint64_t key)
{
	size_t mask = t->size - 1;
	size_t gap, i;

	if (!t->size || !find(t, key)->key)
		return;
	gap = (size_t)(find(t, key) - t->entry);
	for (i = (gap + 1) & mask; t->entry[i].key; i = (i + 1) & mask) {
		size_t own = own_slot(t, t->entry[i].key);

		/* It may move if its own slot is not behind the gap. */
		if (((i - own) & mask) < ((i - gap) & mask))
			continue;
		t->entry[gap] = t->entry[i];
		gap = i;
	}
	t->entry[gap].key = 0;
	t->used--;
}

void table_forget(struct table *t)
{
	free(t->entry);
	*t = (struct table){ .entry = NULL };
}
