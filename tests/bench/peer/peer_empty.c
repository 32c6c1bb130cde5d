// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * peer_empty.c - the address that stands for all objects
 *
 * Layer:   the peer "empty".
 * Context: plain threads.
 */
#include "peer.h"

__thread unsigned long peer_empty_object;
