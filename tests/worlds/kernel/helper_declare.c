// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper_declare.c - pools that another file of a module declares
 *
 * Layer:   tests, kernel; for kernel/declare.c.
 */
#include "helper_declare.h"

DECLARE_POOL(declared_elsewhere, "d_global", 700);
DECLARE_STATIC_POOL(declared_here, "d_here", 800);
DECLARE_POOL(declared_larger_there, "d_larger_th", 3216);
DECLARE_POOL(declared_smaller_there, "d_smaller_t", 6416);

bool helper_has_pool(void)
{
	return declared_here;
}
