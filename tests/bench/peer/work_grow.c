// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * work_grow.c - growing from nothing, and giving all of it back
 *
 * Layer:   between worker.c and the peer.
 * Context: one thread, once per process, since the second time memory is there already.
 *
 * The objects are allocated and written, which is where the system gives pages, and
 * then freed in the order of their allocation.  The pool is made within the time of
 * the allocations, since some peers make all of its objects there.
 */
#include "work.h"

#include <err.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/*
 * An array for pointers to the objects: resident before the measurement, and not of the peer, so no
 * figure includes it.
 */
static void **room(unsigned long n)
{
	void *p = mmap(NULL, n * sizeof(void *), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		err(1, "room for %lu pointers", n);
	return p;
}

/* Prints ns per object: of the allocations, and of the frees. */
bool work_grow(size_t size, unsigned long n)
{
	void **held = room(n);
	peer_pool pool;
	double start, full, empty;
	unsigned long i;

	start = now();
	if (!peer_create(&pool, size, (unsigned int)n, 1))
		return false;
	for (i = 0; i < n; i++)
		held[i] = get_written(pool);
	full = now();
	/* Keep the compiler from dropping the loop of a peer whose free does nothing. */
	for (i = 0; i < n; i++)
		put_back(pool, forgotten(held[i]));
	empty = now();
	peer_destroy(pool);
	printf("%.4f %.4f\n", (full - start) / (double)n,
	       (empty - full) / (double)n);
	return true;
}
