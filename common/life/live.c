// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * live.c - switch options of pools that are in use, by words
 *
 * Layer:   above options.c and switch.c.
 * Context: process context; may sleep.
 *
 * All words are read before anything is changed.
 */
#include "seam/plat.h"
#include "options/options.h"

static void switch_all(struct pool_change *change)
{
	char late[LATE_LEN];

	change->live = POOL_D_FLAGS;
	pool_change_apply(change, late, sizeof(late));
	if (*late)
		plat_log(PLAT_WARN, "options: %s", late);
}

static void switch_one(struct pool *pool, const struct pool_change *change)
{
	pool_change_store(change);
	pool_switch(pool, change->set, change->clear);
}

/*
 * Switch options as pool_set_debug() does, for callers that say themselves what is wrong.  False:
 * refused, and @wrong names the first wrong word.
 */
bool pool_switch_words(struct pool_head *pool, const char *words, char *wrong,
		       size_t size)
{
	struct pool_text t = { .rest = words, .rules = POOL_TEXT_LIVE };
	enum pool_item item = POOL_ITEM_GOOD;
	struct pool_change change;

	pool_change_begin(&change, pool);
	if (pool)
		change.never = pool_never(plat_read(&pool_of(pool)->flags));
	while (item == POOL_ITEM_GOOD)
		item = pool_text_item(&t, &change);
	if (item == POOL_ITEM_WRONG) {
		snprintf(wrong, size, "\"%s\": %s", t.shown, change.why);
		return false;
	}
	if (pool)
		switch_one(pool_of(pool), &change);
	else
		switch_all(&change);
	return true;
}

bool pool_set_debug(struct pool_head *pool, const char *words)
{
	char wrong[128] = "no words";
	bool good;

	if (pool && pool_gone_report(pool_of(pool), NULL, 0, __builtin_return_address(0)))
		return false;
	good = words && pool_switch_words(pool, words, wrong, sizeof(wrong));

	if (!good)
		plat_log(PLAT_ERR, "options: %s", wrong);
	return good;
}
