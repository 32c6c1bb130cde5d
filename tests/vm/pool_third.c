// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pool_third.c - pool_second.c as a module of another name, for two of them at once
 *
 * Layer:   above the API.
 * Context: module load and unload.
 */
#include "pool_second.c"
