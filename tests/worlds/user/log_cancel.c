// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * log_cancel.c - threads that are cancelled while they log or report
 *
 * Layer:   tests of user/log.c.
 * Context: see test.h and life.h.
 */
#include "life.h"

#include <pthread.h>

static char text[65536];

static void *log_when_cancelled(void *arg)
{
	pthread_cancel(pthread_self());
	pool_set_limit(NULL, 1);
	plat_word_add(arg, 1);
	pthread_testcancel();
	plat_word_add(arg, 1);
	return NULL;
}

static void cancel_and_log(void *arg)
{
	pthread_t thread;

	ck_assert(!pthread_create(&thread, NULL, log_when_cancelled, arg));
	pthread_join(thread, NULL);
}

TEST_CASE(a_line_of_the_log_is_no_place_to_be_cancelled_at)
{
	unsigned long passed = 0;

	captured(text, sizeof(text), cancel_and_log, &passed);
	EXPECT_EQ(plat_read(&passed), 1);
	EXPECT_EQ(count_lines(text), 1);
}

static unsigned long passed;

/* Free an object twice: the report opens and closes files, to read memory around the object. */
static void *report_when_cancelled(void *arg)
{
	struct pool *pool = arg;
	void *obj = test_alloc(pool);

	test_free(pool, obj);
	pthread_cancel(pthread_self());
	test_free(pool, obj);
	plat_word_add(&passed, 1);
	pthread_testcancel();
	return NULL;
}

static void cancel_and_report(void *arg)
{
	pthread_t thread;
	void *result;

	ck_assert(!pthread_create(&thread, NULL, report_when_cancelled, arg));
	pthread_join(thread, &result);
	ck_assert_ptr_eq(result, PTHREAD_CANCELED);
}

POOL_CASE(a_report_is_no_place_to_be_cancelled_at, test_checked(64, POOL_D_CALLER))
{
	captured(text, sizeof(text), cancel_and_report, pool);
	EXPECT_EQ(test_faults(pool), 1);
	EXPECT(strstr(text, "allocated by"));
	EXPECT_EQ(plat_read(&passed), 1);
}
