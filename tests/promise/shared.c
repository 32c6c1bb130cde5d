// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * shared.c - promises of section 4: objects move to the shared pool and back in clusters
 *
 * Layer:   tests, both worlds; public headers only.
 *
 * How lists change is not public: inside/shared.c.
 */
#include "case.h"

/* True if each move had at least three quarters of a cluster, on average. */
static bool are_grouped(unsigned long long objs, unsigned long long moves)
{
	return 4 * objs >= 3ull * test_cluster() * moves;
}

/* The document's clusters have 8 objects. */
HEAD_CASE(six_of_eight_objects_move_at_once_at_least, head_within(16384, 8, 64))
{
	struct pool_stats before, now;
	unsigned int n;

	test_inject(0);
	head_wave(pool, 1000);
	head_numbers(pool, &before);
	EXPECT(before.puts && are_grouped(before.shared, before.puts));
	for (n = 0; n < before.cached + 400; n++)
		test_objs[n] = head_alloc(pool);
	head_numbers(pool, &now);
	EXPECT(now.gets > before.gets);
	EXPECT(are_grouped(before.shared - now.shared, now.gets - before.gets));
	head_free_many(pool, test_objs, n);
}
