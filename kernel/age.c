// SPDX-License-Identifier: GPL-2.0-only
/*
 * age.c - release half of the unneeded memory every few seconds, and count it each second
 *
 * Layer:   above the seam; twin of user/extra/age.c.
 * Context: two works, in process context; pool_age_wake() any that may allocate.
 *
 * Ageing is deferrable, so nothing ages while all CPUs sleep.  It interrupts a sleeping CPU only
 * for arrays that this CPU left: remote.c.  It stops itself when there is nothing to give back:
 * then only spare objects are in clusters, and no array that it reaches is open.  Stashes are empty
 * then, so the first array that opens, or cluster that fills, needs a new cluster, and the call
 * that allocates one restarts the work.  Hits cost nothing for this, nor do slow paths that have
 * clusters.
 *
 * Counting stops itself when the number has not changed for a second, and is restarted in the same
 * way.  Ageing counts, too.
 */
#include "seam/plat.h"
#include "compat.h"
#include "main.h"

#include <linux/irq_work.h>
#include <linux/moduleparam.h>
#include <linux/workqueue.h>

#define AGE_DEFAULT	10u

static unsigned int age = AGE_DEFAULT;
module_param(age, uint, 0444);
MODULE_PARM_DESC(age, "Seconds after which half of what was not needed goes, 0: never (10)");

/* Seconds of the longest period: a day. */
#define AGE_MAX	86400u

/*
 * A bit for each work that is not queued, or that is looking for unneeded memory; no bit for a work
 * that never runs.
 */
#define AGEING		0
#define COUNTING	1
static unsigned long asleep __read_mostly;
static bool ending;

static void age_work(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(ageing, age_work);
static void count_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(counting, count_work);

static void queue(struct delayed_work *work, unsigned int seconds)
{
	if (seconds && !READ_ONCE(ending))
		queue_delayed_work(pool_compat_unbound_wq, work, seconds * HZ);
}

static void fall_asleep(unsigned int work)
{
	set_bit(work, &asleep);
	/* Pairs with the exchange in pool_age_wake(). */
	smp_mb__after_atomic();
}

/*
 * Age all pools, and stop if nothing is left.  The bit is set before the work looks, so that a call
 * which allocates a cluster meanwhile queues the work again.
 */
static void age_work(struct work_struct *work)
{
	bool more;

	fall_asleep(AGEING);
	pool_age_bytes(&more);
	pool_reclaimable_count();
	if (more && test_and_clear_bit(AGEING, &asleep))
		queue(&ageing, age);
}

static void count_work(struct work_struct *work)
{
	if (!pool_reclaimable_count()) {
		fall_asleep(COUNTING);
		if (!pool_reclaimable_count() || !test_and_clear_bit(COUNTING, &asleep))
			return;
	}
	queue(&counting, 1);
}

/* Queue both works, in an irq_work, since timers lock what an allocation's caller may hold. */
static void wake_now(struct irq_work *work)
{
	queue(&ageing, age);
	queue(&counting, 1);
}

static struct irq_work waker = IRQ_WORK_INIT(wake_now);

/* Restart both works after a cluster was made.  If both are queued this reads one word only. */
void pool_age_wake(void)
{
	if (READ_ONCE(asleep) && xchg(&asleep, 0))
		irq_work_queue(&waker);
}

/* Check the parameter.  When built in, pools start even if it is wrong, with the default. */
int pool_age_init(void)
{
	int ret = 0;

	if (age > AGE_MAX) {
		plat_log(PLAT_ERR, "parameter age: not 0 to %u: \"%u\"",
			 AGE_MAX, age);
		age = AGE_DEFAULT;
		ret = -EINVAL;
	}
	WRITE_ONCE(asleep, BIT(COUNTING) | (age ? BIT(AGEING) : 0));
	return ret;
}

/*
 * Stop both works.  Destruction may still make clusters, and a work may set a bit of asleep until
 * it is cancelled, so asleep is cleared last.  Then nothing restarts a work.
 */
void pool_age_exit(void)
{
	WRITE_ONCE(ending, true);
	irq_work_sync(&waker);
	cancel_delayed_work_sync(&ageing);
	cancel_delayed_work_sync(&counting);
	WRITE_ONCE(asleep, 0);
	irq_work_sync(&waker);
}
