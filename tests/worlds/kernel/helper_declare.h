/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper_declare.h - pools that another file of this module declares
 *
 * Layer:   tests, kernel.
 */
#ifndef TEST_HELPER_DECLARE_H
#define TEST_HELPER_DECLARE_H

#include "test.h"

extern struct pool_head *declared_elsewhere;
extern struct pool_head *declared_larger_there, *declared_smaller_there;

/* True if the helper's own variable is set. */
bool helper_has_pool(void);

#endif /* TEST_HELPER_DECLARE_H */
