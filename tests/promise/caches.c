// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * caches.c - promises of section 3: what the caches of a CPU do with objects, and checks find
 *
 * Layer:   tests, both worlds; public headers only.
 * Context: see case.h.
 */
#include "case.h"

HEAD_CASE(a_free_object_is_not_touched, head_within(512 << 10, 8, 64))
{
	unsigned int i, j;

	head_alloc_many(pool, test_objs, 300);
	for (i = 0; i < 300; i++)
		memset(test_objs[i], 0x5a, 64);
	head_free_many(pool, test_objs, 300);
	for (i = 0; i < 300; i++) {
		unsigned char *obj = pool_alloc(pool);

		ASSERT(obj);
		for (j = 0; j < 64; j++)
			EXPECT(obj[j] == 0x5a);
		test_objs[i] = obj;
	}
	head_free_many(pool, test_objs, 300);
}

/* Objects too large for arrays: a CPU caches eight of them. */
TEST_CASE(the_oldest_object_of_all_pools_is_evicted_first)
{
	struct pool_head *old, *new;
	struct pool_stats now;
	unsigned int i;

	test_inject(0);
	test_options(8 * 8192, 8);
	old = head_make(8192);
	new = head_make(8192);
	ASSERT(old && new);
	head_alloc_many(old, test_objs, 8);
	head_alloc_many(new, test_objs + 8, 4);
	head_free_many(old, test_objs, 8);
	head_free_many(new, test_objs + 8, 4);
	head_numbers(new, &now);
	EXPECT_EQ(now.cached, 4);
	head_numbers(old, &now);
	EXPECT_EQ(now.cached, 4);
	for (i = 8; i-- > 4;)
		EXPECT_PTR_EQ(pool_alloc(old), test_objs[i]);
	head_free_many(old, test_objs + 4, 4);
	pool_destroy(old);
	pool_destroy(new);
}

TEST_CASE(every_size_from_one_byte_works)
{
	unsigned int size;

	for (size = 1; size <= 300; size += size < 40 ? 1 : 37) {
		struct pool_head *pool = head_make(size);
		unsigned int i;

		ASSERT(pool);
		EXPECT_EQ(pool->size, size);
		head_alloc_many(pool, test_objs, TEST_SOME);
		for (i = 0; i < TEST_SOME; i++)
			memset(test_objs[i], 1, size);
		head_free_many(pool, test_objs, TEST_SOME);
		EXPECT(head_quiet(pool, 0));
		pool_destroy(pool);
	}
}

static unsigned long quarantined(struct pool_head *pool)
{
	struct pool_stats now;

	head_numbers(pool, &now);
	return (unsigned long)now.quarantined;
}

/* Free an object, damage a byte of it, and let it be allocated again. */
static bool sees_damage(struct pool_head *pool, unsigned int at, unsigned char bits)
{
	unsigned long before = head_found(pool, POOL_FAULT_WRITTEN);
	unsigned char *obj = head_alloc(pool);
	void *next;

	pool_free(pool, obj);
	obj[at] ^= bits;
	next = head_alloc(pool);
	if (next == obj || head_found(pool, POOL_FAULT_WRITTEN) != before + 1)
		return false;
	pool_free(pool, next);
	return quarantined(pool) == before + 1;
}

/* The freshest object comes first, so that the one that was damaged does. */
#define INTEGRITY	"integrity,hot-first"

TEST_CASE(integrity_sees_a_bit_of_any_byte)
{
	static const unsigned int sizes[] = { 1, 2, 7, 8, 9, 31, 64, 100 };
	unsigned int i, at;

	test_options(1 << 20, 8);
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		struct pool_head *pool = head_checked(INTEGRITY, sizes[i]);

		ASSERT(pool);
		for (at = 0; at < sizes[i]; at++)
			EXPECT(sees_damage(pool, at, 1 << at % 8));
		EXPECT(head_quiet(pool, sizes[i]));
		EXPECT_PTR_EQ(pool_destroy(pool), NULL);
	}
}

TEST_CASE(integrity_sees_a_uniform_overwrite)
{
	struct pool_head *pool;
	unsigned int byte;

	test_options(1 << 20, 8);
	pool = head_checked(INTEGRITY, 48);
	ASSERT(pool);
	for (byte = 0; byte < 256; byte++) {
		void *obj = head_alloc(pool);

		pool_free(pool, obj);
		memset(obj, (int)byte, 48);
		pool_free(pool, head_alloc(pool));
		EXPECT_EQ(head_found(pool, POOL_FAULT_WRITTEN), byte + 1);
	}
	pool_destroy(pool);
}

HEAD_CASE(the_pattern_moves_by_a_third_with_each_free, head_checked(INTEGRITY, sizeof(long)))
{
	unsigned long *obj = head_alloc(pool);
	unsigned long before, now;
	unsigned int i;

	pool_free(pool, obj);
	before = *obj;
	for (i = 0; i < 2; i++) {
		EXPECT_PTR_EQ(head_alloc(pool), obj);
		pool_free(pool, obj);
		now = *obj;
		EXPECT_EQ(now - before, ~0ul / 3);
		before = now;
	}
	EXPECT_EQ(head_faults(pool), 0);
}

/* True if, under these words, an allocation returns the oldest of 30 free objects. */
static bool is_oldest_first(const char *words)
{
	struct pool_head *pool = head_checked(words, 64);
	bool oldest;
	void *obj;

	if (!pool)
		return false;
	head_wave(pool, 30);
	obj = head_alloc(pool);
	oldest = obj == test_objs[0];
	pool_free(pool, obj);
	pool_destroy(pool);
	return oldest;
}

TEST_CASE(integrity_picks_the_oldest_first)
{
	test_options(1 << 20, 8);
	EXPECT(is_oldest_first("integrity"));
	EXPECT(!is_oldest_first("integrity,hot-first"));
	EXPECT(!is_oldest_first("integrity,no-integrity"));
	EXPECT(is_oldest_first("no-integrity,cold-first"));
}

TEST_CASE(a_corrupted_object_is_found_on_its_way_to_the_backend)
{
	static const char *const options[] = {
		INTEGRITY, "backup", INTEGRITY ",backup,tag,caller",
	};
	unsigned int i, j;

	test_options(1 << 20, 8);
	for (i = 0; i < ARRAY_LEN(options); i++) {
		struct pool_head *pool = head_checked(options[i], 64);

		ASSERT(pool);
		head_wave(pool, 40);
		for (j = 0; j < 40; j++)
			((char *)test_objs[j])[j] ^= 4;
		pool_reclaim(pool);
		EXPECT_EQ(head_found(pool, POOL_FAULT_WRITTEN), 40);
		EXPECT(head_quiet(pool, 40));
		EXPECT_PTR_EQ(pool_destroy(pool), NULL);
	}
}

/* On big-endian machines all bytes are changed. */
TEST_CASE(the_tag_is_the_address_of_the_pool)
{
	unsigned int i;

	for (i = 0; i < 16; i++) {
		struct pool_head *pool = head_checked("tag", 64 + i);
		struct pool_head *tag;
		unsigned char *obj;

		ASSERT(pool);
		obj = head_alloc(pool);
		ASSERT(obj);
		__builtin_memcpy(&tag, obj + 64 + i, sizeof(tag));
		if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
			EXPECT_PTR_EQ(tag, pool);
		else
			EXPECT(tag != pool);
		pool_free(pool, obj);
		EXPECT_EQ(head_faults(pool), 0);
	}
	test_destroy_every();
}

TEST_CASE(the_tag_sees_one_byte_too_many)
{
	unsigned int size;

	for (size = 1; size < 40; size++) {
		struct pool_head *pool = head_checked("tag", size);
		unsigned char *obj, *other;

		ASSERT(pool);
		obj = head_alloc(pool);
		ASSERT(obj);
		obj[size] ^= 1;
		pool_free(pool, obj);
		EXPECT_EQ(head_found(pool, POOL_FAULT_OVERFLOW), 1);
		other = head_alloc(pool);
		EXPECT(other != obj);
		pool_free(pool, other);
		EXPECT_EQ(quarantined(pool), 1);
		test_destroy_every();
	}
}

TEST_CASE(an_object_freed_to_another_pool_stays_where_it_is)
{
	static const char *const options[] = {
		"tag", INTEGRITY, "poison", "cold-first", "caller", "backup",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(options); i++) {
		struct pool_head *right = head_checked(options[i], 64);
		struct pool_head *wrong = head_checked(options[i], 64);
		void *obj;

		ASSERT(right && wrong);
		obj = head_alloc(right);
		pool_free(wrong, obj);
		EXPECT_EQ(head_found(wrong, POOL_FAULT_WRONG_POOL), 1);
		pool_free(right, obj);
		EXPECT_EQ(head_faults(right), 0);
		EXPECT(head_quiet(right, 0));
		EXPECT(head_quiet(wrong, 0));
		pool_destroy(right);
		pool_destroy(wrong);
	}
}

#define TWO	(2 * (unsigned int)sizeof(void *))

HEAD_CASE(objects_are_aligned_to_two_pointers, create_pool("aligned", 2 * TWO + 1, 0))
{
	unsigned int i;

	EXPECT_EQ(pool->size, 3 * TWO);
	head_alloc_many(pool, test_objs, 50);
	for (i = 0; i < 50; i++)
		EXPECT_EQ((unsigned long)test_objs[i] % TWO, 0);
	head_free_many(pool, test_objs, 50);
}
