/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * families.h - allocators of C++ that are compared with those of libpool.hpp
 *
 * A family is a struct: of<T>() gives an allocator of T.  Linking with mimalloc replaces
 * malloc() in the whole program, so there is a second program for it (BENCH_MIMALLOC).
 *
 * Layer:   a benchmark.
 * Context: one thread.
 */
#ifndef BENCH_CXX_FAMILIES_H
#define BENCH_CXX_FAMILIES_H

#include <libpool/libpool.hpp>

#include <memory>
#include <memory_resource>

#ifdef BENCH_MIMALLOC
#include <mimalloc.h>
#else
#include <boost/pool/pool_alloc.hpp>
#endif

template <template <class> class Allocator>
struct family {
	template <class T>
	static Allocator<T> of()
	{
		return Allocator<T>();
	}
};

template <class Resource>
struct resource_family {
	template <class T>
	static std::pmr::polymorphic_allocator<T> of()
	{
		static Resource resource;

		return &resource;
	}
};

#ifdef BENCH_MIMALLOC
using families_mimalloc = family<mi_stl_allocator>;
#else
template <class T>
using pool_allocator = pool::allocator<T>;
template <class T>
using boost_locked = boost::fast_pool_allocator<T>;
/* The fastest pool of Boost, which has no lock and so serves one thread only. */
template <class T>
using boost_unlocked =
	boost::fast_pool_allocator<T, boost::default_user_allocator_new_delete,
				   boost::details::pool::null_mutex>;
#endif

#endif /* BENCH_CXX_FAMILIES_H */
