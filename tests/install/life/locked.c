// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * locked.c - a program without privileges that locks its memory
 *
 * Layer:   tests, a user of libpool.
 * Context: run by life.sh, as root or as any user.
 *
 *	locked		0: it did, or could not have done before it used pools
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <libpool/pool.h>

/* Bytes of address space that this process has, as mlockall() counts them. */
static unsigned long space(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (file) {
		if (fscanf(file, "%lu", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return pages * (unsigned long)sysconf(_SC_PAGESIZE);
}

int main(void)
{
	unsigned long before = space();
	struct pool_head *pool = create_pool("locked", 64, 0);
	struct rlimit limit;

	if (!pool || !pool_alloc(pool) || getrlimit(RLIMIT_MEMLOCK, &limit) ||
	    (!getuid() && setuid(65534)))
		return 1;
	printf("%lu of %lu bytes, limit %lu\n", before, space(),
	       (unsigned long)limit.rlim_cur);
	if (before + (2ul << 20) > limit.rlim_cur) {
		puts("# the limit is too low for this program");
		return 0;
	}
	if (mlockall(MCL_CURRENT)) {
		perror("mlockall");
		return 1;
	}
	return 0;
}
