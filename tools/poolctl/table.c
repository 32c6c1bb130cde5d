// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * table.c - the raw text of a dump becomes a table
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * The text says which columns it has.  A library of another version may have others: those
 * that are not known here are passed over, and those that are missing are 0.
 */
#include "poolctl.h"

#include <string.h>

#define COLUMNS_MOST	64

struct entry *table_add(struct table *t)
{
	size_t room = t->n & (t->n - 1) ? 0 : t->n ? 2 * t->n : 1;

	if (room)
		t->pools = need_memory(realloc(t->pools, room * sizeof(*t->pools)));
	t->pools[t->n] = (struct entry){ .details = NULL };
	return &t->pools[t->n++];
}

void table_free(struct table *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->pools[i].details);
	free(t->pools);
	*t = (struct table){ .n = 0 };
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Take a name as pool_show_name() writes it; false: it is none. */
bool entry_name(struct entry *e, const char *shown)
{
	size_t n = 0;

	for (; *shown; shown++) {
		char c = *shown;

		if (n == POOL_NAME_LEN)
			return false;
		if (c == '%') {
			int high = hex_digit(shown[1]);
			int low = high < 0 ? -1 : hex_digit(shown[2]);

			if (low < 0)
				return false;
			c = (char)(high << 4 | low);
			shown += 2;
		}
		e->s.name[n++] = c;
	}
	return n;
}

/* Take a number; false: it is none.  What has a key that is not known is passed over. */
bool entry_set(struct entry *e, const char *key, const char *value)
{
	const struct pool_dump_field *f = pool_dump_columns;
	unsigned long long n;
	char *end;
	void *to;

	while (f->name && strcmp(f->name, key))
		f++;
	if (!f->name)
		return true;
	n = strtoull(value, &end, 10);
	if (*value < '0' || *value > '9' || *end)
		return false;
	to = (char *)&e->s + f->offset;
	if (f->wide)
		*(unsigned long long *)to = n;
	else
		*(unsigned int *)to = (unsigned int)n;
	return true;
}

/* Append a line. */
void entry_detail(struct entry *e, const char *text, size_t len)
{
	size_t had = e->details ? strlen(e->details) : 0;

	e->details = need_memory(realloc(e->details, had + len + 2));
	memcpy(e->details + had, text, len);
	memcpy(e->details + had + len, "\n", 2);
}

/* The columns that the text has. */
struct head {
	char *names[COLUMNS_MOST];
	unsigned int n;
};

static bool read_head(struct head *h, char *line)
{
	char *word = strtok(line, " ");

	if (!word || strcmp(word, "#"))
		return false;
	while (h->n < COLUMNS_MOST && (word = strtok(NULL, " ")))
		h->names[h->n++] = word;
	return h->n > 2 && !strcmp(h->names[0], "id") &&
	       !strcmp(h->names[1], "name");
}

static bool read_pool(struct table *t, const struct head *h, char *line)
{
	struct entry *e = table_add(t);
	char *word = strtok(line, " ");
	unsigned int i;

	for (i = 0; i < h->n; i++, word = strtok(NULL, " "))
		if (!word || !(i == 1 ? entry_name(e, word) :
					entry_set(e, h->names[i], word)))
			return false;
	return !word;
}

static bool read_line(struct table *t, const struct head *h, char *line)
{
	static const char detail[] = "  > ";

	if (!strcmp(line, "truncated")) {
		t->cut = true;
		return true;
	}
	if (strncmp(line, detail, strlen(detail)))
		return read_pool(t, h, line);
	if (t->n)
		entry_detail(&t->pools[t->n - 1], line + strlen(detail),
			     strlen(line + strlen(detail)));
	return t->n;
}

/* Take the kinds of memory from the line of totals, if it has them. */
static void read_memory(struct pool_dump_memory *m, const char *line)
{
	const char *name, *at;
	char key[32];
	unsigned int i;

	for (i = 0; (name = pool_dump_memory_name(i)); i++) {
		snprintf(key, sizeof(key), " %s=", name);
		at = strstr(line, key);
		if (!at)
			continue;
		m->bytes[i] = strtoull(at + strlen(key), NULL, 10);
		m->known = true;
	}
}

/*
 * Read the raw text of a dump, which is overwritten, and go behind it; false: it is none.
 * See also table->whole.
 */
bool table_read_raw(struct table *t, char **text)
{
	struct head h = { .n = 0 };
	unsigned int nth = 0;
	char *line, *end;

	*t = (struct table){ .n = 0 };
	for (; (end = strchr(*text, '\n')); nth++) {
		line = *text;
		*text = end + 1;
		*end = 0;
		if (!strncmp(line, "total ", 6)) {
			t->whole = !t->cut;
			read_memory(&t->memory, line);
			return nth > 1;
		}
		if (nth == 0 ? strncmp(line, "pools version ", 14) != 0 :
		    nth == 1 ? !read_head(&h, line) : !read_line(t, &h, line))
			return false;
	}
	return nth > 1 && !**text;
}

/* Read the next dump of a file, raw or JSON, in order of creation, and go behind it. */
void table_read_next(struct table *t, char **text, const char *path)
{
	if (**text == '{' ? !table_read_json(t, text) : !table_read_raw(t, text))
		fail(2, "%s: neither a raw dump of pools nor one as JSON", path);
	if (!t->whole)
		fail(2, "%s: %s", path, t->cut ?
		     "it was truncated when it was written" : "its end is missing");
	table_sort(t, &(struct options){ .count = 0 });
}

/* Read a file of one dump. */
void table_read_file(struct table *t, const char *path)
{
	char *text = read_file(path, 2), *at = text;

	table_read_next(t, &at, path);
	if (*at)
		fail(2, "%s: there is more than one dump in it", path);
	free(text);
}

/* Is this the pool that a user means, by its name as it is or as it is shown? */
bool entry_is_called(const struct entry *e, const char *name)
{
	struct entry meant = { .details = NULL };

	return !strcmp(name, e->s.name) ||
	       (entry_name(&meant, name) && !strcmp(meant.s.name, e->s.name));
}

/* Remove all others. */
void table_keep(struct table *t, bool (*wanted)(const struct entry *e, const char *arg),
		const char *arg)
{
	size_t i, n = 0;

	for (i = 0; i < t->n; i++) {
		if (wanted(&t->pools[i], arg))
			t->pools[n++] = t->pools[i];
		else
			free(t->pools[i].details);
	}
	t->n = n;
}

static int compare_ids(const void *id, const void *e)
{
	unsigned long long want = *(const unsigned long long *)id;
	unsigned long long is = ((const struct entry *)e)->s.id;

	return (want > is) - (want < is);
}

/* Find a pool in a table in order of creation; NULL: it is not there. */
const struct entry *table_find(const struct table *t, unsigned long long id)
{
	return t->n ? bsearch(&id, t->pools, t->n, sizeof(*t->pools), compare_ids) : NULL;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct pool_stats *s = &((const struct entry *)a)->s;
	const struct pool_stats *r = &((const struct entry *)b)->s;
	const struct options *o = arg;
	unsigned long long v, w;
	int order = 0;

	if (o->by_name)
		order = strcmp(s->name, r->name);
	if (o->sort) {
		v = column_value(o->sort, s);
		w = column_value(o->sort, r);
		order = (v < w) - (v > w);
	}
	return order ? order : (s->id > r->id) - (s->id < r->id);
}

void table_sort(struct table *t, const struct options *o)
{
	if (t->n)
		qsort_r(t->pools, t->n, sizeof(*t->pools), compare, (void *)o);
}
