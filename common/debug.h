/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * debug.h - debug options: their bits, and what the checks share
 *
 * Layer:   beside the four; private to common/, kernel/ and user/.
 *
 * A pool has one option word: flags below, and above them a generation.  While
 * any of POOL_D_CLOSED is set its hot arrays take nothing, so that every call
 * takes the slow path, where the checks live.
 *
 * A free object that was checked and filled travels through the layers as a
 * sealed pointer: its address, with a seal in the bits that alignment leaves.  So
 * each object says what must be true of it, whatever the options are by now, and
 * no layer needs to know.  Hot arrays never hold sealed pointers; a cluster holds
 * sealed ones only, or none.
 */
#ifndef POOL_DEBUG_H
#define POOL_DEBUG_H

/* Flags of an option word, in the order of the table in options.c. */
#define POOL_D_FAIL		0x0001u	/* some allocations fail, on purpose */
#define POOL_D_NO_MERGE		0x0002u	/* only pools of equal names merge */
#define POOL_D_COLD_FIRST	0x0004u	/* the oldest object goes out first */
#define POOL_D_INTEGRITY	0x0008u	/* free objects are filled, checked */
#define POOL_D_NO_GLOBAL	0x0010u	/* no shared pool */
#define POOL_D_NO_CACHE		0x0020u	/* straight to the backend */
#define POOL_D_CALLER		0x0040u	/* who allocated, who freed */
#define POOL_D_TAG		0x0080u	/* the pool's address behind objects */
#define POOL_D_POISON		0x0100u	/* fill at allocation */
#define POOL_D_UAF		0x0200u	/* pages of their own, unmapped by free */
#define POOL_D_BACKUP		0x0400u	/* free objects are copied, compared */
#define POOL_D_MEMSTATS		0x0800u	/* count by call site */
#define POOL_D_TOOLS		0x1000u	/* tell ASan or valgrind of each call */
#define POOL_D_MERGE_MODULES	0x2000u	/* kernel: modules may share pools */

#define POOL_D_FLAGS		0x3fffu

/* The generation: see states.c. */
#define POOL_D_GEN		0x10000u

/* What has checks, and so a table of object states. */
#define POOL_D_CHECKED	(POOL_D_FAIL | POOL_D_COLD_FIRST | POOL_D_INTEGRITY | \
			 POOL_D_CALLER | POOL_D_TAG | POOL_D_POISON | \
			 POOL_D_UAF | POOL_D_BACKUP | POOL_D_MEMSTATS | \
			 POOL_D_TOOLS)

/* What keeps hot arrays closed. */
#define POOL_D_CLOSED	(POOL_D_CHECKED | POOL_D_NO_CACHE)

/* What creations look at, and pools do not have. */
#define POOL_D_CREATION	(POOL_D_NO_MERGE | POOL_D_MERGE_MODULES)

/* What is the same from a pool's creation to its end. */
#define POOL_D_FIXED	(POOL_D_CALLER | POOL_D_TAG | POOL_D_UAF | \
			 POOL_D_BACKUP | POOL_D_TOOLS)

/*
 * A seal: bit 0 says that there is one; the two above it which of three patterns
 * fills the object, 0 for none.
 */
#define POOL_SEAL		0x1ul
#define POOL_SEAL_PHASE		0x6ul
#define POOL_SEAL_BITS		0x7ul

static inline unsigned long pool_seal_of(const void *obj)
{
	return (unsigned long)obj & POOL_SEAL_BITS;
}

#endif /* POOL_DEBUG_H */
