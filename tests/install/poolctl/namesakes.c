// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * namesakes.c - pools whose names do not tell them apart, while a command runs
 *
 * Layer:   tests, a program of its own: see poolctl.sh.
 * Context: main program; offers its pools by LIBPOOL_OPTIONS.
 *
 *	namesakes COMMAND
 */
#include <libpool/pool.h>

#include <stdlib.h>

int main(int argc, char **argv)
{
	struct pool_head *first = create_pool("same", 64, MEM_F_EXACT);
	struct pool_head *second = create_pool("same", 64, MEM_F_EXACT);
	struct pool_head *all = create_pool("all", 64, MEM_F_EXACT);

	if (argc != 2 || !first || !second || !all ||
	    !pool_set_debug(first, "poison") || !pool_set_debug(second, "memstats") ||
	    !pool_set_debug(all, "trace"))
		return 1;
	unsetenv("LIBPOOL_OPTIONS");
	return system(argv[1]) ? 1 : 0;
}
