// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * closed.c - a program that is started without stderr, and opens a file of its own
 *
 * Layer:   tests, a program of its own: see life.sh.
 * Context: main program.
 *
 * Writes to that file, and makes libpool find faults and dump.
 */
#include <libpool/pool.h>

#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600)
			   : -1;

	if (fd != STDERR_FILENO || write(fd, "data\n", 5) != 5)
		return 1;
	pool_set_limit(NULL, 1);
	pool_configure("nonsense");
	dump_pools();
	return 0;
}
