#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Prints what a benchmark ran on: processor, system, compiler, and the packages of the
# peers.  Neither the name of this machine nor a path is printed.

set -euo pipefail

lscpu | sed -nE 's/^(Model name|CPU\(s\)|Thread\(s\) per core|L1d cache|L2 cache|L3 cache|Hypervisor vendor): +/\1: /p'
# shellcheck source=/dev/null
. /etc/os-release
echo "system: $PRETTY_NAME, Linux $(uname -r)"
echo "compiler: $("${CC:-gcc}" --version | head -n 1)"
dpkg-query -W -f 'package: ${Package} ${Version}\n' libc6 libjemalloc-dev \
	libmimalloc-dev libgoogle-perftools-dev libdpdk-dev libglib2.0-dev \
	valgrind 2>/dev/null || true
echo "date: $(date -u +%Y-%m-%d)"
