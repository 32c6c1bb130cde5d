/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dump.h - one dump: its options, its snapshot, its buffer
 *
 * Layer:   above stats.c; private to dump*.c, memstats.c, kernel/debugfs/pools.c,
 *	    tests.
 * Context: process context; the dump mutex is held where there is a struct
 *	    pool_dump.
 *
 *   dump_options.c    words            -> struct pool_dump_options
 *   dump.c            pools            -> struct pool_dump: snapshot and order
 *   dump_table.c      struct pool_dump -> a table for people
 *   dump_text.c       struct pool_dump -> a table for programs, or JSON
 *   dump_prom.c       struct pool_dump -> Prometheus text
 *   dump_memory.c     struct pool_dump -> what memory the library uses, for all of these
 *   dump_numbers.c    the numbers of a pool, with their names in all of these
 *   dump_names.c      names            -> words, JSON strings, labels
 *   dump.c            text             -> a buffer
 *
 * memstats.c shows other numbers, by a writer of its own.
 *
 * Only the text of dump_pools() is allocated.  All else that a dump needs is in the one
 * struct pool_dump, and in each struct pool.
 */
#ifndef POOL_DUMP_H
#define POOL_DUMP_H

/* The version of the raw table's columns and of JSON's keys; raise it when they change. */
#define POOL_DUMP_VERSION	5

enum pool_dump_format {
	POOL_DUMP_TABLE,		/* for people */
	POOL_DUMP_RAW,			/* for programs */
	POOL_DUMP_JSON,
	POOL_DUMP_PROMETHEUS,
};

enum pool_dump_order {
	POOL_DUMP_BY_ID,
	POOL_DUMP_BY_NAME,
	POOL_DUMP_BY_SIZE,		/* largest first */
	POOL_DUMP_BY_USAGE,		/* most bytes first; no pools without objects */
};

/* All zero: a table of all pools in order of creation. */
struct pool_dump_options {
	enum pool_dump_format format;
	enum pool_dump_order order;
	bool detailed;
	unsigned int count;		/* show at most this many pools; 0: all */
	char match[POOL_SHOWN_LEN + 2];	/* one byte more than any name */
};

/* Bytes of all pools that match, shown or not. */
struct pool_dump_total {
	unsigned long long allocated;
	unsigned long long used;
	unsigned long long cached;
	unsigned long long shared;
	unsigned int pools;
};

/* The numbers of plat_memory() for the whole library; known: the platform has them. */
struct pool_dump_memory {
	unsigned long long bytes[PLAT_MEMORY_KINDS];
	bool known;
};

/* Number of runs: bits of a count of pools, since run k has 2^k pools at most. */
#define POOL_DUMP_RUNS	32

struct pool_dump {
	struct pool_dump_options options;
	struct pool_dump_total total;
	struct pool_dump_memory memory;

	/*
	 * Registry mutex: the pools to show, in order, with the cursor after the present pool.
	 * Pools that are destroyed leave this list, too, and the runs.  While the snapshot is made,
	 * run k has 2^k pools at most, in order, which are older than those of the runs before it.
	 */
	struct pool_list pools;
	struct pool_list run[POOL_DUMP_RUNS];
	struct pool_list cursor;
	struct pool_stats now;		/* numbers of the pool at the cursor */
	char detail[192];		/* text about one of its registrations */

	char *buf;
	size_t size;
	size_t wanted;			/* length of the whole text */
	size_t used;
	size_t safe;			/* where a cut text may end: pool_dump_commit() */
	size_t tail;			/* length of the tail that follows there */
	bool has_safe;
	bool cut;
};

/* When the table for people shows a number as a column. */
enum pool_dump_column {
	POOL_DUMP_NEVER,
	POOL_DUMP_SELDOM,		/* shown only if a pool in the table has any */
	POOL_DUMP_ALWAYS,
};

/* A number of struct pool_stats, of 32 or 64 bits. */
struct pool_dump_field {
	const char *name;		/* the raw table's column, the key of JSON */
	size_t offset;
	bool wide;
	enum pool_dump_column column;
	const char *metric;		/* Prometheus' name; NULL: that of the field before */
	const char *label;		/* label, with its comma, or ""; NULL: not in Prometheus */
	const char *help;
};

static inline unsigned long long pool_dump_value(const struct pool_dump_field *field,
						 const struct pool_stats *s)
{
	const void *at = (const char *)s + field->offset;

	return field->wide ? *(const unsigned long long *)at :
			     *(const unsigned int *)at;
}

/* Compute numbers of tables from other numbers; poolctl calls these, too. */
static inline unsigned long long pool_dump_bytes(const struct pool_stats *s)
{
	return s->allocated * s->object_size;
}

static inline unsigned long long pool_dump_idle(const struct pool_stats *s)
{
	return (s->cached + s->shared) * s->object_size;
}

static inline unsigned long long pool_dump_object(const struct pool_stats *s)
{
	return s->object_size;
}

static inline unsigned long long pool_dump_faults(const struct pool_stats *s)
{
	unsigned long long sum = 0;
	unsigned int i;

	for (i = 0; i < POOL_FAULT_KINDS; i++)
		sum += s->faults[i];
	return sum;
}

/*
 * A format.  body() writes all before the tail, and calls pool_dump_commit() where
 * the text may be cut.  tail() ends the text; @cut: something is missing.
 */
struct pool_dump_writer {
	void (*body)(struct pool_dump *d);
	void (*tail)(struct pool_dump *d, bool cut);
};

extern const struct pool_dump_writer pool_dump_table;
extern const struct pool_dump_writer pool_dump_raw;
extern const struct pool_dump_writer pool_dump_json;
extern const struct pool_dump_writer pool_dump_prometheus;

/* Longer than any known word; longer words are cut. */
#define POOL_DUMP_WORD_LEN	48

/* Longer than any text that says which word is wrong. */
#define POOL_DUMP_WRONG_LEN	224

/* dump_options.c */
bool pool_dump_word(const char **text, char *word);
bool pool_dump_words(const char *text,
		     const char *(*parse)(void *to, const char *word, const char **text),
		     void *to, const char *words, char *wrong, size_t size);
bool pool_dump_read(struct pool_dump_options *options, const char *text, char *wrong, size_t size);
bool pool_dump_parse(struct pool_dump_options *options, const char *text, const char *where);

/* dump.c: for callers */
size_t pool_dump(char *buf, size_t size, const struct pool_dump_options *options);
void pool_dump_write(struct pool_dump *d, const struct pool_dump_writer *writer, char *buf,
		     size_t size);

/* dump.c: for writers */
void pool_dump_rewind(struct pool_dump *d);
bool pool_dump_next(struct pool_dump *d);
bool pool_dump_detail(struct pool_dump *d, unsigned int nth);
bool pool_dump_reg_name(struct pool_dump *d, unsigned int nth);
size_t pool_dump_registration(struct pool *pool, unsigned int nth, char *buf, size_t size);
void pool_dump_put(struct pool_dump *d, const char *text);
void pool_dump_number(struct pool_dump *d, unsigned long long number);
void pool_dump_field(struct pool_dump *d, const struct pool_dump_field *field);
void pool_dump_commit(struct pool_dump *d);

/*
 * dump_numbers.c: the columns of the raw table, in its order, except for the pool's name, which
 * follows the first column.  pool_dump_columns_n of them, then an entry whose name is NULL.
 */
#define POOL_DUMP_COLUMNS_MOST	60
extern const struct pool_dump_field pool_dump_columns[];
extern const unsigned int pool_dump_columns_n;
bool pool_dump_is_event(const struct pool_dump_field *field);

/* dump_table.c */
size_t pool_dump_format_bytes(char *text, size_t len, unsigned long long bytes);

/* dump_text.c: for both tables */
void pool_dump_details(struct pool_dump *d);

/* dump_memory.c: in tails, and a line or sample for each class in bodies */
unsigned long long pool_dump_resident(const struct pool_dump_memory *m);
const char *pool_dump_memory_name(unsigned int kind);
void pool_dump_memory_raw(struct pool_dump *d);
void pool_dump_memory_json(struct pool_dump *d);
void pool_dump_classes_json(struct pool_dump *d);
void pool_dump_memory_prometheus(struct pool_dump *d);
void pool_dump_classes_prometheus(struct pool_dump *d);

/* dump_names.c */
void pool_dump_json_string(struct pool_dump *d, const char *text);
void pool_dump_label(struct pool_dump *d, const char *text);
void pool_dump_name(struct pool_dump *d, const char *name);
bool pool_dump_name_matches(const char *name, const char *prefix);

static inline bool pool_dump_matches(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

#endif /* POOL_DUMP_H */
