// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bad.c - a declared pool that cannot be made, beside one that can
 *
 * Layer:   tests, user space; see declare.sh.
 * Context: a program.  With -DHANDLED it sets a handler, and goes on.
 */
#include <libpool/pool.h>

#include <string.h>

DECLARE_STATIC_POOL(bad, "", 64);
DECLARE_STATIC_POOL(good, "good", 64);

#ifdef HANDLED
static int told;

static void tell(const struct pool_decl *decl)
{
	told += decl->ptr == &bad && decl->size == 64 && !*decl->name &&
		strstr(decl->file, "bad.c");
}

/* Runs before declarations, which have priority 110. */
__attribute__((constructor(105))) static void set_handler(void)
{
	pool_declare_failed(tell);
}
#else
static const int told;
#endif

int main(void)
{
	return told == 1 && !bad && good ? 0 : 2;
}
