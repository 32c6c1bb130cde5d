// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * principles.c - promises of sections 1 and 2: merging, the shared part, modes, the size of caches
 *
 * Layer:   tests, both worlds; public headers only.
 */
#include "case.h"

HEAD_CASE(the_freshest_object_is_handed_out_first, head_make(64))
{
	unsigned int i;

	head_wave(pool, 500);
	for (i = 500; i--;)
		EXPECT_PTR_EQ(pool_alloc(pool), test_objs[i]);
	EXPECT(head_quiet(pool, 500));
	head_free_many(pool, test_objs, 500);
}

/* Create a pool that may be merged. */
static struct pool_head *shared(const char *name, unsigned int size)
{
	return create_pool(name, size, MEM_F_SHARED);
}

/* Create a pool without caches that may be merged. */
static struct pool_head *plain(unsigned int size)
{
	struct pool_attr attr = {
		.name = "plain", .size = size, .flags = MEM_F_SHARED, .mode = POOL_M_NO_CACHE,
	};

	return create_pool_ext(&attr);
}

/* True if @n objects keep what is written to all bytes of the pool's size. */
static bool usable(struct pool_head *pool, unsigned int n)
{
	unsigned int size = pool->size;
	unsigned int i, good = 0;

	head_alloc_many(pool, test_objs, n);
	for (i = 0; i < n; i++)
		if (test_objs[i])
			memset(test_objs[i], (int)(i & 0xff), size);
	for (i = 0; i < n; i++) {
		unsigned char *obj = test_objs[i];

		good += obj && obj[0] == (i & 0xff) && obj[size - 1] == (i & 0xff);
	}
	head_free_many(pool, test_objs, n);
	return good == n;
}

TEST_CASE(equal_sizes_are_one_pool_after_rounding)
{
	const unsigned int round = test_round();
	struct pool_head *a = shared("first", 3 * round + 1);
	struct pool_head *b = shared("second", 4 * round - 1);
	struct pool_head *c = shared("third", 6 * round);

	ASSERT(a && b && c);
	EXPECT_PTR_EQ(a, b);
	EXPECT(a != c);
	EXPECT_EQ(a->size, 4 * round);
	EXPECT_EQ(strcmp(head_sum(a)->name, "first"), 0);
	EXPECT_EQ(head_sum(a)->registrations, 2);
	EXPECT_EQ(head_sum(c)->registrations, 1);
	EXPECT(usable(b, TEST_SOME));
	pool_destroy_all();
	EXPECT_EQ(test_count_pools(), 0);
}

/* 32 bytes are less than 1 % of 3216, 48 are more. */
TEST_CASE(a_smaller_near_size_joins_whatever_is_allocated)
{
	struct pool_head *a = shared("a", 3216);
	void *obj = a ? head_alloc(a) : NULL;
	struct pool_head *far;

	ASSERT(obj);
	memset(obj, 1, 3216);
	EXPECT_PTR_EQ(shared("b", 3200), a);
	EXPECT_PTR_EQ(shared("c", 3184), a);
	far = shared("far", 3168);
	EXPECT(far && far != a);
	EXPECT_EQ(a->size, 3216);
	EXPECT_EQ(head_sum(a)->registrations, 3);
	EXPECT(usable(a, 50));
	pool_free(a, obj);
	EXPECT(head_quiet(a, 0));
	EXPECT(test_bound_holds());
	pool_destroy_all();
}

/* The smaller pool was used before; the other one is in use. */
TEST_CASE(a_larger_near_size_gets_a_pool_of_its_own)
{
	struct pool_head *a = plain(3200);
	struct pool_head *b = plain(3216);
	struct pool_head *c;
	void *obj;

	ASSERT(a && b);
	EXPECT(a != b);
	EXPECT(usable(a, 50));
	obj = head_alloc(b);
	c = plain(3232);
	ASSERT(obj && c);
	EXPECT(c != a && c != b);
	EXPECT_PTR_EQ(plain(3200), a);
	EXPECT_PTR_EQ(plain(3216), b);
	EXPECT_EQ(a->size, 3200);
	EXPECT_EQ(b->size, 3216);
	pool_free(b, obj);
	EXPECT(head_quiet(b, 0));
	pool_destroy_all();
}

/* True if the help says that a word or a key is set to @now. */
static bool help_says(const char *name, const char *now)
{
	static char text[4096];
	char begin[32];
	char *line;

	pool_debug_help_to_buf(text, sizeof(text));
	snprintf(begin, sizeof(begin), "\n%s ", name);
	line = strstr(text, begin);
	if (!line)
		return false;
	*strchr(line + 1, '\n') = 0;
	snprintf(begin, sizeof(begin), " %s ", now);
	return strstr(line, begin);
}

TEST_CASE(help_shows_what_holds_until_words_change_it)
{
	test_nothing_on();
	EXPECT(help_says("no-global", "off"));
	EXPECT(help_says("poison", "off"));
	EXPECT(help_says("hot_size", "524288"));
	EXPECT(pool_configure("no-global,hot_size=7"));
	EXPECT(help_says("no-global", "on"));
	EXPECT(help_says("poison", "off"));
	EXPECT(help_says("hot_size", "7"));
}

/* Create a pool in the mode of @words, of which CPUs cache few objects. */
static struct pool_head *sized_mode(const char *words, unsigned int size)
{
	test_inject(0);
	test_options(16384, 8);
	return head_with(words, size);
}

static struct pool_head *mode(const char *words)
{
	return sized_mode(words, 64);
}

HEAD_CASE(without_a_shared_pool_evicted_objects_go_to_the_backend, mode("cache,no-global"))
{
	struct pool_stats now;

	head_wave(pool, 1000);
	head_numbers(pool, &now);
	EXPECT_EQ(now.shared, 0);
	EXPECT_EQ(now.gets + now.puts, 0);
	EXPECT(now.evictions > 0);
	EXPECT(now.store_puts > 0);
	EXPECT_LE(now.cached * 64, 16384);
}

/* The first call moves objects of the shared pool to the cache, where the next calls find them. */
HEAD_CASE(an_empty_cache_is_refilled_from_the_shared_pool, mode("cache,global"))
{
	struct pool_stats before, now;
	unsigned int n;

	head_wave(pool, 1000);
	head_numbers(pool, &before);
	for (n = 0; n < before.cached; n++)
		test_objs[n] = head_alloc(pool);
	head_numbers(pool, &before);
	EXPECT_EQ(before.cached, 0);
	EXPECT(before.shared > 1);
	test_objs[n++] = head_alloc(pool);
	head_numbers(pool, &now);
	EXPECT_EQ(now.store_gets, before.store_gets);
	EXPECT(now.cached > 0);
	EXPECT_EQ(now.cached + now.shared + 1, before.shared);
	head_free_many(pool, test_objs, n);
}

/* Free objects are never cached, however many are in use. */
HEAD_CASE(with_the_word_no_cache_each_call_is_one_of_the_backend, mode("no-cache"))
{
	unsigned int i;

	for (i = 0; i < 100; i++) {
		test_objs[i] = pool_alloc(pool);
		EXPECT_EQ(head_sum(pool)->store_gets, i + 1);
		EXPECT_EQ(head_sum(pool)->allocated, i + 1);
	}
	for (i = 0; i < 100; i++) {
		pool_free(pool, test_objs[i]);
		EXPECT_EQ(head_sum(pool)->store_puts, i + 1);
		EXPECT_EQ(head_sum(pool)->cached + head_sum(pool)->shared, 0);
	}
}

HEAD_CASE(without_caches_every_call_goes_to_the_backend, mode("no-cache,no-global"))
{
	unsigned int i;

	for (i = 0; i < 100; i++)
		pool_free(pool, head_alloc(pool));
	EXPECT_EQ(head_sum(pool)->store_gets, 100);
	EXPECT_EQ(head_sum(pool)->store_puts, 100);
	EXPECT_EQ(head_sum(pool)->cached + head_sum(pool)->shared, 0);
}

/* Create a pool without any option. */
static struct pool_head *bare(void)
{
	test_nothing_on();
	return head_make(64);
}

HEAD_CASE(no_cache_empties_what_a_live_pool_has_cached, bare())
{
	head_wave(pool, 300);
	EXPECT(pool_set_debug(pool, "no-cache"));
	EXPECT_LE(head_sum(pool)->allocated, POOL_HOT_SLOTS);
	head_wave(pool, 300);
	EXPECT_EQ(head_sum(pool)->allocated, 0);
	EXPECT(head_quiet(pool, 0));
	EXPECT(pool_set_debug(pool, "cache"));
	head_wave(pool, 300);
	EXPECT(head_sum(pool)->cached + head_sum(pool)->shared > 0);
}

/* The option is set at run time, in a build without it. */
HEAD_CASE(with_the_word_uaf_no_freed_object_can_be_read, mode("uaf"))
{
	unsigned int i, there = 0;

	head_alloc_many(pool, test_objs, 20);
	for (i = 0; i < 20; i++)
		there += test_readable(test_objs[i]);
	EXPECT_EQ(there, 20);
	for (i = 0; i < 20; i++) {
		pool_free(pool, test_objs[i]);
		EXPECT(!test_readable(test_objs[i]));
	}
	EXPECT_EQ(head_sum(pool)->allocated, 0);
}

TEST_CASE(in_no_mode_there_is_a_shared_pool_without_caches)
{
	static const char *const modes[] = {
		"cache,global", "cache,no-global", "no-cache,global", "no-cache,no-global",
	};
	unsigned int i, shares = 0;

	for (i = 0; i < ARRAY_LEN(modes); i++) {
		struct pool_head *pool = mode(modes[i]);

		ASSERT(pool);
		head_wave(pool, 1000);
		EXPECT(head_sum(pool)->cached || !head_sum(pool)->shared);
		shares += head_sum(pool)->shared > 0;
		pool_destroy(pool);
	}
	EXPECT_EQ(shares, 1);
}

/* Return how many of @n allocations fail under @words. */
static unsigned int failures(struct pool_head *pool, const char *words, unsigned int n,
			     unsigned int flags)
{
	unsigned int failed = 0;

	if (!pool_configure(words))
		return ~0u;
	while (n--) {
		void *obj = __pool_alloc(pool, flags);

		failed += !obj;
		pool_free(pool, obj);
	}
	return failed;
}

HEAD_CASE(injected_failures_come_at_their_rate, bare())
{
	unsigned int n;

	test_inject(0);
	n = failures(pool, "fail_alloc=10", 10000, 0);
	EXPECT_LE(900, n);
	EXPECT_LE(n, 1100);
	EXPECT_EQ(head_sum(pool)->injected, n);
	EXPECT_EQ(failures(pool, "fail_alloc=100", 100, 0), 100);
	EXPECT_EQ(failures(pool, "fail_alloc=100", 100, POOL_F_NO_FAIL), 0);
	EXPECT_EQ(failures(pool, "fail_alloc=0,fail_every=4", 100, 0), 25);
	EXPECT_EQ(failures(pool, "fail_every=0", 100, 0), 0);
}

/* Return how many objects of a batch miss the caches, after batches that make these large. */
static unsigned long misses_of(struct pool_head *busy, unsigned int n)
{
	struct pool_stats before, now;
	unsigned int i;

	for (i = 0; i < 36; i++)
		head_wave(busy, n);
	head_numbers(busy, &before);
	head_wave(busy, n);
	head_numbers(busy, &now);
	return (unsigned long)(now.get_objs + now.store_gets - before.get_objs - before.store_gets);
}

static const struct {
	unsigned int size;
	unsigned int n;
} busy[] = {
	{ 1024, 200 }, { 1024, 400 }, { 1024, 500 }, { 128, 4000 },
	{ 16384, 12 }, { 16384, 30 },
};

HEADS_CASE(a_busy_pool_has_all_it_needs_beside_an_idle_one, ARRAY_LEN(busy),
	   head_within(512 << 10, 32, busy[nth].size))
{
	struct pool_head *idle = head_make(144);

	ASSERT(idle);
	head_wave(idle, TEST_OBJS);
	EXPECT_EQ(misses_of(pool, busy[nth].n), 0);
	EXPECT(test_bound_holds());
	pool_destroy(idle);
}

TEST_CASE(the_oldest_cluster_of_all_pools_goes_first)
{
	struct pool_head *pool[24];
	unsigned int i, evicted = 0;

	test_options(65536, 8);
	for (i = 0; i < 24; i++) {
		pool[i] = head_make(64);
		ASSERT(pool[i]);
		head_wave(pool[i], 100);
		EXPECT(test_bound_holds());
	}
	for (i = 0; i < 24; i++)
		if (head_sum(pool[i])->evictions)
			evicted = i + 1;
	EXPECT(evicted > 0 && evicted < 24);
	for (i = 0; i + 1 < evicted; i++)
		EXPECT(head_sum(pool[i])->evictions);
	for (i = 0; i < 24; i++)
		pool_destroy(pool[i]);
}

HEAD_CASE(a_lowered_bound_is_reached_at_slow_paths, head_within(1 << 20, 8, 64))
{
	unsigned int i;

	head_wave(pool, 4000);
	EXPECT(test_charged() > 100000);
	EXPECT(pool_set_hot_size(8192));
	for (i = 0; i < 20; i++)
		head_wave(pool, 1000);
	EXPECT_LE(test_charged(), 8192);
	EXPECT(test_bound_holds());
}

/* Create a pool; NULL if caches are not of 512 KiB, although nobody has set another size. */
static struct pool_head *as_built(void)
{
	return help_says("hot_size", "524288") ? sized_mode("cache,global", 1024) : NULL;
}

/* The objects take more than 1 MiB; the build's caches have 512 KiB. */
HEAD_CASE(the_cache_is_as_large_as_it_is_set_and_512_kib_unless_it_is, as_built())
{
	EXPECT(pool_configure("hot_size=4m"));
	head_wave(pool, 2000);
	EXPECT_LE(1 << 20, head_sum(pool)->cached * 1024);
	EXPECT(pool_configure("hot_size=64k"));
	head_wave(pool, 2000);
	EXPECT_LE(head_sum(pool)->cached * 1024, 64 << 10);
}

static void take_many(unsigned int i, void *arg)
{
	(void)i;
	head_wave(arg, 500);
}

/* This CPU frees more objects than it may cache; another CPU must get them without the backend. */
HEAD_CASE(what_does_not_fit_is_allocated_by_another_cpu, mode("cache,global"))
{
	struct pool_stats before, now;

	head_wave(pool, 1000);
	head_numbers(pool, &before);
	EXPECT(test_bound_holds());
	EXPECT(before.shared > 500);
	test_threads(1, take_many, pool);
	head_numbers(pool, &now);
	EXPECT_EQ(now.store_gets, before.store_gets);
}
