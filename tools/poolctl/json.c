// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * json.c - a dump as JSON becomes a table
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * Keys that are not known are passed over, with whatever they have.
 */
#include "poolctl.h"

#include <ctype.h>
#include <string.h>

/* Longer than any key, and than the text of a creation. */
#define STRING_MOST	512

/* Arrays and objects within each other. */
#define DEPTH_MOST	8

struct json {
	const char *at;
	struct table *t;
	unsigned int depth;
};

/* What is read next.  White space is passed over. */
static char next(struct json *j)
{
	while (*j->at && strchr(" \t\r\n", *j->at))
		j->at++;
	return *j->at;
}

static bool consume(struct json *j, char c)
{
	if (next(j) != c)
		return false;
	j->at++;
	return true;
}

/* After the backslash.  Of \u only what the dumps write: one byte. */
static bool parse_escape(struct json *j, char *c)
{
	unsigned int n;
	int len = 0;

	if (*j->at == '"' || *j->at == '\\') {
		*c = *j->at++;
		return true;
	}
	if (sscanf(j->at, "u00%2x%n", &n, &len) != 1 || len != 5)
		return false;
	*c = (char)n;
	j->at += len;
	return true;
}

static bool parse_string(struct json *j, char *text)
{
	size_t len = 0;

	if (!consume(j, '"'))
		return false;
	while (*j->at && *j->at != '"' && len + 1 < STRING_MOST) {
		char c = *j->at++;

		if (c == '\\' && !parse_escape(j, &c))
			return false;
		text[len++] = c;
	}
	text[len] = 0;
	return *j->at == '"' && j->at++;
}

/* A number, true, false or null. */
static bool parse_word(struct json *j, char *text)
{
	size_t len = 0;

	for (next(j); isalnum((unsigned char)*j->at) || strchr("+-.", *j->at); j->at++) {
		if (!*j->at || len + 1 == STRING_MOST)
			break;
		text[len++] = *j->at;
	}
	text[len] = 0;
	return len;
}

/*
 * Take an array or an object, and each value in it by a function.  @key is "" in an
 * array.
 */
static bool parse_all(struct json *j, bool (*value)(struct json *j, const char *key))
{
	bool object = next(j) == '{';
	char key[STRING_MOST] = "";
	bool good = true;

	if (!consume(j, object ? '{' : '[') || ++j->depth > DEPTH_MOST)
		return false;
	if (next(j) != (object ? '}' : ']')) {
		do
			good = (!object || (parse_string(j, key) && consume(j, ':'))) &&
			       value(j, key);
		while (good && consume(j, ','));
	}
	j->depth--;
	return good && consume(j, object ? '}' : ']');
}

static bool pass_over(struct json *j, const char *key)
{
	char text[STRING_MOST];

	(void)key;
	if (next(j) == '{' || *j->at == '[')
		return parse_all(j, pass_over);
	return *j->at == '"' ? parse_string(j, text) : parse_word(j, text);
}

static struct entry *last(struct json *j)
{
	return &j->t->pools[j->t->n - 1];
}

static bool parse_detail(struct json *j, const char *key)
{
	char text[STRING_MOST];

	(void)key;
	if (!parse_string(j, text))
		return false;
	entry_detail(last(j), text, strlen(text));
	return true;
}

/* A name of the library has at most 11 bytes, which may be more as UTF-8. */
static bool parse_number_of_pool(struct json *j, const char *key)
{
	char text[STRING_MOST];

	if (!strcmp(key, "name")) {
		if (!parse_string(j, text))
			return false;
		snprintf(last(j)->s.name, sizeof(last(j)->s.name), "%.*s",
			 (int)sizeof(last(j)->s.name) - 1, text);
		return true;
	}
	if (!strcmp(key, "registered"))
		return parse_all(j, parse_detail);
	if (next(j) < '0' || *j->at > '9')
		return pass_over(j, key);
	return parse_word(j, text) && entry_set(last(j), key, text);
}

static bool parse_pool(struct json *j, const char *key)
{
	(void)key;
	table_add(j->t);
	return parse_all(j, parse_number_of_pool) && *last(j)->s.name;
}

static bool parse_key(struct json *j, const char *key)
{
	if (!strcmp(key, "pools"))
		return next(j) == '[' && parse_all(j, parse_pool);
	if (!strcmp(key, "truncated"))
		j->t->cut = next(j) == 't';
	if (!strcmp(key, "total"))
		j->t->whole = true;
	return pass_over(j, key);
}

/* Read a dump, and go to what is behind it; false: it is none. */
bool table_read_json(struct table *t, char **text)
{
	struct json j = { .at = *text, .t = t };
	bool good;

	*t = (struct table){ .n = 0 };
	good = next(&j) == '{' && parse_all(&j, parse_key);
	next(&j);
	t->whole = t->whole && !t->cut;
	*text += j.at - *text;
	return good;
}
