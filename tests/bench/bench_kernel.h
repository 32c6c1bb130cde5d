/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * bench_kernel.h - what an object costs in the kernel
 *
 * Layer:   part of pool_replay.ko.
 */
#ifndef BENCH_BENCH_KERNEL_H
#define BENCH_BENCH_KERNEL_H

#include <linux/types.h>

/* The table, as text, in @buf.  Returns NULL, or why there is none. */
const char *bench_kernel(char *buf, size_t size);

#endif /* BENCH_BENCH_KERNEL_H */
