// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * guard.c - guarded pools, where callers cannot sleep
 *
 * Layer:   tests of kernel/guard.c and gfp.c, and of common/api/alloc.c with both kinds
 *	    of objects in one pool.
 */
#include "cases_guard.h"

#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

/* The flags that vmalloc() accepts in Linux 6.19, which accepts fewest. */
#define KNOWN	(GFP_USER | GFP_ATOMIC | GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_NOFAIL | \
		 __GFP_NORETRY | __GFP_ZERO | __GFP_NOLOCKDEP)

/* True if the object is an aligned one of the slab, and nothing is wrong beside it. */
static bool is_ordinary(const struct plat_backend *backend, const void *obj,
			unsigned int align)
{
	long where;

	return obj && !is_vmalloc_addr(obj) &&
	       !((unsigned long)obj & (align - 1)) &&
	       plat_guard_check(backend, obj, &where);
}

/* Allocate where the caller may not sleep. */
static void *alloc_atomic(struct pool *pool)
{
	void *obj;

	local_irq_disable();
	obj = __pool_alloc(&pool->head, POOL_F_ATOMIC);
	local_irq_enable();
	return obj;
}

static void free_atomic(struct pool *pool, void *obj)
{
	local_irq_disable();
	__pool_free(&pool->head, obj, POOL_F_ATOMIC);
	local_irq_enable();
}

TEST_CASE(callers_that_cannot_sleep_get_ordinary_objects)
{
	unsigned int align;
	struct plat_backend backend;
	void *off, *nowait;

	for (align = POOL_ALIGN_MIN; align <= pool_start.page; align *= 4) {
		ASSERT(IF_NOT_RT(guard_backend_open(&backend, 100, align)));
		local_irq_disable();
		off = test_backend_alloc(&backend, POOL_F_ATOMIC);
		local_irq_enable();
		nowait = test_backend_alloc(&backend, POOL_F_ATOMIC);
		EXPECT(is_ordinary(&backend, off, align));
		EXPECT(is_ordinary(&backend, nowait, align));
		test_backend_free(&backend, off);
		test_backend_free(&backend, nowait);
		plat_backend_destroy(&backend, 0);
	}
}

TEST_CASE(ordinary_objects_of_a_guarded_source_may_be_freed_anywhere)
{
	struct plat_backend backend;
	void *obj, *guarded;
	bool may, may_rcu;

	ASSERT(IF_NOT_RT(guard_backend_open(&backend, 64, 16)));
	obj = test_backend_alloc(&backend, POOL_F_ATOMIC);
	guarded = test_backend_alloc(&backend, 0);
	ASSERT(obj && guarded);
	EXPECT(plat_backend_may(&backend, obj, POOL_F_ATOMIC));
	EXPECT(plat_backend_may(&backend, guarded, 0));
	EXPECT(!plat_backend_may(&backend, guarded, POOL_F_ATOMIC));
	EXPECT(!plat_backend_may(&backend, guarded, POOL_F_NESTED));
	EXPECT(!plat_backend_may(&backend, NULL, POOL_F_ATOMIC));
	local_irq_disable();
	may = plat_backend_may(&backend, guarded, 0);
	test_backend_free(&backend, obj);
	local_irq_enable();
	rcu_read_lock();
	may_rcu = plat_backend_may(&backend, guarded, 0);
	rcu_read_unlock();
	EXPECT(!may);
	EXPECT(!may_rcu);
	test_backend_free(&backend, guarded);
	plat_backend_destroy(&backend, 0);
}

/* Create a pool of guarded objects without caches, whose backend does not fail on purpose. */
static struct pool *guarded(void)
{
	pool_fail_every = 0;
	return test_in_mode(POOL_D_UAF | POOL_D_NO_CACHE | POOL_D_NO_GLOBAL, 100);
}

POOL_CASE(a_guarded_pool_serves_callers_that_cannot_sleep, IF_NOT_RT(guarded()))
{
	unsigned int i;
	void *obj;

	for (i = 0; i < 50; i++) {
		test_objs[i] = alloc_atomic(pool);
		ASSERT(is_ordinary(&pool->backend, test_objs[i], POOL_ALIGN_MIN));
		memset(test_objs[i], (int)i, 100);
	}
	EXPECT(test_quiet(pool, 50));
	for (i = 0; i < 40; i++)
		free_atomic(pool, test_objs[i]);
	EXPECT_EQ(pool_allocated(pool), 10);
	obj = test_alloc(pool);
	ASSERT(obj);
	EXPECT(guard_pages_are(true, obj, 100));
	free_atomic(pool, obj);
	EXPECT(test_readable(obj));
	for (; i < 50; i++)
		test_free(pool, test_objs[i]);
	EXPECT(!test_readable(obj));
	EXPECT_EQ(pool_allocated(pool), 0);
}

POOL_CASE(ordinary_objects_of_a_guarded_pool_are_checked,
	  IF_NOT_RT(test_checked(100, POOL_D_UAF | POOL_D_NO_CACHE | POOL_D_TAG | POOL_D_CALLER)))
{
	unsigned char *obj;

	pool_fail_every = 0;
	obj = alloc_atomic(pool);
	ASSERT(obj);
	EXPECT(!is_vmalloc_addr(obj));
	memset(obj, 0xff, 100);
	free_atomic(pool, obj);
	EXPECT_EQ(test_faults(pool), 0);
	free_atomic(pool, obj);
	EXPECT_EQ(test_found(pool, POOL_FAULT_FOREIGN) +
		  test_found(pool, POOL_FAULT_DOUBLE_FREE), 1);
	obj = alloc_atomic(pool);
	ASSERT(obj);
	obj[100] ^= 1;
	free_atomic(pool, obj);
	EXPECT_EQ(test_found(pool, POOL_FAULT_OVERFLOW), 1);
	EXPECT_EQ(test_faults(pool), 2);
	test_quarantined = 1;
}

POOL_CASE(gfp_callers_get_guarded_objects_where_they_may_sleep, guarded())
{
	void *obj = pool_alloc_gfp(&pool->head, GFP_NOWAIT | __GFP_NOWARN);

	EXPECT(is_ordinary(&pool->backend, obj, POOL_ALIGN_MIN));
	test_free(pool, obj);
	obj = pool_alloc_gfp(&pool->head, GFP_NOFS | __GFP_NOFAIL);
	ASSERT(obj);
	EXPECT(guard_pages_are(true, obj, 100));
	test_free(pool, obj);
	EXPECT(guard_pages_are(false, obj, 100));
}

static struct pool *guarded_uncached(void)
{
	pool_fail_every = 0;
	test_options(0, 32);
	return test_in_mode(POOL_D_UAF, 100);
}

/*
 * The freed object is a plain one of the slab, which gets it back, because no more objects are
 * needed.  The object in the shared part has pages of its own, which must not be unmapped where a
 * call cannot sleep.
 */
POOL_CASE(a_free_that_cannot_sleep_sheds_no_guarded_object, IF_NOT_RT(guarded_uncached()))
{
	void *obj[2] = { test_alloc(pool), alloc_atomic(pool) };

	ASSERT(obj[0] && is_ordinary(&pool->backend, obj[1], POOL_ALIGN_MIN));
	EXPECT(pool_shared_put_one(pool, obj[0], 0));
	free_atomic(pool, obj[1]);
	EXPECT_EQ(pool_allocated(pool), 1);
	EXPECT_EQ(pool_shared_count(pool), 1);
	EXPECT(guard_pages_are(true, obj[0], 100));
}

/* The flags that a task passes to vmalloc(). */
static struct {
	struct task_struct *task;
	unsigned int calls;
	gfp_t gfp;
} told;

#if IS_ENABLED(CONFIG_KPROBES)

static int on_vmalloc(struct kprobe *probe, struct pt_regs *regs)
{
	if (current == told.task) {
		told.calls++;
		told.gfp |= (__force gfp_t)regs_get_kernel_argument(regs, 1);
	}
	return 0;
}

/*
 * Allocate and free an object while calls of vmalloc() are recorded; true if there was such a call.
 */
static bool asks_with(struct pool *pool, gfp_t gfp)
{
	struct kprobe old = { .symbol_name = "__vmalloc", .pre_handler = on_vmalloc };
	struct kprobe now = { .symbol_name = "__vmalloc_noprof", .pre_handler = on_vmalloc };
	struct kprobe *probe = register_kprobe(&now) ? &old : &now;

	if (probe == &old && register_kprobe(&old))
		return false;
	told.calls = 0;
	told.gfp = 0;
	told.task = current;
	pool_free(&pool->head, pool_alloc_gfp(&pool->head, gfp));
	told.task = NULL;
	unregister_kprobe(probe);
	return told.calls;
}

#else

static bool asks_with(struct pool *pool, gfp_t gfp)
{
	return false;
}

#endif

POOL_CASE(vmalloc_is_told_no_flag_that_it_may_warn_of,
	  ONLY_IF(IS_ENABLED(CONFIG_KPROBES), "this kernel has no kprobes", guarded()))
{
	static const gfp_t flags[] = {
		0, __GFP_NORETRY, __GFP_RETRY_MAYFAIL, __GFP_NOFAIL, __GFP_HIGH, __GFP_WRITE,
		__GFP_NOMEMALLOC, __GFP_NOLOCKDEP, __GFP_HARDWALL, __GFP_ZERO,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(flags); i++) {
		EXPECT(asks_with(pool, GFP_KERNEL | flags[i]));
		EXPECT(!(told.gfp & ~KNOWN));
		/* The kernel kills no task for a caller that accepts failure. */
		EXPECT_EQ(!!(told.gfp & __GFP_NORETRY),
			  !!(flags[i] & (__GFP_NORETRY | __GFP_RETRY_MAYFAIL)));
	}
}

/* True if the byte can be written to.  User-Mode Linux, which dies of faults, reads page tables. */
static bool is_writable(void *p)
{
	const u8 byte = 0xff;

	if (IS_ENABLED(CONFIG_UML))
		return vmalloc_to_page(p);
	pagefault_disable();
	__put_kernel_nofault(p, &byte, u8, fault);
	pagefault_enable();
	return true;
fault:
	pagefault_enable();
	return false;
}

POOL_CASE(a_write_to_a_freed_guarded_object_faults, guarded())
{
	unsigned int i;
	u8 *obj;

	for (i = 0; i < 10; i++) {
		obj = test_alloc(pool);
		ASSERT(obj);
		EXPECT(is_writable(obj));
		EXPECT(is_writable(obj + 99));
		test_free(pool, obj);
		EXPECT(!is_writable(obj));
		EXPECT(!is_writable(obj + 99));
	}
}
