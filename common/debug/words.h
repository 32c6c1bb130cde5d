/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * words.h - the table of words: a row for each option that is on or off
 *
 * Layer:   beside the four; private to common/, kernel/ and user/.
 * Context: compile time.
 *
 * Bits, masks, refusals, the help and the tables of Documentation/options follow from these
 * rows.  tests/inside/option_table.c creates a pool with each word and compares what the pool
 * does with the properties of the row.
 *
 * The bits of pool_debugging are public, and in the order of the rows.  So a new word is the
 * last row.
 */
#ifndef POOL_WORDS_H
#define POOL_WORDS_H

/* Properties of a word.  The help prints their names: option_table.c. */
#define POOL_IS_CHECKED		0x01u	/* needs the table of objects, and closes hot arrays */
#define POOL_IS_SLOW		0x02u	/* closes hot arrays */
#define POOL_IS_LOOKING		0x04u	/* checks objects when users get and free them */
#define POOL_IS_TOUCHING	0x08u	/* writes to free objects, unmaps them, or notices what
					 * touches them: not with MEM_F_TYPESAFE
					 */
#define POOL_IS_FIXED		0x10u	/* cannot be switched after a pool's creation */
#define POOL_IS_EXACT		0x20u	/* checks where objects end, so sizes are not rounded */
#define POOL_IS_KNOWING		0x40u	/* records the callers that have objects in use */
#define POOL_IS_COMMON		0x80u	/* set for all pools together, never for one */

/*
 * X(@a, flag, word, opposite, flags that the word sets too, flags that the opposite clears
 * too, properties, help)
 *
 * uaf sets no-cache, as documented, and a later "cache" clears it again.  In the same way integrity
 * sets cold-first, so that objects stay free for as long as possible before they are checked, and a
 * later "hot-first" clears it.
 */
#define POOL_WORDS(X, a)							\
	X(a, FAIL, "fail", "no-fail", 0, 0,					\
	  POOL_IS_CHECKED, "some allocations fail: see fail_alloc")		\
	X(a, NO_MERGE, "no-merge", "merge", 0, 0,				\
	  POOL_IS_COMMON, "only pools of equal names become one")		\
	X(a, COLD_FIRST, "cold-first", "hot-first", 0, 0,			\
	  POOL_IS_CHECKED, "the oldest cached object goes out first")		\
	X(a, INTEGRITY, "integrity", "no-integrity",				\
	  POOL_D_COLD_FIRST, POOL_D_COLD_FIRST,					\
	  POOL_IS_CHECKED | POOL_IS_TOUCHING,					\
	  "free objects are checked, oldest first")				\
	X(a, NO_GLOBAL, "no-global", "global", 0, 0, 0, "no shared pool")	\
	X(a, NO_CACHE, "no-cache", "cache", 0, 0,				\
	  POOL_IS_SLOW, "no caches: each call goes to the backend")		\
	X(a, CALLER, "caller", "no-caller", 0, 0,				\
	  POOL_IS_CHECKED | POOL_IS_FIXED | POOL_IS_KNOWING,			\
	  "who allocated and who freed is kept")				\
	X(a, TAG, "tag", "no-tag", 0, 0,					\
	  POOL_IS_CHECKED | POOL_IS_FIXED | POOL_IS_EXACT,			\
	  "the pool's address behind each object")				\
	X(a, POISON, "poison", "no-poison", 0, 0,				\
	  POOL_IS_CHECKED | POOL_IS_TOUCHING,					\
	  "objects are filled when allocated")					\
	X(a, UAF, "uaf", "no-uaf", POOL_D_NO_CACHE, 0,				\
	  POOL_IS_CHECKED | POOL_IS_TOUCHING | POOL_IS_FIXED | POOL_IS_EXACT,	\
	  "pages of their own, unmapped by free")				\
	X(a, BACKUP, "backup", "no-backup", 0, 0,				\
	  POOL_IS_CHECKED | POOL_IS_TOUCHING | POOL_IS_FIXED,			\
	  "free objects are copied and compared")				\
	X(a, MEMSTATS, "memstats", "no-memstats", 0, 0,				\
	  POOL_IS_CHECKED | POOL_IS_KNOWING,					\
	  "calls are counted by call site")					\
	X(a, TOOLS, "tools", "no-tools", 0, 0,					\
	  POOL_IS_CHECKED | POOL_IS_TOUCHING | POOL_IS_FIXED | POOL_IS_EXACT,	\
	  "ASan or valgrind is told of each call")				\
	X(a, MERGE_MODULES, "merge-modules", "no-merge-modules", 0, 0,		\
	  POOL_IS_COMMON, "kernel: modules may share pools")			\
	X(a, HARDEN, "harden", "no-harden", 0, 0,				\
	  POOL_IS_LOOKING | POOL_IS_FIXED,					\
	  "wrong frees are found, without a table")				\
	X(a, TRACE, "trace", "no-trace", 0, 0,					\
	  POOL_IS_SLOW | POOL_IS_LOOKING,					\
	  "each call is an event for tracers")					\
	X(a, NO_TRIM, "no-trim", "trim", 0, 0,					\
	  POOL_IS_COMMON, "programs: malloc() is never asked for memory")	\
	X(a, NO_AGE, "no-age", "age", 0, 0,					\
	  POOL_IS_COMMON, "programs: calls give back nothing of idle pools")

/* POOL_BIT_FAIL ... count from 0, and POOL_D_FAIL ... are the flags. */
#define POOL_WORD_BIT(a, flag, ...)	POOL_BIT_##flag,
#define POOL_WORD_FLAG(a, flag, ...)	POOL_D_##flag = 1 << POOL_BIT_##flag,

enum pool_word_bit {
	POOL_WORDS(POOL_WORD_BIT, 0)
	POOL_BITS
};

enum pool_word_flag {
	POOL_WORDS(POOL_WORD_FLAG, 0)
};

/* The flags of all words that have one of these properties. */
#define POOL_WORD_WITH(has, flag, word, opposite, sets, clears, is, help) \
	| ((is) & (has) ? POOL_D_##flag : 0u)
#define POOL_D_WITH(has)	(0u POOL_WORDS(POOL_WORD_WITH, has))

/* A text of all words, each behind a comma. */
#define POOL_WORD_COMMA(a, flag, word, ...)	", " word
#define POOL_WORDS_TEXT		POOL_WORDS(POOL_WORD_COMMA, 0)

#endif /* POOL_WORDS_H */
