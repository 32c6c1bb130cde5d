// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pattern.c - the patterns that fill free objects
 *
 * Layer:   beside the four.
 * Context: any; the object is the caller's.
 *
 * The pattern of an object is a word made from its address, plus a third of a word's range for each
 * free: three patterns, which differ in about half of their bits.  The pointer and its seal alone
 * determine the pattern, so a check compares the bytes with the pattern, not with their neighbours.
 * An overwrite by equal bytes is found as well as one of a single bit, in all bytes, even if the
 * size is no multiple of a word.
 */
#include "seam/plat.h"

/* A word of an object, which may be of any type. */
typedef unsigned long __attribute__((__may_alias__)) word_t;

#define WORD	((unsigned int)sizeof(word_t))

static word_t pattern_of(const void *obj, unsigned int phase)
{
	word_t x = (word_t)obj * (word_t)0x9e3779b97f4a7c15ull;

	x ^= x >> (WORD * 4);
	return x + phase * (~(word_t)0 / 3);
}

static unsigned char byte_of(word_t pattern, unsigned int i)
{
	return ((unsigned char *)&pattern)[i % WORD];
}

/* Fill a free object, which is aligned to a word.  @phase is 1 to 3. */
void pool_pattern_fill(void *obj, unsigned int size, unsigned int phase)
{
	word_t pattern = pattern_of(obj, phase);
	unsigned char *byte = obj;
	word_t *word = obj;
	unsigned int i;

	for (i = 0; i < size / WORD; i++)
		word[i] = pattern;
	for (i *= WORD; i < size; i++)
		byte[i] = byte_of(pattern, i);
}

/* Return the first byte of a free object that differs from the pattern of @phase; -1: none does. */
long pool_pattern_check(const void *obj, unsigned int size,
			unsigned int phase)
{
	word_t pattern = pattern_of(obj, phase);
	const unsigned char *byte = obj;
	const word_t *word = obj;
	unsigned int i = 0;

	while (i < size / WORD && word[i] == pattern)
		i++;
	for (i *= WORD; i < size; i++)
		if (byte[i] != byte_of(pattern, i))
			return (long)i;
	return -1;
}
