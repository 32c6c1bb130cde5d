# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# record-load.sh - the load that is recorded: processes, files, archives, transfers
#
# Run by busybox sh in a machine.  All four kinds of work run side by side, so each is
# cut into rounds; $rounds is a parameter of the kernel.

set -e
cd /tmp
mkfifo hold
: "${rounds:?}"

# Process trees with pipes, children waited for on another CPU than they ran on.
processes() {
	for i in $(seq $((rounds * 20))); do
		for j in 1 2 3; do
			(seq 50 | sort -rn | tail -n 3 >/dev/null; (true); (true)) &
			taskset $((j % 2 + 1)) cat /proc/self/maps >/dev/null
		done
		wait
	done
}

# Directories and files: made, written, linked, renamed, found, removed.
files() {
	for i in $(seq $((rounds * 6))); do
		mkdir -p tree/$i/a/b tree/$i/c
		for j in $(seq 30); do
			echo "file $i $j" >tree/$i/a/$j
			: >tree/$i/a/b/$j
			ln -s ../a/$j tree/$i/c/$j
		done
		mv tree/$i/a tree/$i/d
		find tree/$i -type f >/dev/null
		ls -lR /proc/sys/kernel >/dev/null
		rm -r tree/$i
	done
}

# Archives packed on one CPU and unpacked on the other.
archives() {
	for i in $(seq $rounds); do
		taskset 1 tar -czf archive.tar.gz /etc /script /proc/sys/vm \
			2>/dev/null || true
		taskset 1 tar -cf bin.tar /bin/busybox
		mkdir unpacked
		taskset 2 tar -xf bin.tar -C unpacked
		taskset 2 gzip -1 <unpacked/bin/busybox | taskset 1 gunzip |
			cmp - /bin/busybox
		rm -r unpacked bin.tar
	done
}

# TCP by way of the loopback device, server and client on a CPU each.
transfers() {
	for i in $(seq $rounds); do
		for j in $(seq 8); do
			taskset 1 wget -q -O fetched http://127.0.0.1:8080/busybox
			cmp fetched /bin/busybox
		done
		taskset 2 nc -l -p 9000 <>hold >received &
		until taskset 1 nc 127.0.0.1 9000 </bin/busybox 2>/dev/null; do
			usleep 10000
		done
		wait $!
		cmp received /bin/busybox
	done
}

processes & p1=$!
taskset 1 true
files & p2=$!
archives & p3=$!
transfers & p4=$!
for pid in $p1 $p2 $p3 $p4; do
	wait $pid
done
