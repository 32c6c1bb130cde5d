# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# lockdown.sh - a locked kernel shows pools and lets them be
#
# The last topic: a kernel stays locked, and loads no unsigned module any more.

mount -t securityfs none /sys/kernel/security 2>/dev/null
if [ -e /sys/kernel/security/lockdown ]; then
	echo "# lockdown, as with Secure Boot"
	check "loads" start
	echo raw >$P/pools
	check "lockdown begins" \
		sh -c "echo integrity >/sys/kernel/security/lockdown"
	check "pools is readable" cp $P/pools /tmp/locked
	check "... a whole table" table 2 /tmp/locked
	check "totals is readable" complete_totals
	check "pools is not writable" \
		not sh -c "echo json >$P/pools" 2>/dev/null
	check "gc is not writable" not sh -c "echo 1 >$P/gc" 2>/dev/null
	for file in hot_size by-name/ex_conn/limit by-name/ex_conn/debug; do
		check "$file is readable" cat $P/$file
		check "... and not writable" not sh -c "cat $P/$file >$P/$file" 2>/dev/null
	done
	check "unloads" stop
else
	echo "n/a - lockdown # this kernel has none"
fi
