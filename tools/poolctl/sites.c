// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sites.c - memstats for other tools: folded stacks, and a heap profile of pprof
 *
 * Layer:   a program; reads the text that common/show/memstats.c writes.
 * Context: one thread.
 *
 * A place is a stack of two: the pool, or the function such as malloc(), calls for the code
 * that allocated.  So both tools show what each pool has, and whose it is.
 */
#include "poolctl.h"

#include <string.h>

#define HEAD	"memstats version 1\n"

/* A line of the text. */
struct site {
	char what[16], pool[64];
	unsigned long allocs, frees, allocated, freed;
	unsigned long used;		/* objects */
	long balance;			/* bytes; not negative */
	const char *name;		/* not terminated */
	int len;
};

/* False: it is no place, or one that allocates nothing. */
static bool read_site(const char *line, size_t len, struct site *s)
{
	int end = 0;

	/* sscanf() reads on behind the line where that has fewer numbers. */
	if (sscanf(line, "%15s %63s %lu %lu %lu %lu %ld%n", s->what, s->pool, &s->allocs,
		   &s->frees, &s->allocated, &s->freed, &s->balance, &end) < 7 ||
	    (size_t)end > len || !s->allocs)
		return false;
	s->name = line + end + strspn(line + end, " ");
	s->len = (int)(line + len - s->name);
	if (!s->len) {
		s->name = "unknown";
		s->len = (int)strlen(s->name);
	}
	/* Behind a reset there are frees whose allocations are not counted. */
	s->used = s->allocs > s->frees ? s->allocs - s->frees : 0;
	if (s->balance < 0)
		s->balance = 0;
	return true;
}

/* Read the next place that allocates; false: there is none. */
static bool next_site(const char **text, struct site *s)
{
	while (**text) {
		const char *line = *text;
		size_t len = strcspn(line, "\n");

		*text += len + (line[len] == '\n');
		if (!strncmp(line, "truncated", 9))
			fail(1, "the target cut its memstats off");
		if (read_site(line, len, s))
			return true;
	}
	return false;
}

static const char *root(const struct site *s)
{
	return strcmp(s->pool, "-") ? s->pool : s->what;
}

/* Lines "POOL;PLACE BYTES", of what is in use. */
static void print_folded(const char *text)
{
	struct site s;

	while (next_site(&text, &s))
		if (s.balance > 0)
			printf("%s;%.*s %ld\n", root(&s), s.len, s.name, s.balance);
}

/* Made up, for each name of the table that pprof looks names up in. */
static unsigned long address(unsigned long n)
{
	return 0x1000 + 4 * n;
}

static void print_symbols(const char *text)
{
	unsigned long n = 0;
	struct site s;

	puts("--- symbol\nbinary=pools");
	while (next_site(&text, &s)) {
		printf("0x%016lx %.*s\n", address(n++), s.len, s.name);
		printf("0x%016lx %s\n", address(n++), root(&s));
	}
	puts("---");
}

static void print_pprof(const char *text)
{
	struct site s, sum = { .allocs = 0 };
	const char *rest = text;
	unsigned long n = 0;

	print_symbols(text);
	while (next_site(&rest, &s)) {
		sum.allocs += s.allocs;
		sum.used += s.used;
		sum.allocated += s.allocated;
		sum.balance += s.balance;
	}
	printf("heap profile: %lu: %ld [ %lu: %lu] @ heapprofile\n", sum.used, sum.balance,
	       sum.allocs, sum.allocated);
	while (next_site(&text, &s)) {
		printf("%lu: %ld [ %lu: %lu] @ 0x%lx 0x%lx\n", s.used, s.balance,
		       s.allocs, s.allocated, address(n), address(n + 1));
		n += 2;
	}
}

void print_sites(const char *text, enum site_format format)
{
	if (format == SITES_PLAIN) {
		fputs(text, stdout);
		return;
	}
	if (strncmp(text, HEAD, sizeof(HEAD) - 1))
		fail(1, "the target has memstats of another version");
	if (format == SITES_FOLDED)
		print_folded(text);
	else
		print_pprof(text);
}
