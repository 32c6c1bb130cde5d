/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_debug.h - options: read them, set them, switch them while pools are in use
 *
 * Layer:   API.
 * Context: process context or a plain thread.
 *
 * Documentation/options has the table of all words and values.
 */
#ifndef LIBPOOL_POOL_DEBUG_H
#define LIBPOOL_POOL_DEBUG_H

#ifndef LIBPOOL_POOL_H
#error "include pool.h"
#endif

POOL_DECLS_BEGIN

struct pool_head;

/*
 * pool_debugging - which words are on for new pools; read only: writing it has no
 * effect.  Bit n stands for the n-th word of the help, counted from 0: 0x1 fail, 0x2
 * no-merge, 0x4 cold-first, 0x8 integrity, 0x10 no-global, 0x20 no-cache, 0x40 caller,
 * 0x80 tag, 0x100 poison, 0x200 uaf, 0x400 backup, 0x800 memstats, 0x1000 tools, 0x2000
 * merge-modules, 0x4000 harden, 0x8000 trace, 0x10000 no-trim, 0x20000 no-age.
 */
extern unsigned int pool_debugging;

/**
 * pool_parse_debugging() - Set options from a program's own command line.
 * @words: "word,key=value,...", as pool_configure() reads them, or "help".  If the first one
 *	is empty or a number, it is the byte of poison: "" and "0x50,no-merge" set poison, and
 *	a negative number clears it.
 * @text: filled in and terminated; NULL: no text is wanted.
 * @size: its bytes; the help has less than 4096.
 *
 * For an option like the document's -dM.  Applies to the same pools as
 * pool_configure(), and as that is not for modules.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: 1: done; @text is empty, or names pools for which some of it comes too
 * late.  -1: "help" was asked for, and @text has it.
 * -2: @text names the first wrong word, NULL included.  With -1 and -2 nothing has
 * changed.
 */
int pool_parse_debugging(const char *words, char *text, size_t size);

/**
 * pool_set_debug() - Switch options of pools that are in use.
 * @pool: the pool; NULL: all there are, and the defaults of those to come.
 * @words: words, each alone or as "+word", or as "-word", which means its
 *	opposite; separated by spaces or commas.  With NULL also key=value.
 *
 * No CPU is stopped.  Each CPU changes at its next slow path; until then it
 * serves at most the objects that its array has.  Objects freed before are checked by the
 * options they were freed under.  Of two contradicting calls at once, the one that reaches a pool
 * last decides.
 *
 * Refused are words that the help calls "fixed", and for one pool also those that it calls
 * "common", and values.
 *
 * In the kernel also refused: a pool that the calling module did not create, NULL, and
 * words that "touch" free objects, for a pool with MEM_F_TYPESAFE.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: true; false, one line in the log that names the first wrong word, and
 * no change at all, when something is wrong.  NULL for @words is wrong, too.
 */
bool pool_set_debug(struct pool_head *pool, const char *words);

#ifdef __KERNEL__
bool pool_set_debug_owned(struct pool_head *pool, const char *words, const void *owner);

#define pool_set_debug(pool, words) \
	pool_set_debug_owned(pool, words, POOL_OWNER)
#endif

/**
 * pool_debug_to_buf() - Write which options are on into a buffer.
 * @pool: the pool; NULL: the defaults of those to come.
 * @buf: always terminated if @size is not 0; may be NULL if it is.
 * @size: its bytes.
 *
 * One line: words separated by spaces; "none" if no option is on.  After the defaults' words come
 * the values that differ from the built ones, key=value.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: the bytes of the whole text without the terminator: as snprintf(), it
 * is whole if that is less than @size.
 */
size_t pool_debug_to_buf(struct pool_head *pool, char *buf, size_t size);

/**
 * pool_debug_help_to_buf() - Write a list of all options into a buffer.
 * @buf: always terminated if @size is not 0; may be NULL if it is.
 * @size: its bytes.
 *
 * A line for each word, with its opposite, the present default and its properties, then one
 * for each value with its range.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: as pool_debug_to_buf().
 */
size_t pool_debug_help_to_buf(char *buf, size_t size);

#ifndef __KERNEL__

/**
 * pool_starting() - Suspend injected failures while the program starts.
 * @starting: true: from now on no failure is injected; false: failures may be injected again.
 *
 * For programs that end if an allocation fails at their start, so that they can be started with the
 * option "fail".  In the kernel failures are injected only after it has booted.
 *
 * Context: Any.
 */
void pool_starting(bool starting);

/* The kind of a line of the log. */
enum pool_log_level {
	POOL_LOG_ERROR,			/* a refusal, or a fault: something is wrong */
	POOL_LOG_WARNING,
	POOL_LOG_TEXT,			/* asked for: dump_pools(), "help" */
};

/**
 * pool_set_log() - Set the function that gets lines instead of stderr.
 * @fn: called for each line, which has no newline and lasts as long as the call;
 *	NULL: stderr, as at the start.  A program that is started without
 *	descriptor 2 has no stderr, whatever it opens later; its lines are lost.
 * @arg: for it.
 *
 * All lines go to @fn: errors, warnings, faults, dump_pools() and "help".  Many threads
 * may call it at once.  A POOL_F_ATOMIC call that finds a fault calls it in a signal
 * handler; then it may do only what a handler may.  After the line of a fault the program
 * may be ended.  The child of a fork calls it, too, even before fork() returns there.
 *
 * No lock of ours is held, so @fn may use pools, but must not cause another line.  It
 * must return: it may neither throw, nor leave by longjmp(), nor end its thread.  It must
 * not return in a child that it has forked: that may only call exec() or _exit().  Its
 * thread is not cancelled in it, except for lines of dump_pools() and "help".  Its last
 * call may end after this function has returned.
 *
 * Context: A plain thread.
 */
void pool_set_log(void (*fn)(enum pool_log_level level, const char *line, void *arg), void *arg);

#endif

POOL_DECLS_END

#endif /* LIBPOOL_POOL_DEBUG_H */
