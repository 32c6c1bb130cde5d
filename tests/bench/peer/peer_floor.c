// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * peer_floor.c - the arrays of each thread
 *
 * Layer:   the peer "floor".
 * Context: plain threads.
 */
#include "peer.h"

struct floor_stack floor_none;
__thread struct floor_stack *floor_stack[PEER_POOLS] = {
	[0 ... PEER_POOLS - 1] = &floor_none,
};
size_t floor_size[PEER_POOLS];

static struct floor_stack *new_stack(size_t size)
{
	size_t cap = FLOOR_BYTES / size;
	struct floor_stack *s;

	if (cap > FLOOR_SLOTS)
		cap = FLOOR_SLOTS;
	s = malloc(sizeof(*s) + cap * sizeof(s->slot[0]));
	if (!s)
		return NULL;
	s->n = 0;
	s->cap = (unsigned int)cap;
	return s;
}

/* Called if the thread has no array yet, or if the array is full. */
void floor_put_slow(unsigned int pool, void *obj)
{
	struct floor_stack *s = floor_stack[pool];

	if (s == &floor_none)
		s = new_stack(floor_size[pool]);
	if (!s || s->n == s->cap) {
		free(obj);
		return;
	}
	floor_stack[pool] = s;
	s->slot[s->n++] = obj;
}

void floor_forget(unsigned int pool)
{
	struct floor_stack *s = floor_stack[pool];

	while (s->n)
		free(s->slot[--s->n]);
	if (s != &floor_none)
		free(s);
	floor_stack[pool] = &floor_none;
}
