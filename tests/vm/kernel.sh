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

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=tests/vm/with-pools.sh
. "$here/with-pools.sh"

readonly SERIES=6.12
readonly NEXT=trixie		# the release with the newest kernel in its backports
readonly OURS="uml debug i386 arm64 debug-rt kasan kcsan kmsan signed"

usage() {
	die "usage: ${0##*/} stock-6.1|stock-6.12|stock-6.12-rt|stock-X.Y|newest|" \
		"source|source-X.Y|builtin|${OURS// /|}[-X.Y]"
}

# depends PACKAGE PATTERN - the first package that PACKAGE depends on whose
# whole name matches the extended regular expression.
depends() {
	{ apt-cache depends "$1" 2>/dev/null || true; } |
		sed -n 's/^ *|*Depends: //p' | grep -Ex -m1 -- "$2" || true
}

# candidate PACKAGE - the version that apt would fetch, or nothing.
candidate() {
	apt-cache policy "$1" 2>/dev/null |
		sed -n 's/^ *Candidate: //p' | grep -vFx '(none)' || true
}

# fetch DIR PACKAGE... - downloads the .deb files into DIR.
fetch() {
	local dir=$1
	shift

	say "downloading $*"
	(cd "$dir" && apt-get -q -o APT::Sandbox::User="$(id -un)" download "$@") ||
		{
			[ "$(id -u)" -eq 0 ] || return 1
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
		[ -d "$entry" ] && printf '%s\n' "${entry%/}"
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

### Debian's kernels

# stock_unpack DIR RELEASE VERSION - fills DIR with kernel and headers.
stock_unpack() {
	local dir=$1 release=$2 version=$3
	local headers=linux-headers-$release common kbuild deb

	common=$(depends "$headers" 'linux-headers-.*-common(-rt)?')
	kbuild=$(depends "$headers" 'linux-kbuild-.*')
	if [ -z "$common" ] || [ -z "$kbuild" ]; then
		die "cannot find what $headers depends on"
	fi
	# The headers ask for a kbuild that is at least as new; the archive may have only a newer
	# one, since signed images follow later than what is built from the same source.
	fetch "$dir" "linux-image-$release=$version" "$headers=$version" \
		"$common=$version" "$kbuild"
	dpkg --fsys-tarfile "$dir/linux-image-$release"_*.deb |
		tar -x -C "$dir" --wildcards './boot/*'
	for deb in "$headers" "$common" "$kbuild"; do
		dpkg -x "$dir/${deb}"_*.deb "$dir"
	done
	rm -f "$dir"/*.deb
	# The one absolute path of the unpacked headers.
	sed -i "s|^include .*|include \$(dir \$(lastword \$(MAKEFILE_LIST)))../$common/Makefile|" \
		"$dir/usr/src/$headers/Makefile"
}

# stock SERIES [-rt]
stock() {
	local series=$1 arch=${2:-}-amd64 image release version dir
	local meta=linux-image-$series$arch

	if [ "$series" = 6.1 ]; then
		meta=linux-image$arch
	fi
	image=$(with_update depends "$meta" \
		"linux-image-${series//./\\.}\\.[0-9.]+(-[0-9]+|\\+deb[0-9]+)$arch")
	if [ -n "$image" ]; then
		release=${image#linux-image-}
		version=$(candidate "$image")
		dir=$LIBPOOL_CACHE/stock-$release-$version
	else
		dir=$(newest "stock-$series.*[0-9]$arch-")
		[ -n "$dir" ] || die "apt knows no $meta for Linux $series;" \
			"as root, run: apt-get update"
	fi

	need make gcc-12 dwarves libelf1
	lock "stock-$series$arch"
	if [ ! -d "$dir" ]; then
		begin "$dir"
		stock_unpack "$work" "$release" "$version" >>"$log" 2>&1
		finish "$dir"
	fi

	# pahole warns when there is no vmlinux for it to read types from, as in
	# the headers of 6.1.  Modules load without these types.
	local kdir=("$dir"/usr/src/linux-headers-*-amd64) kmake=
	if [ ! -f "${kdir[0]}/vmlinux" ]; then
		kmake=CONFIG_DEBUG_INFO_BTF_MODULES=
	fi
	report "$(echo "$dir"/boot/vmlinuz-*)" "${kdir[0]}" "$kmake"
}

### The newest of Debian's kernels, in a Debian of its own

# backports_image - the package with the newest kernel for amd64, of what apt in
# $work/root knows.
backports_image() {
	"$here/chroot.sh" run "$work/root" "$work" apt-cache depends \
		"linux-image-amd64/$NEXT-backports" |
		sed -n 's/^ *Depends: //p' | grep -Ex -m1 'linux-image-[0-9].*-amd64'
}

# backports_unpack IMAGE - the kernel into $work, its headers into $work/root.
backports_unpack() {
	local release=${1#linux-image-}

	"$here/chroot.sh" run "$work/root" "$work" sh -euc '
		export DEBIAN_FRONTEND=noninteractive
		apt-get -qy install --no-install-recommends gcc make \
			"linux-headers-$1"
		apt-get -q -o APT::Sandbox::User=root download \
			"linux-image-$1" "linux-binary-$1" ||
			apt-get -q -o APT::Sandbox::User=root download "linux-image-$1"
		apt-get clean' sh "$release"
	# Since 7.x the image is in the package linux-binary, elsewhere.
	mkdir "$work/unpacked"
	for deb in "$work"/*.deb; do
		dpkg -x "$deb" "$work/unpacked"
	done
	find "$work/unpacked" -name 'vmlinuz*' -type f -exec mv {} "$work/vmlinuz" \;
	rm -rf "$work/unpacked" "$work"/*.deb
	[ -f "$work/vmlinuz" ]
}

# make_backports [SERIES] - a cache entry of the newest kernel, which has to be of
# that series.
make_backports() {
	local image release series

	begin "$LIBPOOL_CACHE/stock-newest"
	"$here/chroot.sh" make "$NEXT" "$work/root" >>"$log" 2>&1
	image=$(backports_image 2>>"$log")
	release=${image#linux-image-}
	series=$(series_of "stock-$release")
	if [ "${1:-$series}" != "$series" ]; then
		trap - EXIT
		rm -rf "$work"
		die "the backports of $NEXT have no Linux $1; they have $release"
	fi
	backports_unpack "$image" >>"$log" 2>&1
	finish "$LIBPOOL_CACHE/stock-$release"
}

# series_of ENTRY - X.Y of a cache entry stock-X.Y.Z...
series_of() {
	local entry=${1##*/}

	expr "$entry" : 'stock-\([0-9]*\.[0-9]*\)'
}

# backports [SERIES] - the newest such cache entry, made if there is none.
backports() {
	local dir

	lock stock-newest
	dir=$(newest "stock-${1:+$1.}*/root")
	if [ -z "$dir" ]; then
		make_backports "$@" >&2
		dir=$(newest "stock-${1:+$1.}*/root")
	fi
	printf '%s\n' "${dir%/root}"
}

stock_backports() {
	local dir release

	dir=$(backports "$1")
	release=${dir##*/stock-}
	report "$dir/vmlinuz" "/usr/src/linux-headers-$release" '' "$dir/root"
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

# ours_version - of linux-source: what apt would fetch, or what the cache has.
ours_version() {
	local version

	version=$(with_update candidate "linux-source-$SERIES")
	if [ -z "$version" ]; then
		version=$(newest "source-$SERIES.")
		version=${version##*/source-}
		version=${version%-*}
		[ -n "$version" ] || die "apt knows no linux-source-$SERIES;" \
			"as root, run: apt-get update"
	fi
	echo "$version"
}

# get_source SERIES - sets $source to the kernel's source, unpacked, and $entry to the name
# of that cache entry; leaves it locked.
get_source() {
	local series=$1 version stock unpack

	need xz-utils patch
	if [ "$series" = "$SERIES" ]; then
		version=$(ours_version)
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
	# Newer kernels write down where they are, which is not where they will be.
	sed -i "s|^\(export KBUILD_OUTPUT = .*\)\.part$|\1|" "$dir/Makefile"
}

# foreign_busybox ARCH - fetches Debian's for another architecture into $work, with lists
# of packages of its own, since those of this machine do not have it.
foreign_busybox() {
	local apt=(apt-get -q -o APT::Architecture="$1" -o APT::Architectures="$1"
		   -o APT::Sandbox::User="$(id -un)" -o Dir::State::status=/dev/null
		   -o Dir::State="$work/apt" -o Dir::Cache="$work/apt")

	mkdir -p "$work/apt"/{lists,archives}/partial
	# Sources that do not have that architecture are none of ours.
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

[ $# -eq 1 ] || usage
what=$1
case $what in
stock-[1-9]*.[0-9]* | source-[1-9]*.[0-9]* | newest | source | builtin) ;;
*) [[ " $OURS " = *" $(base_of "$what") "* ]] || usage ;;
esac
open_log "$what"

case $what in
newest) echo "stock-$(series_of "$(backports)")" ;;
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
