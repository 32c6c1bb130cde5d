// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper_built_in_one.c - a driver that is built in
 *
 * Layer:   tests, kernel; see helper_built_in.h.
 */
#define BUILT_IN	driver_one
#include "helper_built_in.h"

const struct built_in built_in_one = BUILT_IN_CALLS;
