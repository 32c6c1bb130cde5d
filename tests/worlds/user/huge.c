// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * huge.c - huge pages while slabs grow, and no huge pages after memory was returned
 *
 * Layer:   tests of user/slab/huge.c.
 * Context: see test.h.  Each case grows the arena in a child, whose memory is its own.
 */
#include "cases_slab.h"
#include "main.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SMALL		64
#define OBJS		500000u

/* Faults for 31 MiB: 7813 by single pages, fewer with huge pages from the third chunk on. */
#define FAULTS		1400

/* The exit status of a child that may not lock memory. */
#define REFUSED		77

static void *objs[OBJS];

/* True if madvise() can get huge pages as large as a chunk from this system. */
static bool system_has_huge_pages(void)
{
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
	FILE *size = fopen("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "re");
	char line[64] = "[never]";
	unsigned long bytes = 0;

	if (file && !fgets(line, sizeof(line), file))
		strcpy(line, "[never]");
	if (size && fscanf(size, "%lu", &bytes) != 1)
		bytes = 0;
	if (file)
		fclose(file);
	if (size)
		fclose(size);
	return !strstr(line, "[never]") && bytes == CHUNK_BYTES && !UNDER_CHECKER;
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

static void grow(void)
{
	unsigned int i;

	slab_get_many(pool_slab_class(SMALL, 16), objs, OBJS);
	for (i = 0; i < OBJS; i++)
		memset(objs[i], 1, SMALL);
}

static struct slab_chunk *chunk_of(const void *obj)
{
	return pool_arena_slab(obj)->chunk;
}

static int grow_by_few_faults(void *unused)
{
	long before;

	(void)unused;
	memset(objs, 1, sizeof(objs));
	before = faults();
	grow();
	return faults() - before > FAULTS;
}

TEST_CASE(growth_by_huge_pages_takes_few_page_faults)
{
	if (!system_has_huge_pages())
		SKIP_BECAUSE("the system has no huge pages for those who ask");
	plat_trim(true);
	EXPECT_EQ(slab_child(grow_by_few_faults, NULL), 0);
}

/* Count how many slabs of a chunk are empty and have memory on all pages. */
static unsigned int kept_whole(const struct slab_chunk *chunk)
{
	unsigned int i, n = 0;

	for (i = 0; i < CHUNK_SLABS; i++)
		n += !plat_read(&chunk->slab[i].shelf) && chunk->slab[i].idle == 0xffff;
	return n;
}

/* Grow until a huge page has come.  The rest of its chunk stays, and serves another class. */
static int keep_the_rest(void *unused)
{
	struct slab_class *other = pool_slab_class(48, 16);
	unsigned int n = 0, rest;
	unsigned long idle;
	void *obj;

	(void)unused;
	do {
		slab_get_many(pool_slab_class(SMALL, 16), &objs[n], 1);
		memset(objs[n], 1, SMALL);
	} while (chunk_of(objs[n])->huge != HUGE_CAME && ++n < OBJS - 1);
	rest = kept_whole(chunk_of(objs[n]));
	idle = pool_page_idle();
	if (rest != CHUNK_SLABS - 1 || arena_now().kept != rest ||
	    idle < (size_t)rest * (SLAB_BYTES / SLAB_PAGE))
		return 1;
	obj = test_slab_alloc(other);
	if (chunk_of(obj) != chunk_of(objs[n]) || arena_now().kept != rest - 1 ||
	    pool_page_idle() >= idle)
		return 2;
	plat_trim(true);
	return arena_now().kept || chunk_of(obj)->huge != HUGE_NONE;
}

TEST_CASE(the_rest_of_a_huge_page_is_kept_and_counted)
{
	if (!system_has_huge_pages())
		SKIP_BECAUSE("the system has no huge pages for those who ask");
	plat_trim(true);
	EXPECT_EQ(slab_child(keep_the_rest, NULL), 0);
}

/* True if the mapping at an address has this flag in the kernel's list of flags. */
static bool has_flag(const void *at, const char *flag)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	unsigned long start, end;
	bool here = false, has = false;
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			here = (uintptr_t)at >= start && (uintptr_t)at < end;
		else if (here && !strncmp(line, "VmFlags:", 8))
			has = strstr(line, flag);
	}
	if (file)
		fclose(file);
	return has;
}

/* Free all but one object in 512: no slab is empty then, and most pages are released. */
static int give_back_some(void *unused)
{
	unsigned int i, kept = 0, huge = 0;

	(void)unused;
	grow();
	for (i = 0; i < OBJS; i++) {
		huge += chunk_of(objs[i])->huge == HUGE_CAME;
		if (i % 512 == 0)
			objs[kept++] = objs[i];
		else if (slab_put_many(&objs[i], 1))
			return 1;
	}
	if (huge < OBJS / 4 * 3)
		return 2;
	plat_trim(true);
	for (i = 0; i < kept; i++)
		if (chunk_of(objs[i])->huge != HUGE_NONE)
			return 3;
	return !has_flag(objs[kept / 2], " nh") || has_flag(objs[kept / 2], " hg");
}

TEST_CASE(a_chunk_that_gives_pages_back_gets_no_huge_page_again)
{
	if (!system_has_huge_pages())
		SKIP_BECAUSE("the system has no huge pages for those who ask");
	plat_trim(true);
	EXPECT_EQ(slab_child(give_back_some, NULL), 0);
}

static long resident_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long all, there = -1;

	if (file && fscanf(file, "%ld %ld", &all, &there) != 2)
		there = -1;
	if (file)
		fclose(file);
	return there * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Grow where no huge page comes: after few requests for one, memory must come slab by slab. */
static int grow_without(void *unused)
{
	long before;
	unsigned int i;

	(void)unused;
	if (syscall(SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0))
		return 1;
	memset(objs, 1, sizeof(objs));
	huge_asked = 0;
	before = resident_kib();
	grow();
	if (resident_kib() - before > (long)(OBJS / 1024 * SMALL) / 10 * 11 + 1024)
		return 2;
	for (i = 0; i < OBJS; i++)
		if (chunk_of(objs[i])->huge == HUGE_CAME)
			return 3;
	return huge_asked > 4 || slab_put_many(objs, OBJS);
}

TEST_CASE(where_no_huge_page_comes_few_chunks_ask_for_one)
{
	if (UNDER_CHECKER)
		SKIP_BECAUSE("a tool watches, so there are no slabs");
	plat_trim(true);
	EXPECT_EQ(slab_child(grow_without, NULL), 0);
}

/* Lock all memory of the program: it must then keep all pages of all chunks. */
static int grow_locked(void *unused)
{
	(void)unused;
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return REFUSED;
	grow();
	if (slab_put_many(objs, OBJS))
		return 1;
	plat_trim(true);
	grow();
	return slab_put_many(objs, OBJS);
}

TEST_CASE(a_program_that_locks_its_memory_grows_and_frees)
{
	int status;

	if (UNDER_CHECKER)
		SKIP_BECAUSE("a tool watches, so there are no slabs");
	status = slab_child(grow_locked, NULL);
	if (WIFEXITED(status) && WEXITSTATUS(status) == REFUSED)
		SKIP_BECAUSE("memory may not be locked here");
	EXPECT_EQ(status, 0);
}
