# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# signed.sh - which pool.ko a kernel loads that asks for signatures
#
# Run by busybox sh in a machine, for tests/vm/signed.sh.

# shellcheck source=tests/lib/results.sh
. ./results.sh

# refused FOLDER WHY - its pool.ko must be refused, and insmod or the kernel must say why,
# because a module may be refused for much else than its signature
refused() {
	dmesg -c >/dev/null
	not insmod "$1/pool.ko" >/tmp/said 2>&1 || return 1
	dmesg >>/tmp/said
	cat /tmp/said
	grep "$2" /tmp/said
}

check "the kernel asks for signatures" \
	same "$(cat /sys/module/module/parameters/sig_enforce)" Y
check "a module without one is refused" refused no-key "unsigned module is rejected"
check "one by an unknown key is refused" refused own "unavailable key is rejected"
check "one that was changed is refused" refused changed "Key was rejected by service"
check "what modules_install has signed is loaded" insmod signed/pool.ko
check "... and works" grep '^total of 0 pools' /sys/kernel/debug/pool/pools
check "... and taints nothing but by being ours" \
	same "$(cat /sys/module/pool/taint)" O
check "... and is unloaded" rmmod pool
finish
