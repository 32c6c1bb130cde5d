// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plat.c - the seam keeps its contract
 *
 * Layer:   tests of common/seam/plat.h; run first.
 */
#include "test.h"

#define ROUNDS	20000

POOL_CASE(each_cpu_has_a_zeroed_copy_of_its_own, test_pool(64))
{
	unsigned int cpus = test_nr_cpus();
	struct pool_local *before = NULL;
	unsigned int i;

	ASSERT(cpus > 0);
	plat_cpu_ready(pool, 0);
	for (i = 0; i < cpus; i++) {
		struct pool_local *local = plat_local_of(pool, i);

		if (!local)
			continue;
		EXPECT_EQ(local->hot.open, POOL_HELD);
		EXPECT_EQ(local->hot.n, 0);
		EXPECT_PTR_EQ(local->pool, NULL);
		EXPECT(local != before);
		before = local;
	}
	EXPECT_PTR_EQ(plat_local_of(pool, plat_cpu_hint()), test_local(pool));
}

TEST_CASE(copies_of_a_destroyed_pool_are_zero_when_reused)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct pool *pool = test_pool(64);

		ASSERT(pool);
		EXPECT_EQ(test_local(pool)->hot.open, POOL_HELD);
		EXPECT_EQ(test_local(pool)->spills, 0);
		test_wave(pool, 200);
		EXPECT(test_local(pool)->spills > 0);
		pool_destroy(&pool->head);
	}
}

POOL_CASE(this_cpu_is_the_one_its_number_names, test_pool(64))
{
	struct pool_cpu *cpu;

	pool_local_enter(pool);
	cpu = plat_cpu_of(plat_cpu_hint());
	pool_hot_leave();
	EXPECT(cpu);
	EXPECT(plat_cpu_hint() < test_nr_cpus());
	test_alloc_many(pool, test_objs, 1);
	EXPECT_PTR_EQ(test_local(pool)->cpu, cpu);
	test_free_many(pool, test_objs, 1);
	EXPECT_PTR_EQ(plat_cpu_of(test_nr_cpus()), NULL);
}

struct seen_cpus {
	struct pool *pool;
	struct pool_cpu *cpu[4];
	unsigned long arrived;
};

static void note_cpu(unsigned int i, void *arg)
{
	struct seen_cpus *seen = arg;

	plat_cpu_ready(seen->pool, 0);
	seen->cpu[i] = test_cpu();
	plat_word_add(&seen->arrived, 1);
	test_await(&seen->arrived, test_cpus());
}

TEST_CASE(two_running_threads_have_two_cpus)
{
	struct seen_cpus seen = { .pool = test_pool(64) };
	unsigned int n = test_cpus();
	unsigned int i, j;

	ASSERT(seen.pool);
	test_threads(n, note_cpu, &seen);
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			EXPECT(seen.cpu[i] != seen.cpu[j]);
	pool_destroy(&seen.pool->head);
}

TEST_CASE(an_exchange_returns_what_was_there)
{
	int a, b;
	void *p = &a;
	void *old = &b;

	EXPECT_PTR_EQ(plat_xchg_acquire(&p, (void *)&b), &a);
	EXPECT_PTR_EQ(p, &b);
	EXPECT(plat_cmpxchg(&p, &old, (void *)&a));
	EXPECT_PTR_EQ(p, &a);
	EXPECT(!plat_cmpxchg(&p, &old, (void *)&b));
	EXPECT_PTR_EQ(old, &a);
	EXPECT_PTR_EQ(plat_read(&p), &a);
	plat_write(&p, (void *)&b);
	EXPECT_PTR_EQ(plat_read(&p), &b);
	plat_write_release(&p, (void *)&a);
	EXPECT_PTR_EQ(p, &a);
}

TEST_CASE(a_word_counts)
{
	unsigned long w;

	memset(&w, 0, sizeof(w));
	EXPECT_EQ(plat_read(&w), 0);
	plat_word_add(&w, 5);
	EXPECT_EQ(plat_word_add(&w, 2), 7);
	pool_word_sub(&w, 3);
	plat_word_sub_release(&w, 1);
	EXPECT_EQ(plat_read_acquire(&w), 3);
}

#define CONTENDERS	4

struct contest {
	enum plat_mutex mutex;
	unsigned long there;		/* threads that have begun */
	unsigned long inside;		/* threads that have the mutex */
	unsigned long met;		/* times that a thread found another one inside */
	unsigned long plain, word;	/* how often the mutex was locked */
};

/*
 * All threads have begun before the first one locks.  In the first ten rounds the holder lets the
 * others run; the other rounds are quick.  The registry mutex is locked inside the mutex of dumps.
 */
static void contend(unsigned int i, void *arg)
{
	struct contest *c = arg;
	unsigned long r;

	(void)i;
	plat_word_add(&c->there, 1);
	test_await(&c->there, CONTENDERS);
	for (r = 0; r < 10 + test_scale(ROUNDS); r++) {
		plat_mutex_lock(c->mutex);
		if (plat_word_add(&c->inside, 1) != 1)
			plat_word_add(&c->met, 1);
		c->plain++;
		plat_word_add(&c->word, 1);
		if (r < 10)
			plat_pause(true);
		if (c->mutex == PLAT_DUMP) {
			plat_mutex_lock(PLAT_REGISTRY);
			plat_mutex_unlock(PLAT_REGISTRY);
		}
		pool_word_sub(&c->inside, 1);
		plat_mutex_unlock(c->mutex);
	}
}

TEST_CASE(each_mutex_excludes_and_words_lose_nothing)
{
	struct contest c;
	unsigned int mutex;

	for (mutex = 0; mutex <= PLAT_DUMP; mutex++) {
		memset(&c, 0, sizeof(c));
		c.mutex = (enum plat_mutex)mutex;
		test_threads(CONTENDERS, contend, &c);
		EXPECT_EQ(plat_read(&c.met), 0);
		EXPECT_EQ(c.plain, CONTENDERS * (10 + test_scale(ROUNDS)));
		EXPECT_EQ(c.plain, plat_read(&c.word));
	}
}

struct locked {
	struct pool_cpu *cpu;
	unsigned long plain;
	unsigned long tried;
};

/* Add one so slowly that another thread that has the lock, too, would add to the same number. */
static void count_inside(struct locked *l)
{
	unsigned long n = l->plain;

	plat_pause(false);
	l->plain = n + 1;
}

static void wait_and_count(struct locked *l)
{
	plat_cpu_lock(l->cpu);
	count_inside(l);
	plat_cpu_unlock(l->cpu);
}

static void try_and_count(struct locked *l)
{
	if (!plat_cpu_trylock(l->cpu))
		return;
	plat_word_add(&l->tried, 1);
	count_inside(l);
	plat_cpu_unlock(l->cpu);
}

static void count_locked(unsigned int i, void *arg)
{
	unsigned long r;

	for (r = 0; r < test_scale(ROUNDS); r++) {
		if (i & 1)
			try_and_count(arg);
		else
			wait_and_count(arg);
	}
}

TEST_CASE(the_cpu_lock_excludes_those_who_wait_and_those_who_try)
{
	struct locked l = { .cpu = test_cpu() };

	test_threads(4, count_locked, &l);
	EXPECT_EQ(l.plain, 2 * test_scale(ROUNDS) + plat_read(&l.tried));
}

static bool is_zero(const unsigned char *p, unsigned int size)
{
	while (size--)
		if (p[size])
			return false;
	return true;
}

TEST_CASE(memory_is_zeroed_and_aligned_however_it_is_got)
{
	static const enum plat_mem hows[] = {
		PLAT_MEM_SLEEP, PLAT_MEM_NO_IO, PLAT_MEM_AT_HAND,
	};
	static const unsigned int sizes[] = {
		1000, sizeof(struct pool_cluster),
	};
	unsigned int i;

	for (i = 0; i < 6; i++) {
		enum plat_mem how = hows[i % 3];
		unsigned int size = sizes[i / 3];
		unsigned char *p = plat_mem_alloc(size, how);

		ASSERT(p);
		if (how == PLAT_MEM_SLEEP)
			EXPECT_EQ((unsigned long)p % POOL_ALIGN, 0);
		EXPECT(how == PLAT_MEM_AT_HAND || is_zero(p, size));
		memset(p, 0xff, size);
		plat_mem_free(p);
	}
}

TEST_CASE(stores_of_equal_names_give_aligned_objects)
{
	struct plat_backend backend[2];
	unsigned int i;
	void *obj;

	for (i = 0; i < 2; i++) {
		ASSERT(test_backend(&backend[i], 1000000 + i, 48, 16, 0));
		obj = test_backend_alloc(&backend[i], POOL_F_ATOMIC);
		ASSERT(obj);
		EXPECT_EQ((unsigned long)obj % (2 * sizeof(void *)), 0);
		memset(obj, 0xff, 48);
		test_backend_free(&backend[i], obj);
	}
	for (i = 0; i < 2; i++)
		plat_backend_destroy(&backend[i], 0);
}

TEST_CASE(a_store_gives_and_takes_many_objects_at_once)
{
	enum pool_fault fault = POOL_FAULT_KINDS;
	unsigned int i, k, n;
	struct plat_backend backend;

	ASSERT(test_backend(&backend, 1500000, 48, 16, 0));
	n = plat_backend_alloc(&backend, 32, test_objs, POOL_F_ATOMIC);
	EXPECT_EQ(n, 32);
	for (i = 0; i < n; i++) {
		memset(test_objs[i], 0xff, 48);
		for (k = 0; k < i; k++)
			EXPECT(test_objs[k] != test_objs[i]);
	}
	EXPECT_EQ(plat_backend_free(&backend, n, test_objs, &fault), n);
	plat_backend_destroy(&backend, 0);
}

TEST_CASE(stores_align_objects_up_to_a_page)
{
	unsigned int align;

	for (align = POOL_ALIGN_MIN; align <= pool_start.page; align *= 2) {
		struct plat_backend backend;
		void *obj;

		ASSERT(test_backend(&backend, 2000000 + align, 48, align, 0));
		obj = test_backend_alloc(&backend, 0);
		EXPECT(obj);
		EXPECT_EQ((unsigned long)obj & (align - 1), 0);
		test_backend_free(&backend, obj);
		plat_backend_destroy(&backend, 0);
	}
	EXPECT(align > 4096);
}

TEST_CASE(a_word_is_exchanged_only_if_it_is_as_expected)
{
	unsigned long old = 4;
	unsigned long w;

	memset(&w, 0, sizeof(w));
	plat_word_add(&w, 5);
	EXPECT(!plat_cmpxchg(&w, &old, 9));
	EXPECT_EQ(old, 5);
	EXPECT_EQ(plat_read(&w), 5);
	EXPECT(plat_cmpxchg(&w, &old, POOL_RENEWING));
	EXPECT_EQ(plat_read(&w), POOL_RENEWING);
	plat_word_sub_release(&w, POOL_RENEWING);
	EXPECT_EQ(plat_read(&w), 0);
}

TEST_CASE(an_ordinary_thread_may_wait_and_an_atomic_call_may_not)
{
	EXPECT(!plat_may(PLAT_WAIT, POOL_F_ATOMIC));
	EXPECT(!plat_may(PLAT_WAIT, POOL_F_NESTED));
	if (plat_may(PLAT_WAIT, 0))
		plat_pause(true);
}

TEST_CASE(the_allocator_may_be_called_by_an_ordinary_thread)
{
	EXPECT(plat_may(PLAT_ALLOC, 0));
	EXPECT(PLAT_SIZE_MAX >= 1u << 20);
	EXPECT(pool_start.cpus >= 1);
}

TEST_CASE(an_address_is_named_by_what_is_there)
{
	const char *here = (const char *)test_begin;
	char name[256], other[256], cut[4];
	size_t n = plat_symbol(name, sizeof(name), here);

	EXPECT_EQ(n, strlen(name));
	EXPECT(strstr(name, "+0x"));
	plat_symbol(other, sizeof(other), here + 1);
	EXPECT(strstr(other, "+0x"));
	EXPECT(strcmp(name, other));
	EXPECT_EQ(plat_symbol(cut, sizeof(cut), here), n);
	EXPECT_EQ(strlen(cut), 3);
	EXPECT_EQ(plat_symbol(NULL, 0, here), n);
	plat_symbol(name, sizeof(name), (const void *)0x1230ul);
	EXPECT(!strcmp(name, "0x1230"));
}

TEST_CASE(a_part_that_was_made_has_no_clusters)
{
	struct pool_cpu *cpu = plat_mem_alloc(sizeof(*cpu), PLAT_MEM_SLEEP);

	ASSERT(cpu);
	pool_cpu_init(cpu);
	EXPECT(pool_list_empty(&cpu->by_lru));
	EXPECT_PTR_EQ(pool_cluster_coldest(cpu), NULL);
	plat_mem_free(cpu);
}
