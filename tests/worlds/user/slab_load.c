// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * slab_load.c - slabs that many threads use at once, also in the child of a fork
 *
 * Layer:   tests of user/slab/slab.c.
 * Context: see test.h.
 */
#include "cases_slab.h"

#include <unistd.h>

struct load {
	struct slab_class *class[4];
	void *slot[64];
	unsigned long bad;
	bool forked;
};

/*
 * Each object holds the number of its slot; the next worker that uses the slot checks and frees it.
 */
static void use_slabs(unsigned int i, void *arg)
{
	struct load *load = arg;
	unsigned long state = i + 1, r;

	for (r = 0; r < test_scale(200000); r++) {
		unsigned long x = test_random(&state);
		unsigned int k = (unsigned int)(x % 64);
		unsigned long *obj = test_slab_alloc(load->class[k % 4]);

		if (obj) {
			obj[0] = k;
			obj[1] = k;
		} else {
			plat_word_add(&load->bad, 1);
		}
		obj = test_swap(&load->slot[k], obj);
		if (obj && (obj[0] != k || obj[1] != k ||
			    slab_put(obj) != POOL_FAULT_KINDS))
			plat_word_add(&load->bad, 1);
		if (!(x % 1000000))
			plat_trim(true);
	}
}

static void load_begin(struct load *load)
{
	static const unsigned int sizes[] = { 16, 64, 1000, 1024 };
	unsigned int i;

	memset(load, 0, sizeof(*load));
	for (i = 0; i < 4; i++)
		load->class[i] = pool_slab_class(sizes[i], 16);
}

static bool load_end(struct load *load)
{
	unsigned int i;

	for (i = 0; i < 64; i++)
		if (load->slot[i] &&
		    slab_put(load->slot[i]) != POOL_FAULT_KINDS)
			plat_word_add(&load->bad, 1);
	return !plat_read(&load->bad);
}

TEST_CASE(many_use_slabs_at_once_and_free_what_others_have)
{
	struct load load;
	size_t used;

	plat_trim(true);
	used = arena_now().used;
	load_begin(&load);
	test_threads(4, use_slabs, &load);
	EXPECT(load_end(&load));
	plat_trim(true);
	EXPECT_EQ(arena_now().used, used);
}

/* True if the child finds the lock free that another thread held at the fork. */
static bool is_free(struct slab_class *class)
{
	unsigned int i;

	for (i = 0; i < SLAB_SHELVES; i++) {
		if (pthread_mutex_trylock(class->shelf[i].lock))
			return false;
		pthread_mutex_unlock(class->shelf[i].lock);
	}
	return true;
}

static int use_in_child(void *arg)
{
	struct load *load = arg;
	unsigned int i;

	alarm(20);
	for (i = 0; i < 4; i++)
		if (!is_free(load->class[i]))
			return 2;
	plat_trim(true);
	for (i = 0; i < 1000; i++) {
		void *obj = test_slab_alloc(load->class[i % 4]);

		if (!obj || slab_put(obj) != POOL_FAULT_KINDS)
			return 1;
	}
	return 0;
}

/* Use slabs in some threads, and use the arena in one, while the last thread forks. */
static void use_or_fork(unsigned int i, void *arg)
{
	struct load *load = arg;
	unsigned int r;

	while (i == 1 && !plat_read(&load->forked))
		arena_now();
	if (i > 1)
		use_slabs(i, arg);
	if (i)
		return;
	for (r = 0; r < 20; r++)
		if (slab_child(use_in_child, load))
			plat_word_add(&load->bad, 1);
	plat_write(&load->forked, true);
}

TEST_CASE(a_child_has_slabs_whatever_others_were_doing)
{
	struct load load;

	load_begin(&load);
	test_threads(4, use_or_fork, &load);
	EXPECT(load_end(&load));
}
