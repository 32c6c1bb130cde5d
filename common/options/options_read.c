// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * options_read.c - read a text of options into a change, item by item
 *
 * Layer:   above options.c; configure.c and live.c call it, and apply the change.
 * Context: process context.
 */
#include "seam/plat.h"
#include "options.h"

static bool separates(const struct pool_text *t, char c)
{
	return c == ',' || (c == ' ' && t->rules == POOL_TEXT_LIVE);
}

/*
 * Read the first item of a command line, as of HAProxy's -dM: an empty item sets poison, a number
 * sets it with that byte, and a negative number clears it.
 */
static enum pool_item first_item(struct pool_change *change, const char *text, size_t len)
{
	char item[16] = "poison=";
	size_t digits = 1;

	if (!len)
		return pool_change_item(change, "poison", 6);
	while (digits < len && text[digits] >= '0' && text[digits] <= '9')
		digits++;
	if (*text == '-' && len > 1 && digits == len)
		return pool_change_item(change, "no-poison", 9);
	if (*text < '0' || *text > '9' || len > sizeof(item) - 7)
		return pool_change_item(change, text, len);
	__builtin_memcpy(item + 7, text, len);
	return pool_change_item(change, item, 7 + len);
}

/*
 * Return why a word cannot be switched in existing pools, or NULL.  @off: the text has the word's
 * opposite.
 */
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

/* Read a word for pools in use, with or without a sign. */
static enum pool_item live_word(struct pool_change *change, const char *text, size_t len)
{
	bool minus = *text == '-', sign = minus || *text == '+', opposite;
	const struct pool_word *word = pool_word_find(text + sign, len - sign, &opposite);
	const char *why = word ? word_refusal(change, word, opposite != minus) :
				 "unknown word or key";

	if (why) {
		snprintf(change->why, sizeof(change->why), "%s", why);
		return POOL_ITEM_WRONG;
	}
	pool_change_word(change, word, opposite != minus);
	return POOL_ITEM_GOOD;
}

static enum pool_item live_item(struct pool_change *change, const char *text, size_t len)
{
	size_t name = 0;

	while (name < len && text[name] != '=')
		name++;
	if (name == len)
		return live_word(change, text, len);
	if (!change->one)
		return pool_change_item(change, text, len);
	snprintf(change->why, sizeof(change->why), "values are of all pools");
	return POOL_ITEM_WRONG;
}

/* Read the next item into a change.  A wrong item changes nothing but @change->why. */
enum pool_item pool_text_item(struct pool_text *t, struct pool_change *change)
{
	const char *item;
	size_t len = 0;

	while (t->rules == POOL_TEXT_LIVE && separates(t, *t->rest))
		t->rest++;
	if (!*t->rest && t->rules != POOL_TEXT_LINE)
		return POOL_ITEM_END;
	item = t->rest;
	while (item[len] && !separates(t, item[len]))
		len++;
	t->rest += len + (item[len] == ',');
	pool_printable(t->shown, sizeof(t->shown), item, len);
	if (t->rules == POOL_TEXT_LIVE)
		return live_item(change, item, len);
	if (t->rules == POOL_TEXT_LIST)
		return pool_change_item(change, item, len);
	t->rules = POOL_TEXT_LIST;
	return first_item(change, item, len);
}
