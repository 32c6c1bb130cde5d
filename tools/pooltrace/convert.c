// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * convert.c - makes a trace of what the recorder left behind
 *
 * Layer:   pooltrace, below pooltrace.c; above table.c.
 * Context: one thread.
 *
 * The records are in the order of the events.  Addresses become numbers of objects.  Each
 * pair of a call site and a size becomes a pool of the trace.
 */
#include "convert.h"
#include "table.h"
#include "trace.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a pool's name, so that the offset has room. */
#define MODULE_MAX	40

struct text {
	FILE *file;
	char *data;
	size_t len;
};

struct conversion {
	const struct raw *raw;
	struct converted *done;
	struct table objects;		/* by address: those that are live */
	struct table sites;		/* by module and offset: the first one of each */
	struct table pools;		/* by site and size */
	struct text pool_lines;
	struct text event_lines;
	uint32_t most_cpu;
};

static void open_text(struct text *text)
{
	text->file = open_memstream(&text->data, &text->len);
	if (!text->file)
		err(2, "memory for a trace");
}

static void close_text(struct text *text)
{
	if (fclose(text->file))
		err(2, "memory for a trace");
}

/*
 * Sites before and after a dlclose() may be the same place.  The traced program may have
 * written anywhere, so no number of its file is trusted.
 */
static uint32_t same_site(struct conversion *c, uint32_t recorded)
{
	uint32_t number = recorded % RAW_SITES;
	const struct raw_site *site = &c->raw->head->site[number];
	uint64_t key = (uint64_t)(site->module + 1) << 48 | (site->offset & 0xffffffffffff);
	uint32_t first;

	if (!number || !site->module)
		return 0;
	if (table_get(&c->sites, key, &first))
		return first;
	table_set(&c->sites, key, number);
	return number;
}

static void clean(char *name)
{
	for (; *name; name++)
		if (!trace_good_in_name(2, *name))
			*name = '_';
}

static void print_pool(struct conversion *c, uint32_t pool, uint32_t site, uint32_t size)
{
	const struct raw_head *head = c->raw->head;
	const struct raw_site *at = &head->site[site];
	char name[TRACE_NAME_MAX + 1] = "unknown";

	if (site)
		snprintf(name, sizeof(name), "%.*s+0x%llx%s", MODULE_MAX,
			 head->module[at->module % RAW_MODULES],
			 (unsigned long long)at->offset & 0xffffffffffff,
			 head->flags[site] & RAW_STRINGS ? ":strdup" : "");
	clean(name);
	fprintf(c->pool_lines.file, "pool %u %u %s\n", pool, size, name);
}

/* False: there are too many. */
static bool pool_of(struct conversion *c, uint32_t site, uint32_t size, uint32_t *pool)
{
	uint64_t key = (uint64_t)site << 32 | size;

	if (table_get(&c->pools, key, pool))
		return true;
	if (c->pools.used == TRACE_POOLS_MAX)
		return false;
	*pool = (uint32_t)c->pools.used;
	table_set(&c->pools, key, *pool);
	print_pool(c, *pool, site, size);
	return true;
}

/* The trace's number of a CPU. */
static uint32_t thread_of(struct conversion *c, const struct raw_record *r)
{
	uint32_t thread = r->thread % RAW_THREADS;

	if (thread > c->most_cpu)
		c->most_cpu = thread;
	return thread;
}

static void print_free(struct conversion *c, const struct raw_record *r, uint32_t object)
{
	fprintf(c->event_lines.file, "f %u %u\n", thread_of(c, r), object);
	c->done->events++;
	table_remove(&c->objects, r->addr);
}

static bool convert_alloc(struct conversion *c, const struct raw_record *r)
{
	/* A pool's object has a byte at least. */
	uint64_t size = r->size ? r->size : 1;
	uint32_t pool, object;

	if (table_get(&c->objects, r->addr, &object)) {
		print_free(c, r, object);
		c->done->implied++;
	}
	if (size > TRACE_SIZE_MAX_2) {
		c->done->huge++;
		return true;
	}
	if (!pool_of(c, same_site(c, r->site), (uint32_t)size, &pool))
		return false;
	object = (uint32_t)c->done->allocs++;
	table_set(&c->objects, r->addr, object);
	fprintf(c->event_lines.file, "a %u %u %u\n", thread_of(c, r), pool, object);
	c->done->events++;
	return true;
}

static void convert_free(struct conversion *c, const struct raw_record *r)
{
	uint32_t object;

	if (table_get(&c->objects, r->addr, &object))
		print_free(c, r, object);
	else
		c->done->unseen++;
}

static void convert_all(struct conversion *c)
{
	uint64_t i;

	for (i = 0; i < c->raw->records; i++) {
		const struct raw_record *r = &c->raw->record[i];
		unsigned int kind = __atomic_load_n(&r->kind, __ATOMIC_ACQUIRE);

		if (kind == RAW_UNWRITTEN)
			c->done->unfinished++;
		else if (kind == RAW_FREE)
			convert_free(c, r);
		else if (kind == RAW_ALLOC && !convert_alloc(c, r))
			break;
	}
	c->done->cut = c->raw->records - i;
}

static void print_comments(const struct conversion *c, FILE *out)
{
	const struct raw_head *head = c->raw->head;
	const struct converted *d = c->done;
	char program[RAW_NAME_MAX + 1];

	snprintf(program, sizeof(program), "%.*s", RAW_NAME_MAX, head->program);
	clean(program);
	fprintf(out, "# source: %s, process %u, %u threads, by pooltrace\n", program,
		head->pid, head->threads);
	fprintf(out, "# %llu frees of unseen objects left out, %llu frees implied by reuse, "
		"%llu events without a record, %llu allocations of 2 GiB or more left out, "
		"%u events of unknown call sites\n", (unsigned long long)d->unseen,
		(unsigned long long)d->implied, (unsigned long long)d->unfinished,
		(unsigned long long)d->huge, head->unknown_sites);
	if (head->stop == RAW_LIMIT)
		fprintf(out, "# stopped: the limit of %llu events was reached\n",
			(unsigned long long)head->limit);
	if (head->stop == RAW_NO_ROOM)
		fprintf(out, "# stopped: no room for more: %s\n",
			strerror((int)head->stop_errno));
	if (d->cut)
		fprintf(out, "# stopped: more than %u pairs of size and call site\n",
			TRACE_POOLS_MAX);
}

static void print_head(const struct conversion *c, FILE *out)
{
	fputs("# libpool trace 2\n", out);
	print_comments(c, out);
	fprintf(out, "mode global\ncpus %u\nbuckets 4\ncluster 64\nhot_size 524288\n"
		"pools %zu\nevents %llu\nobjects %llu\n", c->most_cpu + 1, c->pools.used,
		(unsigned long long)c->done->events, (unsigned long long)c->done->allocs);
}

static bool write_out(struct conversion *c, const char *file)
{
	struct text head = { .file = NULL };
	FILE *out = fopen(file, "we");
	unsigned int crc;
	bool bad;

	if (!out)
		return false;
	open_text(&head);
	print_head(c, head.file);
	close_text(&head);
	crc = trace_crc32(0, head.data, head.len);
	crc = trace_crc32(crc, c->pool_lines.data, c->pool_lines.len);
	crc = trace_crc32(crc, c->event_lines.data, c->event_lines.len);
	fwrite(head.data, 1, head.len, out);
	fwrite(c->pool_lines.data, 1, c->pool_lines.len, out);
	fwrite(c->event_lines.data, 1, c->event_lines.len, out);
	fprintf(out, "end %llu %08x\n", (unsigned long long)c->done->events, crc);
	free(head.data);
	bad = ferror(out);
	return !fclose(out) && !bad;
}

bool convert(const struct raw *raw, const char *file, struct converted *done)
{
	struct conversion c = { .raw = raw, .done = done };
	bool good = true;

	*done = (struct converted){ 0 };
	open_text(&c.pool_lines);
	open_text(&c.event_lines);
	convert_all(&c);
	close_text(&c.pool_lines);
	close_text(&c.event_lines);
	if (done->allocs)
		good = write_out(&c, file);
	free(c.pool_lines.data);
	free(c.event_lines.data);
	table_forget(&c.objects);
	table_forget(&c.sites);
	table_forget(&c.pools);
	return good;
}
