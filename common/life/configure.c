// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * configure.c - set options from lists of words and values
 *
 * Layer:   above options/, which reads the text; beside apply.c.
 * Context: process context; may sleep.
 *
 * A text is read into a change.  The change is applied as a whole or not at all.
 */
#include "plat.h"
#include "options/options.h"

/* Store only what the change touches, since others may have set the rest meanwhile. */
void pool_change_store(const struct pool_change *change)
{
	unsigned int i;

	plat_mutex_lock(PLAT_REGISTRY);
	if (!change->one)
		pool_options.debug = (pool_options.debug & ~change->clear) |
				     change->set;
	plat_write(&pool_debugging, pool_options.debug);
	for (i = 0; i < POOL_KEYS; i++)
		if (change->touched & 1u << i)
			pool_key_copy(&pool_keys[i], &pool_options,
				      &change->options);
	pool_bound_fit();
	pool_era_ends();
	plat_mutex_unlock(PLAT_REGISTRY);
}

static size_t item_length(const char *text)
{
	size_t len = 0;

	while (text[len] && text[len] != ',')
		len++;
	return len;
}

/*
 * Set options from a list of words and values: "word,key=value,...".  "help" prints all options,
 * in the log of the kernel or to stderr.  @where is what the log calls the text.
 *
 * @strict: one wrong item refuses the whole text.  Otherwise a warning names the item, and it is
 * ignored.  False: refused, with nothing changed.  One line in the log names each wrong item.
 */
bool pool_options_set(const char *text, const char *where, bool strict)
{
	struct pool_change change;
	enum pool_item item;
	bool good = true, help = false;
	char shown[64], late[LATE_LEN];
	size_t len;

	pool_change_begin(&change, false);
	for (; good && *text; text += len + (text[len] == ',')) {
		len = item_length(text);
		item = pool_change_item(&change, text, len);
		help = help || item == POOL_ITEM_HELP;
		if (item != POOL_ITEM_WRONG)
			continue;
		pool_printable(shown, sizeof(shown), text, len);
		plat_log(strict ? PLAT_ERR : PLAT_WARN,
			 "%s: %s: \"%s\"", where, change.why, shown);
		good = !strict;
	}
	if (!good)
		return false;
	pool_change_apply(&change, late, sizeof(late));
	if (*late)
		plat_log(PLAT_WARN, "%s: %s", where, late);
	if (help) {
		plat_log(PLAT_WARN, "%s: help: the options, as they are now:",
			 where);
		pool_help_print();
	}
	return true;
}

/*
 * Read the first item of a command line: nothing sets poison, and a number is its byte.  A
 * negative number clears poison.
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

/* As pool_parse_debugging(); @first: the first item may be the byte of poison. */
int pool_options_read(const char *words, bool first, char *text, size_t size)
{
	enum pool_item item = words ? POOL_ITEM_GOOD : POOL_ITEM_WRONG;
	struct pool_change change;
	char shown[64] = "";
	size_t len;

	pool_change_begin(&change, false);
	for (; item == POOL_ITEM_GOOD && (first || *words);
	     words += len + (words[len] == ','), first = false) {
		len = item_length(words);
		item = first ? first_item(&change, words, len) :
			       pool_change_item(&change, words, len);
		pool_printable(shown, sizeof(shown), words, len);
	}
	if (!text)
		size = 0;
	if (item == POOL_ITEM_HELP) {
		pool_debug_help_to_buf(text, size);
		return -1;
	}
	if (item == POOL_ITEM_WRONG) {
		snprintf(text, size, "%s: \"%s\"", change.why, shown);
		return -2;
	}
	pool_change_apply(&change, text, size);
	return 1;
}

int pool_parse_debugging(const char *words, char *text, size_t size)
{
	return pool_options_read(words, true, text, size);
}

bool pool_configure(const char *options)
{
	if (options)
		return pool_options_set(options, "pool_configure", true);
	plat_log(PLAT_ERR, "options that are NULL are refused");
	return false;
}

bool pool_set_hot_size(unsigned long bytes)
{
	if (bytes > POOL_CACHE_SIZE_MAX) {
		plat_log(PLAT_ERR, "hot size %lu is refused: at most %lu",
			 bytes, POOL_CACHE_SIZE_MAX);
		return false;
	}
	plat_write(&pool_options.hot_size, bytes);
	pool_bound_fit();
	return true;
}
