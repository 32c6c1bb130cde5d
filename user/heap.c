// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * heap.c - have malloc() give back the memory of objects that went back to it
 *
 * Layer:   seam, cold half; beside plat.c.
 * Context: plain threads; no lock of ours held.
 *
 * malloc_trim() visits all that malloc() has, under the locks of malloc(): a program with
 * much memory besides pools has its threads wait for that.  So it is called only if the
 * program asked for it, objects went back since the last time, and malloc() has little
 * besides them.  Where the program has another malloc(), that one is asked.
 */
#include "main.h"
#include "slab/slab.h"

#include <pthread.h>
#include <sys/resource.h>

/*
 * What is in use bounds how many holes malloc_trim() visits, a system call for each.  If more
 * bytes than these are in use, of objects or besides them, it may take longer than 5 ms.
 */
#define OBJECTS	(32ul << 20)
#define BESIDES	(16ul << 20)

/* Bytes of objects that malloc() has given, and the most since it was last asked to trim. */
static unsigned long in_use;
static unsigned long most;

/* What the C library, jemalloc, mimalloc and tcmalloc have for it. */
int malloc_trim(size_t pad) __attribute__((weak));
int mallctl(const char *name, void *old, size_t *old_size, void *new,
	    size_t size) __attribute__((weak));
void mi_collect(bool force) __attribute__((weak));
void MallocExtension_ReleaseFreeMemory(void) __attribute__((weak));

/* Objects of pools come from malloc().  A race may miss some of them in the most. */
void pool_heap_took(unsigned long bytes)
{
	unsigned long now = plat_word_add(&in_use, bytes);

	if (now > plat_read(&most))
		plat_write(&most, now);
}

void pool_heap_gave(unsigned long bytes)
{
	pool_word_sub(&in_use, bytes);
}

unsigned long pool_heap_in_use(void)
{
	return plat_read(&in_use);
}

/*
 * Bytes of memory that the process had at most.  What it has now only files in /proc say, and a
 * program may not be allowed to open files any more.
 */
static unsigned long most_resident(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		return ~0ul;
	return (unsigned long)usage.ru_maxrss * 1024;
}

/*
 * Has malloc() little in use?  It has @now bytes of objects in use, and had up to @before.  What
 * it had besides is what was there at most, without objects and slabs at their most.
 */
static bool is_small(unsigned long now, unsigned long before)
{
	static unsigned long peak;
	struct arena_size size;

	if (before > plat_read(&peak))
		plat_write(&peak, before);
	pool_arena_size(&size);
	return now < OBJECTS &&
	       most_resident() < plat_read(&peak) + size.ready * SLAB_BYTES + BESIDES;
}

static void trim_libc(void)
{
	malloc_trim(0);
}

/*
 * A first malloc_trim() sets up the C library's arenas.  Where malloc() is another one, such as
 * a sanitizer's, nobody has done so before, and two first calls at once crash.
 */
static void ask_libc(void)
{
	static pthread_once_t first = PTHREAD_ONCE_INIT;

	pthread_once(&first, trim_libc);
	trim_libc();
}

/* 4096: all arenas. */
static void ask(void)
{
	if (mallctl)
		mallctl("arena.4096.purge", NULL, NULL, NULL, 0);
	else if (mi_collect)
		mi_collect(true);
	else if (MallocExtension_ReleaseFreeMemory)
		MallocExtension_ReleaseFreeMemory();
	else if (malloc_trim)
		ask_libc();
}

void pool_heap_trim(void)
{
	unsigned long now = plat_read(&in_use), before = plat_read(&most);

	if (before <= now || (plat_read(&pool_options.debug) & POOL_D_NO_TRIM))
		return;
	plat_write(&most, now);
	if (is_small(now, before))
		ask();
}
