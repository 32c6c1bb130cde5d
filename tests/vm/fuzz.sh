#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Writes nonsense to all files of pool.ko that can be written, while they are read and
# pools are used, come and go.  Each write is taken as a whole, or refused; the kernel's log
# stays clean.  This is done with caches, of which KASAN is told, and without.
#
#	fuzz.sh [KERNEL [SEED [ROUNDS]]]	a kernel of kernel.sh (kasan 1 8000)
#
# Prints results as those of all scripts.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

what=${1:-kasan}
need gcc libc6-dev
modules=$("$here/build-modules.sh" "$what" | tail -n 1)
gcc -static -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -o "$tmp/fuzz" "$here/guest/fuzz.c"

boots() {
	"$here/boot.sh" --show --cpus 2 --mem 1024 --timeout 1500 --log "$tmp/log" \
		--append "SEED=${2:-1} ROUNDS=${3:-8000}" "$1" \
		"$here/guest/fuzz.sh" "$tmp/fuzz" "$here/../lib/results.sh" \
		"$modules/pool.ko" "$modules/pool_example.ko" \
		"$modules/pool_second.ko" >"$tmp/out" 2>"$tmp/err"
}

boots_well "$what" "${@:2}"
finish
