// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * check.c - the checks, where objects change hands
 *
 * Layer:   beside the four: between users and the layers, and below them.
 * Context: any; outside of hot sections, no lock held.
 *
 *        user                                              backend
 *          |  free: state, tag; fill, copy, seal   alloc      ^
 *          v                                                  |
 *      sealed pointer ---> caches, shared pool ---> out: pattern, copy
 *          |
 *          |  alloc: pattern, copy; state, tag, caller, poison
 *          v
 *        user
 *
 * A call reads the option bits once.  The seal records how an object was prepared when it was
 * freed, and exactly this is checked when the object leaves, even if the options have changed.  A
 * corrupted object stays where it is: it is counted as quarantined, and never handed out again.
 *
 * A free annotates the object for tools that watch memory before anything else, an allocation after
 * everything else.  In between the library may touch the object while it fills or checks it.
 */
#include "seam/plat.h"

static unsigned char *byte_of(void *obj, unsigned int at)
{
	return (unsigned char *)obj + at;
}

/* Store a word, which need not be aligned. */
static void put_word(void *obj, unsigned int at, const void *word)
{
	__builtin_memcpy(byte_of(obj, at), &word, sizeof(word));
}

/* Return the first byte of the tag that is wrong; -1: none is. */
static long check_tag(struct pool *pool, void *obj, unsigned int at)
{
	const unsigned char *tag = byte_of(obj, at);
	const void *want = pool_tag_of(pool);
	unsigned int i;

	for (i = 0; i < sizeof(want); i++)
		if (tag[i] != ((const unsigned char *)&want)[i])
			return (long)(at + i);
	return -1;
}

static long compare(void *obj, const struct pool_layout *l, unsigned int size)
{
	const unsigned char *copy = byte_of(obj, l->copy);
	unsigned int i;

	for (i = 0; i < size; i++)
		if (*byte_of(obj, i) != copy[i])
			return (long)i;
	return -1;
}

/*
 * Quarantine a corrupted object and report it.  Memory tools already let the library access the
 * object.
 */
static void quarantine(struct pool_fault_info *info, enum pool_fault kind,
		       long where)
{
	struct pool *pool = info->pool;
	struct pool_layout l;

	info->kind = kind;
	info->where = where;
	pool_state_quarantine(pool, info->obj);
	plat_word_add(&pool->quarantined, 1);
	pool_report(info);
	pool_layout_of(pool, pool->head.size, &l);
	plat_annotate(pool, info->obj, l.total, info->flags, PLAT_HIDDEN);
	plat_annotate(pool, info->obj, l.total, info->flags, PLAT_KEPT);
}

/* Report a wrong free.  Reads nothing behind the pointer, which may point anywhere. */
static void misfreed(struct pool_fault_info *info, enum pool_seen seen)
{
	void *around;

	info->where = 0;
	info->contents_stable = false;
	info->kind = POOL_FAULT_DOUBLE_FREE;
	if (seen == POOL_SEEN_NEVER) {
		around = pool_state_around(info->pool, info->obj);
		info->kind = around ? POOL_FAULT_INTERIOR :
				       POOL_FAULT_FOREIGN;
		if (around) {
			info->where = (char *)info->obj - (char *)around;
			info->obj = around;
		}
	}
	pool_report(info);
}

/* Fill, copy, hide and seal an object after a correct free. */
static void *seal(const struct pool_fault_info *info, unsigned int phase,
		  const struct pool_layout *l)
{
	struct pool *pool = info->pool;
	void *obj = info->obj, *caller = info->caller;
	unsigned int size = pool->head.size;

	if (phase && pool->dtor)
		pool_call_dtor(pool, obj);
	if (phase)
		pool_pattern_fill(obj, size, phase);
	if (l->tag)
		put_word(obj, l->tag, caller);
	if (l->caller)
		put_word(obj, l->caller + sizeof(void *), caller);
	if (l->copy)
		__builtin_memcpy(byte_of(obj, l->copy), obj, size);
	plat_annotate(pool, obj, l->total, info->flags, PLAT_HIDDEN);
	return byte_of(obj, POOL_SEAL | phase << 1);
}

/* True if the bytes around a freed object are intact; otherwise the object is quarantined. */
static bool is_bounded(struct pool_fault_info *info, const struct pool_layout *l)
{
	struct pool *pool = info->pool;
	long where = -1;

	if (l->tag)
		where = check_tag(pool, info->obj, l->tag);
	if (where < 0 && plat_guard_check(&pool->backend, info->obj, &where))
		return true;
	quarantine(info, where < 0 ? POOL_FAULT_UNDERFLOW :
				      POOL_FAULT_OVERFLOW, where);
	return false;
}

static __attribute__((__noinline__))
void *check_free(struct pool *pool, unsigned int bits, void *obj,
		 unsigned int flags, void *caller)
{
	struct pool_fault_info info = {
		.pool = pool, .obj = obj, .caller = caller, .flags = flags,
		.contents_stable = true,
	};
	struct pool_layout l;
	enum pool_seen seen;
	unsigned long note;
	unsigned int phase = 0;

	if (pool_gone_report(pool, obj, flags, caller))
		return NULL;
	seen = pool_state_free(pool, bits, obj, &note);
	if (seen != POOL_SEEN_USED) {
		misfreed(&info, seen);
		return NULL;
	}
	pool_layout_of(pool, pool->head.size, &l);
	info.kind = plat_annotate(pool, obj, l.total, flags, PLAT_BACK);
	if (info.kind != POOL_FAULT_KINDS) {
		/* The table did not know the pointer, and has recorded it as an object. */
		pool_state_drop(pool, obj);
		info.contents_stable = false;
		pool_report(&info);
		return NULL;
	}
	if (!is_bounded(&info, &l))
		return NULL;
	pool_hot_in(&pool->head, obj);
	if (bits & POOL_D_MEMSTATS)
		pool_profile_free(pool, caller, pool->head.size,
				  pool_state_bin(note));
	if (bits & POOL_D_INTEGRITY)
		phase = pool_state_phase(note);
	return seal(&info, phase, &l);
}

/*
 * Check an object that a user frees.  Returns the pointer to put into the layers, sealed if the
 * pool is checked.  NULL: the free was wrong, and was reported.
 */
void *pool_check_free(struct pool *pool, void *obj, unsigned int flags,
		      void *caller)
{
	unsigned int bits = plat_read(&pool->debug);
	void *user = obj;

	if (bits & POOL_D_CHECKED)
		obj = check_free(pool, bits, obj, flags, caller);
	else if (!pool_harden_free(pool, obj, flags, caller))
		obj = NULL;
	if (obj && (bits & POOL_D_TRACE))
		pool_trace_free(pool, user, caller);
	return obj;
}

/*
 * Check a free object, perhaps sealed, when it leaves the layers.  @caller: for the report, or
 * NULL.  @raw: set to true if the object is filled with a pattern, so that it must be constructed
 * anew.  Returns the object.  NULL: it is corrupted, and was reported.
 */
void *pool_check_out(struct pool *pool, void *obj, unsigned int flags,
		     void *caller, bool *raw)
{
	unsigned long sealed = pool_seal_of(obj);
	struct pool_fault_info info = {
		.pool = pool, .caller = caller, .flags = flags,
		.obj = (char *)obj - sealed, .contents_stable = true,
	};
	unsigned int phase = (unsigned int)(sealed & POOL_SEAL_PHASE) >> 1;
	unsigned int size = pool->head.size;
	struct pool_layout l;
	long where = -1;

	*raw = phase;
	pool_layout_of(pool, size, &l);
	plat_annotate(pool, info.obj, l.total, flags, PLAT_SHOWN);
	if (phase)
		where = pool_pattern_check(info.obj, size, phase);
	if (sealed && where < 0 && l.copy)
		where = compare(info.obj, &l, size);
	if (where < 0)
		return info.obj;
	quarantine(&info, POOL_FAULT_WRITTEN, where);
	return NULL;
}

/*
 * Report an object that the backend gives although its user never freed it to the pool.  The object
 * is handed out all the same, because the backend gave it.  Its earlier allocation stays counted,
 * as abandoned.
 */
static void freed_elsewhere(struct pool *pool, void *obj, unsigned int flags, void *caller)
{
	plat_word_add(&pool->abandoned, 1);
	pool_report(&(struct pool_fault_info){
		.kind = POOL_FAULT_ELSEWHERE, .pool = pool, .obj = obj, .caller = caller,
		.flags = flags,
	});
}

/*
 * Hand an object out.  Writes the zeros that the caller asked for after the annotation, because
 * tools forget earlier writes when they learn that an object is in use.
 */
static void hand_out(struct pool *pool, void *obj, unsigned int flags,
		     unsigned int total)
{
	plat_annotate(pool, obj, total, flags, PLAT_USED);
	if (flags & POOL_F_MUST_ZERO)
		pool_hot_out(&pool->head, obj, flags);
}

/*
 * Note, annotate and hand out a free object, which is constructed and filled already, as the caller
 * asked.  @bits: the pool's options as the call has read them.
 */
void pool_check_used(struct pool *pool, unsigned int bits, void *obj,
		     unsigned int flags, void *caller)
{
	unsigned int bin = 0;
	struct pool_layout l;

	if (bits & POOL_D_MEMSTATS)
		bin = pool_profile_alloc(pool, caller, pool->head.size);
	if (pool_state_alloc(pool, bits, obj, flags, bin))
		freed_elsewhere(pool, obj, flags, caller);
	pool_layout_of(pool, pool->head.size, &l);
	if (l.tag)
		put_word(obj, l.tag, pool_tag_of(pool));
	if (l.caller) {
		put_word(obj, l.caller, caller);
		put_word(obj, l.caller + sizeof(void *), NULL);
	}
	hand_out(pool, obj, flags, l.total);
}
