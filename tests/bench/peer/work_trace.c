// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * work_trace.c - the replay of a trace, in one thread
 *
 * Layer:   between worker.c and the peer; above trace.c.
 * Context: one thread.
 *
 * Executes the events in the order of the text, then frees the objects that are still live.  The
 * peer is called directly, not by a table as in replay.c.  An object's first byte is written.  The
 * trace is not in the peer's memory.  Objects for which trace_plan() has no pool come from
 * malloc(), which some peers replace.
 */
#include "work.h"
#include "trace.h"

#include <err.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct trace trace;
static unsigned int *most;		/* the most objects of each pool that are live at once */
static peer_pool *pools;
static void **slots;			/* the object of each allocation */

static void *memory(size_t count, size_t size)
{
	void *p = mmap(NULL, count * size + 1, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		err(1, "memory for the trace");
	return p;
}

static void get_memory(void)
{
	trace.pool = memory(trace.pools, sizeof(*trace.pool));
	trace.event = memory(trace.events, sizeof(*trace.event));
	trace.live = memory(trace.objects, sizeof(*trace.live));
	most = memory(trace.pools, sizeof(*most));
	pools = memory(trace.pools, sizeof(*pools));
}

/* Count live objects beforehand, for peers that must know how many there will be. */
static void count_live(void)
{
	unsigned int *now = memory(trace.pools, sizeof(*now));
	unsigned int i;

	for (i = 0; i < trace.events; i++) {
		const struct trace_event *e = &trace.event[i];

		if (e->kind != TRACE_ALLOC)
			now[e->pool]--;
		else if (++now[e->pool] > most[e->pool])
			most[e->pool] = now[e->pool];
	}
}

static const char *map(const char *file, size_t *len)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p;

	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", file);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		err(1, "%s", file);
	*len = (size_t)st.st_size;
	return p;
}

void work_trace_load(const char *file)
{
	size_t len;
	const char *text = map(file, &len);

	if (!trace_read_header(&trace, text, len))
		errx(1, "%s: %s", file, trace.error);
	get_memory();
	if (!trace_read_events(&trace))
		errx(1, "%s: %s", file, trace.error);
	trace_plan(&trace);
	slots = memory(trace.allocs, sizeof(*slots));
	count_live();
}

static bool prepare(size_t size)
{
	unsigned int i;

	(void)size;
	if (!slots)
		return false;
	for (i = 0; i < trace.pools; i++)
		if (trace.pool[i].use == TRACE_POOLED &&
		    !peer_create(&pools[i], trace.pool[i].size, most[i], 1))
			return false;
	return true;
}

static void finish(void)
{
	unsigned int i;

	for (i = 0; i < trace.pools; i++)
		if (trace.pool[i].use == TRACE_POOLED)
			peer_destroy(pools[i]);
}

static inline void *get(unsigned int pool)
{
	return trace.pool[pool].use == TRACE_POOLED ? peer_get(pools[pool]) :
						      malloc(trace.pool[pool].size);
}

static inline void put(unsigned int pool, void *obj)
{
	if (trace.pool[pool].use == TRACE_POOLED)
		peer_put(pools[pool], obj);
	else
		free(obj);
}

static inline void execute(const struct trace_event *e)
{
	if (e->kind == TRACE_ALLOC) {
		char *p = get(e->pool);

		if (!p)
			abort();
		*p = 1;
		slots[e->alloc] = p;
	} else {
		put(e->pool, slots[e->alloc]);
		slots[e->alloc] = NULL;
	}
}

static unsigned int free_rest(void)
{
	unsigned int freed = 0;
	unsigned int i;

	for (i = 0; i < trace.events; i++) {
		const struct trace_event *e = &trace.event[i];

		if (e->kind == TRACE_ALLOC && slots[e->alloc]) {
			put(e->pool, slots[e->alloc]);
			slots[e->alloc] = NULL;
			freed++;
		}
	}
	return freed;
}

static unsigned long run(unsigned long n)
{
	unsigned long done = 0;
	unsigned int i;

	while (done < n) {
		for (i = 0; i < trace.events; i++)
			execute(&trace.event[i]);
		done += trace.events + free_rest();
	}
	return done;
}

const struct work work_trace[] = {
	{ "trace", 1, prepare, run, finish },
	{ .name = NULL },
};
