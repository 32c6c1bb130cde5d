// SPDX-License-Identifier: GPL-2.0-only
/*
 * age.c - every few seconds half of what was not needed goes
 *
 * Layer:   above the seam; twin of user/extra/age.c.
 * Context: a work, in process context; pool_age_wake() any that may allocate.
 *
 * The work is deferrable: it wakes no CPU that sleeps.  It stops itself when there is
 * nothing to give.  Then there are no clusters but those of spare objects.  Nothing can
 * gather without a new cluster, so the call that makes one starts the work again.  Hits do
 * nothing for this, nor do visits that have their clusters.
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

/* The work is not queued; always false where there is none. */
static unsigned int asleep __read_mostly;	/* no bool: some machines exchange only words */
static bool ending;

static void age_work(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(aging, age_work);

static void queue(void)
{
	queue_delayed_work(pool_compat_unbound_wq, &aging, age * HZ);
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
	if (!more) {
		WRITE_ONCE(asleep, 1);
		/* Pairs with the exchange in pool_age_wake(). */
		smp_mb();
		pool_unused_bytes(0, &left);
		if (!left || !xchg(&asleep, 0))
			return;
	}
	if (!READ_ONCE(ending))
		queue();
}

/* A timer takes locks that the caller of an allocation may hold. */
static void wake_now(struct irq_work *work)
{
	if (!READ_ONCE(ending))
		queue();
}

static struct irq_work waker = IRQ_WORK_INIT(wake_now);

/* A cluster was made.  While the work is queued this only reads a line that is seldom written. */
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
	WRITE_ONCE(asleep, age > 0);
	return ret;
}

/*
 * Destruction may still make clusters.  The work may fall asleep until it is cancelled, and
 * nothing else sets asleep: so that is cleared last, and then nothing wakes it.
 */
void pool_age_exit(void)
{
	WRITE_ONCE(ending, true);
	irq_work_sync(&waker);
	cancel_delayed_work_sync(&aging);
	WRITE_ONCE(asleep, false);
	irq_work_sync(&waker);
}
