/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * point.h - each atomic access is a point where others may run
 *
 * Layer:   included in front of each file that the enumerator judges, by -include.
 * Context: none.
 *
 * The hit path, in pool_hot.h, uses the compiler's atomics, and so does this seam.
 * So those contain the points; a name is not expanded again within its own
 * expansion.  A trace shows the text of the operand.
 */
#ifndef SCHEDULE_POINT_H
#define SCHEDULE_POINT_H

/* Called before an operation: says what it is, and on which word. */
void sched_point(const char *function, const char *op, const char *operand,
		 const void *p, unsigned int size);
/* sched_point() for a store, and for an addition. */
void sched_store(const char *function, const char *operand, void *p,
		 unsigned int size, int order);
void sched_add(const char *function, const char *operand, void *p,
	       unsigned int size, int order);
/* late.c: an ordered operation, or one that changes the word, makes earlier stores visible. */
void sched_order(int order);
void sched_change(void *p, unsigned int size, int order);

/* The hit path's plain reads are points, too. */
#ifndef POOL_ATOMIC_READS
#define POOL_ATOMIC_READS
#endif

#define SCHED_POINT(op, p) \
	sched_point(__func__, op, #p, p, sizeof(*(p)))

#define __atomic_load_n(p, order) \
	(SCHED_POINT("load", p), __atomic_load_n(p, order))
#define __atomic_store_n(p, v, order) \
	(sched_store(__func__, #p, p, sizeof(*(p)), order), \
	 __atomic_store_n(p, v, order))
#define __atomic_exchange_n(p, v, order) \
	(SCHED_POINT("exchange", p), sched_change(p, sizeof(*(p)), order), \
	 __atomic_exchange_n(p, v, order))
#define __atomic_compare_exchange_n(p, old, v, weak, yes, no) \
	(SCHED_POINT("compare and exchange", p), sched_change(p, sizeof(*(p)), yes), \
	 __atomic_compare_exchange_n(p, old, v, weak, yes, no))
#define __atomic_add_fetch(p, n, order) \
	(sched_add(__func__, #p, p, sizeof(*(p)), order), \
	 __atomic_add_fetch(p, n, order))
#define __atomic_sub_fetch(p, n, order) \
	(SCHED_POINT("subtract", p), sched_change(p, sizeof(*(p)), order), \
	 __atomic_sub_fetch(p, n, order))
#define __atomic_or_fetch(p, bits, order) \
	(SCHED_POINT("set bits", p), sched_change(p, sizeof(*(p)), order), \
	 __atomic_or_fetch(p, bits, order))
#define __atomic_and_fetch(p, bits, order) \
	(SCHED_POINT("clear bits", p), sched_change(p, sizeof(*(p)), order), \
	 __atomic_and_fetch(p, bits, order))

#endif /* SCHEDULE_POINT_H */
