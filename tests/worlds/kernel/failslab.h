/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * failslab.h - calls of the slab that fail on purpose
 *
 * Layer:   tests, kernel.
 * Context: the case's own thread.  tests/vm/kunit.sh lets also calls that may wait fail.
 */
#ifndef POOL_FAILSLAB_H
#define POOL_FAILSLAB_H

#include <linux/sched.h>
#include <linux/slab.h>

/* Let the @n-th next call of the slab by this task fail; 0: none. */
static inline void test_fail_nth(unsigned int n)
{
#ifdef CONFIG_FAILSLAB
	WRITE_ONCE(current->fail_nth, n);
#endif
}

static inline bool test_slab_fails(void)
{
	void *p;

	test_fail_nth(1);
	p = kmalloc(1, GFP_KERNEL);
	test_fail_nth(0);
	kfree(p);
	return !p;
}

#define IF_FAILSLAB(make) \
	ONLY_IF(test_slab_fails(), "the slab of this kernel does not fail", make)

#endif /* POOL_FAILSLAB_H */
