// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump_names.c - names in dumps: as a word, in JSON, as a label, and to match
 *
 * Layer:   above dump.c, below the writers.
 * Context: process context; the dump mutex is held where there is a struct pool_dump.
 *
 * JSON and Prometheus have escapes of their own, and accept UTF-8.  Bytes that are no UTF-8, such
 * as half of a character that was cut, become U+FFFD, the replacement character.
 */
#include "seam/plat.h"
#include "dump.h"

#define REPLACEMENT	"\xef\xbf\xbd"

/* Write the @n bytes of one character. */
static void put_bytes(struct pool_dump *d, const char *from, unsigned int n)
{
	char text[5] = "";
	unsigned int i;

	for (i = 0; i < n; i++)
		text[i] = from[i];
	pool_dump_put(d, text);
}

/* True if @c is a byte from @min to @max. */
static bool is_next(char c, unsigned int min, unsigned int max)
{
	return (unsigned char)c >= min && (unsigned char)c <= max;
}

/*
 * Return the length of the UTF-8 character of more than one byte at @text; 0: there is none.
 * The second byte shows overlong forms, surrogates and values above U+10FFFF, which
 * are not UTF-8.
 */
static unsigned int utf8_length(const char *text)
{
	unsigned int first = (unsigned char)*text;
	unsigned int min = 0x80, max = 0xbf, len, i;

	if (first < 0xc2 || first > 0xf4)
		return 0;
	len = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	if (first == 0xe0)
		min = 0xa0;
	else if (first == 0xed)
		max = 0x9f;
	else if (first == 0xf0)
		min = 0x90;
	else if (first == 0xf4)
		max = 0x8f;
	if (!is_next(text[1], min, max))
		return 0;
	for (i = 2; i < len; i++)
		if (!is_next(text[i], 0x80, 0xbf))
			return 0;
	return len;
}

/*
 * Write the character at @text, which is no control, behind a backslash if it needs one in quotes.
 * Returns how many bytes of @text it used.
 */
static unsigned int put_character(struct pool_dump *d, const char *text)
{
	unsigned int len = (unsigned char)*text > 0x7f ? utf8_length(text) : 1;

	if (*text == '"' || *text == '\\')
		pool_dump_put(d, "\\");
	if (len)
		put_bytes(d, text, len);
	else
		pool_dump_put(d, REPLACEMENT);
	return len ? len : 1;
}

/*
 * Return the length of the control character at @text; 0: there is none.  Terminals also act on
 * U+0080 to U+009F, whose second byte is the character's number.
 */
static unsigned int control_length(const char *text)
{
	unsigned char c = (unsigned char)*text;

	if (c == 0xc2 && is_next(text[1], 0x80, 0x9f))
		return 2;
	return c < ' ' || c == 0x7f;
}

void pool_dump_json_string(struct pool_dump *d, const char *text)
{
	unsigned int len;
	char code[8];

	pool_dump_put(d, "\"");
	for (; *text; text += len) {
		len = control_length(text);
		if (len) {
			snprintf(code, sizeof(code), "\\u%04x", (unsigned char)text[len - 1]);
			pool_dump_put(d, code);
		} else {
			len = put_character(d, text);
		}
	}
	pool_dump_put(d, "\"");
}

/*
 * Write the value of a Prometheus label, with its quotes.  Control characters become
 * U+FFFD: the format has no escape for them, and some readers end the line at one.
 */
void pool_dump_label(struct pool_dump *d, const char *text)
{
	unsigned int len;

	pool_dump_put(d, "\"");
	for (; *text; text += len) {
		len = control_length(text);
		if (!len)
			len = put_character(d, text);
		else
			pool_dump_put(d, *text == '\n' ? "\\n" : REPLACEMENT);
	}
	pool_dump_put(d, "\"");
}

/* Write the name of a pool as a word. */
void pool_dump_name(struct pool_dump *d, const char *name)
{
	char shown[POOL_SHOWN_LEN + 1];

	pool_show_name(shown, name);
	pool_dump_put(d, shown);
}

/* True if a pool's name begins with @prefix, as it is or as it is shown. */
bool pool_dump_name_matches(const char *name, const char *prefix)
{
	char shown[POOL_SHOWN_LEN + 1];

	pool_show_name(shown, name);
	return pool_dump_matches(shown, prefix) ||
	       pool_dump_matches(name, prefix);
}
