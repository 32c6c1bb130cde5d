// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pressure.c - memory that comes back by a thread, or where the system has no more
 *
 * Layer:   tests of user/extra/age.c, pressure.c and helper.c, and of user/plat.c.
 * Context: see test.h.
 */
#include "main.h"
#include "test.h"
#include "extra/helper.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PEAK	4000u

/* Wait until a pool has a tenth of @peak; a pool that never does would end the case. */
static void fade(struct pool *pool, unsigned long peak)
{
	while (pool_allocated(pool) * 10 > peak)
		usleep(10000);
}

POOL_CASE(a_thread_ages_what_is_not_needed, test_pool(64))
{
	test_wave(pool, PEAK);
	ASSERT(pool_age_start(1));
	fade(pool, pool_allocated(pool));
	pool_age_stop();
}

static void start_wrongly(void *arg)
{
	int *err = arg;

	err[0] = pool_age_start(0) ? 0 : errno;
	err[1] = pool_age_start(UINT_MAX) ? 0 : errno;
}

TEST_CASE(ageing_of_no_seconds_is_refused)
{
	char text[1024];
	int err[2];

	captured(text, sizeof(text), start_wrongly, err);
	EXPECT_EQ(count_lines(text), 2);
	EXPECT_EQ(err[0], EINVAL);
	EXPECT_EQ(err[1], EINVAL);
	pool_age_stop();
}

static void start_again(void *arg)
{
	*(int *)arg = pool_age_start(2) ? 0 : errno;
}

TEST_CASE(ageing_is_started_once_and_stopped_at_any_time)
{
	char text[1024];
	int err;

	pool_age_stop();
	ASSERT(pool_age_start(1000));
	captured(text, sizeof(text), start_again, &err);
	EXPECT_EQ(count_lines(text), 1);
	EXPECT_EQ(err, EALREADY);
	pool_age_stop();
	pool_age_stop();
	ASSERT(pool_age_start(1000));
	pool_age_stop();
}

/* The thread sanitizer allows no thread in the child of a program with threads. */
static bool starts_in_child(void)
{
	bool good = UNDER_TSAN || pool_age_start(1000);

	pool_age_stop();
	return good;
}

TEST_CASE(a_child_may_start_ageing_anew)
{
	int status = -1;
	pid_t child;

	ASSERT(pool_age_start(1000));
	child = fork();
	ASSERT(child >= 0);
	if (!child)
		_exit(starts_in_child() ? 0 : 1);
	waitpid(child, &status, 0);
	EXPECT_EQ(status, 0);
	pool_age_stop();
}

static void start_without_file(void *arg)
{
	*(int *)arg = pool_pressure_start("/nowhere/memory.pressure") ? 0 : errno;
}

/* Containers, and kernels without pressure, do not have the file. */
TEST_CASE(pressure_without_its_file_is_refused)
{
	char text[1024];
	int err;

	captured(text, sizeof(text), start_without_file, &err);
	EXPECT_EQ(count_lines(text), 1);
	EXPECT_EQ(err, ENOENT);
	pool_pressure_stop();
}

static void start_pressure_again(void *arg)
{
	const char **name = arg;

	if (pool_pressure_start(*name) || errno != EALREADY)
		*name = NULL;
}

/* The name is that of a file that is always there, where nothing ever happens. */
TEST_CASE(pressure_is_started_once_and_stopped_at_any_time)
{
	const char *name = "/proc/thread-self/comm";
	char text[1024];

	ASSERT(pool_pressure_start(name));
	captured(text, sizeof(text), start_pressure_again, &name);
	EXPECT_EQ(count_lines(text), 1);
	EXPECT(name);
	pool_pressure_stop();
	pool_pressure_stop();
}

static void start_by_file(void *arg)
{
	int fd = *(int *)arg;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*(int *)arg = pool_pressure_start(path) ? 0 : errno;
}

TEST_CASE(pressure_by_an_ordinary_file_is_refused_and_writes_nothing)
{
	int fd = memfd_create("pressure", MFD_CLOEXEC), err = fd;
	char text[1024];

	ASSERT(fd >= 0);
	captured(text, sizeof(text), start_by_file, &err);
	EXPECT_EQ(count_lines(text), 1);
	EXPECT_EQ(err, EINVAL);
	EXPECT_EQ(lseek(fd, 0, SEEK_END), 0);
	pool_pressure_stop();
	close(fd);
}

static unsigned long works;

static void count_work(void)
{
	plat_word_add(&works, 1);
}

static struct pool_helper counter = {
	.change = PTHREAD_MUTEX_INITIALIZER, .what = "counting",
	.work = count_work, .events = POLLPRI,
};

/* The program has closed all of its files.  No file has the number 1000. */
TEST_CASE(a_helper_whose_file_was_closed_ends)
{
	int cancel = pool_helper_begin(&counter);

	ASSERT(pool_helper_began(&counter, cancel,
				 pool_helper_start(&counter, 1000, -1), NULL));
	while (!plat_read(&counter.ended))
		usleep(1000);
	EXPECT(plat_read(&counter.ended));
	pool_helper_end(&counter, NULL);
	EXPECT_EQ(plat_read(&works), 0);
}

/* The program has closed all of its files, stderr too, and opened others under their numbers. */
TEST_CASE(a_helper_that_ends_writes_nothing_to_a_file_of_the_program)
{
	int cancel = pool_helper_begin(&counter);
	int keep = dup(STDERR_FILENO), fd = memfd_create("own", MFD_CLOEXEC);

	ASSERT(keep >= 0 && fd >= 0);
	ASSERT(pool_helper_began(&counter, cancel,
				 pool_helper_start(&counter, -1, 20), NULL));
	dup2(fd, STDERR_FILENO);
	syscall(SYS_close, counter.stop.fd);
	while (!plat_read(&counter.ended))
		usleep(1000);
	dup2(keep, STDERR_FILENO);
	close(keep);
	EXPECT(plat_read(&counter.ended));
	EXPECT_EQ(lseek(fd, 0, SEEK_END), 0);
	close(fd);
	pool_helper_end(&counter, NULL);
}

/* Bytes of address space of this program. */
static unsigned long address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (f) {
		if (fscanf(f, "%lu", &pages) != 1)
			pages = 0;
		fclose(f);
	}
	return pages * (unsigned long)sysconf(_SC_PAGESIZE);
}

#define MANY	8192u
#define LARGE	4096u

static void *many[MANY];

/* One pool has 32 MB unused, and another pool needs 16 MB where 4 MB are left. */
static bool lives_at_limit(struct pool *idle, struct pool *needy)
{
	unsigned long now;
	struct rlimit limit;
	unsigned int i, got = 0;

	test_alloc_many(idle, many, MANY);
	test_free_many(idle, many, MANY);
	now = address_space();
	if (!now || getrlimit(RLIMIT_AS, &limit))
		return false;
	limit.rlim_cur = now + (4ul << 20);
	if (setrlimit(RLIMIT_AS, &limit))
		return false;
	for (i = 0; i < MANY / 4; i++) {
		many[i] = test_alloc(needy);
		if (many[i])
			got++;
	}
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_AS, &limit);
	test_free_many(needy, many, MANY / 4);
	return got == MANY / 4;
}

TEST_CASE(an_allocation_gets_what_other_pools_have_unused)
{
	struct pool *idle, *needy;

	if (UNDER_CHECKER)
		SKIP_BECAUSE("checkers have mappings of their own");
	idle = test_pool(LARGE);
	needy = test_pool(2 * LARGE);
	ASSERT(idle && needy);
	EXPECT(lives_at_limit(idle, needy));
	pool_destroy(&idle->head);
	pool_destroy(&needy->head);
}

static unsigned long moment;
static unsigned int left;		/* of the objects in many[] */

static unsigned long stopped_clock(void)
{
	return moment;
}

/* Returns how many of @n failing calls took the object that another pool's shared part had. */
static unsigned int count_shrinks(struct pool *idle, struct pool *needy, unsigned int n)
{
	unsigned int shrinks = 0;

	while (n--) {
		if (!pool_shared_count(idle))
			pool_put_below(idle, many[--left], 0);
		if (pool_alloc(&needy->head) || !pool_shared_count(idle))
			shrinks++;
	}
	return shrinks;
}

/* The address space has no room for another object. */
static void fail_often(struct pool *idle, struct pool *needy)
{
	struct rlimit limit;
	unsigned long now;

	left = 2300;
	test_alloc_many(idle, many, left);
	now = address_space();
	ASSERT(now && !getrlimit(RLIMIT_AS, &limit));
	limit.rlim_cur = now;
	EXPECT(!setrlimit(RLIMIT_AS, &limit));
	pool_coarse_time = stopped_clock;
	moment = 1;
	EXPECT_EQ(count_shrinks(idle, needy, 1000), 1);
	moment = 2;
	EXPECT_EQ(count_shrinks(idle, needy, 1000), 1);
	/* Objects that this thread has freed itself are found at once. */
	left -= 200;
	test_free_many(idle, many + left, 200);
	EXPECT(pool_clustered_bytes(&plat_this_area()->cpu));
	EXPECT_PTR_EQ(pool_alloc(&needy->head), NULL);
	EXPECT(!pool_clustered_bytes(&plat_this_area()->cpu));
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_AS, &limit);
	test_free_many(idle, many, left);
}

TEST_CASE(many_failing_calls_at_once_look_for_memory_once)
{
	struct pool *idle, *needy;

	if (UNDER_CHECKER)
		SKIP_BECAUSE("checkers have mappings of their own");
	idle = test_pool(64);
	needy = test_pool(256u << 20);
	ASSERT(idle && needy);
	pool_fail_every = 0;
	fail_often(idle, needy);
	pool_destroy(&idle->head);
	pool_destroy(&needy->head);
}

TEST_CASE(an_injected_failure_takes_nothing_from_other_pools)
{
	struct pool *idle = test_pool(LARGE);
	struct pool *needy = test_pool(2 * LARGE);
	unsigned long before;

	ASSERT(idle && needy);
	test_wave(idle, 1000);
	before = pool_allocated(idle);
	pool_fail_every = 1;
	EXPECT_PTR_EQ(pool_alloc(&needy->head), NULL);
	EXPECT_EQ(pool_allocated(idle), before);
	pool_destroy(&idle->head);
	pool_destroy(&needy->head);
}
