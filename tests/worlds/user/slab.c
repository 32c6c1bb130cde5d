// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * slab.c - slabs: where small objects are, and wrong frees
 *
 * Layer:   tests of user/slab/slab.c.
 * Context: see test.h.  Most cases call slabs directly, since pools have none where a
 *	    tool watches memory.
 */
#include "cases_slab.h"

#include <sys/wait.h>
#include <unistd.h>

void slab_get_many(struct slab_class *class, void **objs, unsigned int n)
{
	while (n--)
		objs[n] = test_slab_alloc(class);
}

enum pool_fault slab_put(void *obj)
{
	struct slab *slab = pool_arena_slab(obj);
	enum pool_fault fault = POOL_FAULT_FOREIGN;

	if (slab)
		pool_slab_free(slab, 1, &obj, &fault);
	return fault;
}

/* Free objects; returns how many could not be freed. */
unsigned int slab_put_many(void **objs, unsigned int n)
{
	unsigned int bad = 0;

	while (n--)
		bad += slab_put(objs[n]) != POOL_FAULT_KINDS;
	return bad;
}

struct arena_size arena_now(void)
{
	struct arena_size size;

	pool_arena_size(&size);
	return size;
}

void *slab_of(const void *obj)
{
	return pool_arena_at(pool_arena_slab(obj));
}

/* Returns the exit status of a child that exits with fn(arg). */
int slab_child(int (*fn)(void *arg), void *arg)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(fn(arg));
	if (pid > 0)
		waitpid(pid, &status, 0);
	return status;
}

TEST_CASE(equal_strides_are_one_class_and_large_ones_none)
{
	EXPECT_PTR_EQ(pool_slab_class(33, 16), pool_slab_class(48, 16));
	EXPECT(pool_slab_class(48, 16) != pool_slab_class(49, 16));
	EXPECT_PTR_EQ(pool_slab_class(33, 64), pool_slab_class(64, 8));
	EXPECT(pool_slab_class(1, 1));
	EXPECT(pool_slab_class(POOL_SLAB_MAX, 64));
	EXPECT_PTR_EQ(pool_slab_class(POOL_SLAB_MAX + 1, 16), NULL);
	EXPECT_PTR_EQ(pool_slab_class(64, 128), NULL);
}

/* True if objects of one class, more than a slab has, are apart when filled to the last byte. */
static bool are_apart(unsigned int size, unsigned int align)
{
	unsigned int n = 2 * SLAB_BYTES / size, bad = 0, i;
	struct slab_class *class = pool_slab_class(size, align);

	if (n > TEST_OBJS)
		n = TEST_OBJS;
	slab_get_many(class, test_objs, n);
	for (i = 0; i < n; i++) {
		bad += (uintptr_t)test_objs[i] % align ||
		       !pool_arena_slab(test_objs[i]);
		memset(test_objs[i], (int)i, size);
	}
	for (i = 0; i < n; i++) {
		const unsigned char *obj = test_objs[i];

		bad += obj[0] != (unsigned char)i ||
		       memcmp(obj, obj + 1, size - 1);
	}
	return !(bad + slab_put_many(test_objs, n));
}

TEST_CASE(objects_of_slabs_are_apart_and_aligned)
{
	unsigned int align, size;

	for (align = 8; align <= SLAB_ALIGN; align *= 2)
		for (size = 24; size <= POOL_SLAB_MAX; size += size / 3)
			EXPECT(are_apart(size, align));
}

TEST_CASE(the_lowest_free_object_is_taken_first)
{
	struct slab_class *class = pool_slab_class(80, 16);
	void *objs[100], *again[2];

	slab_get_many(class, objs, 100);
	EXPECT_EQ(slab_put_many(&objs[70], 1), 0);
	EXPECT_EQ(slab_put_many(&objs[90], 1), 0);
	again[0] = test_slab_alloc(class);
	again[1] = test_slab_alloc(class);
	EXPECT_PTR_EQ(again[0], objs[90]);
	EXPECT_PTR_EQ(again[1], objs[70]);
	EXPECT_EQ(slab_put_many(objs, 100), 0);
}

/*
 * By chance the case fails once in 65^15 runs: if all 16 slabs of 65 objects begin at the same
 * object.
 */
TEST_CASE(the_first_object_of_a_fresh_slab_is_at_a_random_place)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	unsigned int differ = 0, n = 16 * PER_SLAB, i;

	plat_trim(true);
	slab_get_many(class, test_objs, n);
	for (i = PER_SLAB; i < n; i += PER_SLAB) {
		const struct slab *slab = pool_arena_slab(test_objs[i]);

		EXPECT(slab->first_place < slab->objs);
		differ += slab->first_place != pool_arena_slab(test_objs[0])->first_place;
	}
	EXPECT(differ);
	EXPECT_EQ(slab_put_many(test_objs, n), 0);
}

/*
 * A program may touch only the first line of each object.  These lines must use all sets of a
 * cache, and for large objects three quarters of the sets.
 */
TEST_CASE(first_lines_are_in_all_sets_of_a_cache)
{
	unsigned int sets = SLAB_PAGE / SLAB_ALIGN, size, i;

	for (size = 64; size < SLAB_BYTES / 2; size *= 2) {
		struct slab_class *class = pool_slab_class(size, 16);
		unsigned int in[SLAB_PAGE / SLAB_ALIGN] = { 0 }, few = 0;

		slab_get_many(class, test_objs, TEST_OBJS);
		for (i = 0; i < TEST_OBJS; i++)
			in[(uintptr_t)test_objs[i] / SLAB_ALIGN % sets]++;
		for (i = 0; i < sets; i++)
			few += in[i] < TEST_OBJS / sets / 2;
		EXPECT_LE(few, size > 1024 ? sets / 4 : 0);
		EXPECT_EQ(slab_put_many(test_objs, TEST_OBJS), 0);
	}
}

/*
 * Caches usually have 8 ways, so a batch allocated at once must not have more than 5 lines in a
 * set.
 */
TEST_CASE(first_lines_of_a_batch_do_not_crowd_a_set)
{
	unsigned int sets = SLAB_PAGE / SLAB_ALIGN, size, i;

	for (size = 64; size < SLAB_BYTES / 2; size *= 2) {
		struct slab_class *class = pool_slab_class(size, 16);
		unsigned int in[SLAB_PAGE / SLAB_ALIGN] = { 0 };

		slab_get_many(class, test_objs, 64);
		for (i = 0; i < 64; i++)
			in[(uintptr_t)test_objs[i] / SLAB_ALIGN % sets]++;
		for (i = 0; i < sets; i++)
			EXPECT_LE(in[i], 5);
		EXPECT_EQ(slab_put_many(test_objs, 64), 0);
	}
}

TEST_CASE(pointers_that_slabs_should_not_get_are_found)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	char *obj[2], *end;

	slab_get_many(class, (void **)obj, 2);
	end = (char *)slab_of(obj[0]) + SLAB_BYTES;
	EXPECT_EQ(slab_put(obj[0] + 16), POOL_FAULT_INTERIOR);
	EXPECT_EQ(slab_put(obj[0] + LARGE - 1), POOL_FAULT_INTERIOR);
	EXPECT_EQ(slab_put(end - 1), POOL_FAULT_FOREIGN);
	end = (char *)((uintptr_t)obj[0] | (CHUNK_BYTES - 1));
	EXPECT_EQ(slab_put(end), POOL_FAULT_FOREIGN);
	EXPECT_EQ(slab_put(obj[0]), POOL_FAULT_KINDS);
	EXPECT_EQ(slab_put(obj[0]), POOL_FAULT_DOUBLE_FREE);
	EXPECT(test_slab_alloc(class) != obj[1]);
	EXPECT_EQ(slab_put_many((void **)obj, 2), 0);
	plat_trim(true);
	EXPECT_EQ(slab_put(obj[1]), POOL_FAULT_FOREIGN);
}

TEST_CASE(of_many_frees_at_once_the_first_wrong_one_is_told)
{
	struct slab_class *class = pool_slab_class(64, 16);
	enum pool_fault fault = POOL_FAULT_KINDS;
	void *objs[4], *wrong[5];

	slab_get_many(class, objs, 4);
	wrong[0] = objs[0];
	wrong[1] = objs[1];
	wrong[2] = objs[0];
	wrong[3] = objs[2];
	wrong[4] = (char *)objs[3] + 1;
	EXPECT_EQ(pool_slab_free(pool_arena_slab(wrong[0]), 5, wrong, &fault), 2);
	EXPECT_EQ(fault, POOL_FAULT_DOUBLE_FREE);
	EXPECT_EQ(pool_slab_free(pool_arena_slab(wrong[3]), 2, wrong + 3, &fault), 1);
	EXPECT_EQ(fault, POOL_FAULT_INTERIOR);
	EXPECT_EQ(pool_slab_free(pool_arena_slab(objs[3]), 1, objs + 3, &fault), 1);
	EXPECT_EQ(fault, POOL_FAULT_KINDS);
}

static bool has_slabs(unsigned int debug)
{
	struct plat_backend backend;

	test_backend(&backend, 4000000, 64, 16, debug);
	return backend.slabs;
}

/* Free a list; returns the number of calls that this took, or 0 if an object could not be freed. */
static unsigned int put_list(void **objs, unsigned int n)
{
	enum pool_fault fault;
	unsigned int some, calls = 0;

	do {
		some = pool_slab_free(pool_arena_slab(objs[0]), n, objs, &fault);
		objs += some;
		n -= some;
		calls++;
	} while (n && some);
	return n ? 0 : calls;
}

TEST_CASE(objects_of_several_slabs_are_taken_and_freed_at_once)
{
	struct slab_class *class = pool_slab_class(1024, 16);
	unsigned int of_one = SLAB_BYTES / 1024, n = 3 * of_one, calls, i;
	void **mixed = test_objs + n;

	EXPECT_EQ(pool_slab_alloc(class, n, test_objs), n);
	for (i = 0; i < n; i++) {
		memset(test_objs[i], (int)i, 1024);
		mixed[i] = test_objs[i % 3 * of_one + i / 3];
	}
	for (i = 0; i < n; i++)
		EXPECT(*(unsigned char *)test_objs[i] == (unsigned char)i);
	EXPECT(slab_of(test_objs[0]) != slab_of(test_objs[n - 1]));
	/* A call stops when a slab has few objects in use, and when a slab has none. */
	calls = put_list(mixed, n);
	EXPECT(calls && calls <= 2 * 3 + 1);
}

TEST_CASE(who_is_to_see_blocks_of_malloc_gets_them)
{
	EXPECT_EQ(has_slabs(0), !tool_sees_blocks());
	EXPECT_EQ(has_slabs(POOL_D_TAG), !tool_sees_blocks());
	EXPECT(!has_slabs(POOL_D_TOOLS));
	EXPECT(!has_slabs(POOL_D_NO_CACHE | POOL_D_NO_GLOBAL));
	EXPECT(!has_slabs(POOL_D_UAF));
}

/* No option checks, so only the backend can see that an object is freed again. */
TEST_CASE(a_second_free_to_the_backend_is_counted_and_does_no_harm)
{
	struct pool *pool;
	void *obj;

	if (tool_sees_blocks())
		SKIP_BECAUSE("a tool watches, so there are no slabs");
	pool_options.policy = POOL_POLICY_CONTINUE;
	pool = test_pool(64);
	ASSERT(pool && pool->backend.slabs);
	obj = test_alloc(pool);
	pool_backend_put(pool, obj);
	pool_backend_put(pool, obj);
	pool_backend_put(pool, (char *)obj + 16);
	EXPECT_EQ(plat_read(&pool->faults[POOL_FAULT_DOUBLE_FREE]), 1);
	EXPECT_EQ(plat_read(&pool->faults[POOL_FAULT_INTERIOR]), 1);
	EXPECT_EQ(pool_allocated(pool), 0);
	EXPECT(test_quiet(pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/* Lock the first shelf, so that this thread uses another one, which takes slabs from others. */
TEST_CASE(who_finds_a_shelf_taken_uses_another_and_what_others_have)
{
	struct slab_class *class = pool_slab_class(LARGE, 16);
	struct slab_shelf *first = &class->shelf[0];
	unsigned int n = 4 * PER_SLAB;
	void *other;
	size_t used;

	slab_get_many(class, test_objs, n);
	pthread_mutex_lock(first->lock);
	other = test_slab_alloc(class);
	pthread_mutex_unlock(first->lock);
	EXPECT(pool_arena_slab(other)->shelf != first);
	EXPECT_PTR_EQ(pool_arena_slab(test_objs[n - 1])->shelf, first);
	/* Free one object of each slab, so that all of them have room. */
	EXPECT_EQ(slab_put_many(&test_objs[0], 1), 0);
	EXPECT_EQ(slab_put_many(&test_objs[PER_SLAB], 1), 0);
	EXPECT_EQ(slab_put_many(&test_objs[2 * PER_SLAB], 1), 0);
	used = arena_now().used;
	slab_get_many(class, &test_objs[n], PER_SLAB);
	test_objs[0] = test_slab_alloc(class);
	EXPECT_EQ(arena_now().used, used);
	EXPECT(!pool_list_empty(&first->room[0]));
	test_objs[PER_SLAB] = test_slab_alloc(class);
	EXPECT(!pool_list_empty(&first->room[0]));
	test_objs[2 * PER_SLAB] = other;
	EXPECT_EQ(slab_put_many(test_objs, n + PER_SLAB), 0);
	plat_this_area()->shelf = 0;
}

struct moved {
	struct slab_class *class;
	void *obj;
	enum pool_fault fault;
	bool locked;
};

/* Move the slab or free to it; usually one worker moves it while the other waits for its lock. */
static void move_or_free(unsigned int i, void *arg)
{
	struct moved *m = arg;
	struct slab *slab = pool_arena_slab(m->obj);
	struct slab_shelf *shelf = m->class->shelf;

	if (i) {
		while (!plat_read_acquire(&m->locked))
			plat_pause(true);
		m->fault = slab_put(m->obj);
		return;
	}
	pthread_mutex_lock(shelf[0].lock);
	plat_write_release(&m->locked, true);
	usleep(20000);
	shelf[0].from = NULL;
	shelf[0].slabs--;
	shelf[1].from = slab;
	shelf[1].slabs++;
	plat_write(&slab->shelf, &shelf[1]);
	pthread_mutex_unlock(shelf[0].lock);
}

/* Objects are taken from this slab, so it stays on its shelf when it is empty. */
TEST_CASE(who_frees_to_a_slab_that_is_moved_finds_it_again)
{
	struct moved m = { .class = pool_slab_class(LARGE, 16) };
	struct slab *slab;

	plat_trim(true);
	m.obj = test_slab_alloc(m.class);
	slab = pool_arena_slab(m.obj);
	test_threads(2, move_or_free, &m);
	EXPECT_EQ(m.fault, POOL_FAULT_KINDS);
	EXPECT_PTR_EQ(slab->shelf, &m.class->shelf[1]);
	plat_trim(true);
	EXPECT_PTR_EQ(slab->shelf, NULL);
}
