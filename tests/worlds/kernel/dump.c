// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump.c - dumps as the kernel's log has them
 *
 * Layer:   tests of common/show/dump.c and kernel/plat.c.
 */
#include "test.h"
#include "helper_log.h"

/* Dump to the log; return how many lines of the dump have this text. */
static unsigned int dumped(const char *text)
{
	struct kmsg_dump_iter log;

	kmsg_dump_rewind(&log);
	lines_with(&log, text);
	dump_pools();
	return lines_with(&log, text);
}

TEST_CASE(a_limit_of_a_merged_pool_is_logged_once_for_all_its_users)
{
	struct pool_head *pool = create_pool("here", 64, MEM_F_SHARED);
	struct kmsg_dump_iter log;
	unsigned int i;

	ASSERT(pool);
	kmsg_dump_rewind(&log);
	EXPECT(pool_set_limit(pool, 19));
	EXPECT(pool_set_limit(pool, 0));
	EXPECT_PTR_EQ(create_pool("there", 64, MEM_F_SHARED), pool);
	lines_with(&log, "is for all");
	for (i = 0; i < 3; i++)
		EXPECT(pool_set_limit(pool, i ? 20 : 0));
	EXPECT_EQ(lines_with(&log, "pool \"here\": limit 20 is for all 2 registrations"), 1);
	pool_destroy(pool);
	pool_destroy(pool);
}

TEST_CASE(dump_pools_writes_a_table_to_the_log)
{
	struct pool_head *pools[2];

	pools[0] = create_pool("in_the_log", 64, MEM_F_EXACT);
	pools[1] = create_pool("there_too", 128, MEM_F_EXACT);
	ASSERT(pools[0] && pools[1]);
	EXPECT_EQ(dumped("in_the_log "), 1);
	EXPECT_EQ(dumped("there_too "), 1);
	EXPECT_EQ(dumped("total of 2 pools: "), 1);
	pool_destroy(pools[0]);
	pool_destroy(pools[1]);
	EXPECT_EQ(dumped("in_the_log "), 0);
}
