/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * table.h - numbers by numbers, in a hash table
 *
 * Layer:   pooltrace, below convert.c.
 * Context: one thread; ends the program if there is no memory.
 */
#ifndef POOLTRACE_TABLE_H
#define POOLTRACE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_entry {
	uint64_t key;			/* 0: unused */
	uint32_t value;
};

/* All zero at first. */
struct table {
	struct table_entry *entry;
	size_t size;			/* a power of 2 */
	size_t used;
};

/* Keys are not 0. */
bool table_get(const struct table *t, uint64_t key, uint32_t *value);
void table_set(struct table *t, uint64_t key, uint32_t value);
void table_remove(struct table *t, uint64_t key);
void table_forget(struct table *t);

#endif /* POOLTRACE_TABLE_H */
