#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# A driver of the kernel on pools: null_blk, of Debian's source, as it is and with
# kernel/example/null_blk.patch, under the same load.
#
#	null_blk.sh			on Debian's 6.12
#
# Prints for both instructions per page of 4 KiB, by a clock of one ns per instruction, and per
# 1000 pages the slow paths: calls of the slab's, in all its caches, by probes, and the pool's
# fills and spills.  What is judged is that both work, and that the pool had been used.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

what=stock-6.12
PAGES=16384

modules=$("$here/build-modules.sh" "$what" | tail -n 1)
kernel source
kernel "$what"
dir=$top/build/kernel/$what-null_blk

# The kernel's own configfs.ko is not in the cache folder, so it is built, too.
sources() {
	rm -rf "$dir"
	mkdir -p "$dir"
	cp -r "$SOURCE/fs/configfs" "$dir/"
	cp -r "$SOURCE/drivers/block/null_blk" "$dir/slab"
	cp -r "$SOURCE/drivers/block/null_blk" "$dir/pool"
	patch -p4 -d "$dir/pool" <"$top/kernel/example/null_blk.patch"
}

builds() {
	kmake "$dir" "$dir/$1" -j2 KCFLAGS="-Werror -I$top/common" \
		KBUILD_EXTRA_SYMBOLS="$modules/Module.symvers" modules
}

# uses_pool, uses_slab - the module must call these functions
uses_pool() {
	nm "$dir/pool/null_blk.ko" | grep -w pool_alloc_gfp
}

uses_slab() {
	not grep -q ' pool_' <(nm "$dir/slab/null_blk.ko")
}

boots() {
	"$here/boot.sh" --icount --show --cpus 2 --mem 1024 --timeout 500 --data "$tmp/data" \
		--append "mitigations=off init_on_alloc=0 PAGES=$PAGES" \
		"$what" "$here/guest/null_blk.sh" "$dir/slab" "$dir/pool" \
		"$dir/configfs/configfs.ko" "$modules/pool.ko"
}

# count LOAD NAME - prints what the pool counted
count() {
	awk -v load="$1" -v name="$2" \
		'$1 == "count" && $2 == load && $3 == name { print $4 }' "$tmp/data"
}

# moved LOAD - arrays must have been filled and emptied, and no allocation may have failed
moved() {
	[ "$(count "$1" fills)" -gt 0 ] && [ "$(count "$1" spills)" -gt 0 ] &&
		same "$(count "$1" failed)" 0
}

# figures - per load: instructions of both; slow paths of the slab with slab, those with pool,
# and the pool's own.  Then the pool's counts.
figures() {
	awk '$1 == "count" {
			if ($2 != name[m])
				name[++m] = $2
			if ($4)
				said[$2] = said[$2] " " $3 " " $4
			next
		}
		$1 == "slow" { slab[$2, $3] = $4; pool[$2, $3] = $5; next }
		{ cost[$1, $2] = $3; if ($1 == "slab") load[++n] = $2 }
		END {
			printf "# %-16s %15s %23s\n", "", "instr. per page",
				"slow paths of 1000"
			printf "# %-16s %7s %7s %7s %7s %7s\n", "", "slab", "pool", "slab",
				"pool", "+ own"
			for (i = 1; i <= n; i++) {
				l = load[i]
				printf "# %-16s %7d %7d %7d %7d %7d\n", l, cost["slab", l],
					cost["pool", l], slab["slab", l], slab["pool", l],
					pool["pool", l]
			}
			for (i = 1; i <= m; i++)
				printf "# %s:%s\n", name[i], said[name[i]]
		}' "$tmp/data"
}

# counted_slow - the probes have seen slow paths of the slab: no pool is below it there
counted_slow() {
	awk '$1 == "slow" && $2 == "slab" && $4 > 0 { n++ } END { exit n != 6 }' "$tmp/data"
}

check "the patch applies" sources
check "configfs builds" builds configfs
check "null_blk builds" builds slab
check "null_blk with the patch builds" builds pool
check "the patched one calls pools" uses_pool
check "the other one does not" uses_slab
check "both keep data, discard it and are unloaded" boots
figures
check "slow paths of the slab were counted" counted_slow
for load in same other cached; do
	check "the pool was used: $load" moved $load
done
finish
