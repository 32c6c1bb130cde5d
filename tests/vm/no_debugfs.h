/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * no_debugfs.h - builds pool.ko as for a kernel without CONFIG_DEBUG_FS
 *
 * Layer:   tests; included before each file of the module, for stock.sh.
 * Context: compile time.
 */
#undef CONFIG_DEBUG_FS
