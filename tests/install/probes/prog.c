// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * prog.c - pools that do all that has a probe, for probes.sh
 *
 *	prog [SECONDS]		again and again, for so long
 *
 * Prints what the tracer must have seen: a line "NAME EVENT EVENTS SUM" for each pool and
 * event, EVENTS being a number of libpool's statistics where it has one, and a line for the
 * fault.  What is not known is "-".
 */
#include <libpool/pool.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OBJS	1200

static struct pool_head *big, *few, *checked;
static void *objs[OBJS];

/* More objects than the caches may have, so that some clusters are evicted and return. */
static void use_big(void)
{
	int round, i;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < OBJS; i++)
			objs[i] = pool_alloc(big);
		for (i = 0; i < OBJS; i++)
			pool_free(big, objs[i]);
	}
	pool_shrink(100000);		/* evicts, too */
	pool_gc(NULL);
}

/* Free in a function of its own, because the compiler would otherwise see the double free. */
__attribute__((__noinline__)) static void give(struct pool_head *pool, void *obj)
{
	__asm__ __volatile__("" : "+r"(obj));
	pool_free(pool, obj);
}

/* @allocs, @frees: numbers of calls, as far as calls are events. */
static void say(struct pool_head *pool, const char *name, int allocs, int frees)
{
	struct pool_stats now;

	pool_stats_get(pool, &now, sizeof(now));
	printf("%s alloc %d -\n", name, allocs);
	printf("%s free %d -\n", name, frees);
	printf("%s fill %llu -\n", name, now.fills);
	printf("%s spill %llu -\n", name, now.spills);
	printf("%s evict %llu -\n", name, now.evictions);
	printf("%s backend_get - %llu\n", name, now.store_gets);
	printf("%s backend_put - %llu\n", name, now.store_puts);
	printf("%s refused %llu -\n", name, now.refused + now.failed + now.injected);
	printf("%s fault %llu -\n", name, now.faults[POOL_FAULT_DOUBLE_FREE]);
}

/* Cause each event at least once. */
static void use_all(void)
{
	use_big();
	objs[0] = pool_alloc(few);
	objs[1] = pool_alloc(few);
	objs[2] = pool_alloc(few);
	objs[3] = pool_alloc(checked);
	give(checked, objs[3]);
	give(checked, objs[3]);
}

/* Go on for ever, for tracers that come later. */
static void use_for(unsigned int seconds)
{
	alarm(seconds);
	for (;;) {
		use_all();
		pool_free(few, objs[0]);
		pool_free(few, objs[1]);
		usleep(20000);
	}
}

int main(int argc, char **argv)
{
	big = create_pool((char *)"the big one", 4000, MEM_F_EXACT);
	few = create_pool((char *)"few", 64, MEM_F_EXACT);
	pool_configure("tag,faults=continue");
	checked = create_pool((char *)"checked", 64, MEM_F_EXACT);
	pool_set_limit(few, 2);
	pool_set_debug(few, "trace");
	if (argc > 1)
		use_for((unsigned int)atoi(argv[1]));
	use_all();
	pool_free(few, objs[0]);
	say(big, "the%20big%20one", 0, 0);
	say(few, "few", 2, 1);
	say(checked, "checked", 0, 0);
	printf("object %p refused %p\n", objs[3], objs[2]);
	fflush(stdout);
	_exit(0);
}
