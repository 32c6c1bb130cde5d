// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace.c - define the tracepoints of pool_trace.h
 *
 * Layer:   beside the seam.
 * Context: none of its own: the kernel's macros make functions, which tracers call.
 */
#include "seam/plat.h"

#define CREATE_TRACE_POINTS
#include "pool_trace.h"
