// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * touched.c - which words matter to more than one fibre
 *
 * Layer:   tests; the enumerator.
 * Context: one thread.
 *
 * A switch before an operation changes nothing if no other fibre ever touches its
 * word, or if no fibre ever writes to it: the operation could as well have come before.  So
 * the search does not stop there.  It learns which words these are while it goes, and
 * begins again until it learns nothing more.
 */
#include "sched.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

struct word {
	uintptr_t at;			/* 0: the entry is free */
	unsigned char users;		/* a bit for each fibre that touches the word */
	bool written;
};

#define WORDS		4096		/* a scenario has at most half as many */
#define WORDS_ADDRESS	((void *)0x160000000000ul)

/* Not in the world. */
struct words {
	bool all;			/* stop at each word */
	bool learned;			/* a word was found to matter since the last call */
	unsigned int count;
	struct word word[WORDS];
};

static struct words *const words = WORDS_ADDRESS;

void touched_init(void)
{
	if (mmap(WORDS_ADDRESS, sizeof(*words), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		 0) != WORDS_ADDRESS)
		sched_die("no memory for words");
}

/* @all: each word matters. */
void touched_forget(bool all)
{
	memset(words, 0, sizeof(*words));
	words->all = all;
}

/* True if a touch was noted since the last call. */
bool touched_learned(void)
{
	bool learned = words->learned;

	words->learned = false;
	return learned;
}

static struct word *find(uintptr_t at)
{
	unsigned int i = (unsigned int)(at / 8 * 0x9e3779b1u) % WORDS;

	while (words->word[i].at && words->word[i].at != at)
		i = (i + 1) % WORDS;
	if (!words->word[i].at) {
		if (++words->count > WORDS / 2)
			sched_die("a scenario has too many words");
		words->word[i].at = at;
	}
	return &words->word[i];
}

static bool matters(const struct word *w)
{
	return w->written && (w->users & (w->users - 1));
}

/* Note that a fibre is about to touch a word; true if it matters when it does. */
bool touched_now(const void *p, bool writes)
{
	struct word *w = find((uintptr_t)p & ~7ul);
	bool did = matters(w);

	w->users |= (unsigned char)(1u << sched->cur);
	w->written |= writes;
	words->learned |= matters(w) && !did;
	return words->all || matters(w);
}
