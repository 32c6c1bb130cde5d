// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bugs.c - one wrong use of memory, so that an option reports it
 *
 *	bugs NAME	overflow, underflow, interior, foreign, wrong, twice, written or gone
 *
 * Documentation/debugging.rst has the report of each.
 */
#include <libpool/pool.h>
#include <stdlib.h>
#include <string.h>

static struct pool_head *conns, *names;

char *conn_new(void)
{
	return pool_alloc(conns);
}

void conn_free(char *conn)
{
	pool_free(conns, conn);
}

int main(int argc, char **argv)
{
	const char *bug = argc > 1 ? argv[1] : "";
	char *conn, *name;

	conns = create_pool("conn", 64, 0);
	names = create_pool("name", 64, 0);
	conn = conn_new();
	name = pool_alloc(names);
	if (!conn || !name)
		return 1;
	memset(conn, 'a', 64);
	if (!strcmp(bug, "overflow"))
		conn[64] = 0;
	if (!strcmp(bug, "underflow"))
		conn[-1] = 0;
	if (!strcmp(bug, "interior"))
		conn_free(conn + 16);
	if (!strcmp(bug, "foreign"))
		conn_free(malloc(64));
	if (!strcmp(bug, "wrong"))
		conn_free(name);
	conn_free(conn);
	if (!strcmp(bug, "twice"))
		conn_free(conn);
	if (!strcmp(bug, "written"))
		conn[20]++;
	if (!strcmp(bug, "gone"))
		pool_destroy(conns);
	return !conn_new();
}
