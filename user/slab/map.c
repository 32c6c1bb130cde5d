// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * map.c - mappings, and names for them
 *
 * Layer:   seam, cold half; below chunk.c, and area.c and guard.c of user/.
 * Context: any thread.
 */
#include "main.h"
#include "seam/plat.h"

#include <errno.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Older headers lack PR_SET_VMA. */
#ifndef PR_SET_VMA
#define PR_SET_VMA		0x53564d41
#define PR_SET_VMA_ANON_NAME	0
#endif

/* Headers may lack MADV_POPULATE_WRITE; kernels before 5.14 and seccomp filters refuse it. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

bool pool_map_nameless;
bool pool_map_by_page;

/*
 * Map zeros, or with PROT_NONE only reserve addresses.  Pages get memory when they are written to
 * for the first time.  NULL: refused.
 */
void *pool_map(void *hint, size_t bytes, int prot)
{
	void *at = mmap(hint, bytes, prot,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* By default the kernel keeps this many pages below a stack free of mappings. */
#define STACK_GAP	256

/*
 * True if the stack of the first thread may grow into these addresses.  The system chooses no such
 * addresses itself, but maps there on request.  At most half of all addresses below the stack
 * count, so that an unlimited stack leaves some for mappings.
 */
static bool is_for_stack(const void *at, size_t bytes)
{
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };
	uintptr_t stack = getauxval(AT_RANDOM);
	uintptr_t most = stack / 2;
	uintptr_t start = (uintptr_t)at;

	getrlimit(RLIMIT_STACK, &limit);
	if (limit.rlim_cur < most)
		most = (uintptr_t)limit.rlim_cur;
	most += STACK_GAP * (uintptr_t)sysconf(_SC_PAGESIZE);
	return start < stack && start + bytes > stack - most;
}

/* Map at an address, or fail.  MAP_FIXED_NOREPLACE is not used, since checkers do not know it. */
bool pool_map_at(void *wanted, size_t bytes, int prot)
{
	void *at = is_for_stack(wanted, bytes) ? NULL : pool_map(wanted, bytes, prot);

	if (at && at != wanted)
		munmap(at, bytes);
	return at && at == wanted;
}

/*
 * Name a mapping in /proc/PID/maps and smaps.  @name must be static.  Kernels without
 * CONFIG_ANON_VMA_NAME refuse, and are not asked again.
 */
void pool_map_name(void *at, size_t bytes, const char *name)
{
	int error = errno;

	if (plat_read(&pool_map_nameless))
		return;
	if (prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, (unsigned long)at, bytes,
		  (unsigned long)name) && errno == EINVAL)
		plat_write(&pool_map_nameless, true);
	errno = error;
}

/* True if a system call that failed by @error may succeed later. */
static bool is_passing(int error)
{
	return error == ENOMEM || error == EFAULT || error == EINTR || error == EAGAIN;
}

/*
 * Populate all pages by one system call, which costs less time than a page fault for each.  If
 * memory is short, pages are populated when they are touched.  A system that refuses for another
 * reason is not asked again.
 */
void pool_map_populate(void *at, size_t bytes)
{
	int error = errno;

	if (plat_read(&pool_map_by_page))
		return;
	if (madvise(at, bytes, MADV_POPULATE_WRITE) && !is_passing(errno))
		plat_write(&pool_map_by_page, true);
	errno = error;
}

/*
 * Release @n blocks of @bytes.  madvise() stops at memory that the program has locked, so after a
 * failure each block is tried alone.  True: some memory was released.
 */
static bool discard(unsigned char *at, unsigned int n, size_t bytes)
{
	bool some = false;

	if (!madvise(at, n * bytes, MADV_DONTNEED))
		return true;
	if (n == 1)
		return false;
	for (; n; n--, at += bytes)
		some |= !madvise(at, bytes, MADV_DONTNEED);
	return some;
}

/*
 * Release the memory of blocks of a mapping: each bit of @blocks, which may not have all 64 set,
 * stands for @bytes from @at on.  One system call discards neighbours, since each call flushes
 * TLBs.
 * True: some memory was released.
 */
bool pool_map_discard(unsigned char *at, unsigned long long blocks, size_t bytes)
{
	int error = errno;
	bool some = false;

	while (blocks) {
		unsigned int skip = (unsigned int)__builtin_ctzll(blocks);
		unsigned int n = (unsigned int)__builtin_ctzll(~(blocks >> skip));

		at += skip * bytes;
		some |= discard(at, n, bytes);
		at += n * bytes;
		blocks = blocks >> skip >> n;
	}
	errno = error;
	return some;
}
