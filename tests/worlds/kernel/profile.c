// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * profile.c - names of code that is discarded
 *
 * Layer:   tests of common/debug/profile.c; inside/profile.c has those of counts.
 */
#include "test.h"
#include "debug/profile.h"

/* Too large for a stack. */
static char text[4096];

/* Create a pool, and a table without places. */
static struct pool *counted(void)
{
	pool_profile_end();
	return pool_profile_ready() ? test_pool(64) : NULL;
}

POOL_CASE(a_place_is_named_when_its_first_call_is_counted, counted())
{
	struct pool_place place;
	char name[160];
	unsigned int bin = pool_profile_alloc(pool, (void *)test_pool, 64);

	ASSERT(pool_profile_read(bin, &place) && place.site);
	EXPECT(strstr(place.site, "test_pool"));
	plat_symbol(name, sizeof(name), (void *)test_pool);
	EXPECT(!strncmp(name, place.site, strlen(place.site)));
	pool_profile_end();
}

/* The name is overwritten, as if other code had been loaded at the place. */
POOL_CASE(a_place_whose_code_is_discarded_keeps_its_name, counted())
{
	static const char gone[] = "ex_init+0x10/0x40 [ex]";
	struct pool_place place;
	unsigned int bin = pool_profile_alloc(pool, (void *)test_pool, 64);

	ASSERT(pool_profile_read(bin, &place) && place.site);
	memcpy((char *)place.site, gone, sizeof(gone));
	pool_memstats_to_buf(text, sizeof(text), "");
	EXPECT(strstr(text, "p_alloc test 1 0 64 0 64 ex_init+0x10/0x40 [ex]\n"));
	pool_profile_end();
}
