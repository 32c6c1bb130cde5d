// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ctl_requests.c - the requests of the control socket: a line -> an answer
 *
 * Layer:   above everything; user space only.
 * Context: the thread of ctl.c.
 *
 * The client gets the reason if a request is wrong; the log does not, because a client could flood
 * it.
 */
#include "ctl.h"
#include "seam/plat.h"
#include "options/options.h"
#include "show/dump.h"
#include "show/memstats.h"

#include <stdlib.h>

#define REQUESTS	"pools [WORDS], memstats [WORDS], gc, reclaim, flush NAME, " \
			"debug NAME [WORDS], set OPTIONS, help; NAME may be all"

/* How many bytes a text may grow between its measurement and its writing. */
#define MORE		4096

/* How many times a text that outgrows its buffer is made again before it is cut. */
#define TRIES		4

/* Makes a text whose length is known only afterwards, as dump_pools_to_buf() does. */
typedef size_t (*make_text_t)(char *buf, size_t size, const void *arg);

static bool has_room(struct pool_ctl_answer *answer, size_t size)
{
	free(answer->text);
	answer->text = malloc(size);
	if (!answer->text)
		snprintf(answer->wrong, sizeof(answer->wrong),
			 "no memory for %zu bytes", size);
	return answer->text;
}

static void answer_text(struct pool_ctl_answer *answer, make_text_t make,
			const void *arg)
{
	size_t wanted = make(NULL, 0, arg), size;
	unsigned int tries = TRIES;

	do {
		size = wanted + MORE;
		if (!has_room(answer, size))
			return;
		wanted = make(answer->text, size, arg);
	} while (wanted >= size && --tries);
	answer->len = strlen(answer->text);
}

static size_t make_pools(char *buf, size_t size, const void *options)
{
	return pool_dump(buf, size, options);
}

static void answer_pools(struct pool_ctl_answer *answer, const char *words)
{
	struct pool_dump_options options;

	if (pool_dump_read(&options, words, answer->wrong, sizeof(answer->wrong)))
		answer_text(answer, make_pools, &options);
}

static size_t make_memstats(char *buf, size_t size, const void *options)
{
	return pool_memstats(buf, size, options);
}

/* Answer "memstats" with a table of places; a reset has no text. */
static void answer_memstats(struct pool_ctl_answer *answer, const char *words)
{
	struct pool_memstats_options options;

	if (!pool_memstats_read(&options, words, answer->wrong,
				sizeof(answer->wrong)))
		return;
	if (options.reset)
		pool_memstats(NULL, 0, &options);
	else
		answer_text(answer, make_memstats, &options);
}

static size_t make_help(char *buf, size_t size, const void *arg)
{
	(void)arg;
	return pool_debug_help_to_buf(buf, size);
}

static void answer_help(struct pool_ctl_answer *answer, const char *rest)
{
	(void)rest;
	answer_text(answer, make_help, NULL);
}

static void answer_gc(struct pool_ctl_answer *answer, const char *rest)
{
	(void)answer;
	(void)rest;
	pool_gc(NULL);
}

static void answer_reclaim(struct pool_ctl_answer *answer, const char *rest)
{
	(void)answer;
	(void)rest;
	pool_reclaim(NULL);
}

static void no_pool(struct pool_ctl_answer *answer, const char *name, size_t len)
{
	char shown[64];

	pool_printable(shown, sizeof(shown), name, len);
	snprintf(answer->wrong, sizeof(answer->wrong),
		 "neither \"all\" nor a pool: \"%s\"", shown);
}

static void answer_flush(struct pool_ctl_answer *answer, const char *name)
{
	size_t len = strlen(name);
	bool found = pool_spells(name, len, "all");
	struct pool *pool = NULL;

	while ((pool = pool_registry_named(pool, name, len))) {
		found = true;
		pool_flush(&pool->head);
	}
	if (!found)
		no_pool(answer, name, len);
}

static size_t make_debug(char *buf, size_t size, const void *pool)
{
	return pool_debug_to_buf((struct pool_head *)pool, buf, size);
}

/* Switch the options of a pool, or of all, by @words; without words answer with the options. */
static void debug_one(struct pool_ctl_answer *answer, struct pool_head *pool,
		      const char *words)
{
	if (*words)
		pool_switch_words(pool, words, answer->wrong,
				  sizeof(answer->wrong));
	else
		answer_text(answer, make_debug, pool);
}

/* Answer "debug".  All pools of the name are switched, and the last one's options are shown. */
static void answer_debug(struct pool_ctl_answer *answer, const char *rest)
{
	size_t len = strcspn(rest, " ");
	const char *words = rest + len + strspn(rest + len, " ");
	struct pool *pool = NULL;
	bool found = false;

	if (pool_spells(rest, len, "all")) {
		debug_one(answer, NULL, words);
		return;
	}
	while ((pool = pool_registry_named(pool, rest, len))) {
		found = true;
		debug_one(answer, &pool->head, words);
	}
	if (!found)
		no_pool(answer, rest, len);
}

/* Set options.  Answers with the text of "help" or with warnings, or says which word is wrong. */
static void answer_set(struct pool_ctl_answer *answer, const char *options)
{
	char text[4096];
	int ret = pool_options_read(options, false, text, sizeof(text));

	if (ret == -2) {
		snprintf(answer->wrong, sizeof(answer->wrong), "%.*s",
			 (int)sizeof(answer->wrong) - 1, text);
	} else if (*text) {
		if (!has_room(answer, sizeof(text) + 1))
			return;
		answer->len = (size_t)sprintf(answer->text, "%s%s", text,
					      ret == 1 ? "\n" : "");
	}
}

static const struct {
	const char *word;
	void (*answer)(struct pool_ctl_answer *answer, const char *rest);
	bool alone;			/* no words may follow it */
} requests[] = {
	{ "pools", answer_pools, false },
	{ "memstats", answer_memstats, false },
	{ "gc", answer_gc, true },
	{ "reclaim", answer_reclaim, true },
	{ "flush", answer_flush, false },
	{ "debug", answer_debug, false },
	{ "set", answer_set, false },
	{ "help", answer_help, true },
	{ NULL, NULL, false },
};

/* Answer a request, which has no newline.  The caller frees the text of @answer. */
void pool_ctl_answer(struct pool_ctl_answer *answer, const char *line)
{
	size_t len = strcspn(line, " ");
	const char *rest = line + len + strspn(line + len, " ");
	char shown[32];
	size_t i;

	*answer = (struct pool_ctl_answer){ .text = NULL };
	for (i = 0; requests[i].word; i++) {
		if (!pool_spells(line, len, requests[i].word) ||
		    (requests[i].alone && *rest))
			continue;
		requests[i].answer(answer, rest);
		return;
	}
	pool_printable(shown, sizeof(shown), line, strlen(line));
	snprintf(answer->wrong, sizeof(answer->wrong),
		 "not a request: \"%s\"; they are " REQUESTS, shown);
}
