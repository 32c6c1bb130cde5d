// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper_built_in_two.c - another driver that is built in
 *
 * Layer:   tests, kernel; see helper_built_in.h.
 */
#define BUILT_IN	driver_two
#include "helper_built_in.h"

const struct built_in built_in_two = BUILT_IN_CALLS;
