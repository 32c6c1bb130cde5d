// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bad.c - programs with a fault each, which a tool must report
 *
 * Layer:   tests, a user of libpool: see tools.sh.
 * Context: built with AddressSanitizer, or run by valgrind.
 *
 *	bad FAULT	prints the address that must be reported, then makes the fault
 *	bad closed	succeeds if each call is seen by the checks
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpool/pool.h>

/* SIZE is no multiple of what pools round sizes to, nor of ASan's granules. */
#define SIZE	61

static struct pool_head *pool;
static volatile char sink;

/* Returns an object that was used before: allocated, freed, allocated. */
static char *object(void)
{
	char *obj = pool_alloc(pool);

	pool_free(pool, obj);
	obj = pool_alloc(pool);
	if (!obj)
		exit(2);
	return obj;
}

static void told(const void *p)
{
	printf("%p\n", p);
	fflush(stdout);
}

static void use_free(long at, bool write)
{
	volatile char *obj = object();

	pool_free(pool, (char *)obj);
	told((char *)obj + at);
	if (write)
		obj[at] = 1;
	else
		sink = obj[at];
}

static void overflow(bool write)
{
	volatile char *obj = object();

	told((char *)obj + SIZE);
	if (write)
		obj[SIZE] = 1;
	else
		sink = obj[SIZE];
}

static void free_twice(void)
{
	char *obj = object();

	told(obj);
	pool_free(pool, obj);
	pool_free(pool, obj);
}

/* Leak an object in a thread, whose stack and registers go with the thread. */
static void *leak(void *unused)
{
	char *obj = object();

	memset(obj, 0, SIZE);
	told(obj);
	return unused;
}

static void leak_one(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, leak, NULL))
		pthread_join(thread, NULL);
}

static void use_unwritten(void)
{
	char *obj = object();

	memset(obj, 1, SIZE);
	pool_free(pool, obj);
	obj = object();
	told(obj);
	if (obj[SIZE - 1])
		sink = 1;
	pool_free(pool, obj);
}

/* True if the pool's arrays are closed: an open array would return the object at once. */
static int is_closed(void)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		pool_free(pool, object());
	return pool_hot_enter(pool)->slots ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	pool = create_pool("bad", SIZE, 0);
	if (!strcmp(what, "read_first_byte_of_a_free_object"))
		use_free(0, false);
	else if (!strcmp(what, "read_last_byte_of_a_free_object"))
		use_free(SIZE - 1, false);
	else if (!strcmp(what, "write_first_byte_of_a_free_object"))
		use_free(0, true);
	else if (!strcmp(what, "write_last_byte_of_a_free_object"))
		use_free(SIZE - 1, true);
	else if (!strcmp(what, "read_one_byte_too_many"))
		overflow(false);
	else if (!strcmp(what, "write_one_byte_too_many"))
		overflow(true);
	else if (!strcmp(what, "free_twice"))
		free_twice();
	else if (!strcmp(what, "leak"))
		leak_one();
	else if (!strcmp(what, "use_what_was_not_written"))
		use_unwritten();
	else if (!strcmp(what, "closed"))
		return is_closed();
	else
		return 2;
	return 0;
}
