// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * longest_call.c - counts the instructions of a call, and names its cause
 *
 * Layer:   between longest.c and longest_table.c.
 * Context: the handler of SIGTRAP counts for the thread that is stepped.
 *
 * The counters of all pools, read afterwards, give the cause.  "alloc_hit"
 * never entered the library; "alloc_slow" did and moved nothing, as where an array
 * opens.  Otherwise words follow:
 *
 *   fill       an array was filled from a cluster
 *   get        from the shared pool, a cluster or an object
 *   backend    an object came from the backend
 *   spill      an array was spilled into a cluster
 *   evictN     N clusters had to leave
 *   put        something came to the shared pool
 *   release    objects went to the backend
 */
#include "longest.h"
#include "counts.h"

#include <err.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

/* The addresses of a file's mappings, which follow each other: code and data. */
struct range {
	uintptr_t from;
	uintptr_t end;
};

static struct range program, library;

/* The call that is being made. */
static struct {
	const char *op;
	bool causes;
	struct counts before;
	unsigned long program;		/* counted by the handler */
	unsigned long library;
	unsigned long others;
} call;

/* Instructions of trap_off(), and of others that stepping adds. */
static unsigned long around;

static bool is_in(const struct range *r, uintptr_t at)
{
	return at >= r->from && at < r->end;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *here = context;
	uintptr_t at = (uintptr_t)here->uc_mcontext.gregs[REG_RIP];

	(void)sig;
	(void)info;
	if (is_in(&library, at))
		call.library++;
	else if (is_in(&program, at))
		call.program++;
	else
		call.others++;
}

static int find_ranges(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct range *r = NULL;
	unsigned int i;

	(void)size;
	(void)arg;
	if (!*info->dlpi_name && !program.end)
		r = &program;
	else if (strstr(info->dlpi_name, "/libpool.so"))
		r = &library;
	for (i = 0; r && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD)
			continue;
		if (!r->end || from < r->from)
			r->from = from;
		if (from + part->p_memsz > r->end)
			r->end = from + part->p_memsz;
	}
	return 0;
}

static void add_word(char *name, size_t size, const char *word)
{
	size_t used = strlen(name);

	snprintf(name + used, size - used, "_%s", word);
}

static void name_cause(char *name, size_t size, const struct counts *a,
		       const struct counts *b)
{
	size_t op = strlen(name);
	char evict[24];

	if (b->fills != a->fills)
		add_word(name, size, "fill");
	if (b->gets != a->gets)
		add_word(name, size, "get");
	if (b->store_gets != a->store_gets)
		add_word(name, size, "backend");
	if (b->spills != a->spills)
		add_word(name, size, "spill");
	snprintf(evict, sizeof(evict), "evict%llu",
		 b->evictions - a->evictions);
	if (b->evictions != a->evictions)
		add_word(name, size, evict);
	if (b->puts != a->puts)
		add_word(name, size, "put");
	if (b->store_puts != a->store_puts)
		add_word(name, size, "release");
	if (strlen(name) == op)
		add_word(name, size, call.library ? "slow" : "hit");
}

void call_begin(const char *op, bool causes)
{
	call.op = op;
	call.causes = causes;
	if (causes)
		call.before = counts();
	call.program = 0;
	call.library = 0;
	call.others = 0;
}

void call_end(void)
{
	unsigned long ours = call.program + call.library - around;
	unsigned long others = call.others;
	struct counts after;
	char name[64];

	snprintf(name, sizeof(name), "%s", call.op);
	if (call.causes) {
		after = counts();
		name_cause(name, sizeof(name), &call.before, &after);
	}
	table_add(name, ours, others);
}

void call_start(void)
{
	struct sigaction act = { .sa_flags = SA_SIGINFO };

	act.sa_sigaction = on_trap;
	dl_iterate_phdr(find_ranges, NULL);
	if (!program.end || !library.end)
		errx(1, "no libpool.so");
	if (sigaction(SIGTRAP, &act, NULL))
		err(1, "SIGTRAP");
	call_begin("nothing", false);
	trap_on();
	trap_off();
	around = call.program;
	if (!around)
		errx(1, "no trap flag here");
}
