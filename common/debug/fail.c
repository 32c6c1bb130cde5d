// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fail.c - make allocations fail on purpose
 *
 * Layer:   beside the four.
 * Context: any; outside of hot sections, no lock held.
 *
 * A percentage of the calls fails, or every n-th; with fail_site= only calls from one function.
 * One counter for the calls of all pools decides, so the same run fails at the same places.  Calls
 * during start-up neither fail nor count, because most programs end if an allocation fails then.
 */
#include "seam/plat.h"

static unsigned long calls;

/* True if @caller is in the function that the options name, or if they name none. */
static bool is_site(const void *caller)
{
	char symbol[sizeof(pool_options.fail_site) + 16];
	const char *want = pool_options.fail_site;
	unsigned int i = 0;

	if (!want[0])
		return true;
	plat_symbol(symbol, sizeof(symbol), caller);
	while (want[i] && symbol[i] == want[i])
		i++;
	return !want[i] && (!symbol[i] || symbol[i] == '+');
}

/* Spread a count over 0 to 99. */
static unsigned int spread(unsigned long n)
{
	unsigned int x = (unsigned int)n * 0x9e3779b1u;

	x ^= x >> 15;
	x *= 0x85ebca77u;
	x ^= x >> 13;
	return x % 100;
}

/*
 * True if this allocation must fail; called by pool_fails().  Never with POOL_F_NO_FAIL or
 * POOL_F_WAIT.  If the options name a function, calls that cannot look up names, as in signal
 * handlers, succeed.
 */
bool pool_fail_due(unsigned int flags, void *caller)
{
	unsigned int percent = plat_read(&pool_options.fail_percent);
	unsigned int every = plat_read(&pool_options.fail_every);
	unsigned long n;

	if ((flags & (POOL_F_NO_FAIL | POOL_F_WAIT)) || !(percent || every) ||
	    !plat_may(PLAT_FAIL, flags))
		return false;
	if (pool_options.fail_site[0] &&
	    (!plat_may(PLAT_NAME, flags) || !is_site(caller)))
		return false;
	n = plat_word_add(&calls, 1);
	return (every && n % every == 0) || spread(n) < percent;
}
