// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * trim.c - memory of slabs with few objects, and calls of other threads while it is released
 *
 * Layer:   tests of user/slab/trim.c and user/slab/grade.c.
 * Context: see test.h.  The library's calls of madvise() and munmap() come here, so
 *	    cases can look at it in the middle of them, and count them.
 */
#include "cases_slab.h"
#include "main.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static void (*meanwhile)(void);
static unsigned int bad;
unsigned long trim_calls;
bool trim_locked;
unsigned long ahead_calls;
int ahead_error;
unsigned long huge_asked;

int __wrap_madvise(void *at, size_t bytes, int advice);
int __real_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes);

int __wrap_madvise(void *at, size_t bytes, int advice)
{
	if (advice == MADV_POPULATE_WRITE) {
		plat_word_add(&ahead_calls, 1);
		errno = ahead_error;
		return ahead_error ? -1 : __real_madvise(at, bytes, advice);
	}
	if (advice == MADV_HUGEPAGE || advice == MADV_NOHUGEPAGE) {
		plat_word_add(&huge_asked, advice == MADV_HUGEPAGE);
		return __real_madvise(at, bytes, advice);
	}
	plat_word_add(&trim_calls, 1);
	if (meanwhile)
		meanwhile();
	if (trim_locked) {
		errno = EINVAL;
		return -1;
	}
	return __real_madvise(at, bytes, advice);
}

int __wrap_munmap(void *at, size_t bytes)
{
	plat_word_add(&trim_calls, 1);
	if (meanwhile)
		meanwhile();
	return __real_munmap(at, bytes);
}

#define SMALL		64
#define SMALL_SLAB	(SLAB_BYTES / SMALL)
#define SLABS		512
#define LEFT		(SLABS * 4)

static void *objs[SLABS * SMALL_SLAB];
static void *left[LEFT];

/* Returns how many pages of the first @n objects have memory. */
static unsigned int pages_there(unsigned int n)
{
	unsigned int count = 0, i;

	for (i = 0; i < n; i += SLAB_PAGE / SMALL) {
		unsigned char there = 0;
		uintptr_t at = (uintptr_t)objs[i] & -(uintptr_t)SLAB_PAGE;

		if (!mincore((void *)at, SLAB_PAGE, &there))
			count += there & 1;
	}
	return count;
}

static void swap(void **a, void **b)
{
	void *obj = *a;

	*a = *b;
	*b = obj;
}

/*
 * Free all but one in @one_in, in any order, and move the others to the front. left[0] is from the
 * middle: objects may be taken from the slab of the very first one, and such a slab is not trimmed.
 */
static unsigned int free_but(unsigned int n, unsigned int one_in)
{
	static void *order[SLABS * SMALL_SLAB];
	unsigned long state = 1;
	unsigned int kept = 0, i;

	memcpy(order, objs, n * sizeof(*order));
	for (i = 0; i < n; i += one_in)
		swap(&order[kept++], &order[i]);
	for (i = kept; i < n; i++)
		swap(&order[i], &order[i + test_random(&state) % (n - i)]);
	memcpy(left, order, kept * sizeof(*left));
	swap(&left[0], &left[kept / 2]);
	bad += slab_put_many(order + kept, n - kept);
	return kept;
}

static unsigned int get_all(struct slab_class *class)
{
	unsigned int n = sizeof(objs) / sizeof(*objs), i;

	slab_get_many(class, objs, n);
	for (i = 0; i < n; i++)
		memset(objs[i], 1, SMALL);
	return n;
}

/* Two or three objects of each slab stay in use, at random places, and no call asks for a trim. */
TEST_CASE(slabs_with_a_few_objects_left_keep_a_few_pages)
{
	struct slab_class *class = pool_slab_class(SMALL, 16);
	unsigned int n, kept;

	plat_trim(true);
	n = get_all(class);
	EXPECT_LE(n / (SLAB_PAGE / SMALL) * 9 / 10, pages_there(n));
	kept = free_but(n, SMALL_SLAB * 2 / 5);
	EXPECT_LE(pages_there(n), n / (SLAB_PAGE / SMALL) / 3);
	EXPECT_EQ(slab_put_many(left, kept) + bad, 0);
	plat_trim(true);
}

/* Move an object of the middle one of every @slabs slabs to the front; returns how many. */
static unsigned int keep_one_of(unsigned int slabs)
{
	unsigned int kept;

	for (kept = 0; kept < SLABS / slabs; kept++)
		swap(&objs[kept], &objs[(slabs * kept + slabs / 2) * SMALL_SLAB]);
	return kept;
}

/* Returns how often a slab that was taken is not beside the slab that was taken before it. */
static unsigned int gaps(unsigned int n)
{
	unsigned int count = 0, i;

	for (i = SMALL_SLAB; i < n; i += SMALL_SLAB) {
		uintptr_t a = (uintptr_t)slab_of(objs[i - SMALL_SLAB]);
		uintptr_t b = (uintptr_t)slab_of(objs[i]);

		count += b - a != SLAB_BYTES && a - b != SLAB_BYTES;
	}
	return count;
}

/*
 * Each call returns sixteen slabs, or fewer at the end of a run of slabs: in front of one of 64
 * slabs that has an object in use, and where earlier cases left slabs in another order.
 */
TEST_CASE(slabs_that_lie_side_by_side_go_back_by_few_calls)
{
	struct slab_class *class = pool_slab_class(SMALL, 16);
	unsigned int n, kept, apart, wrong = 0, i, k;

	plat_trim(true);
	n = get_all(class);
	apart = gaps(n);
	kept = keep_one_of(64);
	trim_calls = 0;
	EXPECT_EQ(slab_put_many(objs + kept, n - kept), 0);
	EXPECT(trim_calls);
	EXPECT_LE(trim_calls, SLABS / 16 + kept + apart);
	for (i = 0; i < kept; i++)
		for (k = 0; k < SMALL; k++)
			wrong += ((unsigned char *)objs[i])[k] != 1;
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(slab_put_many(objs, kept), 0);
	plat_trim(true);
}

/* Each chunk has an object in use, so that it is not unmapped. */
TEST_CASE(a_locked_page_keeps_the_memory_of_no_other_slab)
{
	struct slab_class *class = pool_slab_class(SMALL, 16);
	unsigned int n, kept;
	void *page;

	plat_trim(true);
	n = get_all(class);
	page = (void *)((uintptr_t)objs[n / 2 + 3 * SMALL_SLAB] & -(uintptr_t)SLAB_PAGE);
	if (mlock(page, SLAB_PAGE))
		SKIP_BECAUSE("no memory may be locked here");
	kept = keep_one_of(16);
	EXPECT_EQ(slab_put_many(objs + kept, n - kept), 0);
	plat_trim(true);
	EXPECT_LE(pages_there(n), kept + SLAB_BYTES / SLAB_PAGE);
	munlock(page, SLAB_PAGE);
	EXPECT_EQ(slab_put_many(objs, kept), 0);
	plat_trim(true);
}

static struct slab_class *watched;
static unsigned int taken;

/* Note whether a lock is held that a free may need, except the arena's, for which a free waits. */
static void look_at_locks(void)
{
	unsigned int i;

	for (i = 0; i < SLAB_SHELVES; i++) {
		if (pthread_mutex_trylock(watched->shelf[i].lock))
			taken++;
		else
			pthread_mutex_unlock(watched->shelf[i].lock);
	}
	arena_now();
	taken += !pool_area_get();
}

static int trim_and_look(void *arg)
{
	unsigned int n;

	alarm(60);
	watched = arg;
	n = get_all(arg);
	free_but(n, SMALL_SLAB * 2 / 5);
	plat_write(&trim_calls, 0);
	meanwhile = look_at_locks;
	plat_trim(true);
	meanwhile = NULL;
	return taken || plat_read(&trim_calls) < SLABS / 4;
}

/* It runs in a child because it makes many areas. */
TEST_CASE(no_lock_that_a_free_needs_is_held_while_memory_goes_back)
{
	struct slab_class *class = pool_slab_class(SMALL, 16);

	EXPECT_EQ(slab_child(trim_and_look, class), 0);
}

TEST_CASE(a_free_gives_back_a_bounded_number_of_slabs)
{
	struct slab_class *class = pool_slab_class(SMALL, 16);
	unsigned int n = get_all(class);
	unsigned long most = 0;

	while (n--) {
		plat_write(&trim_calls, 0);
		bad += slab_put(objs[n]) != POOL_FAULT_KINDS;
		if (plat_read(&trim_calls) > most)
			most = plat_read(&trim_calls);
	}
	EXPECT_EQ(bad, 0);
	EXPECT_LE(most, 32);
	plat_trim(true);
}

/* Fail as madvise() does where memory is locked. */
static void fail_meanwhile(void)
{
	errno = EINVAL;
}

/* The first frees return whole slabs; the next ones return pages of other slabs. */
TEST_CASE(a_free_keeps_errno)
{
	struct slab_class *class = pool_slab_class(SMALL, 16);
	unsigned int n = get_all(class), kept;

	plat_write(&trim_calls, 0);
	meanwhile = fail_meanwhile;
	errno = EAGAIN;
	bad += slab_put_many(objs + n / 2, n - n / 2);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT(plat_read(&trim_calls));
	plat_write(&trim_calls, 0);
	kept = free_but(n / 2, SMALL_SLAB * 2 / 5);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT(plat_read(&trim_calls));
	EXPECT_EQ(slab_put_many(left, kept) + bad, 0);
	EXPECT_EQ(errno, EAGAIN);
	meanwhile = NULL;
	plat_trim(true);
}

/*
 * Returns the slab of the first object that is left, if that slab is being trimmed.  Either frees
 * trim it or plat_trim() does, which depends on how much memory the arena keeps.
 */
static struct slab *being_trimmed(void)
{
	struct slab *slab = pool_arena_slab(left[0]);

	return slab->grade == SLAB_TRIMMED ? slab : NULL;
}

static bool have_forked, have_freed;
static int status;

static int use_trimmed(void *arg)
{
	struct slab *slab = arg;

	alarm(20);
	if (slab->grade >= SLAB_GRADES)
		return 1;
	meanwhile = NULL;
	return slab_put(left[0]) != POOL_FAULT_KINDS;
}

static void fork_meanwhile(void)
{
	struct slab *slab = being_trimmed();

	if (!slab || have_forked)
		return;
	have_forked = true;
	status = slab_child(use_trimmed, slab);
}

static void free_meanwhile(void)
{
	if (!being_trimmed() || have_freed)
		return;
	have_freed = true;
	status = slab_put(left[0]) != POOL_FAULT_KINDS;
}

TEST_CASE(a_child_uses_the_slab_that_was_being_trimmed)
{
	struct slab_class *class = pool_slab_class(SMALL, 16);
	unsigned int n = get_all(class), kept;

	status = -1;
	meanwhile = fork_meanwhile;
	kept = free_but(n, SMALL_SLAB / 2);
	plat_trim(true);
	meanwhile = NULL;
	EXPECT_EQ(status, 0);
	EXPECT_EQ(slab_put_many(left, kept) + bad, 0);
	plat_trim(true);
}

TEST_CASE(an_object_freed_while_its_slab_is_trimmed_ends_it)
{
	struct slab_class *class = pool_slab_class(SMALL, 16);
	unsigned int n = get_all(class), kept;

	status = -1;
	meanwhile = free_meanwhile;
	kept = free_but(n, SMALL_SLAB);
	plat_trim(true);
	meanwhile = NULL;
	EXPECT_EQ(status, 0);
	EXPECT_PTR_EQ(pool_arena_slab(left[0])->shelf, NULL);
	EXPECT_EQ(slab_put_many(left + 1, kept - 1) + bad, 0);
	plat_trim(true);
}

static const struct slab_shelf *counted;
static unsigned int on_it;

static void count_on_shelf(struct slab *slab)
{
	on_it += slab->shelf == counted;
}

/* Returns the number of shelves whose count of slabs is wrong. */
static unsigned int wrong_shelves(void)
{
	unsigned int wrong = 0, n = pool_slab_shelves();

	while (n--) {
		counted = pool_slab_shelf(n);
		on_it = 0;
		pool_arena_fork_hold();
		pool_arena_each(count_on_shelf);
		pool_arena_fork_release();
		wrong += on_it != counted->slabs;
	}
	return wrong;
}

/* In a build whose cases share a process, this also checks what all earlier cases left. */
TEST_CASE(a_shelf_knows_how_many_slabs_it_has)
{
	struct slab_class *class = pool_slab_class(SMALL, 16);
	unsigned int n = get_all(class), kept;

	EXPECT_EQ(wrong_shelves(), 0);
	kept = free_but(n, SMALL_SLAB / 2);
	EXPECT_EQ(wrong_shelves(), 0);
	EXPECT_EQ(slab_put_many(left, kept) + bad, 0);
	plat_trim(true);
	EXPECT_EQ(wrong_shelves(), 0);
}
