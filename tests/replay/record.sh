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
# that Documentation/trace-format.rst describes.  It fails if an event was lost.

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

say "recording on $kernel"
guest=$here/../vm/guest
"$here/../vm/boot.sh" --cpus 2 --mem 1024 --timeout 900 --data "$tmp/raw.gz" \
	--log "$tmp/log" --append "no_hash_pointers slab_nomerge rounds=3" \
	"$kernel" "$guest/record.sh" "$guest/record-load.sh"
grep 'per_cpu/cpu' "$tmp/log" | tr -d '\r' >&2
gzip -t "$tmp/raw.gz"

gzip -dc "$tmp/raw.gz" | python3 "$here/convert.py" convert "$EVENTS" >"$tmp/trace"
python3 "$here/convert.py" check <"$tmp/trace" >&2
xz -9e -c "$tmp/trace" >"$tmp/trace.xz"
mkdir -p "$(dirname "$output")"
mv "$tmp/trace.xz" "$output"
say "$output: $(stat -c %s "$output") bytes"
