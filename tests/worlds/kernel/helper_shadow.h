/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper_shadow.h - what KASAN and KMSAN know of a byte
 *
 * Layer:   tests, kernel; for kasan.c and kmsan.c.
 * Context: any.  The tool must not check the code that reads its shadow.
 */
#ifndef POOL_HELPER_SHADOW_H
#define POOL_HELPER_SHADOW_H

#include <linux/kasan.h>

/* True if KASAN lets this byte be read and written. */
#if IS_ENABLED(CONFIG_KASAN_GENERIC)

static inline __no_sanitize_address bool may_touch(const char *p)
{
	s8 shadow = *(s8 *)kasan_mem_to_shadow(p);

	return !shadow || (s8)((unsigned long)p % 8) < shadow;
}

#else

static inline bool may_touch(const char *p)
{
	return p;
}

#endif

/* True if KMSAN takes this byte for written. */
#if IS_ENABLED(CONFIG_KMSAN)

/* The compiler calls this function for each load of a byte.  Modules have no other way to KMSAN. */
struct kmsan_kept {
	unsigned char *written;
	unsigned int *origin;
};

struct kmsan_kept __msan_metadata_ptr_for_load_1(const void *p);

static inline __no_sanitize_memory bool is_written(const char *p)
{
	return !*__msan_metadata_ptr_for_load_1(p).written;
}

#else

static inline bool is_written(const char *p)
{
	return p;
}

#endif

#endif /* POOL_HELPER_SHADOW_H */
