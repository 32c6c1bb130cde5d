#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# A Debian of another release in a folder, and commands that run in it.
#
#	chroot.sh make SUITE DIR
#		installs a minimal SUITE (trixie) into the new folder DIR.  Mirror
#		and settings are those of this machine's apt; backports are known.
#		The first time takes a minute, later ones seconds: the cache folder
#		keeps debian-SUITE.tar.gz.  Needs root.
#	chroot.sh run DIR TREE COMMAND...
#		runs the command in DIR as root.  TREE is visible there under the
#		path it has here, and is the current folder.  No mount is left
#		behind and no process, however the command ends.
#	chroot.sh clone SUITE NAME COMMAND...
#		runs the command in a new SUITE, which is removed then.  Its TREE is
#		build/NAME, a new clone of what is committed, which stays.

set -euo pipefail
shopt -s inherit_errexit	# what fails in $(...) ends that

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

usage() {
	die "usage: ${0##*/} make SUITE DIR | run DIR TREE COMMAND... |" \
		"clone SUITE NAME COMMAND..."
}

# repositories - prints a line "URI CODENAME" for each Debian repository of this machine's apt
repositories() {
	# shellcheck disable=SC2016	# apt's variables
	apt-get indextargets --format '$(REPO_URI) $(CODENAME)' \
		'Created-By: Packages' 'Component: main' 'Origin: Debian' |
		{ grep -E '^https?://' || true; } | sort -u
}

# mirror SUFFIX - prints the mirror of this machine's release, or of its release-SUFFIX
mirror() {
	local codename

	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	repositories |
		sed -n "s|^\\([^ ]*[^ /]\\)/* $codename$1\$|\\1|p" | head -n 1
}

# settings - prints how this machine's apt fetches
settings() {
	apt-config dump --no-empty Acquire | grep -v '^Acquire::IndexTargets'
}

# base SUITE - makes sure that the cache folder has the archive of a fresh installation
base() {
	local suite=$1 uri include=() archive=$LIBPOOL_CACHE/debian-$1.tar.gz
	local new found

	lock "debian-$suite"
	if [ -f "$archive" ]; then
		return
	fi
	with_update repositories
	uri=$(mirror '')
	[ -n "$uri" ] || apt_lacks "mirror of this machine's release"
	case $uri in
	https:*) include=(--include=ca-certificates) ;;
	esac
	begin "$archive"
	new=$work/debian
	{
		debootstrap --variant=minbase "${include[@]}" \
			"$suite" "$new" "$uri"
		sources "$suite" "$uri" >"$new/etc/apt/sources.list"
		settings >"$new/etc/apt/apt.conf.d/90libpool"
		echo force-unsafe-io >"$new/etc/dpkg/dpkg.cfg.d/libpool"
		rm -rf "$new"/var/cache/apt/archives/*.deb
		tar -C "$new" -cz -f "$work/archive" .
	} >>"$log" 2>&1
	mv "$work/archive" "$archive"
	rm -rf "$work"
	trap - EXIT
}

# sources SUITE URI - prints the lines for apt's sources.list
sources() {
	local suite=$1 uri=$2 security

	echo "deb $uri $suite main"
	echo "deb $uri $suite-updates main"
	echo "deb $uri $suite-backports main"
	security=$(mirror -security)
	[ -z "$security" ] || echo "deb $security $suite-security main"
}

make_chroot() {
	local suite=$1 dir=$2

	[ "$(id -u)" -eq 0 ] || die "only root can install a $suite"
	[ ! -e "$dir" ] || die "$dir is there already"
	need debootstrap xz-utils
	base "$suite"
	mkdir -p "$dir"
	tar -C "$dir" -xz -f "$LIBPOOL_CACHE/debian-$suite.tar.gz"
	in_chroot "$dir" / sh -c \
		'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -qy upgrade' >&2
}

# in_chroot DIR TREE COMMAND... - runs a command with mounts that end with it, by a mount namespace.
# Without root, the command is root of a user namespace.
in_chroot() {
	local dir=$1 tree=$2 own=()

	shift 2
	[ "$(id -u)" -eq 0 ] || own=(--map-root-user)
	# shellcheck disable=SC2016	# the inner shell's variables
	unshare "${own[@]}" --mount --pid --fork --kill-child bash -euc '
		root=$1 tree=$2
		shift 2
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		mount --rbind /sys "$root/sys"
		for file in /etc/resolv.conf /etc/hosts; do
			[ -e "$file" ] || continue
			[ -e "$root$file" ] || : >"$root$file"
			mount --bind "$file" "$root$file"
		done
		if [ "$tree" != / ]; then
			mkdir -p "$root$tree"
			mount --bind "$tree" "$root$tree"
		fi
		exec chroot "$root" env -u TMPDIR -C "$tree" HOME=/root \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C "$@"
	' bash "$dir" "$tree" "$@"
}

case ${1:-} in
make)
	[ $# -eq 3 ] || usage
	open_log "debian-$2"
	make_chroot "$2" "$3"
	;;
run)
	[ $# -ge 4 ] || usage
	[ -d "$2/usr" ] || die "there is no Debian in $2"
	dir=$(cd "$2" && pwd)
	tree=$(cd "$3" && pwd)
	shift 3
	in_chroot "$dir" "$tree" "$@"
	;;
clone)
	[ $# -ge 4 ] || usage
	top=$(cd "$here/../.." && pwd)
	tree=$top/build/$3
	dir=$LIBPOOL_CACHE/clone-$3
	mkdir -p "$LIBPOOL_CACHE"
	lock "clone-$3"
	trap 'rm -rf "$dir"' EXIT
	rm -rf "$tree" "$dir"
	mkdir -p "$top/build"
	git clone -q "$top" "$tree"
	"$0" make "$2" "$dir"
	"$0" run "$dir" "$tree" "${@:4}"
	;;
*) usage ;;
esac
