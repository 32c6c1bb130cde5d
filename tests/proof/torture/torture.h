/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * torture.h - what the files of pool_torture.ko share
 *
 * Layer:   above the API.
 * Context: each function says its own.
 *
 * A *unit* is one piece of code that uses pools: a thread, a timer, the NMIs of a CPU.
 * No unit runs twice at once, so its members need no lock.
 */
#ifndef POOL_TORTURE_H
#define POOL_TORTURE_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mempool.h>
#include <linux/types.h>

#include "pool.h"

/* The kinds of units, in the order of their names in pool_torture.c. */
enum torture_kind {
	TORTURE_THREAD,		/* bound to a CPU */
	TORTURE_HARDIRQ,	/* hrtimers */
	TORTURE_SOFTIRQ,	/* hrtimers, too */
	TORTURE_IRQ_WORK,
	TORTURE_IPI,
	TORTURE_NMI,
	TORTURE_HOTPLUG,	/* CPUs go offline and come back */
	TORTURE_PRESSURE,	/* memory is short */
	TORTURE_SWITCH,		/* modes, options, limits, bound, gc */
	TORTURE_LIFE,		/* pools come, are merged and go */
	TORTURE_KINDS,
};

/* Errors, in the order of their names in report.c. */
enum torture_wrong {
	TORTURE_TWICE,		/* an object in use was handed out again */
	TORTURE_CONTENTS,	/* an object in use was changed */
	TORTURE_READER,		/* an object was changed while a reader of RCU saw it */
	TORTURE_ZERO,		/* an object of POOL_F_MUST_ZERO was not zero */
	TORTURE_BUILT,		/* an object lacks what its constructor wrote */
	TORTURE_LIMIT,		/* a pool holds more objects than its limit */
	TORTURE_COUNT,		/* numbers do not add up, or an object is lost */
	TORTURE_FAULT,		/* the pool's own checks found a fault */
	TORTURE_MAKE,		/* a pool could not be made or switched */
	TORTURE_IDLE,		/* a kind had too few rounds in ten times the time */
	TORTURE_WRONGS,
};

#define TORTURE_KEPT	256	/* objects that a thread keeps at most: two arrays */

struct torture_unit {
	enum torture_kind kind;
	unsigned int cpu;
	u64 random;
	u32 seq;		/* numbers the objects that it had */
	unsigned long rounds;
	unsigned long got;
	unsigned long none;	/* allocations that returned NULL */
	struct task_struct *task;
	struct hrtimer timer;
	struct irq_work work;
	void *kept[TORTURE_KEPT];	/* used by threads */
};

/* A pool that all units use. */
struct torture_pool {
	const char *name;
	unsigned int size;
	unsigned int mode;
	unsigned int limit;	/* objects per CPU; never changed */
	const char *options;	/* fixed at creation; or NULL */
	unsigned int flags;	/* MEM_F_TYPESAFE */
	bool built;		/* has a constructor and a destructor */
	bool slow;		/* its options make each call stop all CPUs */
	bool rcu;		/* objects in slots have readers, and are freed by RCU */
	unsigned int id;
	struct pool_head *head;
	struct pool_reserved *reserve;	/* readers hold rcu_read_lock() */
	struct pool_reserved *lasting;	/* a reserve for threads, which may wait */
	mempool_t *mempool;
	void **slot;		/* objects that units hand to each other by xchg() */
	atomic_long_t built_now;
};

/* Objects of a torture_pool that are in slots, per CPU. */
#define TORTURE_SLOTS	8

/* Objects of a reserve. */
#define TORTURE_RESERVE	16
#define TORTURE_LASTING	4

/* Objects that a mempool keeps. */
#define TORTURE_MEMPOOL	2

extern struct torture_pool torture_pools[];
extern const unsigned int torture_nr_pools;

/* Add to a number of a unit.  Only the unit writes it; the leader reads it at any time. */
static inline void torture_count(unsigned long *n)
{
	WRITE_ONCE(*n, *n + 1);
}

/* pool_torture.c */
bool torture_on(enum torture_kind kind);
struct torture_unit *torture_unit_of(enum torture_kind kind, unsigned int cpu);
const char *torture_kind_name(enum torture_kind kind);

/* report.c: any context */
void torture_wrong(enum torture_wrong what, const struct torture_pool *pool,
		   const char *text, unsigned long is, unsigned long expected);
bool torture_failed(void);
int torture_wrongs(char *buf, size_t size);

/* object.c: any context, except for begin and end */
bool torture_objects_begin(void);
void torture_objects_end(void);
u32 torture_random(struct torture_unit *unit);
void torture_own(struct torture_unit *unit, const struct torture_pool *pool,
		 void *obj);
void torture_disown(const struct torture_pool *pool, void *obj);
u64 torture_see(const struct torture_pool *pool, const void *obj);
struct pool_rcu *torture_rcu_of(const struct torture_pool *pool, void *obj);
void torture_construct(void *obj, void *arg);
void torture_destruct(void *obj, void *arg);

/* pools.c: process context */
bool torture_pools_make(void);
void torture_pools_empty(struct torture_unit *unit);
void torture_pools_judge(void);
void torture_pools_destroy(void);
unsigned long torture_pools_nested(void);
void torture_pool_looks_right(const struct torture_pool *pool);
void torture_renew_reserve(struct torture_pool *pool);

/* load.c: torture_step(): any context; torture_round(): threads; torture_aim(): the leader */
void torture_aim(unsigned int pool);
void torture_step(struct torture_unit *unit);
void torture_round(struct torture_unit *unit);

/* interrupt.c: process context */
bool torture_has_nmis(void);
bool torture_interrupts_begin(void);
void torture_interrupts_go_on(unsigned int cpu);
void torture_interrupt(struct torture_unit *unit);
void torture_interrupts_end(void);

/* control.c: each makes one round, in process context */
void torture_hotplug(struct torture_unit *unit);
void torture_pressure(struct torture_unit *unit);
void torture_switch(struct torture_unit *unit);
void torture_life(struct torture_unit *unit);

#endif /* POOL_TORTURE_H */
