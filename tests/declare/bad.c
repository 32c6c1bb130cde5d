// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bad.c - a declaration that cannot be fulfilled, beside one that can
 *
 * Layer:   tests, user space; see declare.sh.
 * Context: a program.
 */
#include <libpool/pool.h>

DECLARE_STATIC_POOL(bad, "", 64);
DECLARE_STATIC_POOL(good, "good", 64);

int main(void)
{
	return bad || !good;
}
