// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ahead.c - slabs: memory that is asked for before it is used
 *
 * Layer:   tests of user/slab/slab.c.
 * Context: see test.h.
 */
#include "cases_slab.h"
#include "main.h"

#include <errno.h>
#include <sys/mman.h>

/* Each of GROWN slabs is filled before the next one is taken. */
#define GROWN		12
#define FEW_SLABS	4

/* Room for the objects of 944 bytes of three times GROWN slabs. */
static void *objs[3 * GROWN * SLAB_BYTES / 944];

static unsigned int pages_of_slab(const struct slab *slab)
{
	unsigned char there[SLAB_BYTES / SLAB_PAGE];
	unsigned int n = 0, i;

	if (mincore(pool_arena_at(slab), SLAB_BYTES, there))
		return 0;
	for (i = 0; i < sizeof(there); i++)
		n += there[i] & 1;
	return n;
}

/* Fill a slab.  Returns how many of its pages had memory when its first object was taken. */
static unsigned int fill_slab(struct slab_class *class, unsigned int *n)
{
	struct slab *slab;
	unsigned int pages;

	objs[(*n)++] = test_slab_alloc(class);
	slab = pool_arena_slab(objs[*n - 1]);
	pages = pages_of_slab(slab);
	while (slab->used < slab->objs)
		objs[(*n)++] = test_slab_alloc(class);
	return pages;
}

static int grow_and_use_again(void *arg)
{
	unsigned int n = 0, i;

	plat_trim(true);
	ahead_calls = 0;
	for (i = 0; i < GROWN; i++)
		if (fill_slab(arg, &n) != (i < FEW_SLABS ? 0 : SLAB_BYTES / SLAB_PAGE))
			return 1;
	if (ahead_calls != GROWN - FEW_SLABS || slab_put_many(objs, n))
		return 2;
	slab_get_many(arg, objs, n);
	return ahead_calls != GROWN - FEW_SLABS;
}

/* qemu-user accepts any advice of madvise() and ignores it, so nothing can be measured there. */
static bool gives_ahead(void)
{
	void *at = mmap(NULL, SLAB_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char there = 0;

	if (at == MAP_FAILED)
		return false;
	__real_madvise(at, SLAB_PAGE, MADV_POPULATE_WRITE);
	mincore(at, SLAB_PAGE, &there);
	munmap(at, SLAB_PAGE);
	return there & 1;
}

/* Emptied slabs still have memory, so the shelf asks the arena for single slabs only. */
TEST_CASE(a_shelf_that_has_some_slabs_gets_memory_by_the_slab)
{
	struct slab_class *class = pool_slab_class(944, 16);

	if (!gives_ahead())
		SKIP_BECAUSE("this system gives memory page by page only");
	EXPECT_EQ(slab_child(grow_and_use_again, class), 0);
}

/* Fill GROWN slabs; returns how often memory was asked for ahead. */
static unsigned long asked_for(struct slab_class *class, int error, unsigned int *n)
{
	unsigned int i;

	ahead_calls = 0;
	pool_map_by_page = false;
	ahead_error = error;
	for (i = 0; i < GROWN; i++)
		fill_slab(class, n);
	return ahead_calls;
}

/* In a child: advice fails as in an older kernel and as under a filter; then memory is short. */
static int grow_in_vain(void *arg)
{
	unsigned int n = 0;

	plat_trim(true);
	errno = EAGAIN;
	if (asked_for(arg, EINVAL, &n) != 1 || asked_for(arg, EPERM, &n) != 1)
		return 1;
	return asked_for(arg, ENOMEM, &n) != GROWN || errno != EAGAIN;
}

TEST_CASE(a_system_that_gives_no_memory_ahead_is_asked_once)
{
	struct slab_class *class = pool_slab_class(944, 16);

	EXPECT_EQ(slab_child(grow_in_vain, class), 0);
}
