// SPDX-License-Identifier: GPL-2.0-only
/*
 * events.c - the example's timer, which makes and drops events in softirq
 *
 * The pool is declared here; main.c has the line that creates it.
 */
#include <linux/jiffies.h>
#include <linux/random.h>
#include <linux/timer.h>

#include "example.h"
#include "pool.h"

#define EVENTS		64

struct event {
	unsigned long when;
	unsigned long what[3];
};

DECLARE_STATIC_TYPED_POOL(event_pool, "ex_event", struct event);

/* Only the timer uses these. */
static struct timer_list timer;
static struct event *events[EVENTS];
static unsigned int event_count;

/* POOL_F_ATOMIC, since a softirq cannot sleep. */
static void make_event(void)
{
	struct event *event = __pool_alloc(event_pool, POOL_F_ATOMIC);

	if (!event)
		return;
	event->when = jiffies;
	events[event_count++] = event;
}

static void drop_events(void)
{
	while (event_count)
		pool_free(event_pool, events[--event_count]);
}

static void tick(struct timer_list *unused)
{
	if (event_count == EVENTS)
		drop_events();
	while (event_count < EVENTS && get_random_u32() % 16)
		make_event();
	mod_timer(&timer, jiffies + 1);
}

void events_start(void)
{
	timer_setup(&timer, tick, 0);
	mod_timer(&timer, jiffies + 1);
}

void events_stop(void)
{
	timer_delete_sync(&timer);
	drop_events();
}
