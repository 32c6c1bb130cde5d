// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * containers.cc - how long containers take with an allocator
 *
 *	containers		prints a line per work and allocator: "WORK ALLOCATOR NS"
 *
 * NS is the median of nine rounds, in nanoseconds for an element that comes and one that
 * goes.  The allocators take turns in each round, so that all meet the same machine.
 *
 * Layer:   a benchmark.
 * Context: one thread.
 */
#include "families.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <list>
#include <map>
#include <random>
#include <unordered_map>
#include <vector>

namespace {

constexpr int elements = 1000, operations = 100000, rounds = 9;

struct session {
	int fd;
	char peer[180];
};

/* Each operation replaces one element; which one was drawn before time is taken. */
std::vector<int> drawn()
{
	std::mt19937 random(1);
	std::uniform_int_distribution<int> any(0, elements - 1);
	std::vector<int> keys(operations);

	for (int &key : keys)
		key = any(random);
	return keys;
}

const std::vector<int> keys = drawn();

template <class F>
struct list {
	using allocator = decltype(F::template of<int>());
	std::list<int, allocator> held{ F::template of<int>() };

	list() { held.assign(elements, 0); }
	void operator()(int key)
	{
		held.pop_front();
		held.push_back(key);
	}
};

/* A container of pairs; @Held is a map of some kind. */
template <class Held>
struct keyed {
	Held held;

	explicit keyed(typename Held::allocator_type from) : held(from)
	{
		for (int key = 0; key < elements; key++)
			held.emplace(key, key);
	}
	void operator()(int key)
	{
		held.erase(key);
		held.emplace(key, key);
	}
};

using pair = std::pair<const int, int>;
template <class F>
using pairs = decltype(F::template of<pair>());

template <class F>
struct map : keyed<std::map<int, int, std::less<int>, pairs<F>>> {
	map() : map::keyed(F::template of<pair>()) {}
};

template <class F>
struct unordered_map : keyed<std::unordered_map<int, int, std::hash<int>, std::equal_to<int>,
						pairs<F>>> {
	unordered_map() : unordered_map::keyed(F::template of<pair>()) {}
};

template <class F>
struct shared_ptr {
	std::vector<std::shared_ptr<session>> held;

	shared_ptr()
	{
		for (int key = 0; key < elements; key++)
			held.push_back(std::allocate_shared<session>(
				F::template of<session>()));
	}
	void operator()(int key)
	{
		held[static_cast<std::size_t>(key)] =
			std::allocate_shared<session>(F::template of<session>());
	}
};

/* Nanoseconds for one operation. */
template <class Work>
double timed()
{
	Work work;

	for (int key : keys)
		work(key);		/* caches are warm */
	auto start = std::chrono::steady_clock::now();
	for (int key : keys)
		work(key);
	std::chrono::duration<double, std::nano> took =
		std::chrono::steady_clock::now() - start;
	return took.count() / operations;
}

struct contender {
	const char *name;
	double (*timed)();
	std::vector<double> took;
};

template <template <class> class Work>
std::vector<contender> contenders()
{
	return {
#ifdef BENCH_MIMALLOC
		{ "mi_stl_allocator", timed<Work<families_mimalloc>>, {} },
#else
		{ "pool::allocator", timed<Work<family<pool_allocator>>>, {} },
		{ "pool::memory_resource",
		  timed<Work<resource_family<pool::memory_resource>>>, {} },
		{ "std::allocator", timed<Work<family<std::allocator>>>, {} },
		{ "pmr::unsynchronized_pool_resource",
		  timed<Work<resource_family<std::pmr::unsynchronized_pool_resource>>>, {} },
		{ "pmr::synchronized_pool_resource",
		  timed<Work<resource_family<std::pmr::synchronized_pool_resource>>>, {} },
		{ "boost::fast_pool_allocator", timed<Work<family<boost_locked>>>, {} },
		{ "boost, without a lock", timed<Work<family<boost_unlocked>>>, {} },
#endif
	};
}

template <template <class> class Work>
void compare(const char *name)
{
	std::vector<contender> all = contenders<Work>();

	for (int round = 0; round < rounds; round++)
		for (contender &one : all)
			one.took.push_back(one.timed());
	for (contender &one : all) {
		std::sort(one.took.begin(), one.took.end());
		std::printf("%s\t%s\t%.2f\n", name, one.name, one.took[rounds / 2]);
	}
}

} /* namespace */

int main()
{
	compare<list>("list");
	compare<map>("map");
	compare<unordered_map>("unordered_map");
	compare<shared_ptr>("shared_ptr");
}
