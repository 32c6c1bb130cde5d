// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * memstats.c - which code allocates and frees, as text; the document's "memstats"
 *
 * Layer:   above profile.c.
 * Context: process context; may sleep.
 *
 * Each place is read once, and the last line is the sum of the other lines, so it agrees with them
 * even if calls are counted meanwhile.  No mutex is held while addresses are resolved to names
 * (plat_symbol()), so each text needs memory of its own.
 */
#include "seam/plat.h"
#include "memstats.h"
#include "debug/profile.h"

#define WORDS	"reset all match <prefix>"

/* The version changes when columns do. */
#define HEAD	"memstats version 1\n" \
		"# what pool allocs frees allocated freed balance site\n"

/* A text that is being written. */
struct memstats {
	struct pool_dump d;
	const struct pool_memstats_options *options;
	struct pool_place total;
	char site[160];
};

static struct memstats *of_dump(struct pool_dump *d)
{
	return pool_list_entry(d, struct memstats, d);
}

static const char *base_name(const char *file)
{
	const char *name = file;

	for (; *file; file++)
		if (*file == '/')
			name = file + 1;
	return name;
}

/* True if a place must be shown.  Calls of pools match by the pool's name, others by the file's. */
static bool is_wanted(const struct pool_memstats_options *options,
		      const struct pool_place *place)
{
	if (!options->all && !place->allocs && !place->frees)
		return false;
	return place->caller ?
	       pool_dump_name_matches(place->pool, options->match) :
	       pool_dump_matches(base_name(place->file), options->match);
}

static void add(struct pool_place *total, const struct pool_place *place)
{
	total->allocs += place->allocs;
	total->allocated += place->allocated;
	total->frees += place->frees - place->known;
	total->freed += place->freed - place->known_bytes;
}

static void put_numbers(struct pool_dump *d, const struct pool_place *place,
			const char *const names[5])
{
	const unsigned long number[4] = {
		place->allocs, place->frees, place->allocated, place->freed,
	};
	char text[24];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		pool_dump_put(d, names[i]);
		pool_dump_number(d, number[i]);
	}
	snprintf(text, sizeof(text), "%ld",
		 (long)(place->allocated - place->freed +
			place->known_bytes));
	pool_dump_put(d, names[4]);
	pool_dump_put(d, text);
}

/*
 * Name a place: by its address, or by the name recorded at its first call if that differs, because
 * the code was unloaded and other code may be at the address.
 */
static void put_symbol(char *to, size_t size, const struct pool_place *place)
{
	plat_symbol(to, size, place->caller);
	if (place->site && !pool_dump_matches(to, place->site))
		snprintf(to, size, "%s", place->site);
}

/*
 * Write a line: the call and the pool, the numbers, the place.  Reschedules first, because
 * resolving a name lasts long.
 */
static void put_place(struct memstats *m, const struct pool_place *place)
{
	static const char *const blanks[5] = { " ", " ", " ", " ", " " };
	char raw[sizeof(m->site)];

	plat_resched();
	if (place->caller)
		put_symbol(raw, sizeof(raw), place);
	else if (place->line)
		snprintf(raw, sizeof(raw), "%s:%d", base_name(place->file),
			 place->line);
	else
		snprintf(raw, sizeof(raw), "%s", place->file);
	pool_printable(m->site, sizeof(m->site), raw, sizeof(raw));
	pool_dump_put(&m->d, place->what);
	pool_dump_put(&m->d, " ");
	pool_dump_name(&m->d, place->pool);
	put_numbers(&m->d, place, blanks);
	pool_dump_put(&m->d, " ");
	pool_dump_put(&m->d, m->site);
	pool_dump_put(&m->d, "\n");
	pool_dump_commit(&m->d);
}

/* Show one place, or bin, if it matches. */
static bool show_place(const struct pool_place *place, void *arg)
{
	struct memstats *m = arg;

	if (is_wanted(m->options, place)) {
		add(&m->total, place);
		put_place(m, place);
	}
	return false;
}

static bool reset_place(const struct pool_place *place, void *arg)
{
	return is_wanted(arg, place);
}

static void memstats_body(struct pool_dump *d)
{
	struct memstats *m = of_dump(d);
	struct pool_place place;
	unsigned int nr;

	m->total = (struct pool_place){ .allocs = 0 };
	pool_dump_put(d, HEAD);
	pool_dump_commit(d);
	for (nr = 0; nr < POOL_PROFILE_BINS; nr++)
		if (pool_profile_read(nr, &place))
			show_place(&place, m);
	plat_places(show_place, m);
}

static void memstats_tail(struct pool_dump *d, bool cut)
{
	static const char *const names[5] = {
		"BALANCE allocs=", " frees=", " allocated=", " freed=",
		" balance=",
	};

	if (cut)
		pool_dump_put(d, "truncated\n");
	put_numbers(d, &of_dump(d)->total, names);
	pool_dump_put(d, "\n");
}

static const struct pool_dump_writer writer = {
	.body = memstats_body,
	.tail = memstats_tail,
};

/* Set all counts to 0.  One reset at a time, since two would subtract the same counts twice. */
static void reset(const struct pool_memstats_options *options)
{
	struct pool_place place;
	unsigned int nr;

	plat_mutex_lock(PLAT_DUMP);
	for (nr = 0; nr < POOL_PROFILE_BINS; nr++)
		if (pool_profile_read(nr, &place) &&
		    is_wanted(options, &place))
			pool_profile_reset(nr);
	plat_mutex_unlock(PLAT_DUMP);
	plat_places(reset_place, (void *)options);
}

/* The numbers that make the longest possible tail. */
static const struct pool_place widest = {
	.allocs = ~0ul, .frees = ~0ul, .allocated = ~0ul >> 1, .freed = ~0ul,
};

/*
 * Show or reset the counts.  @buf and the result are as of pool_dump(); the result is 0, and the
 * text empty, after a reset and, with a line in the log, if memory is short.
 */
size_t pool_memstats(char *buf, size_t size,
		     const struct pool_memstats_options *options)
{
	struct memstats *m;
	size_t wanted;

	if (size)
		*buf = 0;
	if (options->reset) {
		reset(options);
		return 0;
	}
	m = plat_mem_alloc(sizeof(*m), PLAT_MEM_SLEEP);
	if (!m) {
		plat_log(PLAT_ERR, "memstats: no memory for a text");
		return 0;
	}
	m->options = options;
	m->total = widest;
	pool_dump_write(&m->d, &writer, buf, size);
	wanted = m->d.wanted;
	plat_mem_free(m);
	return wanted;
}

/* Read a prefix.  Returns the reason if it is refused, else NULL. */
static const char *parse_prefix(struct pool_memstats_options *options,
				const char **text)
{
	char prefix[POOL_DUMP_WORD_LEN + 1] = "";
	size_t i;

	if (!pool_dump_word(text, prefix))
		return "no prefix behind it";
	if (prefix[sizeof(options->match) - 1])
		return "the prefix behind it is too long";
	for (i = 0; i < sizeof(options->match); i++)
		options->match[i] = prefix[i];
	return NULL;
}

/* Read a word, after "match" the next one, too.  Returns the reason if it is refused, else NULL. */
static const char *parse_word(void *to, const char *word, const char **text)
{
	struct pool_memstats_options *options = to;

	if (!strcmp(word, "match"))
		return parse_prefix(options, text);
	if (!strcmp(word, "reset"))
		options->reset = true;
	else if (!strcmp(word, "all"))
		options->all = true;
	else
		return "unknown";
	return NULL;
}

/* Read words that say what to show, as pool_dump_read() reads those for a dump. */
bool pool_memstats_read(struct pool_memstats_options *options,
			const char *text, char *wrong, size_t size)
{
	struct pool_memstats_options read = { .reset = false };

	if (!pool_dump_words(text, parse_word, &read, WORDS, wrong, size))
		return false;
	*options = read;
	return true;
}

/* Read options as pool_memstats_read(), and log what is wrong with them, with @where before it. */
bool pool_memstats_parse(struct pool_memstats_options *options,
			 const char *text, const char *where)
{
	char wrong[POOL_DUMP_WRONG_LEN];
	bool good = pool_memstats_read(options, text, wrong, sizeof(wrong));

	if (!good)
		plat_log(PLAT_ERR, "%s: %s", where, wrong);
	return good;
}

size_t pool_memstats_to_buf(char *buf, size_t size, const char *words)
{
	struct pool_memstats_options options;

	if (!pool_memstats_parse(&options, words, "pool_memstats_to_buf")) {
		if (size)
			*buf = 0;
		return 0;
	}
	return pool_memstats(buf, size, &options);
}
