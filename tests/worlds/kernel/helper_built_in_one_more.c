// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper_built_in_one_more.c - a file of another name, with the owner of helper_built_in_one.c
 *
 * Layer:   tests, kernel; see helper_built_in.h.
 */
#define BUILT_IN	driver_three
#define POOL_OWNER_NAME	driver_one
#include "helper_built_in.h"

const struct built_in built_in_one_more = BUILT_IN_CALLS;
