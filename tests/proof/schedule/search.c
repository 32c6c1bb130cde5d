// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * search.c - all schedules of a scenario, up to a number of preemptions
 *
 * Layer:   tests; the enumerator.
 * Context: one thread.
 *
 * Depth first.  When a fibre has stopped, the fibres that may go on are the options.  The first one
 * is tried at once, and the world is saved for the others.  To run another fibre than the one at a
 * point costs a preemption.  Where a fibre ends, waits or yields it costs nothing.  A state that
 * was seen with as many preemptions left is not looked at again, since all that can follow from it
 * was.
 *
 * The search is done with no preemption, then one, then two, so that the first failure has the
 * fewest.  Then it is done with any number, since states run out.  If they do, all schedules were
 * tried, with one exception: fibres to which others have yielded are preempted by these at most
 * RETURNS times, or all bounded waits could be in vain.  If there are too many states, the limit is
 * three preemptions, then four, and so on, until there are too many states.
 */
#include "sched.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* A point where a fibre has stopped, with the fibres that may go on. */
struct frame {
	unsigned long hash;		/* hash of the world; 0: not computed */
	unsigned long entered;		/* the state of the option that is tried */
	unsigned char *saved;		/* the saved world, up to where the next frame saves */
	unsigned int steps;
	unsigned int left;		/* preemptions */
	unsigned int choices;
	unsigned int last;		/* the fibre that has stopped */
	unsigned int next;
	struct options options;
};

struct choice {
	unsigned int step;
	unsigned int who;
};

#define RETURNS		2

/*
 * The walk without a limit of preemptions is the last one, so it may look at this many times as
 * many states.
 */
#define ANY_MORE	4
#define ANY_MOST	8000000ul	/* but half a gigabyte at most */

#define FRAMES		SCHED_STEPS_MAX
#define SAVED_BYTES	(8ul << 30)
#define SAVED_ONE	(1ul << 18)	/* more than a world has */
#define CHOICES		256

/* The state of the search, outside of the saved memory.  Pages never touched take no memory. */
struct search {
	struct outcome *out;
	unsigned char *saved;		/* where the next frame saves the world */
	bool merge;
	bool any;			/* preemptions cost nothing */
	unsigned int frames;
	unsigned int choices;
	struct choice choice[CHOICES];	/* choices that led here, except first options */
	struct frame frame[FRAMES];
	unsigned char root[SAVED_ONE];	/* the world when the schedule begins */
};

#define SEARCH_ADDRESS	((void *)0x130000000000ul)
#define SAVED_ADDRESS	((void *)0x140000000000ul)
#define SAVED_END \
	((unsigned char *)SAVED_ADDRESS + SAVED_BYTES - SAVED_ONE)

static struct search *const here = SEARCH_ADDRESS;

static void map(void *at, size_t bytes)
{
	if (mmap(at, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
		 MAP_FIXED_NOREPLACE, -1, 0) != at)
		sched_die("no memory for the search");
}

void search_init(void)
{
	map(SEARCH_ADDRESS, sizeof(*here));
	map(SAVED_ADDRESS, SAVED_BYTES);
}

static void fibre_stacks(void **sp)
{
	unsigned int i;

	for (i = 0; i < SCHED_FIBRES; i++)
		sp[i] = sched_fibre[i].state == FIBRE_BEGUN ?
			sched_fibre[i].sp : NULL;
}

/* Save the world; returns where the next one may be saved. */
static unsigned char *save(unsigned char *to)
{
	void *sp[SCHED_FIBRES];

	fibre_stacks(sp);
	return to + ((world_save(to, sp) + 15) & ~15ul);
}

static unsigned long hash_world(void)
{
	void *sp[SCHED_FIBRES];
	unsigned long hash;

	fibre_stacks(sp);
	hash = world_hash(sp);
	return hash + !hash;
}

/* Note that a fibre has stopped, with @left preemptions left.  False: all fibres have ended. */
static bool push(unsigned int last, unsigned int left)
{
	struct frame *f = &here->frame[here->frames];

	f->left = left;
	f->last = last;
	f->steps = sched->steps;
	f->choices = here->choices;
	f->saved = here->saved;
	f->entered = 0;
	f->next = 0;
	f->hash = 0;
	find_options(&f->options, last, left, here->any);
	if (!f->options.n)
		return false;
	if (here->merge &&
	    (f->options.n > 1 || sched->event == SCHED_YIELD))
		f->hash = hash_world();
	if (f->options.n > 1)
		here->saved = save(f->saved);
	if (++here->frames == FRAMES ||
	    here->saved > SAVED_END)
		sched_die("a schedule is too long");
	return true;
}

static void fails(const char *why)
{
	snprintf(sched->why, sizeof(sched->why), "%s", why);
	sched->failed = true;
}

/* True if an option is worth a try: it does not lead to a state that was seen. */
static bool enter(struct frame *f, const struct option *o)
{
	unsigned long state = (f->hash ^ (o->who + 1)) * 0x9e3779b97f4a7c15ul;

	if (!f->hash)
		return true;
	switch (seen_enter(state, f->left - o->cost)) {
	case SEEN_NOT:
		f->entered = state;
		return true;
	case SEEN_ALREADY:
		return false;
	default:
		if (here->any)
			return false;
		fails("it goes round for ever");
		return false;
	}
}

static void leave(struct frame *f)
{
	if (f->entered)
		seen_leave(f->entered);
	f->entered = 0;
}

static void note_choice(unsigned int step, unsigned int who)
{
	if (here->choices == CHOICES)
		sched_die("a schedule has too many choices");
	here->choice[here->choices++] = (struct choice){ step, who };
}

/* Put the world back for an option of a frame that is not its first. */
static void take_back(struct frame *f, const struct option *o)
{
	world_restore(f->saved);
	sched->steps = f->steps;
	here->choices = f->choices;
	note_choice(f->steps, o->who);
}

/* The next option to try, of the last frame that has one; NULL: all were tried. */
static const struct option *next_option(void)
{
	while (here->frames && !sched->failed) {
		struct frame *f = &here->frame[here->frames - 1];

		leave(f);
		while (f->next < f->options.n && !sched->failed) {
			const struct option *o = &f->options.option[f->next++];

			if (!enter(f, o))
				continue;
			if (f->next > 1)
				take_back(f, o);
			return o;
		}
		here->saved = f->saved;
		here->frames--;
	}
	return NULL;
}

/* Run a fibre; returns the fibre that ran last. */
static unsigned int run(unsigned int who, unsigned int last, unsigned int left)
{
	unsigned int fibre = who % SCHED_LATE;

	if (sched_fibre[fibre].state == FIBRE_NEW && fibre >= SCHED_CPUS)
		sched_fibre[fibre].over = (unsigned char)last;
	sched->freely = !left;
	sched_run(who);
	return fibre;
}

static bool all_are_done(void)
{
	unsigned int i;

	for (i = 0; i < SCHED_FIBRES; i++)
		if (sched_fibre[i].state == FIBRE_NEW ||
		    sched_fibre[i].state == FIBRE_BEGUN)
			return false;
	return true;
}

/* No fibre can go on.  Fail unless all are done and all is well; equal ends are judged once. */
static void end_run(void)
{
	unsigned long hash;

	if (!all_are_done()) {
		fails("all wait for each other");
		return;
	}
	judge_forget();
	hash = hash_world();
	here->out->runs++;
	if (here->out->steps < sched->steps)
		here->out->steps = sched->steps;
	if (seen_enter(hash, 0) != SEEN_NOT)
		return;
	seen_leave(hash);
	here->out->ends++;
	here->out->digest += hash;
	sched_call(judge_end);
}

static void begin(const struct scenario *scenario, bool merge,
		  struct outcome *out)
{
	here->out = out;
	here->merge = merge;
	here->frames = 0;
	here->choices = 0;
	here->saved = SAVED_ADDRESS;
	sched_begin(scenario);
}

/* Try all schedules with at most @left preemptions; false: there are too many states. */
static bool walk(unsigned int left, unsigned long most)
{
	unsigned int last = SCHED_NOBODY;
	const struct option *o;

	seen_clear();
	do {
		if (!push(last, left))
			end_run();
		o = next_option();
		if (o) {
			const struct frame *f = &here->frame[here->frames - 1];

			left = f->left - o->cost;
			last = run(o->who, f->last, left);
		}
	} while (o && !sched->failed && seen_count() < most);
	return !o || sched->failed;
}

static void print_schedule(char *text, size_t size)
{
	size_t len = 0;
	unsigned int i;

	text[0] = 0;
	for (i = 0; i < here->choices && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%u:%s",
					i ? " " : "", here->choice[i].step,
					sched_name(here->choice[i].who));
}

static unsigned long states_of(const struct limits *limits)
{
	unsigned long more = ANY_MORE * limits->states;

	if (!here->any || limits->states > ANY_MOST)
		return limits->states;
	return more < ANY_MOST ? more : ANY_MOST;
}

/* Make one walk from the beginning; true if it is the last one. */
static bool pass_once(const struct scenario *scenario,
		      unsigned int preemptions, const struct limits *limits,
		      struct outcome *out)
{
	bool whole = false;

	world_restore(here->root);
	out->ends = 0;
	out->digest = 0;
	here->any = preemptions == SCHED_ANY;
	begin(scenario, limits->merge, out);
	if (!sched->failed)
		whole = walk(here->any ? RETURNS : preemptions,
			     states_of(limits));
	out->states += seen_count();
	if (whole)
		out->preemptions = preemptions;
	return sched->failed || !whole || here->any;
}

/* pass_once(), and again if it found more words that matter. */
static bool pass(const struct scenario *scenario, unsigned int preemptions,
		 const struct limits *limits, struct outcome *out)
{
	bool last;

	do {
		touched_learned();
		last = pass_once(scenario, preemptions, limits, out);
	} while (!sched->failed && touched_learned());
	return last;
}

bool search(const struct scenario *scenario, const struct limits *limits,
	    struct outcome *out)
{
	unsigned int most = 0;
	bool done;

	*out = (struct outcome){ .states = 0 };
	sched->weak = limits->weak;
	touched_forget(limits->all_words);
	save(here->root);
	do {
		done = pass(scenario, most, limits, out);
		if (most == 2 && !done && limits->preemptions == SCHED_ANY)
			done = pass(scenario, SCHED_ANY, limits, out) &&
			       out->preemptions == SCHED_ANY;
	} while (!done && !sched->failed && ++most <= limits->preemptions);
	print_schedule(out->schedule, sizeof(out->schedule));
	world_restore(here->root);
	return !sched->failed;
}

/* The option that a schedule names for this step; else the first one. */
static const struct option *option_of(const struct frame *f, const char *text)
{
	unsigned int step, i;
	char who[8];
	int len;

	while (sscanf(text, "%u:%7s%n", &step, who, &len) == 2) {
		text += len;
		for (i = 0; step == f->steps && i < f->options.n; i++)
			if (!strcmp(who, sched_name(f->options.option[i].who)))
				return &f->options.option[i];
	}
	return f->options.option;
}

bool search_replay(const struct scenario *scenario, const char *schedule,
		   bool weak)
{
	struct outcome out = { .states = 0 };
	unsigned int last = SCHED_NOBODY;

	save(here->root);
	here->any = false;
	sched->weak = weak;
	touched_forget(true);
	seen_clear();
	begin(scenario, false, &out);
	while (!sched->failed) {
		here->frames = 0;
		here->saved = SAVED_ADDRESS;
		if (!push(last, CHOICES)) {
			end_run();
			break;
		}
		last = run(option_of(here->frame, schedule)->who, last,
			   CHOICES);
	}
	world_restore(here->root);
	return !sched->failed;
}
