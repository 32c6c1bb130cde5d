// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plugin.cc - a plugin whose static objects hold an object while it is loaded
 *
 * Layer:   tests, user space; see declare.sh.
 * Context: dlopen()ed by host.c.
 */
#include <libpool/pool.h>

DECLARE_STATIC_POOL(pool, "three", 64);

namespace {
struct user {
	void *obj;

	user() : obj(pool_alloc(pool)) {}
	~user() { pool_free(pool, obj); }
};

user holds;
}

extern "C" struct pool_head *plugin_pool()
{
	return holds.obj ? pool : nullptr;
}
