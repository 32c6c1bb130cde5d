/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libpool.hpp - pools for containers and smart pointers of C++17
 *
 * Layer:   API, above pool.h; all of it is in this header.
 * Context: plain threads.
 *
 *   pool::allocator<T>		for std::list, map, unordered_map, allocate_shared
 *   pool::unique_ptr<T>	with pool::make_unique<T>(arguments)
 *   pool::memory_resource	std::pmr, over pools of several sizes
 *
 * If no object can be allocated, all throw std::bad_alloc; with -fno-exceptions they end the
 * program by std::abort().  The page is Documentation/cxx.
 */
#ifndef LIBPOOL_HPP
#define LIBPOOL_HPP

#if __cplusplus < 201703L
#error "libpool.hpp needs C++17: compile with -std=c++17 or later"
#else

#include <libpool/pool.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <utility>

/* Visible, so that a program and its libraries share one pool of a size, whatever they hide. */
namespace pool __attribute__((visibility("default"))) {

/*
 * The name and the limit of the pools of allocators and smart pointers.  Another struct with the
 * same members, which has to be visible, too, makes pools of its own:
 *
 *	struct sessions {
 *		static constexpr const char *name = "session";
 *		static constexpr unsigned int limit = 1000;
 *	};
 *	std::list<session, pool::allocator<session, sessions>> all;
 *
 * Without a name it is "c++-" and the size.  A limit of 0 is none.
 */
struct by_size {
	static constexpr const char *name = nullptr;
	static constexpr unsigned int limit = 0;
};

namespace detail {

[[noreturn]] inline void no_object()
{
#ifdef __cpp_exceptions
	throw std::bad_alloc();
#else
	std::abort();
#endif
}

/* Larger objects, and those with a larger alignment, do not come from pools. */
constexpr std::size_t max_size = 1u << 20;
constexpr std::size_t max_align = 4096;

/* Create a pool; nullptr: no memory.  A pool with a limit is never shared. */
inline pool_head *create(const char *name, std::size_t size, std::size_t align,
			 unsigned int limit, bool shared) noexcept
{
	char text[16];
	pool_attr attr = {};

	std::snprintf(text, sizeof(text), "c++-%u",
		      static_cast<unsigned int>(size));
	attr.name = name ? name : text;
	attr.size = static_cast<unsigned int>(size);
	attr.align = static_cast<unsigned int>(align);
	attr.flags = shared ? MEM_F_SHARED : 0;
	attr.limit = limit;
	return create_pool_ext(&attr);
}

/*
 * The pool of a size.  It is made by the first allocation and stays: objects with static
 * storage may be destroyed after all else.
 */
template <std::size_t Size, std::size_t Align, class Kind>
pool_head *of_size()
{
	static pool_head *const pool = [] {
		pool_head *made = create(Kind::name, Size, Align, Kind::limit,
					 std::is_same_v<Kind, by_size>);

		if (!made)
			detail::no_object();
		return made;
	}();

	return pool;
}

template <class T>
constexpr bool fits = sizeof(T) <= max_size && alignof(T) <= max_align;

} /* namespace detail */

/*
 * of<T>() - the pool of objects of this type, for pool_set_limit() and the like
 *
 * Types of equal size and alignment have one.
 */
template <class T, class Kind = by_size>
pool_head *of()
{
	static_assert(detail::fits<T>, "too large for a pool");
	return detail::of_size<sizeof(T), alignof(T), Kind>();
}

/*
 * allocator<T> - single objects from pools, arrays from operator new
 *
 * A node of a list or a map is a single object.  The table of a hash map and the elements of a
 * vector are arrays.
 */
template <class T, class Kind = by_size>
class allocator {
public:
	using value_type = T;
	using is_always_equal = std::true_type;
	using propagate_on_container_move_assignment = std::true_type;

	template <class U>
	struct rebind {
		using other = allocator<U, Kind>;
	};

	allocator() = default;
	template <class U>
	allocator(const allocator<U, Kind> &) noexcept
	{
	}

	[[nodiscard]] T *allocate(std::size_t n)
	{
		if constexpr (detail::fits<T>) {
			if (n == 1) {
				void *obj = pool_alloc(of<T, Kind>());

				if (!obj)
					detail::no_object();
				return static_cast<T *>(obj);
			}
		}
		return std::allocator<T>().allocate(n);
	}

	void deallocate(T *obj, std::size_t n) noexcept
	{
		if constexpr (detail::fits<T>) {
			if (n == 1) {
				pool_free(of<T, Kind>(), obj);
				return;
			}
		}
		std::allocator<T>().deallocate(obj, n);
	}
};

template <class T, class U, class Kind>
bool operator==(const allocator<T, Kind> &, const allocator<U, Kind> &) noexcept
{
	return true;
}

template <class T, class U, class Kind>
bool operator!=(const allocator<T, Kind> &, const allocator<U, Kind> &) noexcept
{
	return false;
}

/*
 * Frees to the pool of exactly this type.  So a unique_ptr of a derived class does not
 * become one of its base, whose pool may be another one.  One of T becomes one of const T.
 */
template <class T, class Kind = by_size>
struct deleter {
	deleter() = default;
	template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
	deleter(const deleter<U, Kind> &) noexcept
	{
	}

	void operator()(T *obj) const noexcept
	{
		obj->~T();
		pool_free(of<T, Kind>(), const_cast<std::remove_cv_t<T> *>(obj));
	}
};

template <class T, class Kind = by_size>
using unique_ptr = std::unique_ptr<T, deleter<T, Kind>>;

namespace detail {

/* Memory of an object that is not made yet; freed if the constructor throws. */
template <class T, class Kind>
struct raw {
	allocator<T, Kind> memory = {};
	T *obj = memory.allocate(1);

	raw() = default;
	raw(const raw &) = delete;
	raw &operator=(const raw &) = delete;
	~raw()
	{
		if (obj)
			memory.deallocate(obj, 1);
	}
};

} /* namespace detail */

/* make_unique<T>() - an object of a pool; freed if its constructor throws. */
template <class T, class Kind = by_size, class... Args>
unique_ptr<T, Kind> make_unique(Args &&...args)
{
	static_assert(!std::is_array_v<T>, "a pool has single objects");
	detail::raw<std::remove_cv_t<T>, Kind> raw;
	unique_ptr<T, Kind> made(::new (static_cast<void *>(raw.obj))
				 T(std::forward<Args>(args)...));

	raw.obj = nullptr;
	return made;
}

/*
 * memory_resource - pools of 16 bytes to 4 KiB, four sizes to each power of two
 *
 * What is larger, or aligned to more than 64 bytes, comes from upstream.  All threads may
 * use one resource.  A pool is made when its size is first asked for.  The resource gives
 * its pools back when it ends; one that has objects in use then stays.
 */
class memory_resource : public std::pmr::memory_resource {
public:
	/*
	 * @limit: the most objects of each size, counted separately for those aligned to more than
	 * 16 bytes; 0: no limit.
	 */
	explicit memory_resource(unsigned int limit = 0,
				 std::pmr::memory_resource *upstream =
					 std::pmr::new_delete_resource()) noexcept
		: upstream_(upstream), limit_(limit)
	{
	}

	memory_resource(const memory_resource &) = delete;
	memory_resource &operator=(const memory_resource &) = delete;

	~memory_resource() override
	{
		for (auto &pools : pools_)
			for (auto &pool : pools)
				pool_destroy(pool.load());
	}

	std::pmr::memory_resource *upstream_resource() const noexcept
	{
		return upstream_;
	}

	/* Round a size up; the test has a table of all. */
	static constexpr std::size_t rounded(std::size_t bytes) noexcept
	{
		return size_of(class_of(bytes));
	}

protected:
	void *do_allocate(std::size_t bytes, std::size_t align) override
	{
		if (!ours(bytes, align))
			return upstream_->allocate(bytes, align);

		void *obj = pool_alloc(pool_for(bytes, align));

		if (!obj)
			detail::no_object();
		return obj;
	}

	void do_deallocate(void *obj, std::size_t bytes, std::size_t align) override
	{
		if (ours(bytes, align))
			pool_free(pool_for(bytes, align), obj);
		else
			upstream_->deallocate(obj, bytes, align);
	}

	bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override
	{
		return this == &other;
	}

private:
	static constexpr std::size_t step = 16;
	static constexpr std::size_t largest = 4096;
	static constexpr std::size_t line = 64;
	/* 16 to 64, then 4 to each doubling up to 4096. */
	static constexpr std::size_t classes = 4 + 4 * 6;

	static constexpr bool ours(std::size_t bytes, std::size_t align) noexcept
	{
		return bytes <= largest && align <= line;
	}

	static constexpr std::size_t class_of(std::size_t bytes) noexcept
	{
		std::size_t doublings = 0;
		std::size_t units = bytes ? (bytes + step - 1) / step : 1;

		while (units > 8) {
			units = (units + 1) / 2;
			doublings++;
		}
		return 4 * doublings + units - 1;
	}

	static constexpr std::size_t size_of(std::size_t c) noexcept
	{
		return c < 8 ? step * (c + 1) : (step * (c % 4 + 5)) << (c / 4 - 1);
	}

	/* Return a pool; for an @align above step, of a size that is a multiple of a line. */
	pool_head *pool_for(std::size_t bytes, std::size_t align)
	{
		bool aligned = align > step;
		std::size_t c = class_of(aligned ? (bytes + line - 1) / line * line : bytes);
		pool_head *pool = pools_[aligned][c].load(std::memory_order_acquire);

		return pool ? pool : make(pools_[aligned][c], size_of(c),
					  aligned ? line : step);
	}

	/* Of two threads that make the same pool, one destroys its own. */
	pool_head *make(std::atomic<pool_head *> &place, std::size_t size,
			std::size_t align)
	{
		pool_head *made = detail::create(nullptr, size, align, limit_, true);
		pool_head *before = nullptr;

		if (!made)
			detail::no_object();
		if (place.compare_exchange_strong(before, made,
						  std::memory_order_acq_rel))
			return made;
		pool_destroy(made);
		return before;
	}

	std::array<std::array<std::atomic<pool_head *>, classes>, 2> pools_ = {};
	std::pmr::memory_resource *upstream_;
	unsigned int limit_;
};

} /* namespace pool */

#endif
#endif /* LIBPOOL_HPP */
