// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pool_second.c - a second user of pool.ko, for stock.sh; a test, never installed
 *
 * Layer:   above the API.
 * Context: module load and unload.
 *
 * Makes a pool of the size of the example's connections, sc_conn, and one with a
 * destructor, sc_built, of whose objects user space may get 50 bytes.  Each has a free
 * object.  Ends with pool_destroy_all().
 *
 *   leave=1	ends without it
 *   gfp=1	asks three times for an object with flags that mean nothing to pools
 *   gfp=2	asks three times for one that must not fail, where the caller cannot wait
 *   odd=1	makes two pools of each of three names that are no words
 *   keep=1	keeps an object of sc_conn in use
 *   burst=N	holds N objects of 4 KiB and frees them, 40 times
 *   many=N	makes N pools more, whose names go down: the last by name comes first
 *   meddle=1	tries to change pools of other modules; its init fails if it can
 *   twice=1	frees an object of sc_conn twice, which has to be found
 *   late=1	frees an object that readers of RCU may see, and destroys its pool; its init fails
 *		if that takes long
 *   often=1	gives sc_conn back once more than it has registered with it, before it ends
 *   sleeps=1	allocates from a pool whose constructor sleeps, first where the caller may
 *		sleep, then where it may not
 *   fail=1	its init fails, without cleaning up
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "pool.h"

static bool leave;
module_param(leave, bool, 0444);
MODULE_PARM_DESC(leave, "Depart without destroying the pools");

static int gfp;
module_param(gfp, int, 0444);
MODULE_PARM_DESC(gfp, "1: flags that mean nothing; 2: must not fail, cannot wait");

static int burst;
module_param(burst, int, 0444);
MODULE_PARM_DESC(burst, "Hold so many objects of 4 KiB at once, 40 times, and free them");

static int many;
module_param(many, int, 0444);
MODULE_PARM_DESC(many, "Make so many pools more");

static bool odd;
module_param(odd, bool, 0444);
MODULE_PARM_DESC(odd, "Make pools with odd names, too");

static bool keep;
module_param(keep, bool, 0444);
MODULE_PARM_DESC(keep, "Keep an object in use");

static bool meddle;
module_param(meddle, bool, 0444);
MODULE_PARM_DESC(meddle, "Try to change pools of other modules");

static bool twice;
module_param(twice, bool, 0444);
MODULE_PARM_DESC(twice, "Free an object twice");

static bool late;
module_param(late, bool, 0444);
MODULE_PARM_DESC(late, "Free an object after a grace period, and destroy its pool");

static bool often;
module_param(often, bool, 0444);
MODULE_PARM_DESC(often, "Give a pool back more often than it was made");

static bool sleeps;
module_param(sleeps, bool, 0444);
MODULE_PARM_DESC(sleeps, "Use a pool whose constructor sleeps");

static bool fail;
module_param(fail, bool, 0444);
MODULE_PARM_DESC(fail, "Fail after the pools were made");

static struct pool_head *conn;

static void undo(void *obj, void *arg)
{
	pr_info(KBUILD_MODNAME ": an object is undone\n");
}

static void use_one(struct pool_head *pool)
{
	if (pool)
		pool_free(pool, pool_alloc(pool));
}

static void free_twice(struct pool_head *pool)
{
	void *obj = pool_alloc(pool);

	pool_free(pool, obj);
	pool_free(pool, obj);
}

static void alloc_thrice(struct pool_head *pool, gfp_t flags)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		pool_free(pool, pool_alloc_gfp(pool, flags));
}

static void make_odd(void)
{
	static const char * const names[] = { "session server list", "a/b", "." };
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(names); i++)
		use_one(create_pool(names[i / 2], 64, 0));
}

/* A dump in the order of names has to move each of them to the front. */
static bool make_many(void)
{
	char name[16];
	int i;

	for (i = many; i > 0; i--) {
		snprintf(name, sizeof(name), "many%06d", i);
		if (!create_pool(name, 64, 0))
			return false;
	}
	return true;
}

/* Each object points to the one before, by its first word. */
static void hold(struct pool_head *pool, unsigned int n)
{
	void **last = NULL;

	while (n--) {
		void **obj = pool_alloc(pool);

		if (!obj)
			break;
		*obj = last;
		last = obj;
	}
	while (last) {
		void **obj = last;

		last = *obj;
		pool_free(pool, obj);
		cond_resched();
	}
}

static int hold_often(void)
{
	struct pool_head *pool = create_pool("sc_burst", 4096, 0);
	unsigned int i;

	if (!pool)
		return -ENOMEM;
	for (i = 0; i < 40; i++)
		hold(pool, burst);
	return 0;
}

static void change(struct pool_head *pool, void *arg)
{
	unsigned int *changed = arg;

	*changed += pool_set_debug(pool, "integrity");
	*changed += pool_set_limit(pool, 1000);
	*changed += pool_set_min_avail(pool, 1);
}

/* With lazy RCU the end of the pool would wait for ten seconds. */
static int free_late(void)
{
	struct pool_head *pool = create_pool("sc_late", sizeof(struct pool_rcu), 0);
	struct pool_rcu *obj = pool ? pool_alloc(pool) : NULL;
	unsigned long begin = jiffies;

	if (!obj)
		return -ENOMEM;
	pool_free_rcu(pool, obj, obj);
	pool_destroy(pool);
	return time_after(jiffies, begin + 5 * HZ) ? -ETIME : 0;
}

static void sleep_a_while(void *obj, void *arg)
{
	msleep(1);
}

/*
 * A task that sleeps with preemption off loses its preemption count, and the kernel continues
 * without it.  With PREEMPT_RT the second call gets nothing, since the backend may sleep.
 */
static bool sleep_twice(void)
{
	struct pool_attr attr = {
		.name = "sc_sleeps", .size = 64, .ctor = sleep_a_while,
	};
	struct pool_head *pool = create_pool_ext(&attr);
	void *may, *must_not;
	int count;

	if (!pool)
		return false;
	may = pool_alloc(pool);
	preempt_disable();
	count = preempt_count();
	must_not = __pool_alloc(pool, POOL_F_ATOMIC);
	preempt_count_set(count);
	preempt_enable();
	pool_free(pool, may);
	pool_free(pool, must_not);
	return may;
}

/* Try to change all pools; only the three changes of this module's own pool may succeed. */
static int change_all(void)
{
	unsigned int changed = pool_set_debug(NULL, "integrity");

	pool_for_each(change, &changed);
	return changed == 3 ? 0 : -EPERM;
}

static int __init second_init(void)
{
	struct pool_attr attr = {
		.name = "sc_built", .size = 300, .dtor = undo,
		.flags = MEM_F_USERCOPY, .useroffset = 100, .usersize = 50,
	};

	conn = create_pool("sc_conn", 192, MEM_F_SHARED);
	if (!conn)
		return -ENOMEM;
	if (meddle && change_all())
		return -EPERM;
	use_one(conn);
	use_one(create_pool_ext(&attr));
	if (gfp == 1)
		alloc_thrice(conn, GFP_KERNEL | __GFP_DMA32 | __GFP_ACCOUNT);
	if (gfp == 2)
		alloc_thrice(conn, GFP_NOWAIT | __GFP_NOFAIL);
	if (twice)
		free_twice(conn);
	if (odd)
		make_odd();
	if (burst && hold_often())
		return -ENOMEM;
	if (late && free_late())
		return -ETIME;
	if (sleeps && !sleep_twice())
		return -ENOMEM;
	if (!make_many())
		return -ENOMEM;
	if (keep && !pool_alloc(conn))
		return -ENOMEM;
	return fail ? -EIO : 0;
}

static void __exit second_exit(void)
{
	if (often && !pool_destroy(conn))
		pool_destroy(conn);
	if (!leave)
		pool_destroy_all();
}

module_init(second_init);
module_exit(second_exit);

MODULE_DESCRIPTION("Second user of pool.ko, for its tests");
MODULE_LICENSE("Dual MIT/GPL");
/* MODULE_IMPORT_NS() takes a token or a string, depending on the kernel. */
MODULE_INFO(import_ns, "LIBPOOL");
