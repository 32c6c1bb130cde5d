// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * all.cc - every way to declare a pool, in C++
 *
 * Layer:   tests, user space; see declare.sh.
 * Context: a program; also compiled as pedantic C++17.
 */
#include "shared.h"

#include <cstdint>
#include <cstring>

struct alignas(256) wide {
	char text[300];
};

static struct pool_head *registered, *late;

DECLARE_POOL(first, "first", 64); DECLARE_POOL(second, "second", 64);
DECLARE_STATIC_POOL(third, "third", 64);
REGISTER_POOL(&registered, "registered", 1000);
DECLARE_ALIGNED_POOL(page, "page", 100, 4096);
DECLARE_STATIC_ALIGNED_POOL(line, "line", 100, 64);
DECLARE_TYPED_POOL(typed, "typed", wide);
DECLARE_STATIC_TYPED_POOL(static_typed, "static", struct wide);
DECLARE_STATIC_TYPED_POOL(extra, "extra", wide, 100);
DECLARE_TYPED_POOL(cacheline, "cacheline", int, 0, 64);
REGISTER_TYPED_POOL(&late, "late", wide);

namespace inner {
DECLARE_POOL(first, "inner", 64);
}

namespace {
DECLARE_STATIC_POOL(hidden, "hidden", 64);
DECLARE_STATIC_POOL(hidden_too, "hidden", 64);

/* Uses pools before main() and after it. */
struct user {
	void *obj;

	user() : obj(pool_alloc(first)) {}
	~user() { pool_free(first, obj); pool_free(first, pool_alloc(first)); }
};

user early;
}

int main()
{
	struct pool_stats stats;
	void *obj = pool_zalloc(typed);

	if (!early.obj)
		return 1;
	if (first != second || first != third || first != inner::first ||
	    first != hidden || first != hidden_too)
		return 2;
	pool_stats_get(first, &stats, sizeof(stats));
	if (stats.registrations != 6 || std::strcmp(stats.name, "first"))
		return 3;
	if (!obj || reinterpret_cast<std::uintptr_t>(obj) % 256 ||
	    typed->size < sizeof(wide))
		return 4;
	pool_free(typed, obj);
	if (typed != static_typed || typed != late)
		return 5;
	if (extra->size < sizeof(wide) + 100 || !cacheline)
		return 7;
	if (!create_aligned_pool("buffer", 16384, 64, MEM_F_SHARED | MEM_F_EXACT))
		return 8;
	return page && line && registered && in_header ? 0 : 6;
}
