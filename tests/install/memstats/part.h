/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * part.h - what the second file of the program, and the plugin, offer
 *
 * Layer:   tests, user space; see memstats.sh.
 * Context: a plain thread.
 */
#ifndef PART_H
#define PART_H

void *part_make(void);

#endif /* PART_H */
