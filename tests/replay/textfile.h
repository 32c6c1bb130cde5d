/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * textfile.h - a file, plain or compressed by xz, in memory
 *
 * Layer:   user space, below the program.
 */
#ifndef REPLAY_TEXTFILE_H
#define REPLAY_TEXTFILE_H

#include <stdbool.h>
#include <stddef.h>

struct textfile {
	char *data;
	size_t len;
	size_t room;			/* bytes that are mapped for it */
};

/* False, after it has printed why; textfile_forget() must follow then, too. */
bool textfile_read(struct textfile *text, const char *file);
void textfile_forget(struct textfile *text);

#endif /* REPLAY_TEXTFILE_H */
