// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * peer_dpdk.c - DPDK's environment and its mempools
 *
 * Layer:   the peer "dpdk".
 * Context: plain threads.
 *
 * A mempool has a fixed number of objects: as many as the workload has live at once, plus as many
 * as caches can hold back, which is one and a half times a cache's size per thread.
 */
#include "peer.h"

#include <err.h>
#include <stdio.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>

#define CACHE		512u

const char *peer_dpdk_start(void)
{
	static char *args[] = {
		"bench", "--no-huge", "-m", "1024", "--no-pci", "--no-shconf",
		"--no-telemetry", "--log-level=critical", "-l", "0", NULL,
	};

	if (rte_eal_init(sizeof(args) / sizeof(args[0]) - 1, args) < 0)
		return "rte_eal_init() failed";
	return NULL;
}

void peer_dpdk_thread_start(void)
{
	if (rte_thread_register())
		errx(1, "rte_thread_register(): %s", rte_strerror(rte_errno));
}

void peer_dpdk_thread_end(void)
{
	rte_thread_unregister();
}

struct rte_mempool *peer_dpdk_create(size_t size, unsigned int most,
				     unsigned int threads)
{
	static unsigned int serial;
	char name[16];

	snprintf(name, sizeof(name), "bench%u", serial++);
	return rte_mempool_create(name, most + threads * CACHE * 3 / 2,
				  (unsigned int)size, CACHE, 0, NULL, NULL, NULL,
				  NULL, SOCKET_ID_ANY, 0);
}
