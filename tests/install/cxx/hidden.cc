// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * hidden.cc - a library fills a list, and the program that uses the library destroys it
 *
 * Both are made of this file, with -fvisibility=hidden; the library has -DLIBRARY.  More
 * rounds than one need that both have the same pool.
 */
#include <libpool/libpool.hpp>

#include <list>

struct __attribute__((visibility("default"))) sessions {
	static constexpr const char *name = "session";
	static constexpr unsigned int limit = 10;
};

/* A hidden type: only its size decides which pool it gets. */
struct session {
	char peer[100];
};

using list = std::list<session, pool::allocator<session, sessions>>;
using one = pool::unique_ptr<int>;

struct __attribute__((visibility("default"))) filled {
	static one fill(void *all);
};

#ifdef LIBRARY
one filled::fill(void *all)
{
	static_cast<list *>(all)->resize(sessions::limit);
	return pool::make_unique<int>(1);
}
#else
int main()
{
	for (int i = 0; i < 3; i++) {
		list all;
		one number = filled::fill(&all);
	}
	return 0;
}
#endif
