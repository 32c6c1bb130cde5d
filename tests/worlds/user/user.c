// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * user.c - what only user space has: threads that come and go, stderr
 *
 * Layer:   tests of user/.
 * Context: see test.h.
 */
#include "life.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

void use_pool(unsigned int i, void *arg)
{
	struct pool *pool = arg;
	void *objs[200];

	(void)i;
	test_alloc_many(pool, objs, 200);
	test_free_many(pool, objs, 200);
}

/* Use all objects of a pool. */
static void use_just(unsigned int i, void *arg)
{
	struct pool *pool = arg;
	void *objs[200];

	(void)i;
	test_alloc_just(pool, objs, 200);
	test_free_many(pool, objs, 200);
}

static pthread_barrier_t together;

/* Run use_pool() while all threads exist at the same time. */
static void use_pool_together(unsigned int i, void *arg)
{
	use_pool(i, arg);
	pthread_barrier_wait(&together);
}

/* Park objects in a handler of a thread without an area, while other threads only free. */
POOL_CASE(what_threads_without_caches_park_goes_with_the_frees_of_others, test_pool(64))
{
	unsigned char *area;

	pool_fail_every = 0;
	test_alloc_many(pool, test_objs, 201);
	area = pool_thread_area;
	pool_thread_area = plat_area_lost;
	pool_park(pool, test_objs[200]);
	pool_thread_area = area;
	EXPECT_EQ(plat_read(&pool->parked.count), 1);
	test_free_many(pool, test_objs, 200);
	EXPECT_EQ(plat_read(&pool->parked.count), 0);
}

POOL_CASE(an_exiting_thread_hands_its_caches_on, test_pool(64))
{
	struct pool_stats now;

	pool_fail_every = 0;
	test_threads(1, use_just, pool);
	pool_sum(pool, &now);
	EXPECT_EQ(now.cached, 0);
	EXPECT_EQ(now.shared, 200);
	EXPECT_EQ(now.allocated, 200);
	use_pool(0, pool);
	pool_sum(pool, &now);
	EXPECT_EQ(now.allocated, 200);
}

POOL_CASE(areas_of_exited_threads_are_reused, test_pool(64))
{
	unsigned int cpus, i;

	pthread_barrier_init(&together, NULL, 4);
	test_threads(4, use_pool_together, pool);
	cpus = test_nr_cpus();
	EXPECT_LE(5, cpus);
	for (i = 0; i < 200; i++)
		test_threads(4, use_pool_together, pool);
	EXPECT_EQ(test_nr_cpus(), cpus);
	pthread_barrier_destroy(&together);
}

static unsigned long used_it;

static void *use_and_exit(void *arg)
{
	use_pool(0, arg);
	__atomic_fetch_add(&used_it, 1, __ATOMIC_RELEASE);
	return NULL;
}

TEST_CASE(a_pool_is_destroyed_while_its_last_thread_exits)
{
	unsigned int i, refused = 0;

	for (i = 1; i <= 500; i++) {
		struct pool *pool = test_pool(64);
		pthread_t thread;

		ASSERT(pool);
		ASSERT(!pthread_create(&thread, NULL, use_and_exit, pool));
		while (plat_read_acquire(&used_it) < i)
			plat_pause(true);
		while (pool_destroy(&pool->head))
			refused++;
		pthread_join(thread, NULL);
	}
	EXPECT_EQ(refused, 0);
}

static pthread_key_t late_key;

/*
 * Use the pool after libpool's destructor has run, and in the next round before that destructor
 * runs.
 */
static void late_destructor(void *arg)
{
	struct pool *pool = arg;
	static __thread unsigned int rounds;
	void *obj = test_alloc(pool);

	pool_free(&pool->head, obj);
	if (rounds++ < 2)
		pthread_setspecific(late_key, arg);
}

static void exit_late(unsigned int i, void *arg)
{
	use_pool(i, arg);
	pthread_setspecific(late_key, arg);
}

POOL_CASE(a_thread_may_use_pools_while_it_exits, test_pool(64))
{
	unsigned int i;

	ASSERT(!pthread_key_create(&late_key, late_destructor));
	for (i = 0; i < 20; i++)
		test_threads(4, exit_late, pool);
	pthread_key_delete(late_key);
}

POOL_CASE(a_thread_without_an_area_uses_the_layers_below, test_pool(64))
{
	unsigned char *area = pool_thread_area;
	struct pool_stats now;
	void *obj;

	pool_fail_every = 0;
	pool_thread_area = plat_area_lost;
	obj = pool_alloc(&pool->head);
	pool_free(&pool->head, obj);
	pool_sum(pool, &now);
	EXPECT_EQ(now.cached, 0);
	EXPECT_EQ(now.shared, 1);
	EXPECT_PTR_EQ(pool_alloc(&pool->head), obj);
	pool_park(pool, obj);
	EXPECT_EQ(plat_read(&pool->parked.count), 1);
	EXPECT_PTR_EQ(pool_alloc(&pool->head), obj);
	pool_free(&pool->head, obj);
	pool_thread_area = area;
}

POOL_CASE(a_handler_in_a_new_thread_makes_no_area, test_pool(64))
{
	unsigned char *area = pool_thread_area;
	void *obj = test_alloc(pool);

	pool_thread_area = plat_area_none;
	__pool_free(&pool->head, obj, POOL_F_ATOMIC);
	EXPECT_PTR_EQ(pool_thread_area, plat_area_none);
	EXPECT_PTR_EQ(__pool_alloc(&pool->head, POOL_F_ATOMIC), obj);
	EXPECT_PTR_EQ(__pool_alloc(&pool->head, POOL_F_ATOMIC), NULL);
	EXPECT_PTR_EQ(pool_thread_area, plat_area_none);
	pool_thread_area = area;
	test_free(pool, obj);
}

POOL_CASE(a_held_cpu_lock_sends_calls_down_a_layer, test_pool(64))
{
	struct pool_stats now;

	pool_fail_every = 0;
	ASSERT(plat_cpu_trylock(test_cpu()));
	test_alloc_many(pool, test_objs, 100);
	test_free_many(pool, test_objs, 100);
	pool_sum(pool, &now);
	EXPECT_EQ(now.cached, 0);
	EXPECT_EQ(now.shared, 100);
	EXPECT_EQ(now.nested, 0);
	plat_cpu_unlock(test_cpu());
}

/* Captures what fn() writes to stderr. */
void captured(char *text, size_t size, void (*fn)(void *), void *arg)
{
	int keep = dup(STDERR_FILENO);
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	ssize_t n;

	ck_assert(keep >= 0 && fd >= 0);
	dup2(fd, STDERR_FILENO);
	fn(arg);
	dup2(keep, STDERR_FILENO);
	n = pread(fd, text, size - 1, 0);
	text[n > 0 ? n : 0] = 0;
	close(fd);
	close(keep);
}

unsigned int count_lines(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Drop the lines of memory from a table, because dumps and other threads change them. */
void drop_memory(char *dump)
{
	char *line = dump, *next;

	while (*line) {
		next = line + strcspn(line, "\n");
		if (*next)
			next++;
		if (!strncmp(line, "memory ", 7) || !strncmp(line, "slabs: ", 7) || *line == ' ')
			memmove(line, next, strlen(next) + 1);
		else
			line = next;
	}
}

static void create_bad(void *arg)
{
	pool_create_at(arg, 64, 0x80, "here.c", 7, NULL, POOL_ABI);
}

TEST_CASE(a_refused_creation_says_where_and_why_in_one_line)
{
	char text[1000];

	captured(text, sizeof(text), create_bad, "b@\nd");
	EXPECT_EQ(count_lines(text), 1);
	EXPECT(strstr(text, "pool: here.c:7: create_pool(\"b@?d\", 64)"));
	EXPECT(strstr(text, "unknown flags"));
}

static void destroy_it(void *arg)
{
	pool_destroy(arg);
}

static void destroy_all(void *arg)
{
	(void)arg;
	pool_destroy_all();
}

/* The library prints its line at the end of a program only if an option asks for it. */
TEST_CASE(objects_in_use_at_the_end_are_said_only_if_asked_for)
{
	struct pool *pool = test_pool(64);
	static void *left[6];		/* LeakSanitizer searches here */
	char text[1000];

	ASSERT(pool);
	test_alloc_many(pool, left, 3);
	captured(text, sizeof(text), destroy_it, &pool->head);
	EXPECT_EQ(strcmp(text, ""), 0);
	captured(text, sizeof(text), destroy_all, NULL);
	EXPECT_EQ(strcmp(text, ""), 0);
	ASSERT(pool_configure("memstats"));
	pool = test_pool(64);
	ASSERT(pool);
	test_alloc_many(pool, left + 3, 3);
	captured(text, sizeof(text), destroy_all, NULL);
	EXPECT_EQ(count_lines(text), 1);
	EXPECT(strstr(text, "pool \"test\" destroyed with 3 objects in use"));
}

TEST_CASE(a_refused_destruction_says_how_many_are_in_use)
{
	struct pool *pool;
	char text[1000];

	ASSERT(pool_configure("caller"));
	pool = test_pool(64);
	ASSERT(pool);
	test_alloc_many(pool, test_objs, 3);
	captured(text, sizeof(text), destroy_it, &pool->head);
	EXPECT_EQ(count_lines(text), 1);
	EXPECT(strstr(text, "\"test\""));
	EXPECT(strstr(text, "not destroyed: 3 objects in use"));
	test_free_many(pool, test_objs, 3);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

static void configure_bad(void *arg)
{
	pool_configure(arg);
}

TEST_CASE(a_wrong_option_is_named)
{
	char text[1000];

	captured(text, sizeof(text), configure_bad, "hot_size=64k,nonsense");
	EXPECT_EQ(count_lines(text), 1);
	EXPECT(strstr(text, "\"nonsense\""));
}

static void dump_it(void *arg)
{
	(void)arg;
	dump_pools();
}

POOL_CASE(dump_pools_writes_a_table_to_stderr, test_pool(64))
{
	char text[2000];

	captured(text, sizeof(text), dump_it, NULL);
	EXPECT(strstr(text, "\nmemory "));
	drop_memory(text);
	EXPECT_EQ(count_lines(text), 3);
	EXPECT_PTR_EQ(strstr(text, "pool  size  held  idle  "), text);
	EXPECT(strstr(text, "\ntest   64B    0B    0B  "));
	EXPECT(strstr(text, "\ntotal of 1 pool: held 0B = "));
}

/* Sanitizers take too much memory per object for this many objects. */
#define MANY		(UNDER_CHECKER ? 100000ul : 5000000ul)

POOL_CASE(five_million_objects_come_and_go, test_pool(16))
{
	struct pool_stats now;
	void *list = NULL;
	unsigned long i;

	pool_fail_every = 0;
	for (i = 0; i < MANY; i++) {
		void **obj = pool_alloc(&pool->head);

		ASSERT(obj);
		*obj = list;
		list = obj;
	}
	EXPECT(test_quiet(pool, MANY));
	while (list) {
		void *next = *(void **)list;

		pool_free(&pool->head, list);
		list = next;
	}
	pool_stats_get(&pool->head, &now, sizeof(now));
	EXPECT_LE(now.allocated - now.cached, MANY / 10);
}

/* The pages of these objects are never touched, except by headers of malloc(). */
TEST_CASE(more_than_4_gib_are_allocated_and_counted)
{
	unsigned int size = 2u << 20;
	struct pool *pool = test_pool(size);
	unsigned int i;

	ASSERT(pool);
	pool_fail_every = 0;
	for (i = 0; i < 2100; i++) {
		test_objs[i] = pool_alloc(&pool->head);
		ASSERT(test_objs[i]);
	}
	EXPECT_EQ(pool_total_allocated(), 2100ull * size);
	EXPECT_EQ(pool_total_used(), 2100ull * size);
	test_free_many(pool, test_objs, 2100);
	EXPECT(test_quiet(pool, 0));
	pool_destroy(&pool->head);
}

static struct pool_head *declared;
static struct pool_decl decls[2] = {
	{ &declared, "declared", 64, 0, "here.c", 1, false, false },
	{ &declared, "declared", 64, 0, "here.c", 2, false, false },
};

/* Declare a pool as a plugin does, which gives the declaration back when it is unloaded. */
static void declare(unsigned int i)
{
	struct pool_decl *entry = &decls[i];

	pool_decls_get(&entry, &entry, &entry + 1, POOL_ABI);
	decls[i].registered = declared;
}

TEST_CASE(a_declaration_that_has_lost_its_pool_gives_nothing_back)
{
	struct pool_stats now;

	declare(0);
	ASSERT(declared);
	pool_destroy_all();
	pool_decl_put(&decls[0]);
	declare(0);
	declare(1);
	EXPECT_PTR_EQ(pool_destroy(declared), NULL);
	pool_decl_put(&decls[1]);
	pool_stats_get(declared, &now, sizeof(now));
	EXPECT_EQ(now.registrations, 1);
	pool_decl_put(&decls[0]);
	pool_decl_put(&decls[0]);
	EXPECT_PTR_EQ(pool_registry_next(NULL), NULL);
}

TEST_CASE(a_declaration_whose_objects_are_in_use_stays)
{
	void *obj;

	declare(0);
	ASSERT(declared);
	obj = test_alloc(pool_of(declared));
	pool_decl_put(&decls[0]);
	pool_free(declared, obj);
	EXPECT_PTR_EQ(pool_destroy(declared), NULL);
}

static const struct pool_decl *told_of;

static void report_misuse(const struct pool_decl *decl)
{
	told_of = decl;
}

static void declare_bad(void *arg)
{
	struct pool_decl *entry = arg;

	pool_declare_failed(report_misuse);
	pool_decls_get(&entry, &entry, &entry + 1, POOL_ABI);
	pool_declare_failed(NULL);
}

/* tests/install/declare.sh tests that a bad declaration ends a program without a handler. */
TEST_CASE(a_handler_of_a_bad_declaration_finds_null_and_one_line)
{
	struct pool_decl bad = { &declared, "", 64, 0, "here.c", 3, false, false };
	char text[1000];

	declared = (struct pool_head *)&bad;
	captured(text, sizeof(text), declare_bad, &bad);
	EXPECT_PTR_EQ(told_of, &bad);
	EXPECT_PTR_EQ(declared, NULL);
	EXPECT(!bad.registered);
	EXPECT_EQ(count_lines(text), 1);
	EXPECT(strstr(text, "here.c:3: create_pool(\"\", 64) refused"));
	pool_decl_put(&bad);
}
