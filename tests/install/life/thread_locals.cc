// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * thread_locals.cc - thread_locals and keys that free while their thread exits
 *
 * Layer:   tests, a program of its own: see life.sh.
 * Context: C++17, linked with libpool.so or libpool.a.
 *
 * Says "in use N" for the pool when all is over; fails unless N is 0.
 */
#include <libpool/pool.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <pthread.h>
#include <thread>
#include <vector>

namespace {

struct pool_head *pool;
pthread_key_t early_key;
pthread_key_t late_key;

struct Freer {
	void operator()(void *obj) const
	{
		pool_free(pool, obj);
	}
};

using Object = std::unique_ptr<void, Freer>;

/* Uses the pool once more in its destructor. */
struct Holder {
	std::vector<Object> objs;

	~Holder()
	{
		objs.clear();
		Object last(pool_alloc(pool));
	}
	void hold(unsigned int n)
	{
		while (n--)
			objs.emplace_back(pool_alloc(pool));
	}
};

thread_local Holder first;
thread_local Holder second;
thread_local Object third;

void use(unsigned int i)
{
	/* Destroyed in the reverse order of their first use. */
	if (i % 2)
		second.hold(40);
	first.hold(100);
	third.reset(pool_alloc(pool));
	second.hold(i);
	pthread_setspecific(early_key, pool_alloc(pool));
	pthread_setspecific(late_key, pool_alloc(pool));
	if (i % 3 == 0)
		pool_thread_idle();
}

/* Keeps an object from before main() until after main(). */
struct Global {
	Object obj;

	Global()
	{
		pool = create_pool("locals", 64, 0);
		pthread_key_create(&early_key, [](void *o) {
			pool_free(pool, o);
		});
		pthread_key_create(&late_key, [](void *o) {
			Object another(pool_alloc(pool));

			pool_free(pool, o);
		});
		obj.reset(pool_alloc(pool));
	}
	~Global()
	{
		struct pool_stats now;

		obj.reset();
		pool_stats_get(pool, &now, sizeof(now));
		std::printf("in use %llu\n", now.used);
		if (now.used || pool_destroy(pool))
			std::_Exit(1);
	}
} global;

}

int main()
{
	for (unsigned int round = 0; round < 50; round++) {
		std::vector<std::thread> threads;

		for (unsigned int i = 0; i < 4; i++)
			threads.emplace_back(use, i + round);
		for (auto &t : threads)
			t.join();
	}
	/* thread_locals of the main thread are destroyed before "global" is. */
	first.hold(10);
	second.hold(10);
	return 0;
}
