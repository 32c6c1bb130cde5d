#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Records what a kernel allocates and frees under a real load, as a trace.
#
#	record.sh [stock-6.12|stock-6.1 [OUTPUT]]
#
# Boots the kernel in QEMU with two CPUs, runs process trees, files, archives and
# TCP transfers with the tracepoints kmem:kmem_cache_alloc, kmem_cache_free and
# kfree on, and writes OUTPUT (data/kernel-6.12.trace.xz, or 6.1), in the format
# that Documentation/trace-format.rst describes.  No event may get lost.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../vm/lib.sh
. "$here/../vm/lib.sh"

kernel=${1:-stock-6.12}
case $kernel in
stock-6.12 | stock-6.1) ;;
*) die "usage: ${0##*/} [stock-6.12|stock-6.1 [OUTPUT]]" ;;
esac
output=${2:-$here/data/kernel-${kernel#stock-}.trace.xz}
readonly EVENTS=400000

need python3 xz-utils gzip

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The load.  What it does is cut into rounds so that all kinds run side by side.
cat >"$tmp/load.sh" <<'EOF'
set -e
cd /tmp
mkfifo hold

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
EOF

cat >"$tmp/script" <<'EOF'
set -e
ip link set lo up
mkdir /tmp/www /etc
cp /bin/busybox /tmp/www/
taskset 2 httpd -p 127.0.0.1:8080 -h /tmp/www

cd /sys/kernel/debug/tracing
echo counter >trace_clock
echo 0 >options/irq-info
echo 131072 >buffer_size_kb
echo 0 >tracing_on
echo >trace
echo 1 >events/kmem/kmem_cache_alloc/enable
echo 1 >events/kmem/kmem_cache_free/enable
echo 1 >events/kmem/kfree/enable
echo 1 >tracing_on
sh /files/load.sh
cd /sys/kernel/debug/tracing
echo 0 >tracing_on

for cpu in per_cpu/cpu*; do
	echo "$cpu: $(tr '\n' ' ' <$cpu/stats)"
	for lost in overrun 'commit overrun' 'dropped events'; do
		grep -qx "$lost: 0" $cpu/stats
	done
done
{
	echo "# uname $(uname -r)"
	echo "# cpus $(nproc)"
	cat trace
} | gzip -1 >/dev/ttyS1
EOF

say "recording on $kernel"
"$here/../vm/boot.sh" --cpus 2 --mem 1024 --timeout 900 --data "$tmp/raw.gz" \
	--log "$tmp/log" --append "no_hash_pointers slab_nomerge rounds=3" \
	"$kernel" "$tmp/script" "$tmp/load.sh"
grep 'per_cpu/cpu' "$tmp/log" | tr -d '\r' >&2
gzip -t "$tmp/raw.gz"

gzip -dc "$tmp/raw.gz" | python3 "$here/convert.py" convert "$EVENTS" >"$tmp/trace"
python3 "$here/convert.py" check <"$tmp/trace" >&2
xz -9e -c "$tmp/trace" >"$tmp/trace.xz"
mkdir -p "$(dirname "$output")"
mv "$tmp/trace.xz" "$output"
say "$output: $(stat -c %s "$output") bytes"
