// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * prog.c - a program that has only the document's prototypes
 *
 * Layer:   tests, user space; see document.sh.
 * Context: a program, compiled as C11 and as C++17.  The prototypes are those of
 *	    section 5 of the document, letter by letter.
 */
#include <stdlib.h>
#include <string.h>

typedef unsigned int uint;
typedef unsigned long long ullong;
struct pool_head;

#ifdef __cplusplus
extern "C" {
#endif

struct pool_head *create_pool(char *name, uint size, uint flags);
void *pool_destroy(struct pool_head *pool);
void pool_destroy_all(void);
void *__pool_alloc(struct pool_head *pool, uint flags);
void *pool_alloc(struct pool_head *pool);
void *pool_alloc_nocache(struct pool_head *pool);
void *pool_zalloc(struct pool_head *pool);
void pool_free(struct pool_head *pool, void *ptr);
void pool_flush(struct pool_head *pool);
void pool_gc(struct pool_head *pool);
void dump_pools_to_trash(void);
void dump_pools(void);
int pool_total_failures(void);
ullong pool_total_allocated(void);
ullong pool_total_used(void);
extern uint pool_debugging;

#ifdef __cplusplus
}
#endif

static char name[] = "session server list";

static int is_zero(const char *obj, size_t size)
{
	while (size--)
		if (*obj++)
			return 0;
	return 1;
}

int main(void)
{
	struct pool_head *pool = create_pool(name, 200, 0);
	char *obj[4];
	int i;

	/* document.sh sets no-cache in the environment. */
	if (!(pool_debugging & 0x20) != !getenv("LIBPOOL_OPTIONS"))
		return 7;
	/* Destroy all pools, though objects are in use, as a program does at its end. */
	if (!pool || atexit(pool_destroy_all))
		return 1;
	obj[0] = (char *)pool_alloc(pool);
	obj[1] = (char *)pool_zalloc(pool);
	obj[2] = (char *)__pool_alloc(pool, 0);
	obj[3] = (char *)pool_alloc_nocache(pool);
	for (i = 0; i < 4; i++)
		if (!obj[i])
			return 2;
	if (!is_zero(obj[1], 200))
		return 3;
	memset(obj[0], 1, 200);
	for (i = 0; i < 3; i++)
		pool_free(pool, obj[i]);
	pool_flush(pool);
	pool_gc(NULL);
	dump_pools_to_trash();
	if (pool_total_failures() || pool_total_allocated() < 200 ||
	    pool_total_used() < 200)
		return 4;
	if (pool_destroy(pool) != (void *)pool)
		return 5;
	return pool_destroy(create_pool(name, 300, 0)) ? 6 : 0;
}
