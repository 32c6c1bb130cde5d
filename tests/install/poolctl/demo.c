// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * demo.c - a program that looks like a server, for pictures of poolctl
 *
 * Layer:   a test's program.
 * Context: one thread.
 *
 * It has a few pools whose objects come and go in waves, each pool in its own time, until
 * its standard input ends.  The waves are the same each time it runs.
 */
#include <libpool/pool.h>

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

/* Turns in a second. */
#define RATE		50

#define OBJECTS_MOST	20000

static struct wave {
	const char *name;
	unsigned int size;
	unsigned int most;		/* objects in use, at the top of a wave */
	unsigned int period;		/* of a wave, in turns */
	unsigned int churn;		/* objects that are exchanged in a turn */
	struct pool_head *pool;
	void *objects[OBJECTS_MOST];
	unsigned int used;
} waves[] = {
	{ .name = "conn", .size = 184, .most = 12000, .period = 400, .churn = 200 },
	{ .name = "request", .size = 656, .most = 4000, .period = 130, .churn = 2500 },
	{ .name = "buffer", .size = 16384, .most = 300, .period = 130, .churn = 250 },
	{ .name = "header", .size = 48, .most = 18000, .period = 130, .churn = 9000 },
	{ .name = "session", .size = 320, .most = 6000, .period = 900, .churn = 20 },
	{ .name = "timer", .size = 64, .most = 9000, .period = 270, .churn = 1500 },
	{ .name = "tls", .size = 1440, .most = 900, .period = 500, .churn = 60 },
};

#define WAVES		(sizeof(waves) / sizeof(waves[0]))

static void take(struct wave *w, unsigned int n)
{
	while (n-- && w->used < OBJECTS_MOST) {
		void *obj = pool_alloc(w->pool);

		if (!obj)
			exit(4);
		w->objects[w->used++] = obj;
	}
}

/* Free objects of any age, as programs do, not always the newest ones. */
static void give(struct wave *w, unsigned int n)
{
	static unsigned int any = 1;

	while (n-- && w->used) {
		unsigned int i = (any = any * 1103515245 + 12345) / 65536 % w->used;

		pool_free(w->pool, w->objects[i]);
		w->objects[i] = w->objects[--w->used];
	}
}

/* Rise and fall in straight lines, between a fifth of the objects and all of them. */
static unsigned int wanted(const struct wave *w, unsigned int turn)
{
	unsigned int half = w->period / 2, at = turn % w->period;

	if (at > half)
		at = w->period - at;
	return w->most / 5 + (unsigned int)(w->most / 5 * 4 * (unsigned long)at / half);
}

static void move(struct wave *w, unsigned int turn)
{
	unsigned int want = wanted(w, turn);

	give(w, w->churn);
	if (w->used < want)
		take(w, want - w->used);
	else
		give(w, w->used - want);
}

int main(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned int i, turn;

	for (i = 0; i < WAVES; i++) {
		waves[i].pool = create_pool(waves[i].name, waves[i].size, MEM_F_EXACT);
		if (!waves[i].pool)
			return 3;
	}
	for (turn = 0; !poll(&in, 1, 1000 / RATE); turn++)
		for (i = 0; i < WAVES; i++)
			move(&waves[i], turn);
	return 0;
}
