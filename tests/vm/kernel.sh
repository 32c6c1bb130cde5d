#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Provides a kernel to test on and what modules are built against.
#
#	kernel.sh stock-6.1|stock-6.12|stock-6.12-rt|stock-X.Y
#	kernel.sh uml|debug|i386|arm64|debug-rt|kasan|kcsan|kmsan|signed[-X.Y]
#	kernel.sh builtin
#	kernel.sh newest
#	kernel.sh source|source-X.Y
#	kernel.sh cost KERNEL...
#
#   stock-6.1, stock-6.12  Debian 12's kernels for amd64, unpacked, not installed;
#                          with -rt: with PREEMPT_RT
#   stock-X.Y              Debian 13's newest kernel, if that is what the backports
#                          have or had; its headers are in a Debian 13 of their own,
#                          because kbuild's programs need that libc
#   newest                 prints the name of that one, as stock-7.3.  What is in the
#                          cache folder stays the newest until it is removed
#   source                 prints SOURCE='folder' of what the next ones are built from
#   source-X.Y             the same of the series that the backports have
#   uml                    User-Mode Linux with KUnit (uml.config, uml.patch)
#   signed                 the same, with signed modules (signed.config)
#   builtin                the same, with this source's pools and pool_user.c in it
#                          (builtin.config); it is in build/builtin, and made again where
#                          a source has changed
#   debug                  x86_64 SMP with KUnit and lockdep (debug.config)
#   i386, arm64            debug with 32 bits, and for 64-bit ARM (NAME.config)
#   debug-rt, kasan        the same with PREEMPT_RT or KASAN (NAME.config)
#   kcsan                  the same with KCSAN, for modules; without lockdep (kcsan.config)
#   kmsan                  the same with KMSAN, by clang; without lockdep (kmsan.config)
#   NAME-X.Y               one of these from source-X.Y; tried for uml and debug
#   cost                   downloads nothing; prints "NAME MB-to-download MB-of-disk" for what
#                          of these kernels is not in the cache folder, and fails if apt
#                          does not know where to get it
#
# The kernel is fetched or built on first use and kept in the cache folder,
# ${XDG_CACHE_HOME:-$HOME/.cache}/libpool or $LIBPOOL_CACHE.  Prints lines for
# the shell to evaluate:
#
#	KERNEL='bootable image'
#	KDIR='tree to build modules against'
#	KMAKE='more arguments for make'
#	KROOT='Debian to build in, for chroot.sh run; empty: this one'
#	BUSYBOX='program for its scripts; empty: the one of this machine'
#	ARCH='what the kernel calls its architecture'
#
# so that modules are built by kmake() of lib.sh.

set -euo pipefail
shopt -s inherit_errexit	# what fails in $(...) ends that

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=tests/vm/with-pools.sh
. "$here/with-pools.sh"
# shellcheck source=tests/vm/debian-kernels.sh
. "$here/debian-kernels.sh"

readonly SERIES=6.12
readonly NEXT=trixie		# the release with the newest kernel in its backports
readonly OURS="uml debug i386 arm64 debug-rt kasan kcsan kmsan signed"

usage() {
	die "usage: ${0##*/} stock-6.1|stock-6.12|stock-6.12-rt|stock-X.Y|newest|" \
		"source|source-X.Y|builtin|${OURS// /|}[-X.Y] | cost KERNEL..."
}

# fetch DIR PACKAGE... - downloads the .deb files into DIR.
fetch() {
	local dir=$1
	shift

	say "downloading $*"
	(cd "$dir" && apt-get -q -o APT::Sandbox::User="$(id -un)" download "$@") ||
		{
			[ "$(id -u)" -eq 0 ] || die "cannot download $*: $(reason "$log")"
			apt-get -q update
			(cd "$dir" &&
			 apt-get -q -o APT::Sandbox::User=root download "$@")
		}
}

# newest PREFIX - the newest complete cache entry whose name starts so, a pattern.
newest() {
	local entry

	# shellcheck disable=SC2231	# a pattern
	for entry in "$LIBPOOL_CACHE"/$1*/; do
		if [ -d "$entry" ]; then
			printf '%s\n' "${entry%/}"
		fi
	done | sort -V | tail -n1
}

# report KERNEL KDIR KMAKE [KROOT [BUSYBOX [ARCH]]]
report() {
	local root=${4:-}

	[ -f "$1" ] || die "no kernel image at $1; remove that cache entry"
	[ -f "$root$2/Makefile" ] ||
		die "no build tree at $root$2; remove that cache entry"
	printf "KERNEL='%s'\nKDIR='%s'\nKMAKE='%s'\nKROOT='%s'\nBUSYBOX='%s'\nARCH='%s'\n" \
		"$1" "$2" "$3" "$root" "${5:-}" "${6:-x86_64}"
}

### Our own kernels

# base_of NAME-X.Y, series_after NAME-X.Y - what is before and behind the "-"; our series, if
# there is none.
base_of() {
	echo "${1%-[1-9]*.[0-9]*}"
}

series_after() {
	local series=${1#"$(base_of "$1")"}

	series=${series#-}
	echo "${series:-$SERIES}"
}

# source_unpack DIR SERIES - the kernel's source in DIR, from its package there.
source_unpack() {
	local dir=$1 series=$2

	dpkg --fsys-tarfile "$dir"/*.deb | tar -xO "./usr/src/linux-source-$series.tar.xz" |
		tar -xJ -C "$dir"
	rm -f "$dir"/*.deb
}

# source_ours DIR VERSION - the source of this Debian's kernel, with uml.patch.
source_ours() {
	fetch "$1" "linux-source-$SERIES=$2"
	source_unpack "$1" "$SERIES"
	patch -p1 -d "$1/linux-source-$SERIES" <"$here/uml.patch"
}

# source_backports DIR SERIES ROOT - the source of the newest kernel.
source_backports() {
	"$here/chroot.sh" run "$3" "$1" sh -euc '
		apt-get -q update
		apt-get -q -o APT::Sandbox::User=root download "linux-source-$1"' sh "$2"
	source_unpack "$1" "$2"
}

# ours_version - sets $version of linux-source: what apt would fetch, or what the cache has.
ours_version() {
	local found

	with_update candidate "linux-source-$SERIES"
	version=$found
	if [ -z "$version" ]; then
		version=$(newest "source-$SERIES.")
		version=${version##*/source-}
		version=${version%-*}
		[ -n "$version" ] || apt_lacks "linux-source-$SERIES"
	fi
}

# get_source SERIES - sets $source to the kernel's source, unpacked, and $entry to the name
# of that cache entry; leaves it locked.
get_source() {
	local series=$1 version stock unpack

	need xz-utils patch
	if [ "$series" = "$SERIES" ]; then
		ours_version
		entry=source-$version-$(sha256sum <"$here/uml.patch" | cut -c1-8)
		unpack=(source_ours "$version")
	else
		stock=$(backports "$series")
		entry=source-${stock##*/stock-}
		unpack=(source_backports "$series" "$stock/root")
	fi
	source=$LIBPOOL_CACHE/$entry
	lock "source-$series"
	if [ ! -d "$source" ]; then
		begin "$source"
		"${unpack[0]}" "$work" "${unpack[@]:1}" >>"$log" 2>&1
		finish "$source"
	fi
	source=$source/linux-source-$series
}

# costs KERNEL... - lines of those that are not in the cache.  What a kernel of ours takes was
# measured.
costs() {
	local what release dir packages version

	for what; do
		case $what in
		stock-6.1 | stock-6.12 | stock-6.1-rt | stock-6.12-rt)
			stock_cost "$what"
			;;
		newest | stock-*)
			[ -n "$(newest 'stock-*/root')" ] || {
				[ "$(id -u)" -eq 0 ] || die "the newest kernel needs a $NEXT," \
					"which only root can install"
				measured newest
			}
			;;
		*)
			[ -n "$(newest "$what-[0-9a-f]*")" ] || measured "$what"
			ours_version
			[ -n "$(newest "source-$version-")" ] || {
				known "linux-source-$SERIES"
				measured source
			}
			;;
		esac
	done | sort -u
}

# measured NAME - the line of costs
measured() {
	awk -v name="$1" '$1 == "kernel-" name { print name, $3, $4; seen = 1 }
		END { if (!seen) print name, "?", "?" }' "$here/../jobs.measured"
}

# fragments NAME... - the options of NAME.config...; the last of a name counts.
fragments() {
	local name

	for name; do
		cat "$here/$name.config"
	done | tac | awk '
		match($0, /CONFIG_[A-Z0-9_]+[= ]/) {
			if (seen[substr($0, RSTART, RLENGTH - 1)]++)
				next
		}
		{ print }' | tac
}

# build DIR - a kernel of $source in DIR, of $options, with $watch.
build() {
	local dir=$1 line
	# shellcheck disable=SC2206	# kmake is words
	local make=(make -C "$source" $kmake $watch O="$dir"
		    KBUILD_BUILD_USER=libpool KBUILD_BUILD_HOST=libpool)

	"${make[@]}" tinyconfig
	"$source/scripts/kconfig/merge_config.sh" -m -O "$dir" \
		"$dir/.config" "$options"
	"${make[@]}" olddefconfig
	while read -r line; do
		case $line in
		'# CONFIG_'*' is not set')
			line=${line#\# }
			line=${line% is not set}
			! grep -q "^$line=" "$dir/.config" ||
				die "${options##*/}: $line cannot be turned off"
			;;
		CONFIG_*)
			grep -qFx -- "$line" "$dir/.config" ||
				die "${options##*/}: $line did not get set"
			;;
		esac
	done <"$options"
	"${make[@]}" -j"$(nproc)" all
	# Newer kernels note the folder where they are built, which is renamed later.
	sed -i "s|^\(export KBUILD_OUTPUT = .*\)\.part$|\1|" "$dir/Makefile"
}

# foreign_busybox ARCH - fetches Debian's for another architecture into $work, with lists
# of packages of its own, since those of this machine do not have it.
foreign_busybox() {
	local apt=(apt-get -q -o APT::Architecture="$1" -o APT::Architectures="$1"
		   -o APT::Sandbox::User="$(id -un)" -o Dir::State::status=/dev/null
		   -o Dir::State="$work/apt" -o Dir::Cache="$work/apt")

	mkdir -p "$work/apt"/{lists,archives}/partial
	# Sources for which the archive lacks that architecture are none of ours.
	"${apt[@]}" update || true
	(cd "$work" && "${apt[@]}" download busybox-static)
	dpkg --fsys-tarfile "$work"/busybox-static_*.deb | tar -xO ./bin/busybox >"$work/busybox"
	chmod +x "$work/busybox"
	rm -rf "$work/apt" "$work"/*.deb
}

# ours NAME - sets what makes this kernel.
#
# KCSAN watches no access of the kernel itself, which has many races of its own, but only those
# of modules.  It is told of the kernel's barriers, since modules rely on them.
ours() {
	arch=x86_64 image=arch/x86/boot/bzImage foreign='' cross='' fragments="debug $1" watch=''
	clang=''
	# shellcheck disable=SC2016	# a variable of make
	case $1 in
	kcsan) watch='KCSAN_SANITIZE=n KCSAN_INSTRUMENT_BARRIERS=$(is-kernel-object)' ;;
	kmsan) clang=clang-19 ;;
	debug) fragments=debug ;;
	uml) arch=um image=linux fragments=uml ;;
	signed) arch=um image=linux fragments="uml signed" ;;
	builtin) arch=um image=linux fragments="uml builtin" ;;
	i386) arch=i386 foreign=i386 ;;
	arm64) arch=arm64 image=arch/arm64/boot/Image foreign=arm64 cross=aarch64-linux-gnu- ;;
	esac
	kmake="ARCH=$arch${cross:+ CROSS_COMPILE=$cross}${clang:+ CC=$clang}"
}

built() {
	local what=$1 arch image foreign cross fragments watch kmake options key dir source entry
	local series clang

	series=$(series_after "$what")
	ours "$(base_of "$what")"
	[ "$series" = "$SERIES" ] || fragments+=" newest"
	need make gcc "${clang:-gcc${cross:+-${cross%-}}}" bison flex bc libelf-dev
	[ "$(base_of "$what")" != signed ] || need libssl-dev openssl
	get_source "$series"
	lock "$what"
	options=$LIBPOOL_CACHE/$what.config
	# shellcheck disable=SC2086	# words
	fragments $fragments >"$options"
	key=$({
		echo "$entry $arch${watch:+ $watch}"
		"${clang:-${cross}gcc}" --version
		cat "$options"
	} | sha256sum | cut -c1-12)
	dir=$LIBPOOL_CACHE/$what-$key
	if [ ! -d "$dir" ]; then
		begin "$dir"
		{
			build "$work"
			[ -z "$foreign" ] || foreign_busybox "$foreign"
		} >>"$log" 2>&1
		finish "$dir"
	fi
	report "$dir/$image" "$dir" "$kmake" '' "${foreign:+$dir/busybox}" "$arch"
}

if [ "${1:-}" = cost ] && [ $# -ge 2 ]; then
	costs "${@:2}"
	exit
fi
[ $# -eq 1 ] || usage
what=$1
case $what in
stock-[1-9]*.[0-9]* | source-[1-9]*.[0-9]* | newest | source | builtin) ;;
*) [[ " $OURS " = *" $(base_of "$what") "* ]] || usage ;;
esac
open_log "$what"

case $what in
newest)
	dir=$(backports)
	echo "stock-$(series_of "$dir")"
	;;
source | source-*)
	get_source "$(series_after "$what")"
	echo "SOURCE='$source'"
	;;
stock-6.1 | stock-6.12) stock "${what#stock-}" ;;
stock-6.1-rt | stock-6.12-rt) stock "$(series_of "$what")" -rt ;;
stock-*) stock_backports "${what#stock-}" ;;
builtin) with_pools ;;
*) built "$what" ;;
esac
