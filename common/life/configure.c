// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * configure.c - set options from lists of words and values
 *
 * Layer:   above options/, which reads the text; beside apply.c.
 * Context: process context; may sleep.
 *
 * A text is read into a change.  The change is applied as a whole or not at all.
 */
#include "seam/plat.h"
#include "options/options.h"

/*
 * Set options from a list of words and values: "word,key=value,...".  "help" prints all options,
 * in the log of the kernel or to stderr.  @where is what the log calls the text.
 *
 * @strict: one wrong item refuses the whole text.  Otherwise a warning names the item, and it is
 * ignored.  False: refused, with nothing changed.  One line in the log names each wrong item.
 */
bool pool_options_set(const char *text, const char *where, bool strict)
{
	struct pool_text t = { .rest = text, .rules = POOL_TEXT_LIST };
	struct pool_change change;
	enum pool_item item;
	bool good = true, help = false;
	char late[LATE_LEN];

	pool_change_begin(&change, false);
	while (good && (item = pool_text_item(&t, &change)) != POOL_ITEM_END) {
		help = help || item == POOL_ITEM_HELP;
		if (item != POOL_ITEM_WRONG)
			continue;
		plat_log(strict ? PLAT_ERR : PLAT_WARN,
			 "%s: %s: \"%s\"", where, change.why, t.shown);
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

/* Read options as pool_parse_debugging() does; @first: the first item may be the byte of poison. */
int pool_options_read(const char *words, bool first, char *text, size_t size)
{
	struct pool_text t = { .rest = words, .rules = first ? POOL_TEXT_LINE : POOL_TEXT_LIST };
	enum pool_item item = words ? POOL_ITEM_GOOD : POOL_ITEM_WRONG;
	struct pool_change change;

	pool_change_begin(&change, false);
	while (item == POOL_ITEM_GOOD)
		item = pool_text_item(&t, &change);
	if (!text)
		size = 0;
	if (item == POOL_ITEM_HELP) {
		pool_debug_help_to_buf(text, size);
		return -1;
	}
	if (item == POOL_ITEM_WRONG) {
		snprintf(text, size, "%s: \"%s\"", change.why, t.shown);
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
