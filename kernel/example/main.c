// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - pool_example.ko, a user of pool.ko
 *
 * A thread opens and closes connections, from process context; a timer makes and drops events, from
 * softirq: events.c.  Both have a bounded number of objects and free all of them before the module
 * goes.
 *
 * Each file declares the pool that it uses.  One line in the module's init creates
 * those of all files, or none; one in its exit gives them back.
 *
 * With leave=1 the module goes without cleaning up, as no module should: it
 * leaves one pool with objects in use, and one without.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/random.h>

#include "example.h"
#include "pool.h"

#define CONNS		512

struct conn {
	unsigned long id;
	char state[184];
};

static bool leave;
module_param(leave, bool, 0444);
MODULE_PARM_DESC(leave, "Depart without destroying two pools");

DECLARE_STATIC_POOL(conn_pool, "ex_conn", sizeof(struct conn));

/* Only the thread uses these. */
static struct task_struct *thread;
static struct conn *conns[CONNS];
static unsigned int conn_count;

static void open_conns(unsigned int n)
{
	while (n-- && conn_count < CONNS) {
		struct conn *conn = pool_zalloc(conn_pool);

		if (!conn)
			return;
		conn->id = conn_count;
		conns[conn_count++] = conn;
	}
}

static void close_conns(unsigned int n)
{
	while (n-- && conn_count)
		pool_free(conn_pool, conns[--conn_count]);
}

static int run(void *unused)
{
	while (!kthread_should_stop()) {
		open_conns(get_random_u32() % CONNS);
		close_conns(get_random_u32() % CONNS);
		msleep(20);
	}
	close_conns(CONNS);
	return 0;
}

/* Leave pools behind; without MEM_F_SHARED, so that there are two. */
static void leave_pools(void)
{
	struct pool_head *idle = create_pool("ex_idle", 100, 0);
	struct pool_head *busy = create_pool("ex_busy", 100, 0);

	if (idle)
		pool_free(idle, pool_alloc(idle));
	if (busy && pool_alloc(busy) && pool_alloc(busy))
		pr_info("pool_example: leaves two objects in use\n");
}

static int __init example_init(void)
{
	int ret = pool_register_declared();

	if (ret)
		return ret;
	thread = kthread_run(run, NULL, "pool_example");
	if (IS_ERR(thread)) {
		pool_release_declared();
		return PTR_ERR(thread);
	}
	events_start();
	if (leave)
		leave_pools();
	return 0;
}

static void __exit example_exit(void)
{
	events_stop();
	kthread_stop(thread);
	pool_release_declared();
}

module_init(example_init);
module_exit(example_exit);

MODULE_DESCRIPTION("Example of a user of pool.ko");
MODULE_AUTHOR("The libpool authors");
MODULE_LICENSE("GPL");
/* MODULE_IMPORT_NS() expects a token or a string, depending on the kernel. */
MODULE_INFO(import_ns, "LIBPOOL");
