/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * bench_kernel_work.h - the workloads' inner loops, around a peer's calls
 *
 * Layer:   between bench_kernel.c, which times, and the peer.
 *
 * A peer's file has bench_get() and bench_put(), which are inlined here, and with
 * them the peer's calls, if these are inline for its users.  BENCH_WORKS are the
 * resulting members of struct bench_peer.
 */
#ifndef BENCH_BENCH_KERNEL_WORK_H
#define BENCH_BENCH_KERNEL_WORK_H

#include "bench_kernel.h"

#include <linux/compiler.h>

static __always_inline void *bench_get(bool atomic);
static __always_inline void bench_put(void *p);

/* Hides from the compiler what happened to @p. */
static __always_inline void *bench_forgotten(void *p)
{
	__asm__ __volatile__("" : "+r"(p) : : "memory");
	return p;
}

static __always_inline bool bench_pairs(unsigned int n, bool atomic)
{
	for (; n; n--) {
		unsigned long *p = bench_get(atomic);

		if (!p)
			return false;
		*p = n;
		bench_put(bench_forgotten(p));
	}
	return true;
}

/* Allocate @n objects; if an allocation fails, free the objects that were got before. */
static __always_inline bool bench_take(void **held, unsigned int n, bool atomic)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		unsigned long *p = bench_get(atomic);

		if (!p)
			break;
		*p = i;
		held[i] = bench_forgotten(p);
	}
	if (i == n)
		return true;
	while (i)
		bench_put(held[--i]);
	return false;
}

static bool pairs(unsigned int n)
{
	return bench_pairs(n, false);
}

static bool pairs_atomic(unsigned int n)
{
	return bench_pairs(n, true);
}

static bool take(void **held, unsigned int n)
{
	return bench_take(held, n, false);
}

static bool take_atomic(void **held, unsigned int n)
{
	return bench_take(held, n, true);
}

static void give_lifo(void **held, unsigned int n)
{
	while (n)
		bench_put(held[--n]);
}

static void give_fifo(void **held, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		bench_put(held[i]);
}

static void give_shuffled(void **held, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		bench_put(held[bench_order[i]]);
}

/* For peers with a limit. */
static __always_inline bool bench_refused(unsigned int n)
{
	for (; n; n--) {
		void *p = bench_get(false);

		if (p) {
			bench_put(p);
			return false;
		}
	}
	return true;
}

#define BENCH_WORKS			\
	.pairs = pairs,			\
	.pairs_atomic = pairs_atomic,	\
	.take = take,			\
	.take_atomic = take_atomic,	\
	.give_lifo = give_lifo,		\
	.give_fifo = give_fifo,		\
	.give_shuffled = give_shuffled

#endif /* BENCH_BENCH_KERNEL_WORK_H */
