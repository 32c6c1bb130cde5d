// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump_options.c - what to dump: the words of the document's "show pools"
 *
 * Layer:   beside dump.c.
 * Context: process context; may sleep.
 *
 * Words are separated by spaces, in any order.  If words contradict each other the last
 * one wins.
 */
#include "seam/plat.h"
#include "dump.h"

#define WORDS	"byname bysize byusage detailed match <prefix> <count> table raw json prometheus"

enum word_kind {
	WORD_FORMAT,
	WORD_ORDER,
	WORD_DETAILED,
};

static const struct {
	const char *word;
	enum word_kind kind;
	unsigned int value;
} words[] = {
	{ "table", WORD_FORMAT, POOL_DUMP_TABLE },
	{ "raw", WORD_FORMAT, POOL_DUMP_RAW },
	{ "json", WORD_FORMAT, POOL_DUMP_JSON },
	{ "prometheus", WORD_FORMAT, POOL_DUMP_PROMETHEUS },
	{ "byname", WORD_ORDER, POOL_DUMP_BY_NAME },
	{ "bysize", WORD_ORDER, POOL_DUMP_BY_SIZE },
	{ "byusage", WORD_ORDER, POOL_DUMP_BY_USAGE },
	{ "detailed", WORD_DETAILED, 0 },
	{ NULL, WORD_FORMAT, 0 },
};

/* Copy the next word and move past it; false: there is none. */
bool pool_dump_word(const char **text, char *word)
{
	size_t len = 0;

	while (**text == ' ')
		(*text)++;
	for (; **text && **text != ' '; (*text)++)
		if (len < POOL_DUMP_WORD_LEN)
			word[len++] = **text;
	word[len] = 0;
	return len;
}

static bool set_word(struct pool_dump_options *options, const char *word)
{
	size_t i;

	for (i = 0; words[i].word; i++)
		if (!strcmp(word, words[i].word))
			break;
	if (!words[i].word)
		return false;
	if (words[i].kind == WORD_FORMAT)
		options->format = words[i].value;
	else if (words[i].kind == WORD_ORDER)
		options->order = words[i].value;
	else
		options->detailed = true;
	return true;
}

/* Read a count: 1 to INT_MAX. */
static bool set_count(struct pool_dump_options *options, const char *word)
{
	unsigned long long n = 0;

	for (; *word; word++) {
		if (*word < '0' || *word > '9' || n > INT_MAX)
			return false;
		n = n * 10 + (unsigned long long)(*word - '0');
	}
	if (!n || n > INT_MAX)
		return false;
	options->count = (unsigned int)n;
	return true;
}

/* Store a prefix, cut to one byte more than the longest name, so that a longer one matches none. */
static void set_match(struct pool_dump_options *options, const char *prefix)
{
	unsigned int i;

	for (i = 0; i < sizeof(options->match) - 1 && prefix[i]; i++)
		options->match[i] = prefix[i];
	options->match[i] = 0;
}

/* Read a word, after "match" the next one, too.  Returns the reason if it is refused, else NULL. */
static const char *parse_word(void *to, const char *word, const char **text)
{
	struct pool_dump_options *options = to;
	char prefix[POOL_DUMP_WORD_LEN + 1];

	if (*word >= '0' && *word <= '9')
		return set_count(options, word) ? NULL :
		       "not a count of 1 to 2147483647";
	if (!strcmp(word, "match")) {
		if (!pool_dump_word(text, prefix))
			return "no prefix behind it";
		set_match(options, prefix);
		return NULL;
	}
	return set_word(options, word) ? NULL : "unknown";
}

/*
 * Read the words of @text, which may be NULL, into @to by @parse, which returns why a word is
 * refused, or NULL.  False: refused, and @wrong names the first wrong word and lists @words, the
 * right ones.
 */
bool pool_dump_words(const char *text,
		     const char *(*parse)(void *to, const char *word, const char **text),
		     void *to, const char *words, char *wrong, size_t size)
{
	char word[POOL_DUMP_WORD_LEN + 1];
	char shown[POOL_DUMP_WORD_LEN + 1];
	const char *why = NULL;

	while (text && !why && pool_dump_word(&text, word))
		why = parse(to, word, &text);
	if (!why)
		return true;
	pool_printable(shown, sizeof(shown), word, sizeof(word));
	snprintf(wrong, size, "\"%s\": %s; words are %s", shown, why, words);
	return false;
}

/*
 * Read words that say what to dump.  @options is set from @text alone.  False: refused, as by
 * pool_dump_words(), and @options is not changed.
 */
bool pool_dump_read(struct pool_dump_options *options, const char *text,
		    char *wrong, size_t size)
{
	struct pool_dump_options read = { .count = 0 };

	if (!pool_dump_words(text, parse_word, &read, WORDS, wrong, size))
		return false;
	*options = read;
	return true;
}

/* Read options as pool_dump_read(), and log what is wrong with them, with @where before it. */
bool pool_dump_parse(struct pool_dump_options *options, const char *text,
		     const char *where)
{
	char wrong[POOL_DUMP_WRONG_LEN];
	bool good = pool_dump_read(options, text, wrong, sizeof(wrong));

	if (!good)
		plat_log(PLAT_ERR, "%s: %s", where, wrong);
	return good;
}
