#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Debian packages of what is committed: built twice, judged by lintian, installed and used.
# Prints a line per promise, "ok - NAME" or "not ok - NAME".
#
# Runs in a fresh Debian, as root, in a clone: check.sh.  It installs packages, also those
# that it has built, and leaves them in build/package.

set -euo pipefail

cd "$(dirname "$0")/../.."
tests/deps.sh package
# shellcheck source=tests/lib/programs.sh
. tests/lib/programs.sh

top=$PWD
version=$(make -s version)
# The control file says what a build needs.
DEBIAN_FRONTEND=noninteractive apt-get -qy build-dep --no-install-recommends "$top" >&2

# packages DIR [ARG...] - builds them in the new folder DIR, of the archive of the source and of
# debian/, which the archive lacks
packages() {
	local dir=$1

	shift
	mkdir -p "$dir" &&
		cp "build/libpool-$version.tar.xz" \
			"$dir/libpool_$version.orig.tar.xz" &&
		tar -C "$dir" -xf "$dir/libpool_$version.orig.tar.xz" &&
		cp -r debian "$dir/libpool-$version" &&
		(cd "$dir/libpool-$version" && dpkg-buildpackage -us -uc "$@") \
			>"$dir.log" 2>&1 || { tail -n 40 "$dir.log"; return 1; }
}

# packages_again - builds them elsewhere, by another user's settings, in another order, without
# the cases
packages_again() (
	umask 0077
	export TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 HOME=/nowhere
	export DEB_BUILD_OPTIONS="nocheck parallel=1"
	packages "$top/build/and/again" -b
)

# same - each package that was built is there again, with the same bytes
same() {
	local deb status=0 seen=0

	for deb in build/package/*.deb; do
		cmp "$deb" "build/and/again/${deb##*/}" || status=1
		seen=$((seen + 1))
	done
	[ $seen -ge 7 ] && return $status
}

# DKMS builds for each kernel that this Debian has, that of its backports included, and those
# of Debian 12 that have a name of their own.
headers=$({ apt-cache show linux-headers-{,6.12-,6.12-rt-}amd64 || true; } |
	sed -n 's/^Depends: \(linux-headers-[^ ,]*\).*/\1/p' | sort -u)
# Debian 12 has 6.1, 6.12 and 6.12-rt, Debian 13 its own kernel and that of its backports.
least=2
! grep -q '^VERSION_CODENAME=bookworm' /etc/os-release || least=3
[ "$(wc -w <<<"$headers")" -ge $least ] || {
	echo "${0##*/}: apt knows too few kernels: $headers" >&2
	exit 1
}
# shellcheck disable=SC2086	# words
apt-get -qy install --no-install-recommends $headers >&2

make -s dist
check the_packages_build packages "$top/build/package"
check the_packages_build_again packages_again
check both_builds_have_the_same_bytes same
changes=$(ls build/package/*.changes)
check lintian_has_no_error_and_no_warning \
	lintian -EvIL +pedantic --allow-root --fail-on error,warning "$changes"
sed 's/^/# /' "$tmp/printed"

# Each of debian/tests runs against what was installed.
autopkgtest --quiet --summary-file="$tmp/summary" "$changes" -- null \
	>build/autopkgtest.log 2>&1 || tail -n 60 build/autopkgtest.log
for name in $(sed -n 's/^Tests: //p' debian/tests/control); do
	check "installed_packages_pass_$name" \
		grep -E "^$name +PASS" "$tmp/summary"
done
for name in $headers; do
	check "dkms_makes_a_round_trip_for_${name#linux-headers-}" \
		grep -F "round trip: ${name#linux-headers-}" build/autopkgtest.log
done
finish
