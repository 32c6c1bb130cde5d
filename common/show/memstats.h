/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * memstats.h - which code allocates and frees, as text
 *
 * Layer:   above debug/profile.h; private to memstats.c, kernel/debugfs/memstats.c.
 * Context: process context.
 */
#ifndef POOL_SHOW_MEMSTATS_H
#define POOL_SHOW_MEMSTATS_H

#include "dump.h"

/* What to show; all zero: places with calls. */
struct pool_memstats_options {
	bool reset;			/* show nothing, but set all counts to 0 */
	bool all;			/* show places without calls, too */
	char match[POOL_DUMP_WORD_LEN];
};

bool pool_memstats_read(struct pool_memstats_options *options,
			const char *text, char *wrong, size_t size);
bool pool_memstats_parse(struct pool_memstats_options *options,
			 const char *text, const char *where);
size_t pool_memstats(char *buf, size_t size, const struct pool_memstats_options *options);

#endif /* POOL_SHOW_MEMSTATS_H */
