// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bare.cc - libpool.hpp without exceptions and run-time types
 *
 * Layer:   tests, above the installed headers.
 * Context: main program.
 *
 *	bare [limit]	with "limit" it asks for one object too many, and ends by SIGABRT
 */
#include <libpool/libpool.hpp>

#include <cstring>
#include <list>
#include <memory_resource>
#include <vector>

struct two {
	static constexpr const char *name = "two";
	static constexpr unsigned int limit = 2;
};

struct point {
	int x, y;
};

int main(int argc, char **)
{
	std::list<int, pool::allocator<int>> numbers = { 1, 2, 3 };
	auto five = pool::make_unique<const int>(5);
	auto five_more = pool::make_unique<volatile int>(5);
	pool::unique_ptr<const point> at = pool::make_unique<point>(point{ 1, 2 });
	pool::memory_resource pools;
	std::pmr::vector<int> few(&pools);
	auto one = pool::make_unique<long, two>(1);
	auto other = pool::make_unique<long, two>(1);

	few.push_back(*five);
	if (argc > 1)
		return pool::make_unique<long, two>(1) != nullptr;
	at.reset();
	return few.front() - *five_more + static_cast<int>(numbers.size()) - 3 +
	       static_cast<int>(*one - *other);
}
