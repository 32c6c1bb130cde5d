// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * options.c - the options, and a change of them that a text asks for
 *
 * Layer:   beside the registry.
 * Context: process context; may sleep.
 *
 * A text is read into a change; configure.c and live.c apply the change.
 */
#include "seam/plat.h"
#include "options.h"

#define BUILT {								\
	.hot_size = POOL_CACHE_SIZE,					\
	.uaf_keep = POOL_UAF_KEEP,					\
	.debug = POOL_DEBUG_DEFAULT,					\
	.buckets = POOL_BUCKETS,					\
	.cluster = POOL_CLUSTER_SIZE,					\
	.poison = 0x50,							\
	.policy = PLAT_POLICY,						\
}

/* The options that this was built with. */
const struct pool_options pool_options_built = BUILT;

/* The options in force; struct pool_options says how they are written and read. */
struct pool_options pool_options = BUILT;

/* The document's variable: a copy of pool_options.debug, for programs to read. */
unsigned int pool_debugging = POOL_DEBUG_DEFAULT;

/* Set when the platform starts; a program may make pools before that. */
struct pool_start pool_start = { .cpus = 1, .page = 4096, .nodes = 1 };

/* Record what the platform found at its start, and set the options that tools need. */
void pool_options_start(const struct pool_start *start)
{
	pool_start = *start;
	if (!start->debug)
		return;
	pool_options.debug |= start->debug;
	plat_write(&pool_debugging, pool_options.debug);
}

/*
 * Copy a text, which ends at a NUL or after @len bytes, so that one line of a log can show it.
 * @to is terminated.
 */
void pool_printable(char *to, size_t size, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i + 1 < size && i < len && text[i]; i++)
		to[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	to[i] = 0;
}

/* Copy all options.  Registry mutex held, but writers of hot_size do not lock it. */
void pool_options_get(struct pool_options *options)
{
	unsigned int i;

	*options = pool_options_built;
	options->debug = pool_options.debug;
	for (i = 0; i < POOL_KEYS; i++)
		pool_key_copy(&pool_keys[i], options, &pool_options);
}

/* Copy all options, for callers that do not hold the registry mutex. */
void pool_options_look(struct pool_options *options)
{
	plat_mutex_lock(PLAT_REGISTRY);
	pool_options_get(options);
	plat_mutex_unlock(PLAT_REGISTRY);
}

/* Begin a change, with nothing to change.  @one: for one pool only. */
void pool_change_begin(struct pool_change *change, bool one)
{
	*change = (struct pool_change){ .one = one, .why = "no words" };
	pool_options_look(&change->options);
}

static void change_flags(struct pool_change *change, unsigned int set,
			 unsigned int clear)
{
	change->set = (change->set & ~clear) | set;
	change->clear = (change->clear | clear) & ~set;
	change->options.debug = (change->options.debug & ~clear) | set;
}

/*
 * Set a rate of failures for the word "fail" if there is none, and clear it for "no-fail"; not in a
 * change of one pool, since other pools may use the rate.
 */
static void change_rate(struct pool_change *change, bool fail)
{
	struct pool_options *options = &change->options;

	if (fail ? options->fail_percent || options->fail_every : change->one)
		return;
	options->fail_percent = fail;
	options->fail_every = 0;
	change->live |= POOL_D_FAIL;
	change->touched |= 1u << POOL_KEY_FAIL_ALLOC |
			   1u << POOL_KEY_FAIL_EVERY;
}

/* Add to a change the flags that a word, or its opposite, sets and clears. */
void pool_change_word(struct pool_change *change, const struct pool_word *word,
		      bool opposite)
{
	if (opposite) {
		change_flags(change, 0, word->flag | word->clears_too);
		change->live &= ~(word->flag | word->clears_too);
	} else {
		change_flags(change, word->flag | word->sets_too, 0);
	}
	if (word->flag & POOL_D_FAIL)
		change_rate(change, !opposite);
}

static bool change_key(struct pool_change *change, const struct pool_key *key,
		       const char *text, size_t len)
{
	struct pool_options *options = &change->options;

	if (!pool_key_read(key, options, text, len))
		return false;
	change->touched |= 1u << (key - pool_keys);
	change->live |= key->flag;
	if (key->flag == POOL_D_FAIL && !options->fail_percent &&
	    !options->fail_every)
		change_flags(change, 0, POOL_D_FAIL);
	else
		change_flags(change, key->flag, 0);
	return true;
}

/* Refuse an item.  @key: the key that it names; NULL: it names no key and no word. */
static enum pool_item refuse_item(struct pool_change *change,
				  const struct pool_key *key)
{
	char range[32];

	snprintf(change->why, sizeof(change->why), "unknown word or key");
	if (key) {
		pool_key_range(key, range, sizeof(range));
		snprintf(change->why, sizeof(change->why), "%s is %s", key->key, range);
	}
	return POOL_ITEM_WRONG;
}

/*
 * Add to a change what one item of a text says: a word, or key=value.  A wrong item changes
 * nothing but @change->why.
 */
enum pool_item pool_change_item(struct pool_change *change, const char *text,
				size_t len)
{
	const struct pool_word *word;
	const struct pool_key *key;
	bool opposite;
	size_t name = 0;

	if (pool_spells(text, len, "help"))
		return POOL_ITEM_HELP;
	while (name < len && text[name] != '=')
		name++;
	if (name == len) {
		word = pool_word_find(text, len, &opposite);
		if (word)
			pool_change_word(change, word, opposite);
		return word ? POOL_ITEM_GOOD : refuse_item(change, NULL);
	}
	key = pool_key_find(text, name);
	if (!key || !change_key(change, key, text + name + 1, len - name - 1))
		return refuse_item(change, key);
	return POOL_ITEM_GOOD;
}
