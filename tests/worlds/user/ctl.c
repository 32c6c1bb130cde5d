// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ctl.c - requests of the control socket, and clients that are bad or slow
 *
 * Layer:   tests of user/extra/ctl.c and ctl_requests.c.
 * Context: see test.h and life.h.
 */
#include "cases_ctl.h"


static char other[65536];

static bool is_refused(const char *line, const char *why)
{
	const char *answer = ask(line);

	return !strncmp(answer, "error: ", 7) && strstr(answer, why) &&
	       count_lines(answer) == 1;
}

POOL_CASE(a_client_gets_the_texts_that_a_program_gets, test_pool(64))
{
	static const char *const words[] = {
		"", "raw", "json", "prometheus", "byname 3", "match te detailed",
	};
	char line[64];
	size_t i;

	ASSERT(pool_ctl_start(fresh_path()));
	for (i = 0; i < ARRAY_LEN(words); i++) {
		snprintf(line, sizeof(line), "pools %s\n", words[i]);
		dump_pools_to_buf(other, sizeof(other), words[i]);
		EXPECT_EQ(strncmp(ask(line), "ok\n", 3), 0);
		EXPECT_EQ(strcmp(text + 3, other), 0);
	}
	pool_debug_help_to_buf(other, sizeof(other));
	ask("help\n");
	EXPECT_EQ(strcmp(text + 3, other), 0);
	EXPECT(strstr(ask("memstats\n"), "ok\nmemstats version "));
	EXPECT_EQ(strcmp(ask("memstats reset\n"), "ok\n"), 0);
	pool_ctl_stop();
	EXPECT(is_clean());
}

/* The request empties the shared pool. */
static bool empties(struct pool *pool, const char *line)
{
	test_threads(1, life_leave_shared, pool);
	return test_sum(pool)->shared && !strcmp(ask(line), "ok\n") && !test_sum(pool)->shared;
}

POOL_CASE(a_client_has_memory_given_back, pool_of(create_pool("a name", 64, MEM_F_EXACT)))
{
	pool_fail_every = 0;
	ASSERT(pool_ctl_start(fresh_path()));
	EXPECT(empties(pool, "gc\n"));
	EXPECT(empties(pool, "reclaim\n"));
	EXPECT(empties(pool, "flush all\n"));
	EXPECT(empties(pool, "flush a name\n"));
	EXPECT(empties(pool, "flush a%20name\n"));
	EXPECT(is_refused("flush a\n", "neither \"all\" nor a pool: \"a\""));
	EXPECT(is_refused("flush\n", "neither"));
	pool_ctl_stop();
	EXPECT(is_clean());
}

POOL_CASE(a_client_switches_options, pool_of(create_pool("one", 64, MEM_F_EXACT)))
{
	pool_configure("no-poison,no-integrity");
	pool_set_debug(&pool->head, "no-poison no-integrity");
	ASSERT(pool_ctl_start(fresh_path()));
	EXPECT_EQ(strcmp(ask("debug one +poison\n"), "ok\n"), 0);
	EXPECT(pool->debug & POOL_D_POISON);
	EXPECT(strstr(ask("debug one\n"), "poison"));
	EXPECT(!strstr(ask("debug all\n"), "integrity"));
	EXPECT_EQ(strcmp(ask("debug all integrity,-poison\n"), "ok\n"), 0);
	EXPECT_EQ(pool->debug & (POOL_D_POISON | POOL_D_INTEGRITY), POOL_D_INTEGRITY);
	EXPECT_EQ(strcmp(ask("set poison=7\n"), "ok\n"), 0);
	EXPECT_EQ(pool_options.poison, 7);
	EXPECT(strstr(ask("set help\n"), "ok\nword "));
	pool_configure("no-poison,no-integrity");
	pool_ctl_stop();
	EXPECT(is_clean());
}

TEST_CASE(a_client_means_one_of_several_pools_of_a_name_by_its_id)
{
	struct pool *all = pool_of(create_pool("all", 64, MEM_F_EXACT));
	struct pool *one = pool_of(create_pool("all", 64, MEM_F_EXACT));
	char line[64];

	ASSERT(all && one);
	pool_set_debug(NULL, "no-poison no-integrity no-memstats");
	ASSERT(pool_ctl_start(fresh_path()));
	snprintf(line, sizeof(line), "debug all~%llu +poison\n", all->id);
	EXPECT_EQ(strcmp(ask(line), "ok\n"), 0);
	EXPECT(all->debug & POOL_D_POISON);
	EXPECT(!(one->debug & POOL_D_POISON));
	snprintf(line, sizeof(line), "debug all~%llu\n", all->id);
	EXPECT(strstr(ask(line), "poison"));
	snprintf(line, sizeof(line), "debug all~%llu\n", one->id);
	EXPECT(!strstr(ask(line), "poison"));
	EXPECT(is_refused("flush all~0\n", "nor a pool"));
	pool_ctl_stop();
	EXPECT(is_clean());
	pool_destroy(&all->head);
	pool_destroy(&one->head);
}

static void ask_nonsense(void *arg)
{
	struct pool *pool = arg;

	ck_assert(is_refused("\n", "not a request: \"\"; they are pools"));
	ck_assert(is_refused("pools of\n", "\"of\": unknown; words are byname"));
	ck_assert(is_refused("pools 0\n", "not a count of 1 to"));
	ck_assert(is_refused("pool\n", "not a request: \"pool\""));
	ck_assert(is_refused("gc now\n", "not a request: \"gc now\""));
	ck_assert(is_refused("memstats x\n", "\"x\": unknown; words are reset"));
	ck_assert(is_refused("debug\n", "nor a pool: \"\""));
	ck_assert(is_refused("debug all poisson\n", "\"poisson\": unknown word"));
	ck_assert(is_refused("debug test tag\n", "cannot change on a live pool"));
	ck_assert(is_refused("set 7\n", "unknown word or key: \"7\""));
	ck_assert(is_refused("set poison=999\n", "poison is 0-255: \"poison=999\""));
	ck_assert(is_refused("\1\2\x80%s%n\n", "not a request: \"???%s%n\""));
	ck_assert(!(pool->debug & POOL_D_POISON));
}

/* Nothing of it is logged, because clients of the socket could flood the log. */
POOL_CASE(nonsense_is_answered_by_what_is_wrong_and_changes_nothing,
	  pool_of(create_pool("test", 64, MEM_F_EXACT)))
{
	unsigned int debug;

	pool_set_debug(&pool->head, "no-poison");
	debug = pool->debug;
	ASSERT(pool_ctl_start(fresh_path()));
	captured(other, sizeof(other), ask_nonsense, pool);
	EXPECT_EQ(strcmp(other, ""), 0);
	EXPECT_EQ(pool->debug, debug);
	pool_ctl_stop();
	EXPECT(is_clean());
}

TEST_CASE(bytes_that_are_no_line_are_refused)
{
	static char bytes[4096];
	unsigned long state = 1;
	size_t i;

	ASSERT(pool_ctl_start(fresh_path()));
	memset(bytes, 'x', sizeof(bytes));
	EXPECT(strstr(ask_bytes(bytes, sizeof(bytes)), "error: the line is too long\n"));
	EXPECT(strstr(ask_bytes(bytes, 256), "error: the line is too long\n"));
	bytes[255] = '\n';
	EXPECT(strstr(ask_bytes(bytes, 256), "error: not a request: \"xxx"));
	EXPECT(strstr(ask_bytes("gc\0x\n", 5), "error: the line has a NUL\n"));
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)test_random(&state);
	for (i = 0; i < 200; i++)
		ask_bytes(bytes + i, (size_t)test_random(&state) % 300);
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	pool_ctl_stop();
	EXPECT(is_clean());
}

TEST_CASE(half_a_line_and_its_end_are_refused)
{
	int fd;

	ASSERT(pool_ctl_start(fresh_path()));
	fd = client();
	ASSERT(fd >= 0);
	EXPECT_EQ(write(fd, "po", 2), 2);
	shutdown(fd, SHUT_WR);
	read_all(fd, text, sizeof(text));
	EXPECT_EQ(strcmp(text, "error: the line has no end\n"), 0);
	close(fd);
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	pool_ctl_stop();
	EXPECT(is_clean());
}

TEST_CASE(a_line_may_come_in_parts)
{
	const char *line = "gc\n";
	int fd;

	ASSERT(pool_ctl_start(fresh_path()));
	fd = client();
	ASSERT(fd >= 0);
	for (; *line; line++) {
		EXPECT_EQ(write(fd, line, 1), 1);
		usleep(20000);
	}
	read_all(fd, text, sizeof(text));
	EXPECT_EQ(strcmp(text, "ok\n"), 0);
	close(fd);
	pool_ctl_stop();
	EXPECT(is_clean());
}

TEST_CASE(a_client_that_says_nothing_is_left_after_a_second)
{
	long start = ms_now();
	int fd;

	ASSERT(pool_ctl_start(fresh_path()));
	fd = client();
	ASSERT(fd >= 0);
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	EXPECT_LE(1000, ms_now() - start);
	EXPECT_LE(ms_now() - start, SOON_MS);
	read_all(fd, text, sizeof(text));
	EXPECT_EQ(strcmp(text, "error: the line has no end\n"), 0);
	close(fd);
	pool_ctl_stop();
	EXPECT(is_clean());
}

TEST_CASE(a_client_that_never_reads_is_left_after_a_second)
{
	static char all[1 << 20];
	int fd;

	many_pools();
	ASSERT(pool_ctl_start(fresh_path()));
	fd = never_reads();
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	EXPECT(dump_pools_to_buf(NULL, 0, "prometheus") < (int)sizeof(all));
	EXPECT_LE(read_all(fd, all, sizeof(all)),
		  (size_t)dump_pools_to_buf(NULL, 0, "prometheus") - 1);
	close(fd);
	pool_ctl_stop();
	EXPECT(is_clean());
	no_pools();
}

TEST_CASE(a_client_that_leaves_in_the_middle_does_no_harm)
{
	unsigned int files = open_files(), i;

	many_pools();
	ASSERT(pool_ctl_start(fresh_path()));
	for (i = 0; i < 20; i++) {
		int fd = never_reads();
		char c;

		if (i & 1)
			EXPECT_EQ(read(fd, &c, 1), 1);
		close(fd);
	}
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	pool_ctl_stop();
	EXPECT(is_clean());
	no_pools();
	EXPECT_EQ(open_files(), files);
}

static void *ask_often(void *arg)
{
	unsigned long *bad = arg;
	unsigned int i;
	char answer[64];

	for (i = 0; i < 50; i++) {
		int fd = client();

		if (fd < 0 || write(fd, "gc\n", 3) != 3 ||
		    read_all(fd, answer, sizeof(answer)) != 3)
			(*bad)++;
		close(fd);
	}
	return NULL;
}

TEST_CASE(clients_that_come_at_once_are_all_answered)
{
	unsigned long bad[8] = { 0 }, sum = 0;
	pthread_t threads[8];
	unsigned int i;

	ASSERT(pool_ctl_start(fresh_path()));
	for (i = 0; i < 8; i++)
		ASSERT(!pthread_create(&threads[i], NULL, ask_often, &bad[i]));
	for (i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		sum += bad[i];
	}
	EXPECT_EQ(sum, 0);
	pool_ctl_stop();
	EXPECT(is_clean());
}

/* Connect as the user nobody: the mode of the socket's file refuses it. */
static void ask_as_another(void *arg)
{
	(void)arg;
	NEED(!setuid(65534));
	NEED(client() < 0 && errno == EACCES);
}

/* Ask as nobody after root has opened the file to all: the program refuses it. */
static void ask_as_another_at_an_open_socket(void *arg)
{
	(void)arg;
	NEED(!setuid(65534));
	ask("gc\n");
	NEED(!strcmp(text, "error: only root and the program's user may ask\n"));
}

TEST_CASE(only_root_and_its_user_may_ask)
{
	mode_t old = umask(0);
	struct stat st;

	ASSERT(pool_ctl_start(fresh_path()));
	EXPECT_EQ(umask(old), 0);
	EXPECT(!stat(addr.sun_path, &st));
	EXPECT_EQ(st.st_mode, S_IFSOCK | 0600);
	if (!geteuid()) {
		EXPECT(!chmod(dir, 0777));
		EXPECT(child_is_well(ask_as_another, NULL));
		EXPECT(!chmod(addr.sun_path, 0777));
		EXPECT(child_is_well(ask_as_another_at_an_open_socket, NULL));
	}
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	pool_ctl_stop();
	EXPECT(is_clean());
}
