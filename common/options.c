// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * options.c - load-time options: words and values
 *
 * Layer:   beside the registry.
 * Called:  by users, through pool.h; the platforms' start-up code.
 * Calls:   the seam.
 * Context: process context; may sleep.
 *
 * One table drives the parser.  Options hold for pools created from then on,
 * but for the byte bound, which holds at once.
 */
#include "plat.h"

/*
 * Registry mutex to write and to read, but for hot_size, which is read alone by
 * slow paths and stands for itself.
 */
struct pool_options pool_options = {
	.hot_size = POOL_CACHE_SIZE,
	.debug = POOL_DEBUG_DEFAULT,
	.poison = 0x50,
	.buckets = POOL_BUCKETS,
	.cluster = POOL_CLUSTER_SIZE,
};

/* Words: what they set and what they clear of the option word. */
static const struct {
	const char *word;
	unsigned int set;
	unsigned int clear;
} words[] = {
	{ "global", 0, POOL_D_NO_GLOBAL },
	{ "no-global", POOL_D_NO_GLOBAL, 0 },
	{ "cache", 0, POOL_D_NO_CACHE },
	{ "no-cache", POOL_D_NO_CACHE, 0 },
	{ "merge", 0, POOL_D_NO_MERGE },
	{ "no-merge", POOL_D_NO_MERGE, 0 },
	{ "merge-modules", POOL_D_MERGE_MODULES, 0 },
	{ "no-merge-modules", 0, POOL_D_MERGE_MODULES },
	{ NULL, 0, 0 },
};

/* Keys, with their ranges. */
enum option_key {
	KEY_HOT_SIZE,
	KEY_BUCKETS,
	KEY_CLUSTER,
	KEYS,
};

static const struct {
	const char *key;
	unsigned long min;
	unsigned long max;
} keys[KEYS] = {
	[KEY_HOT_SIZE] = { "hot_size", 0, POOL_CACHE_SIZE_MAX },
	[KEY_BUCKETS] = { "buckets", 1, POOL_BUCKETS_MAX },
	[KEY_CLUSTER] = { "cluster", 1, POOL_CLUSTER_SIZE },
};

/**
 * pool_printable() - What can be shown of a text in one line of a log.
 * @to: filled in and terminated.
 * @size: its bytes.
 * @text: ends at a NUL or after @len bytes.
 * @len: see @text.
 */
void pool_printable(char *to, size_t size, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i + 1 < size && i < len && text[i]; i++)
		to[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	to[i] = 0;
}

/* Do @len bytes of text spell @word? */
static bool spells(const char *text, size_t len, const char *word)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!word[i] || text[i] != word[i])
			return false;
	return !word[len];
}

/* Read digits and an optional k or m; false: not a number, or far too large. */
static bool read_number(const char *text, size_t len, unsigned long *value)
{
	unsigned long n = 0;
	unsigned int shift = 0;

	if (len && (text[len - 1] == 'k' || text[len - 1] == 'm'))
		shift = text[--len] == 'k' ? 10 : 20;
	if (!len)
		return false;
	for (; len; len--, text++) {
		if (*text < '0' || *text > '9' ||
		    n > POOL_CACHE_SIZE_MAX / 10)
			return false;
		n = n * 10 + (unsigned long)(*text - '0');
	}
	if (n > POOL_CACHE_SIZE_MAX >> shift)
		return false;
	*value = n << shift;
	return true;
}

static bool set_word(struct pool_options *options, const char *text,
		     size_t len)
{
	size_t i;

	for (i = 0; words[i].word; i++) {
		if (!spells(text, len, words[i].word))
			continue;
		options->debug &= ~words[i].clear;
		options->debug |= words[i].set;
		return true;
	}
	return false;
}

static bool set_key(struct pool_options *options, const char *text,
		    size_t name, size_t len)
{
	unsigned long value;
	unsigned int i;

	for (i = 0; i < KEYS; i++)
		if (spells(text, name, keys[i].key))
			break;
	if (i == KEYS || !read_number(text + name + 1, len - name - 1, &value) ||
	    value < keys[i].min || value > keys[i].max)
		return false;
	if (i == KEY_BUCKETS && (value & (value - 1)))
		return false;
	if (i == KEY_HOT_SIZE)
		options->hot_size = value;
	else if (i == KEY_BUCKETS)
		options->buckets = (unsigned int)value;
	else
		options->cluster = (unsigned int)value;
	return true;
}

/* One item of the list. */
static bool set_item(struct pool_options *options, const char *text,
		     size_t len)
{
	size_t name = 0;

	while (name < len && text[name] != '=')
		name++;
	if (name == len)
		return set_word(options, text, len);
	return set_key(options, text, name, len);
}

/* Copy all options.  Registry mutex held, which hot_size's writers do not take. */
void pool_options_get(struct pool_options *options)
{
	options->hot_size = plat_read(&pool_options.hot_size);
	options->debug = pool_options.debug;
	options->buckets = pool_options.buckets;
	options->cluster = pool_options.cluster;
}

/* Only what this text changes: others may have set the rest meanwhile. */
static void store_changes(const struct pool_options *before,
			  const struct pool_options *now)
{
	if (now->hot_size != before->hot_size)
		plat_write(&pool_options.hot_size, now->hot_size);
	if (now->debug != before->debug)
		pool_options.debug = now->debug;
	if (now->buckets != before->buckets)
		pool_options.buckets = now->buckets;
	if (now->cluster != before->cluster)
		pool_options.cluster = now->cluster;
}

/**
 * pool_options_set() - Set options from a list of words and values.
 * @text: "word,key=value,...".
 * @where: what to call the text in the log.
 * @strict: one wrong item refuses the whole text.  Else it is warned of and
 *	passed over.
 *
 * Return: false, with nothing changed, if refused.  One line in the log names
 * each wrong item.
 */
bool pool_options_set(const char *text, const char *where, bool strict)
{
	struct pool_options before, options;
	char shown[64];
	bool good = true;

	plat_registry_lock();
	pool_options_get(&before);
	plat_registry_unlock();
	options = before;
	while (good && *text) {
		size_t len = 0;

		while (text[len] && text[len] != ',')
			len++;
		if (!set_item(&options, text, len)) {
			pool_printable(shown, sizeof(shown), text, len);
			plat_log(strict ? PLAT_ERR : PLAT_WARN,
				 "%s: unknown word or value out of range: \"%s\"",
				 where, shown);
			good = !strict;
		}
		text += len;
		if (*text)
			text++;
	}
	if (!good)
		return false;
	plat_registry_lock();
	store_changes(&before, &options);
	plat_registry_unlock();
	return true;
}

bool pool_configure(const char *options)
{
	return options && pool_options_set(options, "pool_configure", true);
}

bool pool_set_hot_size(unsigned long bytes)
{
	if (bytes > POOL_CACHE_SIZE_MAX) {
		plat_log(PLAT_ERR, "hot size %lu is refused: at most %lu",
			 bytes, POOL_CACHE_SIZE_MAX);
		return false;
	}
	plat_write(&pool_options.hot_size, bytes);
	return true;
}
