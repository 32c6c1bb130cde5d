/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plat_report.h - the seam: reports to people
 *
 * Layer:   below everything in common/; implemented in kernel/ and in user/.
 * Context: said per operation.
 *
 * Included by plat.h, which says what the seam is.
 */
#ifndef POOL_PLAT_REPORT_H
#define POOL_PLAT_REPORT_H

struct pool_place;

/* Log levels. */
enum plat_level {
	PLAT_ERR,
	PLAT_WARN,
};

/* The policies for faults in this world, by name; ends with a NULL. */
struct plat_policy {
	const char *word;
	enum pool_policy policy;
};

extern const struct plat_policy plat_policies[];

/**
 * plat_where() - Name this CPU, or thread.
 * @buf: always terminated.
 * @size: its bytes.
 *
 * Context: Any.
 */
void plat_where(char *buf, size_t size);

/**
 * plat_fault() - Do what the policy says about a fault that was reported.
 * @policy: the policy.
 *
 * Context: Any.  May not return.
 */
void plat_fault(enum pool_policy policy);

/**
 * plat_symbol() - Say where in the code an address is.
 * @buf: always terminated if @size is not 0.
 * @size: bytes.
 * @addr: a return address, or any other.
 *
 * Writes a function and the distance from it, else a file and the distance from its
 * beginning, else the number.
 *
 * Context: Process context; kernel: any.  No mutex of ours held, since in user space this locks the
 * loader's lock, which is held where constructors make pools.
 * Return: the length of the whole text, without the terminator.
 */
size_t plat_symbol(char *buf, size_t size, const void *addr);

/**
 * plat_places() - Call a function for each place that calls malloc() and such.
 * @show: the function.  It locks nothing, and its argument is valid until it
 *	returns; true: set the place's counts to 0.
 * @arg: for it.
 *
 * Only places that were compiled to count are shown, see pool_memstats.h.
 *
 * Context: Process context; may sleep; locks the dump mutex.
 */
void plat_places(bool (*show)(const struct pool_place *place, void *arg), void *arg);

/* The uses of the library's memory: first addresses of slabs, then memory. */
enum plat_memory {
	PLAT_MEMORY_RESERVED,		/* addresses of slabs */
	PLAT_MEMORY_ACCESSIBLE,		/* those of RESERVED that can be accessed */
	PLAT_MEMORY_IN_USE,		/* those of ACCESSIBLE in slabs that have objects */
	PLAT_MEMORY_OBJECTS,		/* pages with an object of a pool */
	PLAT_MEMORY_FREE,		/* pages without one, in slabs that have objects */
	PLAT_MEMORY_KEPT,		/* pages of slabs without objects */
	PLAT_MEMORY_LARGE,		/* objects from malloc() */
	PLAT_MEMORY_GUARDED,		/* objects with pages of their own */
	PLAT_MEMORY_AREAS,		/* the areas of threads, which have their caches */
	PLAT_MEMORY_DESCRIPTORS,	/* descriptions of pools, clusters and slabs */
	PLAT_MEMORY_TABLES,		/* tables of checks */
	PLAT_MEMORY_KINDS,
};

/**
 * plat_memory() - Return how much memory the library uses, and what for.
 * @i: 0: all of it, which is counted now; above, what was counted then of the
 *	@i-th class of slabs: the kinds from PLAT_MEMORY_IN_USE to PLAT_MEMORY_FREE.
 * @bytes: an array of PLAT_MEMORY_KINDS, filled in.
 *
 * Context: Process context; may sleep; dump mutex held.
 * Return: 1 for all, else bytes from one object of the class to the next; 0: there is no
 * such class, or the platform cannot tell.
 */
unsigned int plat_memory(unsigned int i, unsigned long long *bytes);

/**
 * plat_print() - Write lines, without a prefix, to stderr; kernel: to the log.
 * @text: lines that end with newlines; the function overwrites these.
 *
 * In user space the thread may be cancelled here.
 *
 * Context: Process context; no mutex of ours held, since it may block forever.
 */
void plat_print(char *text);

/**
 * plat_log() - Write one line, prefixed by "pool: ", without allocating.
 * @level: how bad it is.
 * @fmt: printf format of plain integers and strings; no newline.
 *
 * Context: Any; outside of hot sections, no lock or mutex held, nor a pool pinned.  In a
 * signal handler only lines about faults, which may appear in the middle of another
 * line.
 */
void plat_log(enum plat_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* POOL_PLAT_REPORT_H */
