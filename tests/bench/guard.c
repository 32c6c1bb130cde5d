// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * guard.c - the cost of the guard of the hit path, and of other guards
 *
 * Layer:   a program.  x86-64, and a C library that registers restartable sequences.
 * Context: one thread, no signals.
 *
 * An allocation and a free on an array of one thread:
 *
 *	none	no guard: a signal handler would break it
 *	held	the pool's: pool_hot_get() and pool_hot_put()
 *	rseq	a restartable sequence, whose one committing store is that of n; after an
 *		interrupt inside, the kernel continues at the sequence's abort address
 *	clear	as rseq, and then the thread's pointer to the sequence is cleared; without
 *		that, code that contains a sequence could never be unloaded
 *
 * Prints ns per pair: the median and the least of ROUNDS slices of each, taken
 * in turns.
 */
#include "pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__x86_64__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 35)
#define HAVE_RSEQ
#endif
#endif

#ifndef HAVE_RSEQ
int main(void)
{
	puts("# no restartable sequences here");
	return 0;
}
#else
#include <sys/rseq.h>

#define ROUNDS		21
#define PAIRS		2000000
#define KINDS		4

/* Stands for the pool in all loops; it is found as a pool finds its array. */
static unsigned char memory[4096] __attribute__((aligned(128)));
static struct pool_head head;

static struct pool_hot *array(void)
{
	return pool_hot_enter(&head);
}

static inline POOL_INLINE void *none_get(void)
{
	struct pool_hot *hot = pool_hot_enter(&head);
	unsigned int n;

	pool_barrier();
	n = hot->n;
	if (!POOL_LIKELY(n))
		return NULL;
	POOL_WRITE(hot->n, n - 1);
	return pool_hot_slots(hot)[n - 1];
}

static inline POOL_INLINE bool none_put(void *obj)
{
	struct pool_hot *hot = pool_hot_enter(&head);
	unsigned int n;

	pool_barrier();
	n = hot->n;
	if (!POOL_LIKELY(hot->cap > n))
		return false;
	pool_hot_slots(hot)[n] = obj;
	POOL_WRITE(hot->n, n + 1);
	return true;
}

/*
 * A sequence from 1 to 2, described at 3, left for 4 if it is interrupted; the
 * word before 4 is the C library's RSEQ_SIG, inside an instruction that traps.
 */
#define SEQUENCE_BEGIN						\
	".pushsection __rseq_cs, \"aw\"\n\t"			\
	".balign 32\n"						\
	"3:\t.long 0, 0\n\t"					\
	".quad 1f, 2f - 1f, 4f\n\t"				\
	".popsection\n\t"					\
	"leaq 3b(%%rip), %[cs]\n\t"				\
	"movq %[cs], %%fs:8(%[rseq])\n"				\
	"1:\t"
#define SEQUENCE_END						\
	"2:\n\t"						\
	".pushsection __rseq_failure, \"ax\"\n\t"		\
	".byte 0x0f, 0xb9, 0x3d\n\t"				\
	".long 0x53053053\n"					\
	"4:\tjmp %l[miss]\n\t"					\
	".popsection\n\t"

static inline POOL_INLINE void *rseq_get(void)
{
	struct pool_hot *hot = pool_hot_enter(&head);
	unsigned long cs, n;
	void *obj;

	__asm__ goto(SEQUENCE_BEGIN
		"movl %[count], %k[n]\n\t"
		"subl $1, %k[n]\n\t"
		"jb %l[miss]\n\t"
		"movq (%[slots], %[n], 8), %[obj]\n\t"
		"movl %k[n], %[count]\n"
		SEQUENCE_END
		: [cs] "=&r"(cs), [n] "=&r"(n), [obj] "=&r"(obj),
		  [count] "+m"(hot->n)
		: [rseq] "r"(__rseq_offset), [slots] "r"(pool_hot_slots(hot))
		: "memory", "cc" : miss);
	return obj;
miss:
	return NULL;
}

static inline POOL_INLINE bool rseq_put(void *obj)
{
	struct pool_hot *hot = pool_hot_enter(&head);
	unsigned long cs, n;

	__asm__ goto(SEQUENCE_BEGIN
		"movl %[count], %k[n]\n\t"
		"cmpl %[cap], %k[n]\n\t"
		"jae %l[miss]\n\t"
		"movq %[obj], (%[slots], %[n], 8)\n\t"
		"incl %k[n]\n\t"
		"movl %k[n], %[count]\n"
		SEQUENCE_END
		: [cs] "=&r"(cs), [n] "=&r"(n), [count] "+m"(hot->n)
		: [rseq] "r"(__rseq_offset), [slots] "r"(pool_hot_slots(hot)),
		  [obj] "r"(obj), [cap] "m"(hot->cap)
		: "memory", "cc" : miss);
	return true;
miss:
	return false;
}

static inline POOL_INLINE void rseq_clear(void)
{
	__asm__("movq $0, %%fs:8(%0)"
			 : : "r"(__rseq_offset) : "memory");
}

static inline POOL_INLINE void *held_get(void)
{
	return pool_hot_get(&head);
}

static inline POOL_INLINE bool held_put(void *obj)
{
	return pool_hot_put(&head, obj);
}

static inline POOL_INLINE void *clear_get(void)
{
	void *obj = rseq_get();

	rseq_clear();
	return obj;
}

static inline POOL_INLINE bool clear_put(void *obj)
{
	bool done = rseq_put(obj);

	rseq_clear();
	return done;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns per pair.  A sequence that was interrupted is tried again. */
#define SLICE(kind)						\
static __attribute__((__noinline__)) double kind(void)		\
{								\
	double start = now();					\
	unsigned int i;						\
								\
	for (i = 0; i < PAIRS; i++) {				\
		unsigned char *obj;				\
								\
		do {						\
			obj = kind##_get();			\
		} while (!obj);					\
		*obj = 1;					\
		pool_barrier();					\
		while (!kind##_put(obj))			\
			pool_barrier();				\
	}							\
	return (now() - start) / PAIRS;				\
}

SLICE(none)
SLICE(held)
SLICE(rseq)
SLICE(clear)

static double (*const slices[KINDS])(void) = { none, held, rseq, clear };
static const char *const names[KINDS] = { "none", "held", "rseq", "clear" };

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	static unsigned char objs[10][64];
	double ns[KINDS][ROUNDS];
	unsigned int i, kind;

	if (!__rseq_size) {
		puts("# no restartable sequences here");
		return 0;
	}
	pool_thread_area = memory;
	array()->open = POOL_OPEN;
	array()->cap = POOL_HOT_SLOTS;
	for (i = 0; i < 10; i++)
		pool_hot_slots(array())[array()->n++] = objs[i];
	for (i = 0; i < ROUNDS; i++)
		for (kind = 0; kind < KINDS; kind++)
			ns[kind][i] = slices[kind]();
	puts("# guard     median    least   ns per allocation and free");
	for (kind = 0; kind < KINDS; kind++) {
		qsort(ns[kind], ROUNDS, sizeof(ns[kind][0]), by_value);
		printf("%-8s %9.2f %8.2f\n", names[kind],
		       ns[kind][ROUNDS / 2], ns[kind][0]);
	}
	return 0;
}
#endif
