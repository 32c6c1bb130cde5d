// SPDX-License-Identifier: GPL-2.0-only
/*
 * age.c - every few seconds half of what was not needed goes, and each second it is counted
 *
 * Layer:   above the seam; twin of user/extra/age.c.
 * Context: two works, in process context; pool_age_wake() any that may allocate.
 *
 * Ageing is deferrable: it wakes no CPU that sleeps.  It stops itself when there is
 * nothing to give.  Then there are no clusters but those of spare objects.  Nothing can
 * gather without a new cluster, so the call that makes one starts the work again.  Hits do
 * nothing for this, nor do visits that have their clusters.
 *
 * Counting stops itself when the number is that of a second ago, and starts likewise.
 * Ageing counts, too.
 */
#include "plat.h"
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

/* Bits of the works that are not queued; always 0 where there are none. */
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
 * The second look counts what was put between the first look and the store.  It misses
 * clusters that a call is about to fill; they are few.
 */
static void age_work(struct work_struct *work)
{
	unsigned long left = 0;
	bool more;

	pool_age_bytes(&more);
	pool_reclaimable_count();
	if (!more) {
		fall_asleep(AGEING);
		pool_unused_bytes(0, &left);
		if (!left || !test_and_clear_bit(AGEING, &asleep))
			return;
	}
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

/* A timer takes locks that the caller of an allocation may hold. */
static void wake_now(struct irq_work *work)
{
	queue(&ageing, age);
	queue(&counting, 1);
}

static struct irq_work waker = IRQ_WORK_INIT(wake_now);

/* A cluster was made.  While both are queued this only reads a line that is seldom written. */
void pool_age_wake(void)
{
	if (READ_ONCE(asleep) && xchg(&asleep, 0))
		irq_work_queue(&waker);
}

/* Built in, pools start though the value is wrong, and then age as if there were none. */
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
 * Destruction may still make clusters.  A work may fall asleep until it is cancelled, and
 * nothing else sets asleep: so that is cleared last, and then nothing wakes it.
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
