// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * main.c - libpool's start: options from the environment
 *
 * Layer:   above the seam; twin of kernel/main.c.
 * Context: before main().
 *
 * The exported functions are listed in libpool.map.
 */
#include "main.h"
#include "seam/plat.h"
#include "slab/slab.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The version; the commands of user/gdb.py compare it with the only version that they know. */
const char libpool_version[] __attribute__((__used__)) = POOL_VERSION;

bool pool_program_starts;

void pool_starting(bool starting)
{
	plat_write(&pool_program_starts, starting);
}

/*
 * Remove the item "ctl=PATH", which only programs have, from a list of options.  Returns the path,
 * that of the last such item, or NULL.
 */
static char *take_ctl(char *text)
{
	static const char key[] = "ctl=";
	char *path = NULL, *end;

	while (*text) {
		end = strchrnul(text, ',');
		if (strncmp(text, key, strlen(key))) {
			text = end + (*end == ',');
			continue;
		}
		free(path);
		path = strndup(text + strlen(key), (size_t)(end - text) - strlen(key));
		memmove(text, end + (*end == ','), strlen(end + (*end == ',')) + 1);
	}
	return path;
}

static void read_options(const char *environment)
{
	char *text = strdup(environment), *path;

	if (!text)
		return;
	path = take_ctl(text);
	pool_options_set(text, "LIBPOOL_OPTIONS", false);
	if (path)
		pool_ctl_start(path);
	free(path);
	free(text);
}

/* The most CPUs that Linux supports. */
#define CPUS	8192

/*
 * Count the CPUs that this program may use by one system call, because sysconf() would open files
 * and add a thousand instructions to the library's start.
 */
static unsigned int count_cpus(void)
{
	unsigned long allowed[CPUS / (8 * sizeof(unsigned long))];
	long bytes = syscall(SYS_sched_getaffinity, 0, sizeof(allowed), allowed);
	unsigned int i, n = 0;

	for (i = 0; (long)(i * sizeof(*allowed)) < bytes; i++)
		n += (unsigned int)__builtin_popcountl(allowed[i]);
	return n ? n : 1;
}

/*
 * Start the library.  The environment is ignored if the program has more rights than its user.
 * Processors are counted now, since the program may forbid itself the system call later.
 */
AT_START void libpool_start(void)
{
	const char *text = secure_getenv("LIBPOOL_OPTIONS");

	pool_slab_first_start();
	libpool_declare_start();
	pool_options_start(&(struct pool_start){
		.debug = tool_options(),
		.cpus = count_cpus(),
		.page = (unsigned int)getauxval(AT_PAGESZ),
		.nodes = pool_nodes_start(),
	});
	if (text)
		read_options(text);
}

/*
 * Free the structs of destroyed pools, which are kept for reports (gone.c), if a tool runs that
 * would call them leaks.
 */
static __attribute__((__destructor__)) void libpool_end(void)
{
	if (tool_options())
		pool_gone_free_all();
}
