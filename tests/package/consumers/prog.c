// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * prog.c - the least that uses the library, its threads included
 */
#include <libpool/pool.h>
#include <pthread.h>
#include <stdio.h>

DECLARE_STATIC_POOL(pool, "prog", 64);

static void *work(void *unused)
{
	void *obj = pool_zalloc(pool);

	pool_free(pool, obj);
	return obj ? NULL : unused;
}

int main(void)
{
	int mark;
	void *failed = &mark;
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, &mark) ||
	    pthread_join(thread, &failed) || failed)
		return 1;
	puts(POOL_VERSION);
	return 0;
}
