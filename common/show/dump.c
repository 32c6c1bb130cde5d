// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump.c - the state of pools as text: snapshot, order, buffer
 *
 * Layer:   above stats.c.
 * Context: process context; may sleep; only dump_pools() allocates.
 *
 * A dump walks over the pools once, under the dump mutex.  It stores each pool's numbers in the
 * pool, and links the pools in the order of the output.  Then it writes them one by one, from a
 * copy, with no pool pinned and the registry mutex free.  A pool that is destroyed meanwhile leaves
 * the list and is not shown; a new pool is not on the list.  The total is the snapshot's.
 */
#include "seam/plat.h"
#include "dump.h"

#define TRASH_SIZE	16384

/* Protected by the dump mutex, but its lists by the registry mutex. */
static struct pool_dump the_dump;

/* Written under the dump mutex. */
static char trash[TRASH_SIZE];

static const struct pool_dump_writer *const writers[] = {
	[POOL_DUMP_TABLE] = &pool_dump_table,
	[POOL_DUMP_RAW] = &pool_dump_raw,
	[POOL_DUMP_JSON] = &pool_dump_json,
	[POOL_DUMP_PROMETHEUS] = &pool_dump_prometheus,
};

static struct pool *of_dump(struct pool_list *node)
{
	return pool_list_entry(node, struct pool, by_dump);
}

/* True if @a must be shown before @b, which was created earlier. */
static bool is_before(enum pool_dump_order order, const struct pool_stats *a,
		      const struct pool_stats *b)
{
	switch (order) {
	case POOL_DUMP_BY_NAME:
		return strcmp(a->name, b->name) < 0;
	case POOL_DUMP_BY_SIZE:
		return a->object_size > b->object_size;
	case POOL_DUMP_BY_USAGE:
		return pool_dump_bytes(a) > pool_dump_bytes(b);
	default:
		return false;
	}
}

/*
 * Merge the pools of @from into @to, whose own pools are older.  Both lists are in order.
 * Registry mutex held, for at most as many steps as both lists have pools; for one step if @from
 * follows @to.
 */
static void merge(enum pool_dump_order order, struct pool_list *to,
		  struct pool_list *from)
{
	struct pool_list *at = to, *node;

	if (pool_list_empty(from))
		return;
	if (!pool_list_empty(to) &&
	    is_before(order, &of_dump(from->next)->snap, &of_dump(to->prev)->snap))
		at = to->next;
	else
		pool_list_append(from, to);
	while (!pool_list_empty(from)) {
		node = from->next;
		while (at != to &&
		       !is_before(order, &of_dump(node)->snap, &of_dump(at)->snap))
			at = at->next;
		pool_list_del(node);
		pool_list_add_last(node, at);
	}
}

/*
 * Add a pool, which is newer than the others.  Two runs of equal length are merged, so all pools
 * take at most n log n steps, and the mutex is never held for more than 2 n of them.
 */
static void enlist(struct pool_dump *d, struct pool *pool)
{
	struct pool_list newer = { &newer, &newer };
	unsigned int i;

	plat_mutex_lock(PLAT_REGISTRY);
	pool_list_add(&pool->by_dump, &newer);
	for (i = 0; i < POOL_DUMP_RUNS - 1 && !pool_list_empty(&d->run[i]); i++) {
		merge(d->options.order, &d->run[i], &newer);
		pool_list_append(&d->run[i], &newer);
	}
	merge(d->options.order, &d->run[i], &newer);
	plat_mutex_unlock(PLAT_REGISTRY);
}

static void join_runs(struct pool_dump *d)
{
	unsigned int i;

	for (i = 0; i < POOL_DUMP_RUNS; i++) {
		plat_mutex_lock(PLAT_REGISTRY);
		merge(d->options.order, &d->run[i], &d->pools);
		pool_list_append(&d->run[i], &d->pools);
		plat_mutex_unlock(PLAT_REGISTRY);
	}
}

static void add_to_total(struct pool_dump_total *total,
			 const struct pool_stats *s)
{
	total->pools++;
	total->allocated += pool_dump_bytes(s);
	total->used += s->used * s->object_size;
	total->cached += s->cached * s->object_size;
	total->shared += s->shared * s->object_size;
}

static void make_snapshot(struct pool_dump *d,
			  const struct pool_dump_options *options)
{
	struct pool *pool = NULL;
	unsigned int i;

	d->options = *options;
	for (i = 0; i < POOL_DUMP_RUNS; i++)
		pool_list_init(&d->run[i]);
	pool_list_init(&d->pools);
	pool_list_init(&d->cursor);
	d->total = (struct pool_dump_total){ .pools = 0 };
	while ((pool = pool_registry_next(pool))) {
		if (!pool_dump_name_matches(pool->name, d->options.match))
			continue;
		pool_sum(pool, &pool->snap);
		if (d->options.order == POOL_DUMP_BY_USAGE &&
		    !pool->snap.allocated)
			continue;
		add_to_total(&d->total, &pool->snap);
		enlist(d, pool);
	}
	join_runs(d);
	d->memory.known = plat_memory(0, d->memory.bytes);
}

/* Start again at the first pool. */
void pool_dump_rewind(struct pool_dump *d)
{
	plat_mutex_lock(PLAT_REGISTRY);
	pool_list_del(&d->cursor);
	pool_list_add(&d->cursor, &d->pools);
	plat_mutex_unlock(PLAT_REGISTRY);
}

/* Move to the next pool and copy its numbers; false: there is none.  Reschedules first. */
bool pool_dump_next(struct pool_dump *d)
{
	struct pool_list *node;
	bool found;

	plat_mutex_lock(PLAT_REGISTRY);
	node = d->cursor.next;
	found = node != &d->pools;
	if (found) {
		d->now = of_dump(node)->snap;
		pool_list_del(&d->cursor);
		pool_list_add(&d->cursor, node);
	}
	plat_mutex_unlock(PLAT_REGISTRY);
	plat_resched();
	return found;
}

/* Unlink the pool behind the cursor; false: there is none.  Other threads may run then. */
static bool unlink_next(struct pool_dump *d)
{
	struct pool_list *node;
	bool found;

	plat_mutex_lock(PLAT_REGISTRY);
	node = d->cursor.next;
	found = node != &d->pools;
	if (found)
		pool_list_del(node);
	plat_mutex_unlock(PLAT_REGISTRY);
	plat_resched();
	return found;
}

/* Unlink all pools except the first @keep, one by one, because there may be many. */
static void unlink_from(struct pool_dump *d, unsigned int keep)
{
	pool_dump_rewind(d);
	while (keep && pool_dump_next(d))
		keep--;
	while (unlink_next(d))
		;
}

/* Find a registration by its number, from 0 on, oldest first, without vacated ones; NULL: none. */
static struct pool_reg *nth_reg(struct pool *pool, unsigned int nth)
{
	struct pool_list *node;

	for (node = pool->regs.prev; node != &pool->regs; node = node->prev)
		if (!pool_reg_of(node)->vacated && !nth--)
			return pool_reg_of(node);
	return NULL;
}

/*
 * Write a creation that a pool serves, the @nth from 0 on, oldest first, as a text.  Returns as
 * snprintf(); 0: there is none with that number.  Registry mutex held; neither logs nor allocates.
 */
size_t pool_dump_registration(struct pool *pool, unsigned int nth, char *buf,
			      size_t size)
{
	const struct pool_reg *reg = nth_reg(pool, nth);
	char shown[POOL_SHOWN_LEN + 1];

	if (!reg)
		return 0;
	pool_show_name(shown, reg->name);
	return snprintf(buf, size, "%s size=%u flags=0x%x align=%u [%s:%d]",
			shown, reg->size, reg->flags, reg->align,
			reg->file, reg->line);
}

/* Return the pool at the cursor; NULL: it is gone.  Registry mutex held. */
static struct pool *at_cursor(struct pool_dump *d)
{
	struct pool_list *node = d->cursor.prev;

	if (node == &d->pools || of_dump(node)->id != d->now.id)
		return NULL;
	return of_dump(node);
}

/*
 * Put a registration of the pool at the cursor into d->detail; false: none.  Other threads
 * may run then.
 */
bool pool_dump_detail(struct pool_dump *d, unsigned int nth)
{
	struct pool *pool;
	size_t len = 0;

	plat_mutex_lock(PLAT_REGISTRY);
	pool = at_cursor(d);
	if (pool)
		len = pool_dump_registration(pool, nth, d->detail,
					     sizeof(d->detail));
	plat_mutex_unlock(PLAT_REGISTRY);
	plat_resched();
	return len;
}

/* Put only the name of a registration into d->detail; false: none. */
bool pool_dump_reg_name(struct pool_dump *d, unsigned int nth)
{
	struct pool *pool;
	struct pool_reg *reg;

	plat_mutex_lock(PLAT_REGISTRY);
	pool = at_cursor(d);
	reg = pool ? nth_reg(pool, nth) : NULL;
	if (reg)
		snprintf(d->detail, sizeof(d->detail), "%s", reg->name);
	plat_mutex_unlock(PLAT_REGISTRY);
	return reg;
}

static void put_char(struct pool_dump *d, char c)
{
	if (d->used + 1 < d->size)
		d->buf[d->used++] = c;
	else
		d->cut = true;
}

/* Write a text. */
void pool_dump_put(struct pool_dump *d, const char *text)
{
	for (; *text; text++) {
		d->wanted++;
		put_char(d, *text);
	}
}

void pool_dump_number(struct pool_dump *d, unsigned long long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", number);
	pool_dump_put(d, text);
}

/* Write a number of the pool at the cursor. */
void pool_dump_field(struct pool_dump *d, const struct pool_dump_field *field)
{
	pool_dump_number(d, pool_dump_value(field, &d->now));
}

/* Record that the text may be cut here, if it fits so far together with its tail. */
void pool_dump_commit(struct pool_dump *d)
{
	if (d->cut || d->used + d->tail >= d->size)
		return;
	d->safe = d->used;
	d->has_safe = true;
}

/* Cut the text at the end that pool_dump_commit() recorded last. */
static void cut_off(struct pool_dump *d, const struct pool_dump_writer *writer)
{
	size_t wanted = d->wanted;

	d->used = d->safe;
	if (d->has_safe)
		writer->tail(d, true);
	d->wanted = wanted;
}

static void begin(struct pool_dump *d, char *buf, size_t size)
{
	d->buf = buf;
	d->size = size;
	d->wanted = 0;
	d->used = 0;
	d->safe = 0;
	d->tail = 0;
	d->has_safe = false;
	d->cut = false;
}

/*
 * Write a text into a buffer, as of pool_dump().  @writer first writes its tail without a buffer,
 * to measure the longest tail of a cut text.  The caller owns @d; @d->wanted receives the length
 * of the whole text.
 */
void pool_dump_write(struct pool_dump *d,
		     const struct pool_dump_writer *writer, char *buf,
		     size_t size)
{
	size_t tail;

	begin(d, NULL, 0);
	writer->tail(d, true);
	tail = d->wanted;
	begin(d, buf, size);
	d->tail = tail;
	writer->body(d);
	writer->tail(d, false);
	if (d->cut)
		cut_off(d, writer);
	if (size)
		buf[d->used] = 0;
}

/*
 * Dump into a buffer: as many whole lines or entries as fit, and the tail; "" if not even the tail
 * fits.  Returns the length of the whole text, which was not cut if that is less than @size.
 */
size_t pool_dump(char *buf, size_t size,
		 const struct pool_dump_options *options)
{
	struct pool_dump *d = &the_dump;
	size_t wanted;

	plat_mutex_lock(PLAT_DUMP);
	make_snapshot(d, options);
	if (d->options.count)
		unlink_from(d, d->options.count);
	pool_dump_write(d, writers[d->options.format], buf, size);
	unlink_from(d, 0);
	wanted = d->wanted;
	plat_mutex_unlock(PLAT_DUMP);
	return wanted;
}

/* The options of dump_pools() and dump_pools_to_trash(): a table of all pools. */
static const struct pool_dump_options all;

int dump_pools_to_buf(char *buf, size_t size, const char *options)
{
	struct pool_dump_options read;
	size_t wanted;

	if (!pool_dump_parse(&read, options, "dump_pools_to_buf")) {
		if (size)
			*buf = 0;
		return -1;
	}
	wanted = pool_dump(buf, size, &read);
	return wanted < INT_MAX ? (int)wanted : INT_MAX;
}

void dump_pools_to_trash(void)
{
	pool_dump(trash, sizeof(trash), &all);
}

const char *pool_trash(void)
{
	return trash;
}

/* How many bytes a text may grow between its measurement and its writing. */
#define TEXT_MORE	4096

static void free_text(char **text)
{
	plat_mem_free(*text);
}

/*
 * Complete the text, then write it with nothing held, because stderr may be a pipe that nobody
 * reads.  If memory is short, the text is cut to the size of the trash.
 */
void dump_pools(void)
{
	char *text POOL_AT_END(free_text) = NULL;
	size_t size = pool_dump(NULL, 0, &all) + TEXT_MORE;

	text = plat_mem_alloc(size, PLAT_MEM_SLEEP);
	if (text) {
		pool_dump(text, size, &all);
		plat_print(text);
	} else {
		dump_pools_to_trash();
		plat_print(trash);
	}
}
