/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * early.h - memory for dlsym(), which may allocate before it has found malloc()
 *
 * Layer:   the preload library, below interpose.c.
 * Context: any; memory is never given back.
 */
#ifndef POOLTRACE_EARLY_H
#define POOLTRACE_EARLY_H

#include <stdbool.h>
#include <stddef.h>

#define EARLY_BYTES	65536

/* Zeroed memory, or NULL with errno set. */
void *early_alloc(size_t align, size_t size);
bool early_has(const void *p);

/* At most @size bytes, and no more than there are. */
void early_copy(void *to, const void *from, size_t size);

#endif /* POOLTRACE_EARLY_H */
