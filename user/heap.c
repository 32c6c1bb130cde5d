// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * heap.c - have malloc() give back the memory of objects that went back to it
 *
 * Layer:   seam, cold half; beside plat.c.
 * Context: plain threads; no lock of ours held.
 *
 * malloc_trim() visits all memory of malloc() under malloc()'s locks, so other threads would wait
 * long in a program with much memory besides pools.  So it is called only if the program asked for
 * it, objects were freed to malloc() since the last call, and malloc() has little besides them.  If
 * another malloc() serves the program, its trim function is called instead.
 */
#include "main.h"
#include "slab/slab.h"

#include <pthread.h>
#include <sys/resource.h>

/*
 * malloc_trim() makes a system call for each hole between blocks in use.  With more bytes in use
 * than these, of objects or besides them, it may last longer than 5 ms.
 */
#define OBJECTS	(32ul << 20)
#define BESIDES	(16ul << 20)

/* Bytes of objects allocated by malloc(), and their maximum since the last trim. */
static unsigned long in_use;
static unsigned long most;

/* The trim functions of the C library, jemalloc, mimalloc and tcmalloc. */
int malloc_trim(size_t pad) __attribute__((weak));
int mallctl(const char *name, void *old, size_t *old_size, void *new,
	    size_t size) __attribute__((weak));
void mi_collect(bool force) __attribute__((weak));
void MallocExtension_ReleaseFreeMemory(void) __attribute__((weak));

/* Count objects that malloc() gave.  A race may make the maximum slightly too low. */
void pool_heap_add(unsigned long bytes)
{
	unsigned long now = plat_word_add(&in_use, bytes);

	if (now > plat_read(&most))
		plat_write(&most, now);
}

void pool_heap_sub(unsigned long bytes)
{
	pool_word_sub(&in_use, bytes);
}

unsigned long pool_heap_in_use(void)
{
	return plat_read(&in_use);
}

/*
 * Return the most bytes of memory that the process ever had.  What it has now is only in files of
 * /proc, which the program may have forbidden itself to open.
 */
static unsigned long most_resident(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		return ~0ul;
	return (unsigned long)usage.ru_maxrss * 1024;
}

/*
 * True if malloc() has little in use: @now bytes of objects, of @before at most, and besides them
 * at most the process's maximum minus the maxima of objects and slabs.
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
 * Call malloc_trim().  Its first call sets up the C library's arenas, if malloc() is another one,
 * such as a sanitizer's; two first calls at once would crash.
 */
static void ask_libc(void)
{
	static pthread_once_t first = PTHREAD_ONCE_INIT;

	pthread_once(&first, trim_libc);
	trim_libc();
}

/* Call the trim functions of the malloc() that serves; 4096 stands for all arenas of jemalloc. */
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
