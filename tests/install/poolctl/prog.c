// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * prog.c - a program with pools for poolctl to look at
 *
 * Layer:   a test's program.
 * Context: one thread.
 *
 *	prog POOLS [busy]
 *
 * Makes POOLS pools, with a few objects each, and says "ready".  When a line comes, it makes
 * another ten objects of each and says "more".  When the line is "twice", it frees an object of the
 * first pool twice, and says so.  It ends with its standard input.  Busy: it allocates and frees
 * all the time until it is killed.
 */
#include <libpool/pool.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pool_head **pools;
static unsigned int n;

static void make(void)
{
	char name[16];
	unsigned int i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "pool%u", i);
		pools[i] = create_pool(name, 32 + 8 * (i % 64), MEM_F_EXACT);
		if (!pools[i])
			exit(3);
	}
}

static void use(unsigned int objects)
{
	unsigned int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < objects; k++)
			if (!pool_alloc(pools[i]))
				exit(4);
}

static void be_busy(void)
{
	void *objs[200];
	unsigned int k;

	for (;;) {
		for (k = 0; k < 200; k++)
			objs[k] = pool_alloc(pools[0]);
		for (k = 0; k < 200; k++)
			pool_free(pools[0], objs[k]);
	}
}

static void free_twice(void)
{
	/* The compiler must not see that this is a double free. */
	void *volatile obj = pool_alloc(pools[0]);

	pool_free(pools[0], obj);
	pool_free(pools[0], obj);
}

static void say(const char *word)
{
	puts(word);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[16];

	n = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	pools = calloc(n, sizeof(*pools));
	if (!pools)
		return 2;
	make();
	use(3);
	create_pool("a \"name\"\t", 64, MEM_F_EXACT);
	create_pool("twin", 64, MEM_F_SHARED);
	create_pool("twin", 64, MEM_F_SHARED);
	say("ready");
	if (argc > 2)
		be_busy();
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "twice\n")) {
			free_twice();
			say("twice");
			continue;
		}
		use(10);
		say("more");
	}
	return 0;
}
