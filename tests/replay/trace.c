// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * trace.c - reads a trace
 *
 * Layer:   below the replay, in both worlds.
 * Context: any that may read the text; allocates nothing.
 *
 * Strict: one space between words, no sign, no leading zero, a newline at the
 * end of each line, nothing after the last one.  The first error
 * ends the reading.
 */
#include "trace.h"

#define FIRST_WORDS	"# libpool trace "

const char *const trace_mode_word[TRACE_MODES] = {
	[TRACE_GLOBAL] = "global",
	[TRACE_NO_GLOBAL] = "no-global",
	[TRACE_NO_CACHE] = "no-cache",
};

/* Note an error; always false.  @at: where it starts. */
static bool wrong(struct trace *t, size_t at, const char *what)
{
	t->error = what;
	t->error_byte = at;
	return false;
}

static bool text_starts(const struct trace *t, const char *word)
{
	size_t i;

	for (i = 0; word[i]; i++)
		if (t->pos + i >= t->len || t->text[t->pos + i] != word[i])
			return false;
	return true;
}

/* Step over @word if it is there. */
static bool skip(struct trace *t, const char *word)
{
	size_t len = 0;

	if (!text_starts(t, word))
		return false;
	while (word[len])
		len++;
	t->pos += len;
	return true;
}

/* Read a number and the character @stop behind it. */
static bool read_number(struct trace *t, char stop, unsigned int min,
			unsigned int max, unsigned int *value)
{
	size_t at = t->pos;
	unsigned long long n = 0;

	for (; t->pos < t->len && t->text[t->pos] != stop; t->pos++) {
		char c = t->text[t->pos];

		if (c < '0' || c > '9')
			return wrong(t, at, "not a number");
		n = n * 10 + (unsigned long long)(c - '0');
		if (n > max)
			return wrong(t, at, "number too large");
	}
	if (t->pos == t->len)
		return wrong(t, t->len, "the text ends in a number");
	if (t->pos == at || (t->text[at] == '0' && t->pos - at > 1))
		return wrong(t, at, "not a number");
	if (n < min)
		return wrong(t, at, "number too small");
	t->pos++;
	*value = (unsigned int)n;
	return true;
}

/* Read 8 hexadecimal digits and a newline. */
static bool read_hex(struct trace *t, unsigned int *value)
{
	size_t at = t->pos;
	unsigned int n = 0;
	unsigned int i;

	for (i = 0; i < 8 && t->pos < t->len; i++, t->pos++) {
		char c = t->text[t->pos];

		if (c >= '0' && c <= '9')
			n = n << 4 | (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n << 4 | (unsigned int)(c - 'a' + 10);
		else
			break;
	}
	if (i < 8 || !skip(t, "\n"))
		return wrong(t, at, "not 8 hexadecimal digits and a newline");
	*value = n;
	return true;
}

/* Shift four bits at a time. */
unsigned int trace_crc32(unsigned int crc, const char *text, size_t len)
{
	unsigned int table[16];
	unsigned int i;

	for (i = 0; i < 16; i++) {
		unsigned int bits = i;
		int k;

		for (k = 0; k < 4; k++)
			bits = bits >> 1 ^ (bits & 1 ? 0xedb88320u : 0);
		table[i] = bits;
	}
	for (crc = ~crc; len; len--, text++) {
		crc ^= (unsigned char)*text;
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

/* The header's numbers, and the fields they go to. */
static const struct {
	const char *key;
	unsigned int min;
	unsigned int max;
	size_t field;
} keys[] = {
	{ "cpus ", 1, TRACE_CPUS_MAX, offsetof(struct trace, cpus) },
	{ "buckets ", 1, 64, offsetof(struct trace, buckets) },
	{ "cluster ", 1, 64, offsetof(struct trace, cluster) },
	{ "hot_size ", 0, 1u << 30, offsetof(struct trace, hot_size) },
	{ "pools ", 1, TRACE_POOLS_MAX, offsetof(struct trace, pools) },
	{ "events ", 1, TRACE_EVENTS_MAX, offsetof(struct trace, events) },
	{ "objects ", 1, TRACE_EVENTS_MAX, offsetof(struct trace, objects) },
};

#define KEYS		(sizeof(keys) / sizeof(keys[0]))
#define SEEN_MODE	(1u << KEYS)
#define SEEN_ALL	((2u << KEYS) - 1)

static bool read_mode(struct trace *t)
{
	size_t at = t->pos;
	unsigned int i;

	for (i = 0; i < TRACE_MODES; i++) {
		if (!skip(t, trace_mode_word[i]))
			continue;
		t->mode = i;
		if (skip(t, "\n"))
			return true;
		break;
	}
	return wrong(t, at, "not a mode");
}

/* Read a "key value" line; @seen has a bit for each key. */
static bool read_key(struct trace *t, unsigned int *seen)
{
	size_t at = t->pos;
	unsigned int bit = SEEN_MODE;
	unsigned int i = 0;

	if (!skip(t, "mode ")) {
		while (i < KEYS && !skip(t, keys[i].key))
			i++;
		if (i == KEYS)
			return wrong(t, at, "not a header line");
		bit = 1u << i;
	}
	if (*seen & bit)
		return wrong(t, at, "header line given twice");
	*seen |= bit;
	if (bit == SEEN_MODE)
		return read_mode(t);
	return read_number(t, '\n', keys[i].min, keys[i].max,
			   (unsigned int *)((char *)t + keys[i].field));
}

static bool skip_comment(struct trace *t)
{
	while (t->pos < t->len && t->text[t->pos] >= ' ' &&
	       t->text[t->pos] <= '~')
		t->pos++;
	return skip(t, "\n") || wrong(t, t->pos, "not a comment's end");
}

static bool read_version(struct trace *t)
{
	if (!skip(t, FIRST_WORDS))
		return wrong(t, 0, "the first line is not that of a trace");
	if (skip(t, "1\n"))
		t->version = 1;
	else if (skip(t, "2\n"))
		t->version = 2;
	else
		return wrong(t, t->pos, "another version than 1 and 2");
	return true;
}

/**
 * trace_read_header() - Read all that comes before the pools.
 * @text: the trace; must stay until the last call on @t.
 * @len: its bytes.
 * @t: set up by this function.
 * Return: false when something is wrong.
 */
bool trace_read_header(struct trace *t, const char *text, size_t len)
{
	unsigned int seen = 0;

	*t = (struct trace){ .text = text, .len = len };
	if (!read_version(t))
		return false;
	while (!text_starts(t, "pool ")) {
		if (text_starts(t, "#") ? !skip_comment(t) : !read_key(t, &seen))
			return false;
	}
	if (seen != SEEN_ALL)
		return wrong(t, t->pos, "a header line is missing");
	if (t->objects > t->events)
		return wrong(t, t->pos, "more objects than events");
	if (t->version == 1 && t->pools > TRACE_POOLS_MAX_1)
		return wrong(t, t->pos, "more pools than version 1 has");
	return true;
}

bool trace_good_in_name(unsigned int version, char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == ':' ||
	       c == '-' || (c == '+' && version > 1);
}

static bool read_name(struct trace *t, char *name)
{
	size_t at = t->pos;
	unsigned int n = 0;

	while (t->pos < t->len &&
	       trace_good_in_name(t->version, t->text[t->pos])) {
		if (n == TRACE_NAME_MAX)
			return wrong(t, at, "name too long");
		name[n++] = t->text[t->pos++];
	}
	name[n] = '\0';
	if (!n || !skip(t, "\n"))
		return wrong(t, at, "not a name and a newline");
	return true;
}

static bool read_pool(struct trace *t, unsigned int id)
{
	struct trace_pool *pool = &t->pool[id];
	size_t at = t->pos;
	unsigned int given;

	if (!skip(t, "pool "))
		return wrong(t, at, "not a pool's line, and pools are missing");
	if (!read_number(t, ' ', 0, t->pools - 1, &given))
		return false;
	if (given != id)
		return wrong(t, at, "pools are not in order");
	return read_number(t, ' ', 1, t->version == 1 ? TRACE_SIZE_MAX_1 : TRACE_SIZE_MAX_2,
			   &pool->size) &&
	       read_name(t, pool->name);
}

/* "<pool> <obj>" */
static bool read_alloc(struct trace *t, struct trace_event *e)
{
	unsigned int pool, obj;
	size_t at;

	if (!read_number(t, ' ', 0, t->pools - 1, &pool))
		return false;
	at = t->pos;
	if (!read_number(t, '\n', 0, t->objects - 1, &obj))
		return false;
	if (t->live[obj])
		return wrong(t, at, "allocation of an object that is live");
	t->live[obj] = t->done + 1;
	if (obj >= t->seen)
		t->seen = obj + 1;
	e->pool = (unsigned short)pool;
	e->alloc = t->allocs++;
	t->live_bytes += t->pool[pool].size;
	if (t->live_bytes > t->peak_bytes)
		t->peak_bytes = t->live_bytes;
	return true;
}

/* "<obj>" */
static bool read_free(struct trace *t, struct trace_event *e)
{
	const struct trace_event *of;
	size_t at = t->pos;
	unsigned int obj;

	if (!read_number(t, '\n', 0, t->objects - 1, &obj))
		return false;
	if (!t->live[obj])
		return wrong(t, at, "free of an object that is not live");
	of = &t->event[t->live[obj] - 1];
	t->live[obj] = 0;
	e->pool = of->pool;
	e->alloc = of->alloc;
	t->live_bytes -= t->pool[of->pool].size;
	return true;
}

static bool read_event(struct trace *t)
{
	struct trace_event *e = &t->event[t->done];
	unsigned int cpu;
	size_t at = t->pos;

	if (skip(t, "a "))
		e->kind = TRACE_ALLOC;
	else if (skip(t, "f "))
		e->kind = TRACE_FREE;
	else if (t->pos == t->len)
		return wrong(t, at, "the text ends, and events are missing");
	else
		return wrong(t, at, "not an event, and events are missing");
	if (!read_number(t, ' ', 0, t->cpus - 1, &cpu))
		return false;
	e->cpu = (unsigned char)cpu;
	if (e->kind == TRACE_ALLOC ? !read_alloc(t, e) : !read_free(t, e))
		return false;
	t->done++;
	return true;
}

static bool read_end(struct trace *t)
{
	unsigned int count, crc;
	size_t at = t->pos;

	if (!skip(t, "end "))
		return wrong(t, at, "no end after the last event");
	if (t->seen != t->objects)
		return wrong(t, at, "fewer objects than the header says");
	if (!read_number(t, ' ', 0, TRACE_EVENTS_MAX, &count))
		return false;
	if (count != t->events)
		return wrong(t, at, "the end has another count than the header");
	if (!read_hex(t, &crc))
		return false;
	if (crc != trace_crc32(0, t->text, at))
		return wrong(t, at, "the checksum does not fit");
	if (t->pos != t->len)
		return wrong(t, t->pos, "there is more after the end");
	return true;
}

/**
 * trace_read_events() - Read pools, events and the end.
 * @t: after trace_read_header(), with pool, event and live set.
 *
 * Return: false when something is wrong.
 */
bool trace_read_events(struct trace *t)
{
	unsigned int i;

	for (i = 0; i < t->pools; i++)
		if (!read_pool(t, i))
			return false;
	while (t->done < t->events) {
		t->error_event = t->done + 1;
		if (!read_event(t))
			return false;
	}
	return read_end(t);
}
