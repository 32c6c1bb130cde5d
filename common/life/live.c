// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * live.c - switch options of pools that are in use, by words
 *
 * Layer:   above options.c and switch.c.
 * Context: process context; may sleep.
 *
 * All words are read before anything is changed.
 */
#include "plat.h"
#include "options/options.h"

static bool separates(char c)
{
	return c == ' ' || c == ',';
}

/* Why a word cannot change existing pools; NULL: it can.  @off: it turns its option off. */
static const char *word_refusal(const struct pool_change *change,
				const struct pool_word *word, bool off)
{
	unsigned int flags = POOL_D_FIXED;

	if (change->one)
		flags |= POOL_D_COMMON;
	if ((word->flag | word->sets_too | word->clears_too) & flags)
		return "cannot change on a live pool";
	return !off && (word->flag | word->sets_too) & change->never ?
	       "not with MEM_F_TYPESAFE" : NULL;
}

static const char *take_word(struct pool_change *change, const char *text,
			     size_t len)
{
	bool minus = *text == '-';
	const struct pool_word *word;
	bool opposite, off;
	const char *why;

	if (minus || *text == '+') {
		text++;
		len--;
	}
	word = pool_word_find(text, len, &opposite);
	if (!word)
		return "unknown word or key";
	off = opposite != minus;
	why = word_refusal(change, word, off);
	if (!why)
		pool_change_word(change, word, off);
	return why;
}

/* Why an item is refused; NULL: it is not. */
static const char *take_item(struct pool_change *change, const char *text,
			     size_t len)
{
	size_t name = 0;

	while (name < len && text[name] != '=')
		name++;
	if (name == len)
		return take_word(change, text, len);
	if (change->one)
		return "values are of all pools";
	return pool_change_item(change, text, len) == POOL_ITEM_GOOD ? NULL :
	       change->why;
}

static bool read_words(struct pool_change *change, const char *words,
		       char *wrong, size_t size)
{
	const char *why = NULL;
	char shown[64] = "";
	size_t len;

	for (; !why && *words; words += len) {
		len = 0;
		while (separates(*words))
			words++;
		while (words[len] && !separates(words[len]))
			len++;
		if (len)
			why = take_item(change, words, len);
		pool_printable(shown, sizeof(shown), words, len);
	}
	if (why)
		snprintf(wrong, size, "\"%s\": %s", shown, why);
	return !why;
}

static void switch_all(struct pool_change *change)
{
	char late[LATE_LEN];

	change->live = POOL_D_FLAGS;
	pool_change_apply(change, late, sizeof(late));
	if (*late)
		plat_log(PLAT_WARN, "options: %s", late);
}

static void switch_one(struct pool *pool, const struct pool_change *change)
{
	pool_change_store(change);
	pool_switch(pool, change->set, change->clear);
}

/*
 * As pool_set_debug(), for callers that say themselves what is wrong.  False: refused, and @wrong
 * names the first wrong word.
 */
bool pool_switch_words(struct pool_head *pool, const char *words, char *wrong,
		       size_t size)
{
	struct pool_change change;

	pool_change_begin(&change, pool);
	if (pool)
		change.never = pool_never(plat_read(&pool_of(pool)->flags));
	if (!read_words(&change, words, wrong, size))
		return false;
	if (pool)
		switch_one(pool_of(pool), &change);
	else
		switch_all(&change);
	return true;
}

bool pool_set_debug(struct pool_head *pool, const char *words)
{
	char wrong[128] = "no words";
	bool good;

	if (pool && pool_gone_report(pool_of(pool), NULL, 0, __builtin_return_address(0)))
		return false;
	good = words && pool_switch_words(pool, words, wrong, sizeof(wrong));

	if (!good)
		plat_log(PLAT_ERR, "options: %s", wrong);
	return good;
}
