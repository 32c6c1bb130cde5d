// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sites.c - two places that allocate, for poolctl.sh to see as a profile
 */
#include <libpool/pool.h>

#include <stdio.h>
#include <unistd.h>

/* Visible, so that the loader knows their names. */
void take_one(struct pool_head *pool);
void take_two(struct pool_head *pool);

__attribute__((__noinline__)) void take_one(struct pool_head *pool)
{
	void *obj[150];
	int i;

	for (i = 0; i < 150; i++)
		obj[i] = pool_alloc(pool);
	for (i = 0; i < 50; i++)
		pool_free(pool, obj[i]);
}

__attribute__((__noinline__)) void take_two(struct pool_head *pool)
{
	int i;

	for (i = 0; i < 300; i++)
		if (!pool_alloc(pool))
			_exit(1);
}

int main(void)
{
	struct pool_head *first = create_pool((char *)"first", 128, MEM_F_EXACT);
	struct pool_head *second = create_pool((char *)"second", 128, MEM_F_EXACT);

	take_one(first);
	take_two(second);
	puts("ready");
	fflush(stdout);
	alarm(300);
	for (;;)
		pause();
}
