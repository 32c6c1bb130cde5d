// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * caches.c - promises of section 3: what the caches of a CPU do with objects, and checks find
 *
 * Layer:   tests, both worlds; public headers only.
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

/* The objects are too large for arrays; a CPU caches eight of them. */
HEAD_CASE(the_oldest_object_of_all_pools_is_evicted_first, head_within(8 * 8192, 8, 8192))
{
	struct pool_head *new = head_make(8192);
	unsigned int i;

	test_inject(0);
	ASSERT(new);
	head_alloc_many(pool, test_objs, 8);
	head_alloc_many(new, test_objs + 8, 4);
	head_free_many(pool, test_objs, 8);
	head_free_many(new, test_objs + 8, 4);
	EXPECT_EQ(head_sum(new)->cached, 4);
	EXPECT_EQ(head_sum(pool)->cached, 4);
	for (i = 8; i-- > 4;)
		EXPECT_PTR_EQ(pool_alloc(pool), test_objs[i]);
	head_free_many(pool, test_objs + 4, 4);
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
	return head_sum(pool)->quarantined == before + 1;
}

/* With "hot-first" the damaged object comes next, because it is the freshest. */
#define INTEGRITY	"integrity,hot-first"

static const unsigned int sizes[] = { 1, 2, 7, 8, 9, 31, 64, 100 };

/* Create a pool whose faults only count, on a CPU that caches clusters of eight. */
static struct pool_head *checked_within(const char *words, unsigned int size)
{
	test_options(1 << 20, 8);
	return head_checked(words, size);
}

HEADS_CASE(integrity_sees_a_bit_of_any_byte, ARRAY_LEN(sizes),
	   checked_within(INTEGRITY, sizes[nth]))
{
	unsigned int at;

	for (at = 0; at < sizes[nth]; at++)
		EXPECT(sees_damage(pool, at, 1 << at % 8));
	test_quarantined = sizes[nth];
}

HEAD_CASE(integrity_sees_a_uniform_overwrite, checked_within(INTEGRITY, 48))
{
	unsigned int byte;

	for (byte = 0; byte < 256; byte++) {
		void *obj = head_alloc(pool);

		pool_free(pool, obj);
		memset(obj, (int)byte, 48);
		pool_free(pool, head_alloc(pool));
		EXPECT_EQ(head_found(pool, POOL_FAULT_WRITTEN), byte + 1);
	}
	test_quarantined = 256;
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

static const char *const watchful[] = {
	INTEGRITY, "backup", INTEGRITY ",backup,tag,caller",
};

HEADS_CASE(a_corrupted_object_is_found_on_its_way_to_the_backend, ARRAY_LEN(watchful),
	   checked_within(watchful[nth], 64))
{
	unsigned int j;

	head_wave(pool, 40);
	for (j = 0; j < 40; j++)
		((char *)test_objs[j])[j] ^= 4;
	pool_reclaim(pool);
	EXPECT_EQ(head_found(pool, POOL_FAULT_WRITTEN), 40);
	test_quarantined = 40;
}

/* On big-endian machines the tag has other bytes than the address. */
HEADS_CASE(the_tag_is_the_address_of_the_pool, 16, head_checked("tag", 64 + nth))
{
	unsigned char *obj = head_alloc(pool);
	struct pool_head *tag;

	ASSERT(obj);
	__builtin_memcpy(&tag, obj + 64 + nth, sizeof(tag));
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		EXPECT_PTR_EQ(tag, pool);
	else
		EXPECT(tag != pool);
	pool_free(pool, obj);
	EXPECT_EQ(head_faults(pool), 0);
}

HEADS_CASE(the_tag_sees_one_byte_too_many, 39, head_checked("tag", 1 + nth))
{
	unsigned char *obj = head_alloc(pool), *other;

	ASSERT(obj);
	obj[1 + nth] ^= 1;
	pool_free(pool, obj);
	EXPECT_EQ(head_found(pool, POOL_FAULT_OVERFLOW), 1);
	other = head_alloc(pool);
	EXPECT(other != obj);
	pool_free(pool, other);
	test_quarantined = 1;
}

static const char *const knowing[] = {
	"tag", INTEGRITY, "poison", "cold-first", "caller", "backup",
};

HEADS_CASE(an_object_freed_to_another_pool_stays_where_it_is, ARRAY_LEN(knowing),
	   head_checked(knowing[nth], 64))
{
	struct pool_head *wrong = head_checked(knowing[nth], 64);
	void *obj = head_alloc(pool);

	ASSERT(wrong);
	pool_free(wrong, obj);
	EXPECT_EQ(head_found(wrong, POOL_FAULT_WRONG_POOL), 1);
	pool_free(pool, obj);
	EXPECT_EQ(head_faults(pool), 0);
	ENDS_QUIETLY(wrong);
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
