#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs a command in another release of Debian, as root, in an empty working folder.
#
#	debian.sh [--fresh] SUITE COMMAND...	SUITE: trixie
#
# debootstrap makes the release once, in the cache folder; --fresh makes it anew.  It
# comes from where this machine's packages come from, and apt works in it.  What the
# command installs stays; what it leaves in /work goes.  This tree is at /tree.
#
# The mounts are in a namespace of the command's own, and so are the processes: both
# go with it, however it ends.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/vm/lib.sh
. "$top/tests/vm/lib.sh"

fresh=
[ "${1:-}" != --fresh ] || { fresh=1; shift; }
[ $# -ge 2 ] || die "usage: ${0##*/} [--fresh] SUITE COMMAND..."
[ "$(id -u)" -eq 0 ] || die "must be root: mounts, and packages"
suite=$1
shift
root=$LIBPOOL_CACHE/debian-$suite

# archive LABEL - where this machine gets Debian's packages of that label from
archive() {
	apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' \
		'Origin: Debian' "Label: $1" 'Component: main' | sort -u |
		head -n 1
}

# sources ARCHIVE SUITE... - of packages, with backports, which nothing takes unasked
sources() {
	local archive=$1 suite

	shift
	for suite; do
		echo "deb $archive $suite main"
	done
}

make_root() {
	local archive security

	if [ -z "$(archive Debian)" ]; then
		apt-get -q update >&2
	fi
	archive=$(archive Debian)
	security=$(archive Debian-Security)
	[ -n "$archive" ] || die "apt knows no archive of Debian"
	say "making a Debian $suite in $root"
	rm -rf "$root" "$root.part"
	mkdir -p "$root.part"
	debootstrap --variant=minbase "$suite" "$root.part" "$archive" >&2
	{
		sources "$archive" "$suite" "$suite-updates" "$suite-backports"
		[ -z "$security" ] || sources "$security" "$suite-security"
	} >"$root.part/etc/apt/sources.list"
	# How to reach it, as this machine does.
	apt-config dump --no-empty |
		grep -E '^Acquire::(http|https|Check|Retries|ForceIPv)' \
		>"$root.part/etc/apt/apt.conf.d/90host" || true
	mv "$root.part" "$root"
}

deps=$(dirname "$0")/deps.sh
"$deps" debian
mkdir -p "$LIBPOOL_CACHE"
exec 9>"$root.lock"
flock 9
if [ -n "$fresh" ] || [ ! -d "$root" ]; then
	make_root
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
rm -rf "$root/work"
mkdir -p "$root/work" "$root/tree"

# shellcheck disable=SC2016	# the inner shell's
exec unshare --mount --pid --fork --kill-child --propagation private bash -euc '
	root=$1 top=$2
	shift 2
	mount --rbind /dev "$root/dev"
	mount --rbind /sys "$root/sys"
	mount -t proc proc "$root/proc"
	mount -t tmpfs tmpfs "$root/tmp"
	mount --bind "$top" "$root/tree"
	cd "$root"
	exec chroot "$root" env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		sh -c "cd /work && exec \"\$@\"" sh "$@"
' bash "$root" "$top" "$@"
