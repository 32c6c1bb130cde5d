// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * names.c - shorten, compare and encode names of pools
 *
 * Layer:   beside the four.
 * Context: any; nothing is allocated.
 *
 * Any text may be a name, and a pool keeps the first bytes of it.  In columns, in the log, as a
 * folder of debugfs and in a kmem_cache's name it must be one word without quotes, so it is shown
 * percent-encoded, as in a URL.  Different names are shown differently.
 */
#include "seam/plat.h"

/* Copy as much of a name as a pool keeps. */
void pool_copy_name(char *to, const char *name)
{
	unsigned int i;

	for (i = 0; i < POOL_NAME_LEN && name[i]; i++)
		to[i] = name[i];
	to[i] = 0;
}

/*
 * Return a hash of a whole name, also of the bytes that a pool does not keep: FNV-1a, 64 bits.
 */
unsigned long long pool_name_sum(const char *name)
{
	unsigned long long sum = 0xcbf29ce484222325ull;

	while (*name)
		sum = (sum ^ (unsigned char)*name++) * 0x100000001b3ull;
	return sum;
}

/* True if @len bytes of text are @word. */
bool pool_spells(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}

/*
 * True if a character may stand in a name as it is shown: not one with a meaning in quotes, in a
 * path or in URL encoding, nor "~", which separates a name from an id in pool_show_exact().
 */
static bool is_plain(char c)
{
	return c > ' ' && c <= '~' && c != '"' && c != '\\' && c != '/' &&
	       c != '%' && c != '~';
}

/*
 * Write a name as one word of printable ASCII; only as much as pool_copy_name() keeps is shown.
 * @to has POOL_SHOWN_LEN + 1 bytes, and is terminated.  A "." at the beginning is encoded: it would
 * hide a folder, or name an existing one.
 */
void pool_show_name(char *to, const char *name)
{
	static const char digits[] = "0123456789ABCDEF";
	unsigned int i;

	for (i = 0; i < POOL_NAME_LEN && name[i]; i++) {
		unsigned char c = (unsigned char)name[i];

		if (is_plain(name[i]) && (i || c != '.')) {
			*to++ = name[i];
			continue;
		}
		*to++ = '%';
		*to++ = digits[c >> 4];
		*to++ = digits[c & 15];
	}
	*to = 0;
}

/*
 * Write NAME~ID, which selects one of several pools of a name.  @shown is the name, by
 * pool_show_name(); @to has POOL_EXACT_LEN + 1 bytes, and is terminated.
 */
void pool_show_exact(char *to, const char *shown, unsigned long long id)
{
	snprintf(to, POOL_EXACT_LEN + 1, "%s~%llu", shown, id);
}
