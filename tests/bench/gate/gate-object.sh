#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks from object code alone that the hit path has not become longer: counts the
# instructions from a function's entry to its return, for a function that does nothing but
# allocate, or free, by the inline functions of pool.h.
#
#	gate-object.sh [TABLE]
#
# Both compilers put unlikely code out of line.  So the path is the one on which no
# conditional jump is taken.  If that ends in a call, in a jump out of the function or at
# a locked instruction, it is no hit path, and the check fails.  Prints a result for each
# limit of gate-object.table; a compiler that is missing, or has no limits, fails too.  Also counts
# the atomic instructions that move a cluster to the shared pool and back.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
# shellcheck source=tests/lib/results.sh
. "$here/../../lib/results.sh"
# shellcheck source=tests/bench/gate/limits.sh
. "$here/limits.sh"
table=${1:-$here/gate-object.table}

cat >"$tmp/hit.c" <<'END'
#include "pool.h"

void *hit_alloc(struct pool_head *pool) { return pool_alloc(pool); }
void hit_free(struct pool_head *pool, void *obj) { pool_free(pool, obj); }
END

# path FUNCTION - prints "object FUNCTION INSTRUCTIONS" of its hit path
path() {
	objdump -d --no-show-raw-insn --disassemble="$1" "$tmp/hit.o" | awk -v fn="$1" '
		$1 ~ /^[0-9a-f]+:$/ {
			at[++n] = $1
			op[n] = $2
			to[n] = $3
			line[$1] = n
		}
		END {
			for (i = 1; i in op && count < n; count++) {
				if (op[i] ~ /^(call|lock|xchg|mfence|int|hlt|ud2)/)
					break
				if (op[i] ~ /^ret/) {
					print "object", fn, count + 1
					exit 0
				}
				i = op[i] ~ /^jmp/ ? line[to[i] ":"] : i + 1
			}
			print "# " fn ": no way to the return" >"/dev/stderr"
			exit 1
		}'
}

# measured COMPILER - the results; a path that has no count fails as not measured
measured() {
	$1 -std=gnu11 -O2 -fcf-protection=none -I"$top/common" -c \
		-o "$tmp/hit.o" "$tmp/hit.c" &&
		limits "$table" "$(compiler "$tmp/hit.o")" >"$tmp/limits" || return
	{
		path hit_alloc
		path hit_free
	} >"$tmp/counts"
	judge_all "$tmp/counts" "$tmp/limits"
}
for cc in gcc clang; do
	results measured $cc
done

# Two atomic operations on its list move a cluster: an exchange takes the head, and the store that
# gives it back is a plain one on this machine.  Locked instructions are on other words: "filled",
# if the list was empty or is now, and what a fill announces in "moving".
#
# atomics FUNCTION - how many of both kinds there are in it and in what it calls
atomics() {
	objdump -d --no-show-raw-insn "$tmp/shared.o" | awk -v fn="$1" '
		function sum(fn, kind,  n, i, part) {
			n = count[fn, kind]
			split(calls[fn], part)
			for (i in part)
				n += sum(part[i], kind)
			return n
		}
		/^[0-9a-f]+ </ { now = substr($2, 2, length($2) - 3) }
		$2 ~ /^(lock|xchg)$/ && $3 != "%ax,%ax" { count[now, $2]++ }
		$2 ~ /^(call|jmp)$/ && $4 !~ /\+/ {
			calls[now] = calls[now] " " substr($4, 2, length($4) - 2)
		}
		END { print sum(fn, "xchg") " exchange, " sum(fn, "lock") " locked" }'
}
move_atomics() {
	gcc -std=gnu11 -O2 -fcf-protection=none -fno-inline -D_GNU_SOURCE -DPOOL_NO_INLINE \
		-I"$top/common" -I"$top/user" -c -o "$tmp/shared.o" "$top/common/shared/shared.c"
	same "$(atomics bucket_get)" "1 exchange, 2 locked" &&
		same "$(atomics bucket_put)" "1 exchange, 1 locked"
}
check two_atomics_on_its_list_move_a_cluster move_atomics
finish
