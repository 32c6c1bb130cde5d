#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Builds pool.ko with the defines of the document, and asks each build in a kernel what they
# have set; looks at the object code of calls that are inline.
#
#	defines.sh [KERNEL [HEADERS]]
#
# The builds are for KERNEL (uml), which runs them one after the other.  The object code is
# for HEADERS (stock-6.12), of x86-64.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

what=${1:-uml}
headers=${2:-stock-6.12}
export VARIANT=defines POOL_TESTS=
mkdir "$tmp/ko"

# made NAME [ARGUMENT...] - builds pool.ko by build-modules.sh
made() {
	local name=$1 dir

	shift
	dir=$("$here/build-modules.sh" "$what" "$@" | tail -n 1) && cp "$dir/pool.ko" "$tmp/ko/$name.ko"
}

# made_with NAME DEFINES - builds pool.ko, but compiles only the two files anew that depend on these
# defines
made_with() {
	local flags="-DPOOL_NO_INLINE $2"

	made "$1" "CFLAGS_common/options/options.o=$flags" "CFLAGS_common/reclaim/bound.o=$flags"
}

# as_a_whole NAME DEFINES - builds all of pool.ko, as a user does
as_a_whole() {
	DEBUG=$2 made "$1"
}

# refused TEXT DEFINES - the build must fail and print TEXT
refused() {
	! made_with refused "$2" >"$tmp/refused" 2>&1 && cat "$tmp/refused" &&
		grep -qF "$1" "$tmp/refused"
}

# A row: a name; how pool.ko is built; defines; what "debug" then shows; hot_size and cluster; how
# many objects are allocated, cached and shared after one was freed.
variants() {
	cat <<'END'
a_plain_build_caches|made_with||none|524288 64|1 1 0
DEBUG_NO_POOLS|made_with|-DDEBUG_NO_POOLS|no-cache|524288 64|0 0 0
DEBUG_MEMORY_POOLS|made_with|-DDEBUG_MEMORY_POOLS|tag|524288 64|1 1 0
DEBUG_FAIL_ALLOC|made_with|-DDEBUG_FAIL_ALLOC|fail|524288 64|1 1 0
DEBUG_DONT_SHARE_POOLS|made_with|-DDEBUG_DONT_SHARE_POOLS|no-merge|524288 64|1 1 0
DEBUG_UAF|made_with|-DDEBUG_UAF|no-cache uaf|524288 64|0 0 0
DEBUG_POOL_INTEGRITY|made_with|-DDEBUG_POOL_INTEGRITY|cold-first integrity|524288 64|1 1 0
DEBUG_POOL_TRACING|made_with|-DDEBUG_POOL_TRACING|caller|524288 64|1 1 0
CONFIG_HAP_GLOBAL_POOLS|made_with|-DCONFIG_HAP_GLOBAL_POOLS|none|524288 64|1 1 0
CONFIG_HAP_NO_GLOBAL_POOLS|made_with|-DCONFIG_HAP_NO_GLOBAL_POOLS|no-global|524288 64|1 1 0
a_bound_of_0_leaves_all_shared|made_with|-DCONFIG_HAP_POOL_CACHE_SIZE=0|none|0 64|1 0 1
without_shared_pools_nothing_is_left|made_with|-DCONFIG_HAP_NO_GLOBAL_POOLS -DCONFIG_HAP_POOL_CACHE_SIZE=0|no-global|0 64|0 0 0
defines_add_up|as_a_whole|-DCONFIG_HAP_GLOBAL_POOLS -DDEBUG_POOL_INTEGRITY -DDEBUG_MEMORY_POOLS -DDEBUG_POOL_TRACING -DCONFIG_HAP_POOL_CACHE_SIZE=65536 -DCONFIG_HAP_POOL_CLUSTER_SIZE=8|cold-first integrity caller tag|65536 8|1 1 0
END
}

# The example comes from a build of each kind; this consumer is one of the tests'.
consumer() {
	local dir

	dir=$(VARIANT='' POOL_TESTS=1 "$here/build-modules.sh" "$what" | tail -n 1) &&
		cp "$dir/pool_second.ko" "$tmp/ko/"
}

boots() {
	"$here/boot.sh" --show "$what" "$here/guest/defines.sh" "$here/guest/stock/lib.sh" \
		"$here/../lib/results.sh" "$tmp/variants" "$tmp/ko"/*.ko >"$tmp/out" 2>"$tmp/err"
}

check a_consumer_builds consumer
variants >"$tmp/variants"
while IFS='|' read -r name how defines _; do
	check "${name}_builds" "$how" "$name" "$defines" </dev/null
done <"$tmp/variants"
check contradictory_modes_are_refused refused 'CONFIG_HAP_NO_GLOBAL_POOLS contradict' \
	'-DCONFIG_HAP_GLOBAL_POOLS -DCONFIG_HAP_NO_GLOBAL_POOLS'
check a_mode_against_no_pools_is_refused refused 'DEBUG_NO_POOLS contradict' \
	'-DCONFIG_HAP_GLOBAL_POOLS -DDEBUG_NO_POOLS'
boots_well

### Object code

code() {
	dir=$(VARIANT='' TARGET=pool_hit.o "$here/build-modules.sh" "$headers" | tail -n 1) &&
		hit=$(find "$dir" -name pool_hit.o -size +0 -path '*/tests/vm/*') && [ -n "$hit" ]
}

# instructions FUNCTION - prints the function's code without numbers that depend on its address
instructions() {
	objdump -dr --no-show-raw-insn --disassemble="$1" "$hit" | sed -nE 's/^ +[0-9a-f]+:\t//p' |
		sed -E 's/\b[0-9a-f]+ <[^>]*>/<>/g'
}

# hits_alone FUNCTION - the path on which no conditional jump is taken, a hit, must have no locked
# instruction, and no call except the one of tracers, which is a nop
hits_alone() {
	objdump -dr --no-show-raw-insn --disassemble="$1" "$hit" | awk '
		$1 ~ /^[0-9a-f]+:$/ && $2 ~ /^R_/ { target[n] = $3; next }
		$1 ~ /^[0-9a-f]+:$/ { op[++n] = $2; to[n] = $3; line[$1] = n; print }
		$2 ~ /^(lock|mfence)/ || ($2 ~ /^(xchg|xadd)/ && /\(/) { print "locked"; exit bad = 1 }
		END {
			for (i = 1; i in op && !bad && count++ < n; ) {
				if (op[i] ~ /^ret/ || target[i] ~ /return_thunk/)
					exit 0
				if (op[i] ~ /^call/ && target[i] !~ /^__fentry__/)
					break
				i = op[i] ~ /^jmp/ ? line[to[i] ":"] : i + 1
			}
			print "no way to the return"
			exit 1
		}'
}

the_same() {
	[ "$(instructions plain_alloc | wc -l)" -gt 10 ] &&
		same "$(instructions plain_alloc)" "$(instructions flags_alloc)"
}

check inline_calls_compile code
check the_hit_path_has_no_call_and_no_atomic hits_alone hit_get
check a_free_that_hits_has_no_call_and_no_atomic hits_alone hit_put
check pool_alloc_is_the_call_without_flags the_same
finish
