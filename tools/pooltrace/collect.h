/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * collect.h - the files of all processes of a command
 *
 * Layer:   pooltrace, between pooltrace.c and convert.c.
 * Context: one thread.
 */
#ifndef POOLTRACE_COLLECT_H
#define POOLTRACE_COLLECT_H

#include "raw.h"

#include <stdbool.h>

/*
 * Make traces of the files in @dir, and say on the standard error which.  False, after it
 * has printed why: one could not be written, or is not whole for lack of room, or there is none.
 */
bool collect(const char *dir, const char *file);

void remove_folder(const char *dir);

#endif /* POOLTRACE_COLLECT_H */
