/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * recorder.h - writes down allocations and frees, in the traced process
 *
 * Layer:   below the functions that replace malloc() and its like.
 * Context: any in which a program may call malloc(); allocates nothing.
 */
#ifndef POOLTRACE_RECORDER_H
#define POOLTRACE_RECORDER_H

#include <stddef.h>
#include <stdint.h>

/* After the allocation has succeeded.  @site: where it will return to. */
void record_alloc(const void *p, size_t size, const void *site);

/* Before the memory is freed, since another thread may get the address right after. */
void record_free(const void *p);

/*
 * A realloc() frees if it succeeds, which is known only afterwards.  So its place in the
 * order is taken before, and the record is written after.
 */
uint64_t record_take_place(void);
void record_freed(uint64_t place, const void *p);	/* NULL: it did not free */

/*
 * Before the process gives up rights that it needs to make its file larger: the file gets the
 * room for all records.
 */
void record_reserve(void);

/* After a module may have left: its addresses may become another one's. */
void record_unload(void);

#endif /* POOLTRACE_RECORDER_H */
