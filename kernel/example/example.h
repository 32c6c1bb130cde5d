/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * example.h - the functions that the two files of the example share
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

/* events.c */
void events_start(void);
void events_stop(void);

#endif /* EXAMPLE_H */
