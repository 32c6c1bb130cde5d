// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * option_table.c - the tables of options: words, and keys that have values
 *
 * Layer:   beside the registry.
 * Context: process context.
 *
 * The parser, the help, the environment variable, the module's parameters, the debugfs files and a
 * page of Documentation are made from them.  The rows of words are those of debug/words.h.
 */
#include "seam/plat.h"
#include "options.h"

#define ROW(a, flag, word, opposite, sets, clears, is, help) \
	{ word, opposite, POOL_D_##flag, sets, clears, is, help },

const struct pool_word pool_option_table[] = {
	POOL_WORDS(ROW, 0)
	{ NULL, NULL, 0, 0, 0, 0, NULL },
};

/* The names of POOL_IS_*, in the order of their bits. */
static const char * const properties[] = {
	"checked", "slow", "looks", "touches", "fixed", "exact", "callers", "common",
};

#define AT(member)	offsetof(struct pool_options, member)

const struct pool_key pool_keys[POOL_KEYS] = {
	[POOL_KEY_HOT_SIZE] = { "hot_size", POOL_KEY_WIDE, AT(hot_size),
		0, POOL_CACHE_SIZE_MAX, 0, "0",
		"bytes that each CPU may cache" },
	[POOL_KEY_MAX_CACHED] = { "max_cached", POOL_KEY_WIDE, AT(max_cached),
		0, POOL_CACHE_SIZE_MAX, 0, "0",
		"bytes that all CPUs may cache; 0: any" },
	[POOL_KEY_BUCKETS] = { "buckets", POOL_KEY_POWER, AT(buckets),
		1, POOL_BUCKETS_MAX, 0, "by CPUs",
		"lists of a shared pool" },
	[POOL_KEY_CLUSTER] = { "cluster", POOL_KEY_NUMBER, AT(cluster),
		1, POOL_CLUSTER_SIZE, 0, "0",
		"objects that move at once" },
	[POOL_KEY_FAIL_ALLOC] = { "fail_alloc", POOL_KEY_NUMBER,
		AT(fail_percent), 0, 100, POOL_D_FAIL, "0",
		"percent of allocations that fail" },
	[POOL_KEY_FAIL_EVERY] = { "fail_every", POOL_KEY_NUMBER,
		AT(fail_every), 0, POOL_CACHE_SIZE_MAX, POOL_D_FAIL, "0",
		"every n-th fails; 0: none" },
	[POOL_KEY_FAIL_SITE] = { "fail_site", POOL_KEY_TEXT, AT(fail_site),
		0, POOL_SITE_LEN, 0, "any",
		"only those of this function" },
	[POOL_KEY_POISON] = { "poison", POOL_KEY_NUMBER, AT(poison),
		0, 255, POOL_D_POISON, "0",
		"what objects are filled with" },
	[POOL_KEY_UAF_KEEP] = { "uaf_keep", POOL_KEY_WIDE, AT(uaf_keep),
		0, POOL_CACHE_SIZE_MAX, 0, "0",
		"bytes of addresses not used again" },
	[POOL_KEY_FAULTS] = { "faults", POOL_KEY_POLICY, AT(policy),
		0, 0, 0, NULL,
		"what is done about a fault" },
};

/* Find a word by itself or by its opposite; NULL: there is none. */
const struct pool_word *pool_word_find(const char *text, size_t len,
				       bool *opposite)
{
	const struct pool_word *word;

	for (word = pool_option_table; word->word; word++) {
		*opposite = pool_spells(text, len, word->opposite);
		if (*opposite || pool_spells(text, len, word->word))
			return word;
	}
	return NULL;
}

/* Write the names of a word's properties, with blanks between. */
size_t pool_word_properties(const struct pool_word *word, char *buf, size_t size)
{
	size_t len = 0;
	unsigned int i;

	snprintf(buf, size, "%s", "");
	for (i = 0; i < sizeof(properties) / sizeof(*properties) && len < size; i++)
		if (word->is & 1u << i)
			len += snprintf(buf + len, size - len, "%s%s", len ? " " : "",
					properties[i]);
	return len;
}

const struct pool_key *pool_key_find(const char *text, size_t len)
{
	unsigned int i;

	for (i = 0; i < POOL_KEYS; i++)
		if (pool_spells(text, len, pool_keys[i].key))
			return &pool_keys[i];
	return NULL;
}

static unsigned int digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	c |= 'a' - 'A';
	return c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 : 16;
}

/* Return by how many bits a unit at the end of a number shifts the number; 0: no unit. */
static unsigned int unit_shift(char c)
{
	switch (c) {
	case 'k':
	case 'K':
		return 10;
	case 'm':
	case 'M':
		return 20;
	case 'g':
	case 'G':
		return 30;
	default:
		return 0;
	}
}

/* Read digits, also after 0x, and a unit; false: no number, or far too large. */
static bool read_number(const char *text, size_t len, unsigned long *value)
{
	unsigned int base = 10, shift = len ? unit_shift(text[len - 1]) : 0;
	unsigned long n = 0;

	len -= !!shift;
	if (len > 2 && text[0] == '0' && text[1] == 'x') {
		base = 16;
		text += 2;
		len -= 2;
	}
	if (!len)
		return false;
	for (; len; len--, text++) {
		if (digit(*text) >= base || n > POOL_CACHE_SIZE_MAX / base)
			return false;
		n = n * base + digit(*text);
	}
	*value = n << shift;
	return n <= POOL_CACHE_SIZE_MAX >> shift;
}

static bool read_policy(const char *text, size_t len, unsigned int *to)
{
	const struct plat_policy *policy;

	for (policy = plat_policies; policy->word; policy++) {
		if (!pool_spells(text, len, policy->word))
			continue;
		*to = policy->policy;
		return true;
	}
	return false;
}

/* Copy a text and fill it up with zeros, so that two texts can be compared bytewise. */
static bool read_text(const char *text, size_t len, char *to, size_t max)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	for (i = 0; i <= max && len <= max; i++)
		to[i] = 0;
	for (i = 0; i < len && len <= max; i++)
		to[i] = text[i];
	return len <= max;
}

/*
 * Read a key's value from a text into @options.  False: the text is no value of this key, or out of
 * range, and @options is unchanged.
 */
bool pool_key_read(const struct pool_key *key, struct pool_options *options,
		   const char *text, size_t len)
{
	void *to = (char *)options + key->offset;
	unsigned long value;

	if (key->kind == POOL_KEY_TEXT)
		return read_text(text, len, to, key->max);
	if (key->kind == POOL_KEY_POLICY)
		return read_policy(text, len, to);
	if (!read_number(text, len, &value) || value < key->min ||
	    value > key->max)
		return false;
	if (key->kind == POOL_KEY_POWER && (value & (value - 1)))
		return false;
	if (key->kind == POOL_KEY_WIDE)
		*(unsigned long *)to = value;
	else
		*(unsigned int *)to = (unsigned int)value;
	return true;
}

/* Copy a value.  @to or @from may be the options in force, which others read meanwhile. */
void pool_key_copy(const struct pool_key *key, struct pool_options *to,
		   const struct pool_options *from)
{
	const void *src = (const char *)from + key->offset;
	void *dst = (char *)to + key->offset;
	size_t i = 0;
	char c;

	if (key->kind == POOL_KEY_WIDE) {
		plat_write((unsigned long *)dst, plat_read((const unsigned long *)src));
	} else if (key->kind != POOL_KEY_TEXT) {
		plat_write((unsigned int *)dst, plat_read((const unsigned int *)src));
	} else {
		do {
			c = plat_read((const char *)src + i);
			plat_write((char *)dst + i, c);
		} while (++i < key->max && c);
	}
}

static const char *policy_word(unsigned int policy)
{
	const struct plat_policy *p = plat_policies;

	while (p->word && p->policy != policy)
		p++;
	return p->word ? p->word : "?";
}

/* Write a value as text that pool_key_read() reads; 0 and "" are written as @zero. */
size_t pool_key_format(const struct pool_key *key,
		       const struct pool_options *options, char *buf,
		       size_t size)
{
	const void *from = (const char *)options + key->offset;
	unsigned long value;

	if (key->kind == POOL_KEY_TEXT)
		return snprintf(buf, size, "%s", *(const char *)from ?
				(const char *)from : key->zero);
	value = key->kind == POOL_KEY_WIDE ? *(const unsigned long *)from :
					     *(const unsigned int *)from;
	if (key->kind == POOL_KEY_POLICY)
		return snprintf(buf, size, "%s",
				policy_word((unsigned int)value));
	if (!value)
		return snprintf(buf, size, "%s", key->zero);
	return snprintf(buf, size, "%lu", value);
}

/* Write the range of values that a key accepts. */
size_t pool_key_range(const struct pool_key *key, char *buf, size_t size)
{
	const struct plat_policy *p;
	size_t len = 0;

	if (key->kind == POOL_KEY_TEXT)
		return snprintf(buf, size, "up to %lu bytes", key->max);
	if (key->kind == POOL_KEY_POWER)
		return snprintf(buf, size, "%lu-%lu, powers of 2", key->min,
				key->max);
	if (key->kind == POOL_KEY_WIDE)
		return snprintf(buf, size, "%lu-%lug", key->min, key->max >> 30);
	if (key->kind != POOL_KEY_POLICY)
		return snprintf(buf, size, "%lu-%lu", key->min, key->max);
	for (p = plat_policies; p->word && len < size; p++)
		len += snprintf(buf + len, size - len, "%s%s",
				p == plat_policies ? "" : "|", p->word);
	return len;
}
