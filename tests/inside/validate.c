// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * validate.c - damaged lists and counts are named, whole ones are not
 *
 * Layer:   tests of common/show/validate.c.
 *
 * Each damage is undone before the pool ends.
 */
#include "test.h"
#include "show/validate.h"

/* The first thing that a walk found wrong, and the sums of all that it saw. */
struct seen {
	struct pool_finding wrong;
	unsigned long objs;
	unsigned int partial;
};

static void note(const struct pool_finding *seen, void *arg)
{
	struct seen *all = arg;

	if (seen->wrong && !all->wrong.wrong)
		all->wrong = *seen;
	all->objs += seen->objs;
	all->partial += seen->partial;
}

static unsigned int validate(struct pool *pool, struct seen *all)
{
	*all = (struct seen){ .objs = 0 };
	return pool_validate(pool, note, all);
}

/* True if a walk finds exactly one thing wrong: @what, with these numbers, at @place. */
static bool names(struct pool *pool, const char *place, const char *what,
		  unsigned long found, unsigned long expected)
{
	struct seen all;

	return validate(pool, &all) == 1 && !strcmp(all.wrong.place, place) &&
	       !strcmp(all.wrong.wrong, what) && all.wrong.found == found &&
	       all.wrong.expected == expected;
}

static bool is_ok(struct pool *pool)
{
	struct seen all;

	return !validate(pool, &all) && !all.partial;
}

/* Create a pool with clusters of 8 objects, two or more here, and some in its shared part. */
static struct pool *filled_pool(void)
{
	struct pool *pool = test_within(65536, 8, 64);

	if (pool)
		test_wave(pool, 2000);
	return pool;
}

static struct pool_cluster *second_cluster(const struct pool_local *local)
{
	return pool_list_entry(local->by_pool.next->next, struct pool_cluster,
			       by_pool);
}

POOL_CASE(a_quiet_pool_is_whole_and_all_its_clusters_are_seen, filled_pool())
{
	struct seen all;

	EXPECT_EQ(validate(pool, &all), 0);
	EXPECT_EQ(all.partial, 0);
	EXPECT_EQ(all.objs + plat_read(&test_local(pool)->hot.n),
		  test_sum(pool)->cached + test_sum(pool)->shared);
}

POOL_CASE(a_damaged_list_of_a_cpu_is_named, filled_pool())
{
	struct pool_local *local = test_local(pool);
	struct pool_cluster *c = second_cluster(local);
	struct pool_list was = c->by_pool;

	c->by_pool.prev = &c->by_pool;
	EXPECT(names(pool, "cpu", "by_pool links that match", 1, 2));
	c->by_pool = was;
	was = c->by_lru;
	c->by_lru.next = &c->by_lru;
	EXPECT(names(pool, "cpu", "by_lru links that match", 1, 2));
	c->by_lru = was;
	c->local = NULL;
	EXPECT(names(pool, "cpu", "clusters of this part", 1, 2));
	c->local = local;
	EXPECT(is_ok(pool));
}

POOL_CASE(a_damaged_count_of_a_cpu_is_named, filled_pool())
{
	unsigned long has, n;
	struct pool_local *local = test_local(pool);
	struct pool_cluster *c = second_cluster(local);

	n = c->n;
	c->n = 0;
	EXPECT(names(pool, "cpu", "objects in a cluster", 0, 1));
	c->n = POOL_CLUSTER_SIZE + 1;
	EXPECT(names(pool, "cpu", "objects in a cluster", POOL_CLUSTER_SIZE + 1,
		     POOL_CLUSTER_SIZE));
	c->n = n;
	has = local->clustered;
	local->clustered++;
	pool_charge(local->cpu, pool->head.size);
	EXPECT(names(pool, "cpu", "objects in clusters", has, has + 1));
	pool_uncharge(local->cpu, pool->head.size);
	local->clustered -= 2;
	EXPECT(names(pool, "cpu", "objects in clusters", has, has - 1));
	local->clustered++;
	EXPECT(is_ok(pool));
}

POOL_CASE(a_damaged_array_or_charge_is_named, filled_pool())
{
	struct pool_local *local = test_local(pool);
	struct pool_list *node;
	struct pool_cpu *cpu;
	unsigned long was, need;
	unsigned int n, slots;

	cpu = local->cpu;
	n = local->hot.n;
	slots = local->hot.slots;
	local->hot.n = slots + 1;
	EXPECT(names(pool, "cpu", "objects in the array", slots + 1, slots));
	local->hot.n = n;
	local->hot.slots = POOL_HOT_SLOTS + 1;
	EXPECT(names(pool, "cpu", "slots of the array", POOL_HOT_SLOTS + 1,
		     POOL_HOT_SLOTS));
	local->hot.slots = slots;
	was = cpu->hot_bytes;
	cpu->hot_bytes = 0;
	EXPECT(names(pool, "cpu", "bytes of arrays",
		     (unsigned long)slots * pool->head.size, 0));
	cpu->hot_bytes = was;
	node = local->by_age.prev;
	local->by_age.prev = &local->by_age;
	EXPECT(!slots || names(pool, "cpu", "by_age links that match", 0, 1));
	local->by_age.prev = node;
	node = cpu->by_lru.prev;
	cpu->by_lru.prev = &cpu->by_lru;
	EXPECT(names(pool, "cpu", "by_lru links that match", 0, 1));
	cpu->by_lru.prev = node;
	was = test_charged();
	need = cpu->hot_bytes + local->clustered * pool->head.size;
	pool_uncharge(cpu, was - 1);
	EXPECT(names(pool, "cpu", "bytes charged for", need, 1));
	pool_charge(cpu, was - 1);
	EXPECT(is_ok(pool));
}

/* Return the first bucket that is not empty. */
static struct pool_bucket *full_bucket(struct pool *pool)
{
	struct pool_bucket *b = pool->bucket;

	while (!b->objs)
		b++;
	return b;
}

POOL_CASE(a_damaged_bucket_is_named, filled_pool())
{
	struct pool_cluster *next;
	unsigned long has, bit;
	struct pool_bucket *b;
	unsigned int n;

	ASSERT(pool_shared_count(pool));
	b = full_bucket(pool);
	has = b->objs;
	bit = 1ul << (b - pool->bucket);
	b->objs++;
	EXPECT(names(pool, "bucket", "objects in clusters", has, has + 1));
	b->objs = has;
	pool_word_sub(&pool->filled, bit);
	EXPECT(names(pool, "bucket", "bit of the bucket in filled", 0, 1));
	plat_word_add(&pool->filled, bit);
	next = b->head->next;
	n = b->head->n;
	b->head->next = b->head;
	EXPECT(names(pool, "bucket", "objects in clusters",
		     (has / n + 1) * n, has));
	b->head->next = next;
	EXPECT(is_ok(pool));
}

POOL_CASE(damaged_empty_clusters_and_parked_counts_are_named, filled_pool())
{
	struct pool_cluster *c;
	struct pool_cpu *cpu = test_cpu();
	unsigned int stashed;

	stashed = cpu->stashed;
	cpu->stashed = POOL_STASH_MAX + 1;
	EXPECT(names(pool, "cpu", "clusters in the stash", POOL_STASH_MAX + 1, POOL_STASH_MAX));
	cpu->stashed = stashed;
	ASSERT(stashed);
	c = cpu->stash[stashed - 1];
	c->n = 2;
	EXPECT(names(pool, "cpu", "objects in an empty cluster", 2, 0));
	c->n = 0;
	EXPECT(is_ok(pool));
	c = test_cluster_new();
	ASSERT(c);
	c->n = 3;
	pool_cluster_put(pool, c, POOL_F_ATOMIC);
	EXPECT(names(pool, "spares", "objects in an empty cluster", 3, 0));
	pool_cluster_trim(pool);
	pool_word_sub(&pool->spares, 1);
	EXPECT(names(pool, "spares", "count of spares", ~0ul, 0));
	plat_word_add(&pool->spares, 1);
	pool_word_sub(&pool->parked.count, 1);
	EXPECT(names(pool, "parked", "count of parked objects", ~0ul, 0));
	plat_word_add(&pool->parked.count, 1);
	test_alloc_many(pool, test_objs, 1);
	pool_park(pool, test_objs[0]);
	EXPECT(is_ok(pool));
	pool_word_sub(&test_local(pool)->parked.count, 1);
	EXPECT(names(pool, "cpu", "count of parked objects", 0, 1));
	plat_word_add(&test_local(pool)->parked.count, 1);
	EXPECT(is_ok(pool));
}

POOL_CASE(a_damaged_list_of_parked_objects_is_named, filled_pool())
{
	struct pool_parked *parked;
	unsigned int i;
	void **link;

	test_alloc_many(pool, test_objs, 300);
	pool_park(pool, test_objs[0]);
	EXPECT(is_ok(pool));
	parked = &test_local(pool)->parked;
	link = pool_link_of(pool, test_objs[0]);
	*link = test_objs[0];
	EXPECT(names(pool, "cpu", "parked objects", 256, 1));
	*link = (char *)test_objs[0] + 2;
	EXPECT(names(pool, "cpu", "alignment of a parked object", 2, 0));
	*link = NULL;
	EXPECT_PTR_EQ(parked->head, test_objs[0]);
	for (i = 1; i < 300; i++)
		pool_park(pool, test_objs[i]);
	EXPECT(is_ok(pool));
	pool_drain_parked(pool);
}

static void build(void *obj, void *arg)
{
	(void)obj;
	(void)arg;
}

static const struct pool_attr built = { .name = "built", .size = 64, .ctor = build };

/* A checked free seals the pointer that it parks, and the link is behind the object. */
POOL_CASE(sealed_objects_are_parked_where_they_should_be, test_made(&built))
{
	struct pool_parked *parked;
	void *obj;

	pool_fail_every = 0;
	test_wave(pool, 1);
	obj = test_alloc(pool);
	parked = &test_local(pool)->parked;
	pool_park(pool, (char *)obj + POOL_SEAL);
	EXPECT(pool_seal_of(parked->head));
	EXPECT(is_ok(pool));
	plat_write(&parked->head, NULL);
	pool_word_sub(&parked->count, 1);
	test_free(pool, obj);
}

struct churn {
	struct pool *pool;
	struct seen first;		/* the finding of the first false alarm */
	unsigned long running;
	unsigned int walks;
	unsigned long rounds;
};

static void churn(struct churn *t, unsigned int i)
{
	unsigned long seed = i;
	void *objs[90];
	unsigned long r;

	for (r = 0; r < t->rounds; r++) {
		unsigned int n = 1 + test_random(&seed) % 90;

		test_alloc_many(t->pool, objs, n);
		test_free_many(t->pool, objs, n - 1);
		pool_park(t->pool, objs[n - 1]);
	}
	pool_word_sub(&t->running, 1);
}

static void churn_or_validate(unsigned int i, void *arg)
{
	struct churn *t = arg;
	struct seen now;

	if (i) {
		churn(t, i);
		return;
	}
	do {
		if (validate(t->pool, &now) && !t->first.wrong.wrong)
			t->first = now;
		t->walks++;
		if (t->walks % 4 == 0)
			pool_reclaim(&t->pool->head);
		plat_pause(true);	/* with one CPU, lets the other threads run */
	} while (plat_read(&t->running));
}

POOL_CASE(a_pool_in_use_gives_no_false_alarm, test_within(65536, 4, 32))
{
	struct churn t = { .pool = pool, .rounds = test_scale(20000), .running = 4 };

	test_threads(5, churn_or_validate, &t);
	EXPECT(t.walks > 0);
	EXPECT_PTR_EQ(t.first.wrong.wrong, NULL);
	pool_gc(NULL);
	EXPECT(is_ok(pool));
}
