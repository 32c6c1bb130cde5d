// SPDX-License-Identifier: GPL-2.0-only
/*
 * text.c - fetch words that users write to files
 *
 * Layer:   below the files of debugfs.
 * Context: process context; may sleep.
 */
#include "seam/plat.h"
#include "main.h"

#include <linux/errno.h>
#include <linux/string.h>
#include <linux/uaccess.h>

/**
 * pool_debugfs_text() - Fetch one line that a user writes.
 * @text: filled in and terminated, without the newline.
 * @size: its bytes: more than all words of a file have together.
 * @from: the user's buffer.
 * @count: bytes of it.
 * @where: the file, for the log.
 *
 * Return: 0; -EINVAL after a line in the log, if it is too long or no text;
 * -EFAULT.
 */
int pool_debugfs_text(char *text, size_t size, const char __user *from,
		      size_t count, const char *where)
{
	if (count >= size) {
		plat_log(PLAT_ERR, "%s: %zu bytes are too many words", where,
			 count);
		return -EINVAL;
	}
	if (copy_from_user(text, from, count))
		return -EFAULT;
	text[count] = '\0';
	if (strlen(text) != count) {
		plat_log(PLAT_ERR, "%s: there is a NUL among the words", where);
		return -EINVAL;
	}
	if (count && text[count - 1] == '\n')
		text[count - 1] = '\0';
	return 0;
}
