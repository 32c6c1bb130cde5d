// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * early.c - memory for dlsym(), which may allocate before it has found malloc()
 *
 * Layer:   the preload library, below interpose.c.
 * Context: any; takes no lock.
 */
#include "early.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

static char memory[EARLY_BYTES] __attribute__((aligned(64)));
static size_t used;

void *early_alloc(size_t align, size_t size)
{
	size_t room = size + align;
	size_t at;

	if (room < size || room > EARLY_BYTES) {
		errno = ENOMEM;
		return NULL;
	}
	at = __atomic_fetch_add(&used, room, __ATOMIC_RELAXED);
	if (at > EARLY_BYTES - room) {
		__atomic_fetch_sub(&used, room, __ATOMIC_RELAXED);
		errno = ENOMEM;
		return NULL;
	}
	return memory + ((at + align - 1) & ~(align - 1));
}

bool early_has(const void *p)
{
	return (uintptr_t)p - (uintptr_t)memory < EARLY_BYTES;
}

void early_copy(void *to, const void *from, size_t size)
{
	size_t left = EARLY_BYTES - (size_t)((const char *)from - memory);

	memcpy(to, from, size < left ? size : left);
}
