/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sched.h - the schedule enumerator: what its files share
 *
 * Layer:   tests.
 * Context: one thread.
 *
 *   scenario*.c what CPUs do          judge.c  what must be true
 *   plat.c      the seam              sched.c  fibres, and which of them runs
 *   search.c    all schedules         world.c  memory, saved and put back
 *   seen.c      states that were seen touched.c  words that matter to several
 *   choose.c    which may run next    late.c   stores that are seen late
 *   judge_*.c   the same, at each step and at the end
 *   main.c      the command line
 */
#ifndef SCHEDULE_SCHED_H
#define SCHEDULE_SCHED_H

#include "world.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#define SCHED_CPUS	3
#define SCHED_FIBRES	(2 * SCHED_CPUS)	/* the CPUs, then the handlers of each */
#define SCHED_NOBODY	SCHED_FIBRES		/* the scenario's beginning and end */
#define SCHED_LATE	8			/* added to a fibre: its store is late */

/* More steps than any schedule that ends. */
#define SCHED_STEPS_MAX	100000

struct pool_head;
struct pool_reserved;

/* What happens at the same time.  All functions may be NULL except the first CPU's. */
struct scenario {
	const char *name;	/* a name that reads like a sentence */
	const char *kills;	/* mutants it finds, separated by spaces */
	unsigned int cpus;
	void (*setup)(void);
	void (*cpu[SCHED_CPUS])(void);
	void (*irq[SCHED_CPUS])(void);	/* interrupts that CPU, once */
	void (*end)(void);		/* called when all fibres are done */
};

/* scenario.c: the tables of all; each ends with an entry without a name. */
extern const struct scenario *const scenarios[];
extern const struct scenario scenarios_of_objects[], scenarios_of_reserves[];
extern const struct scenario scenarios_of_switches[];
extern const struct scenario scenarios_of_parts[];
extern const struct scenario scenarios_of_parked[], scenarios_of_pools[];
extern const struct scenario scenarios_of_waits[], scenarios_of_passes[];

/* Why a fibre has stopped. */
enum sched_event {
	SCHED_START,		/* no fibre has run yet */
	SCHED_POINT,		/* it is about to do an operation of the seam */
	SCHED_YIELD,		/* it lets others run first */
	SCHED_WAIT,		/* it waits for a word to become 0 */
	SCHED_END,
};

enum fibre_state {
	FIBRE_NONE,
	FIBRE_NEW,
	FIBRE_BEGUN,
	FIBRE_DONE,
};

struct fibre {
	void *sp;			/* its stack pointer while it does not run */
	const unsigned int *waits;	/* runs when this is 0; NULL: at any time */
	unsigned int asleep;
	const unsigned int *word;	/* asleep until it is woken; NULL: it sleeps on none */
	enum fibre_state state;
	bool yielded;
	unsigned char over;		/* a handler: the fibre that ran before it */
};

/* sched.c; part of the world. */
extern struct fibre sched_fibre[SCHED_FIBRES];

/*
 * The state of the enumerator itself, outside of the saved memory, so that it outlasts all
 * schedules.
 */
struct sched {
	const struct scenario *scenario;
	unsigned int cur;		/* the fibre that runs */
	enum sched_event event;		/* why it has stopped */
	unsigned int over;		/* the fibre that an ended handler interrupted */
	unsigned int steps;		/* events since the beginning */
	unsigned int alone;		/* yields while no other fibre is there */
	bool freely;			/* no preemption is left, so fibres do not stop at points */
	bool weak;			/* stores may be late */
	bool may_be_late;		/* the next store may be late */
	bool is_late;			/* the next store is late */
	bool tracing;
	bool guarded;			/* "back" is valid */
	bool failed;
	char why[256];
	unsigned long points;		/* in all schedules */
	unsigned long watched;		/* "points" a second ago */
	void *sp;			/* the stack pointer of sched_run() */
	sigjmp_buf back;		/* where a failure goes */
};

extern struct sched *const sched;

/* sched.c */
void sched_init(void);
void sched_begin(const struct scenario *scenario);
void sched_run(unsigned int who);
bool sched_runnable(unsigned int who);
unsigned int sched_cpu(unsigned int who);
const char *sched_name(unsigned int who);
void sched_wait(const unsigned int *word);
void sched_as_cpu(unsigned int cpu);
void sched_call(void (*fn)(void));
void sched_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void sched_die(const char *why) __attribute__((noreturn));
void sched_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* late.c */
void late_show(unsigned int cpu);
void late_hide(unsigned int cpu);
bool late_any(unsigned int cpu);

/* plat.c */
void plat_begin(unsigned int cpus);

/* choose.c: the fibres that may run next, in the order in which they are tried */
struct option {
	unsigned char who;
	unsigned char cost;		/* preemptions */
};

struct options {
	unsigned int left;		/* preemptions that an option may cost */
	bool any;			/* preemptions cost nothing */
	unsigned int n;
	struct option option[2 * SCHED_FIBRES + 1];
};

void find_options(struct options *o, unsigned int last, unsigned int left,
		  bool any);

/* search.c: what a search tries, and what it leaves out. */
struct limits {
	unsigned int preemptions;
	unsigned long states;		/* of one walk */
	bool merge;			/* look at no state twice */
	bool all_words;			/* stop before each operation */
	bool weak;			/* stores may be late */
};

#define SCHED_ANY	1000000u	/* preemptions: there is no limit */

struct outcome {
	unsigned int preemptions;	/* all schedules with this many were tried */
	unsigned long states;		/* states that were looked at, in all walks */
	unsigned long runs;		/* schedules run to their end */
	unsigned long ends;		/* different worlds at the end */
	unsigned long digest;		/* a hash of these, whatever their order */
	unsigned int steps;		/* steps of the longest schedule */
	char schedule[512];		/* the schedule of a failure */
};

void search_init(void);
bool search(const struct scenario *scenario, const struct limits *limits,
	    struct outcome *out);
/* Run one schedule, a text of pairs STEP:FIBRE; at other steps the first option runs. */
bool search_replay(const struct scenario *scenario, const char *schedule,
		   bool weak);

/* seen.c */
enum seen {
	SEEN_NOT,			/* never, or with fewer preemptions left */
	SEEN_ALREADY,
	SEEN_ON_THE_WAY,		/* seen on the way here: a loop */
};

void seen_init(void);
void seen_clear(void);
enum seen seen_enter(unsigned long state, unsigned int left);
void seen_leave(unsigned long state);
unsigned long seen_count(void);

/* touched.c */
void touched_init(void);
void touched_forget(bool all);
bool touched_learned(void);
bool touched_now(const void *p, bool writes);

/* judge.c */
struct pool;
struct plat_backend;
void judge_begin(void);
void judge_settled(void);
void judge_point(void);
void judge_forget(void);
void judge_end(void);
void judge_shown(struct pool *pool);
void judge_hidden(struct pool *pool);
void judge_made(struct plat_backend *backend, void *obj);
void judge_unmade(void *obj);

/* judge.c: what scenarios call */
void *s_alloc(struct pool_head *pool);
void *s_alloc_flags(struct pool_head *pool, unsigned int flags);
void *s_alloc_timeout(struct pool_head *pool, unsigned int ms);
void *s_alloc_below(struct pool_head *pool);
void *s_take_remote(struct pool_head *pool);
void s_free(struct pool_head *pool, void *obj);
void s_free_flags(struct pool_head *pool, void *obj, unsigned int flags);
bool s_alloc_bulk(struct pool_head *pool, unsigned int n, void **objs);
void s_free_bulk(struct pool_head *pool, unsigned int n, void **objs);
void *s_alloc_reserved(struct pool_head *pool, struct pool_reserved *reserve);
void *s_wait_reserved(struct pool_head *pool, struct pool_reserved *reserve);
void s_free_reserved(struct pool_head *pool, struct pool_reserved *reserve, void *obj);
void s_set_hot_size(unsigned long bytes);
void s_destroy(struct pool_head *pool);
void s_exit(void);
void s_idle(void);

/* plat.c: memory would go back if objects lay closer together. */
extern bool plat_sparse;

#endif /* SCHEDULE_SCHED_H */
