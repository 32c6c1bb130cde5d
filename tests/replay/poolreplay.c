// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * poolreplay.c - replays a trace on the library's pools, or on malloc()
 *
 * Layer:   a program; twin of pool_replay.c.
 *
 *	poolreplay [--malloc|--merge] [--cpus N] [--word] [--dump[=WORDS]] FILE
 *	poolreplay --advise FILE
 *
 *   --malloc   on malloc() instead of pools
 *   --merge    on pools that may be merged
 *   --cpus N   N threads for the trace's CPUs; 1: the order of the trace
 *   --word     write the first word of each object only, compare nothing
 *   --dump     print the pools to stdout, as the kernel shows them, when all
 *		events are done and before the objects still live are freed;
 *		WORDS as of dump_pools_to_buf(): "json", "byusage 5", ...
 *   --advise   say which sizes would gain from a pool, and where they come from
 *
 * Exits with 0 if all went well, 1 if the trace is wrong or a step failed, 2
 * if the arguments are wrong; with --advise 2 if the trace is wrong, too.
 */
#include "advise.h"
#include "textfile.h"
#include "seam/plat.h"

#include <err.h>
#include <getopt.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

/* Under malloc() a pool is only a size. */
static void *create_size(const char *name, unsigned int size)
{
	(void)name;
	return (void *)(uintptr_t)size;
}

static bool destroy_size(void *pool)
{
	(void)pool;
	return true;
}

static void *alloc_size(void *pool)
{
	return malloc((uintptr_t)pool);
}

static void free_size(void *pool, void *obj)
{
	(void)pool;
	free(obj);
}

/* Bytes that malloc() had allocated before the replay, for the trace and the like. */
static unsigned long long held_before;

static unsigned long long held_by_malloc(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.arena + info.hblkhd - held_before;
}

static const struct replay_ops on_malloc = {
	.name = "malloc",
	.create = create_size,
	.destroy = destroy_size,
	.alloc = alloc_size,
	.free = free_size,
	.held = held_by_malloc,
};

struct options {
	const struct replay_ops *ops;
	enum replay_content content;
	unsigned int cpus;		/* 0: the number of the trace */
	const char *dump;		/* words; NULL: no dump */
	bool advise;
	const char *file;
};

static void called_wrong(void)
{
	errx(2, "usage: poolreplay [--malloc|--merge] [--cpus N] [--word] [--dump[=WORDS]] FILE, or poolreplay --advise FILE");
}

static unsigned int read_cpus(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || !n || n > TRACE_CPUS_MAX)
		errx(2, "--cpus: 1 to %d", TRACE_CPUS_MAX);
	return (unsigned int)n;
}

static struct options read_options(int argc, char **argv)
{
	static const struct option words[] = {
		{ "malloc", no_argument, NULL, 'm' },
		{ "merge", no_argument, NULL, 's' },
		{ "cpus", required_argument, NULL, 'c' },
		{ "word", no_argument, NULL, 'w' },
		{ "dump", optional_argument, NULL, 'd' },
		{ "advise", no_argument, NULL, 'a' },
		{ NULL, 0, NULL, 0 },
	};
	struct options o = { .ops = &replay_on_pools };
	int c;

	while ((c = getopt_long(argc, argv, "", words, NULL)) != -1) {
		switch (c) {
		case 'm':
			o.ops = &on_malloc;
			break;
		case 's':
			o.ops = &replay_on_merged;
			break;
		case 'c':
			o.cpus = read_cpus(optarg);
			break;
		case 'w':
			o.content = REPLAY_WORD;
			break;
		case 'd':
			o.dump = optarg ? optarg : "";
			break;
		case 'a':
			o.advise = true;
			break;
		default:
			called_wrong();
		}
	}
	if (optind != argc - 1 || (o.advise && argc != 3))
		called_wrong();
	/* Refuse wrong words before the replay, not after it. */
	if (o.dump && dump_pools_to_buf(NULL, 0, o.dump) < 0)
		exit(2);
	o.file = argv[optind];
	return o;
}

/* False, after it has printed why. */
static bool load(struct session *s, const char *file)
{
	struct textfile text = { 0 };
	const char *why = NULL;
	bool good = textfile_read(&text, file);

	if (good)
		why = session_load(s, text.data, text.len);
	textfile_forget(&text);
	if (s->trace.error)
		warnx("%s: event %u, byte %zu: %s", file, s->trace.error_event,
		      s->trace.error_byte, why);
	else if (why)
		warnx("%s: %s", file, why);
	return good && !why;
}

/*
 * Set what the trace says for the pools that are created next, and turn off ageing, which depends
 * on a clock.  False, after it has printed why.
 */
static bool apply_settings(const struct trace *t, const char *file)
{
	char text[128];
	bool good;

	replay_settings(t, text, sizeof(text));
	good = pool_configure(text) && pool_set_debug(NULL, "no-age");
	if (!good)
		warnx("%s: its settings are refused", file);
	return good;
}

/* Print what /sys/kernel/debug/pool/pools shows.  No other thread creates or ends pools. */
static void dump(const char *words)
{
	int wanted = dump_pools_to_buf(NULL, 0, words);
	char *text = wanted < 0 ? NULL : malloc((size_t)wanted + 64);

	if (!text)
		err(1, "dump");
	dump_pools_to_buf(text, (size_t)wanted + 64, words);
	fputs(text, stdout);
	free(text);
}

/* False, after it has printed why. */
static bool replay(struct session *s, const struct options *o)
{
	char text[1024];
	const char *why;

	why = session_begin(s, o->ops, o->content, o->cpus);
	if (!why) {
		held_before = held_by_malloc();
		session_work(s);
		if (o->dump)
			dump(o->dump);
		why = session_end(s);
		replay_report(&s->replay, text, sizeof(text));
		fputs(text, stderr);
	}
	if (why)
		warnx("%s: %s", o->file, why);
	return !why;
}

/* False, after it has printed why. */
static bool give_advice(struct session *s, const char *file)
{
	const char *why = advise(s);

	if (why)
		warnx("%s: %s", file, why);
	return !why;
}

int main(int argc, char **argv)
{
	struct options o = read_options(argc, argv);
	struct session s = { .crew = NULL };
	bool good;

	good = load(&s, o.file) && apply_settings(&s.trace, o.file) &&
	       (o.advise ? give_advice(&s, o.file) : replay(&s, &o));
	session_forget(&s);
	if (fflush(stdout) || ferror(stdout)) {
		warn("the output cannot be written");
		good = false;
	}
	return good ? 0 : o.advise ? 2 : 1;
}
