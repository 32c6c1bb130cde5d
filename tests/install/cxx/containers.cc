// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * containers.cc - containers and smart pointers on pools, by libpool.hpp
 *
 * Ends with the line of the first expectation that fails, else with 0.
 */
#include <libpool/libpool.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static void expect(bool good, int line)
{
	if (good)
		return;
	std::fprintf(stderr, "line %d\n", line);
	std::_Exit(line & 0x7f ? line & 0x7f : 1);
}
#define EXPECT(cond) expect(cond, __LINE__)

static std::uint64_t used(pool_head *pool)
{
	pool_stats stats;

	pool_stats_get(pool, &stats, sizeof(stats));
	return stats.used;
}

struct item {
	explicit item(int n) : number(n) {}
	int number;
	char rest[44] = {};
};

/* Give a container pools of its own, with one object less than the test allocates. */
struct few {
	static constexpr const char *name = "few";
	static constexpr unsigned int limit = 10;
};

static void lists()
{
	std::list<int, pool::allocator<int>> all;

	for (int i = 0; i < 1000; i++)
		all.push_back(i);
	auto copy = all;
	auto moved = std::move(all);

	moved.remove_if([](int n) { return n % 2; });
	moved.splice(moved.end(), copy);
	EXPECT(moved.size() == 1500 && moved.front() == 0 && moved.back() == 999);
}

static void maps()
{
	using entry = std::pair<const std::string, int>;
	std::map<std::string, int, std::less<>, pool::allocator<entry>> tree;
	std::unordered_map<std::string, int, std::hash<std::string>, std::equal_to<>,
			   pool::allocator<entry>> table;

	for (int i = 0; i < 1000; i++) {
		tree[std::to_string(i)] = i;
		table[std::to_string(i)] = i;
	}
	for (int i = 0; i < 1000; i += 2) {
		tree.erase(std::to_string(i));
		table.erase(std::to_string(i));
	}
	EXPECT(tree.size() == 500 && table.size() == 500 && table.at("77") == 77);
}

static void arrays()
{
	std::vector<item, pool::allocator<item>> many;

	for (int i = 0; i < 100; i++)
		many.emplace_back(i);
	EXPECT(many[99].number == 99);
}

static void shared_pointers()
{
	auto one = std::allocate_shared<item>(pool::allocator<item>(), 7);
	std::weak_ptr<item> weak = one;
	auto two = one;

	one.reset();
	EXPECT(two->number == 7 && !weak.expired());
	two.reset();
	EXPECT(weak.expired());
}

static void unique_pointers()
{
	const std::uint64_t before = used(pool::of<item>());
	auto one = pool::make_unique<item>(3);
	pool::unique_ptr<item> two = std::move(one);

	EXPECT(!one && two->number == 3 && used(pool::of<item>()) == before + 1);
	two.reset();
	EXPECT(used(pool::of<item>()) == before);
}

struct alignas(64) line {
	char bytes[64];
};
struct huge {
	char bytes[(1 << 20) + 1];
};

static void alignments_and_sizes()
{
	std::list<line, pool::allocator<line>> lines(100);
	std::list<huge, pool::allocator<huge>> two(2);

	for (const line &l : lines)
		EXPECT(reinterpret_cast<std::uintptr_t>(&l) % 64 == 0);
	EXPECT(two.size() == 2);
}

struct thrower {
	thrower() { throw std::runtime_error("no"); }
	char rest[100];
};

static void constructors_that_throw()
{
	bool thrown = false;

	try {
		auto one = pool::make_unique<thrower>();
	} catch (const std::runtime_error &) {
		thrown = true;
	}
	EXPECT(thrown && used(pool::of<thrower>()) == 0);
}

template <class F>
static bool throws_bad_alloc(F f)
{
	try {
		f();
	} catch (const std::bad_alloc &) {
		return true;
	}
	return false;
}

static void limits()
{
	std::list<int, pool::allocator<int, few>> ten;
	std::vector<pool::unique_ptr<item, few>> items;

	EXPECT(throws_bad_alloc([&] {
		for (;;)
			ten.push_back(1);
	}));
	EXPECT(ten.size() == 10);
	ten.pop_back();
	ten.push_back(2);
	EXPECT(ten.back() == 2);

	EXPECT(throws_bad_alloc([&] {
		for (;;)
			items.push_back(pool::make_unique<item, few>(1));
	}));
	EXPECT(items.size() == 10);
	EXPECT(pool_set_limit(pool::of<item, few>(), 11));
	items.push_back(pool::make_unique<item, few>(1));
}

struct audit {
	static constexpr const char *name = "audit";
	static constexpr unsigned int limit = 0;
};

struct unnamed {
	static constexpr const char *name = nullptr;
	static constexpr unsigned int limit = 0;
};

/* Kinds have different pools: otherwise a limit of one kind would apply to another one. */
static void kinds_without_limits()
{
	EXPECT((pool::of<item, audit>() != pool::of<item, unnamed>()));
	EXPECT((pool::of<item, audit>() != pool::of<item>()));
	EXPECT((pool::of<item, unnamed>() != pool::of<item>()));
	EXPECT((pool::of<item, audit>() == pool::of<item, audit>()));
}

static void resources()
{
	pool::memory_resource pools;
	std::pmr::list<std::pmr::string> texts(&pools);
	std::pmr::unordered_map<int, std::pmr::vector<int>> table(&pools);
	std::pmr::map<int, line> lines(&pools);

	for (int i = 0; i < 500; i++) {
		texts.emplace_back(std::string(static_cast<std::size_t>(i) * 11, 'x'));
		table[i].resize(static_cast<std::size_t>(i) * 3);
		EXPECT(reinterpret_cast<std::uintptr_t>(&lines[i]) % 64 == 0);
	}
	EXPECT(texts.back().size() == 499 * 11 && table[499].size() == 499 * 3);
	EXPECT(pools.is_equal(pools) && !pools.is_equal(*pools.upstream_resource()));
}

/* Each size becomes the next of 16, 32, ... 128, 160, 192, 224, 256, 320, ... 4096. */
static void sizes_of_resources()
{
	std::size_t before = 16;

	for (std::size_t bytes = 0; bytes <= 4096; bytes++) {
		std::size_t size = pool::memory_resource::rounded(bytes);

		EXPECT(size >= bytes && size >= before && size % 16 == 0);
		EXPECT(bytes <= 64 || size - bytes < bytes / 4 + 16);
		EXPECT(pool::memory_resource::rounded(size) == size);
		before = size;
	}
	EXPECT(before == 4096);
}

static void all_sizes_and_alignments()
{
	pool::memory_resource pools;
	std::vector<void *> objs;

	for (std::size_t align = 1; align <= 4096; align *= 2)
		for (std::size_t bytes = 1; bytes <= 5000; bytes += 7) {
			void *obj = pools.allocate(bytes, align);

			EXPECT(reinterpret_cast<std::uintptr_t>(obj) % align == 0);
			std::memset(obj, 0x5a, bytes);
			objs.push_back(obj);
		}
	auto obj = objs.begin();

	for (std::size_t align = 1; align <= 4096; align *= 2)
		for (std::size_t bytes = 1; bytes <= 5000; bytes += 7)
			pools.deallocate(*obj++, bytes, align);
}

static void resources_with_limits()
{
	pool::memory_resource three(3);
	std::pmr::list<int> all(&three);

	EXPECT(throws_bad_alloc([&] {
		for (;;)
			all.push_back(1);
	}));
	EXPECT(all.size() == 3);
	all.pop_front();
	all.push_back(2);
}

static void threads()
{
	pool::memory_resource pools;
	std::vector<std::thread> workers;

	for (int t = 0; t < 4; t++)
		workers.emplace_back([&pools] {
			std::pmr::list<std::pmr::string> texts(&pools);
			std::list<item, pool::allocator<item>> items;

			for (int i = 0; i < 2000; i++) {
				texts.emplace_back("a text that needs memory of its own");
				items.emplace_back(i);
			}
		});
	for (std::thread &worker : workers)
		worker.join();
}

/* Destroyed after main(), while its pool still exists. */
static std::list<item, pool::allocator<item>> until_the_end;

int main()
{
	lists();
	maps();
	arrays();
	shared_pointers();
	unique_pointers();
	alignments_and_sizes();
	constructors_that_throw();
	limits();
	kinds_without_limits();
	resources();
	sizes_of_resources();
	all_sizes_and_alignments();
	resources_with_limits();
	threads();
	until_the_end.emplace_back(1);
	return 0;
}
