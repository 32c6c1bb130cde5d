#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Builds all modules for one kernel, without a warning, and the example against
# them.
#
#	[DEBUG="-D..."] [VARIANT=name] [POOL_TESTS=] [TARGET=name] build-modules.sh
#		WHAT [make argument...]
#
# WHAT is a kernel of kernel.sh.  With an empty POOL_TESTS no test is built, as for
# users; with TARGET only that object.  The sources are copied to build/kernel/WHAT, or
# to build/kernel/WHAT-name for builds with other options, and built there;
# repeated runs build what has changed.  The last line of the output is the
# folder that has the *.ko files.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

[ $# -ge 1 ] || die "usage: ${0##*/} WHAT [make argument...]"
what=$1
shift
top=$(cd "$here/../.." && pwd)
dir=$top/build/kernel/$what${VARIANT:+-$VARIANT}

need rsync make
kernel "$what"

mkdir -p "$dir"
exec 9>"$dir.lock"
flock 9
rsync -rlp --checksum --delete --prune-empty-dirs --filter='protect *.mod.c' \
	--include='*/' --include='*.[ch]' --include='*.list' \
	--include='Kbuild' --include='Makefile' --exclude='*' \
	"$top/Kbuild" "$top/common" "$top/kernel" "$top/tests" "$dir/"

# modules DIR [ARG...] - builds; a warning fails, and leaves no object that looks up to date
modules() {
	local in=$1
	shift
	if ! kmake "$dir" "$in" W=1 KCFLAGS=-Werror DEBUG="${DEBUG:-}" \
	     POOL_TESTS="${POOL_TESTS-1}" "$@" "${TARGET:-modules}" \
	     >"$dir/log" 2>&1 ||
	   grep -q -i 'warning' "$dir/log"; then
		cat "$dir/log" >&2
		rm -f "$in"/*.ko "$in/Module.symvers" "$in/modules.order"
		die "$what: does not build without warnings"
	fi
}

jobs=-j2
modules "$dir" "$jobs" "$@"
if [ -z "${TARGET:-}" ]; then
	modules "$dir/kernel/example" "$jobs" \
		KBUILD_EXTRA_SYMBOLS="$dir/Module.symvers" "$@"
	ln -sf kernel/example/pool_example.ko "$dir/pool_example.ko"
fi
echo "$dir"
