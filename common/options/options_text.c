// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * options_text.c - options as text: the help, and a list of those that are on
 *
 * Layer:   above options.c.
 * Context: process context; may sleep.
 *
 * Nothing is allocated: texts are written line by line, or word by word, where they are needed.
 */
#include "seam/plat.h"
#include "options.h"

/* Longest line of the help: a word and its help, or a key, its range, its value and its help. */
#define LINE_LEN	192

/* A text in a buffer that may be too small; "len" is the length of the whole text. */
struct text {
	char *buf;
	size_t size;
	size_t len;
};

static void put(struct text *t, const char *text, const char *more)
{
	bool fits = t->len < t->size;

	t->len += snprintf(fits ? t->buf + t->len : NULL,
			   fits ? t->size - t->len : 0, "%s%s", text, more);
}

static bool is_on(const struct pool_word *word, unsigned int debug)
{
	return debug & word->flag;
}

static void word_line(const struct pool_word *word,
		      const struct pool_options *now, char *line, size_t size)
{
	char is[64];

	pool_word_properties(word, is, sizeof(is));
	snprintf(line, size, *is ? "%-15s%-18s%-5s%s (%s)\n" : "%-15s%-18s%-5s%s\n",
		 word->word, word->opposite, is_on(word, now->debug) ? "on" : "off",
		 word->help, is);
}

static void key_line(const struct pool_key *key,
		     const struct pool_options *now, char *line, size_t size)
{
	char range[32], value[POOL_SITE_LEN + 1];

	pool_key_range(key, range, sizeof(range));
	pool_key_format(key, now, value, sizeof(value));
	snprintf(line, size, "%-12s%-21s%-12s%s\n", key->key, range, value,
		 key->help);
}

static unsigned int count_words(void)
{
	unsigned int n = 0;

	while (pool_option_table[n].word)
		n++;
	return n;
}

/* Write line @i of the help; false: there are no more. */
static bool help_line(unsigned int i, const struct pool_options *now,
		      char *line, size_t size)
{
	unsigned int words = count_words();

	if (!i)
		snprintf(line, size, "%-15s%-18s%-5s%s\n", "word",
			 "opposite", "now", "what it does");
	else if (i <= words)
		word_line(&pool_option_table[i - 1], now, line, size);
	else if (i == words + 1)
		snprintf(line, size, "%-12s%-21s%-12s%s\n", "key", "range",
			 "now", "what it is");
	else if (i - words - 2 < POOL_KEYS)
		key_line(&pool_keys[i - words - 2], now, line, size);
	else
		return false;
	return true;
}

size_t pool_debug_help_to_buf(char *buf, size_t size)
{
	struct text t = { buf, size, 0 };
	struct pool_options now;
	char line[LINE_LEN];
	unsigned int i;

	pool_options_look(&now);
	for (i = 0; help_line(i, &now, line, sizeof(line)); i++)
		put(&t, line, "");
	return t.len;
}

/* Print the help to stderr; kernel: to the log. */
void pool_help_print(void)
{
	struct pool_options now;
	char line[LINE_LEN];
	unsigned int i;

	pool_options_look(&now);
	for (i = 0; help_line(i, &now, line, sizeof(line)); i++)
		plat_print(line);
}

static void put_words(struct text *t, unsigned int debug)
{
	const struct pool_word *word;

	for (word = pool_option_table; word->word; word++)
		if (is_on(word, debug))
			put(t, t->len ? " " : "", word->word);
}

/* Write the keys whose values differ from those that the library was built with. */
static void put_keys(struct text *t, const struct pool_options *now)
{
	char value[POOL_SITE_LEN + 1], built[POOL_SITE_LEN + 1];
	unsigned int i;
	size_t len;

	for (i = 0; i < POOL_KEYS; i++) {
		pool_key_format(&pool_keys[i], &pool_options_built, built,
				sizeof(built));
		len = pool_key_format(&pool_keys[i], now, value,
				      sizeof(value));
		if (pool_spells(value, len, built))
			continue;
		put(t, t->len ? " " : "", pool_keys[i].key);
		put(t, "=", value);
	}
}

size_t pool_debug_to_buf(struct pool_head *pool, char *buf, size_t size)
{
	struct text t = { buf, size, 0 };
	struct pool_options now;

	if (pool) {
		put_words(&t, plat_read(&pool_of(pool)->debug));
	} else {
		pool_options_look(&now);
		put_words(&t, now.debug);
		put_keys(&t, &now);
	}
	put(&t, t.len ? "" : "none", "\n");
	return t.len;
}
