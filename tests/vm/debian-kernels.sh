# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# debian-kernels.sh - the part of kernel.sh that gets kernels of Debian
#
# Those of this machine's apt are unpacked in the cache folder.  The newest one is in the
# backports of another release, so it comes with a Debian of that release.

# shellcheck disable=SC2154	# of kernel.sh

# depends PACKAGE PATTERN - prints the first package on which PACKAGE depends and whose whole name
# matches the extended regular expression
depends() {
	{ apt-cache depends "$1" 2>/dev/null || true; } |
		sed -n 's/^ *|*Depends: //p' | grep -Ex -m1 -- "$2" || true
}

### Debian's kernels

# stock_image SERIES ARCH - prints the package with the kernel.  A release has a metapackage for its
# own series, "linux-image-amd64", and one with a number for each other series.
stock_image() {
	local meta image

	for meta in "linux-image-$1$2" "linux-image$2"; do
		image=$(depends "$meta" \
			"linux-image-${1//./\\.}\\.[0-9.]+(-[0-9]+|\\+deb[0-9]+)$2")
		[ -z "$image" ] || break
	done
	printf '%s\n' "$image"
}

# stock_names SERIES ARCH - sets $release and $dir, the cache entry.  If that is not there, then
# also $packages, with versions, and $download and $disk, in MB.
stock_names() {
	local headers common kbuild version found

	with_update stock_image "$1" "$2"
	packages=()
	if [ -z "$found" ]; then
		dir=$(newest "stock-$1.*[0-9]$2-")
		[ -n "$dir" ] || apt_lacks "linux-image-$1$2 or linux-image$2 of Linux $1"
		return
	fi
	release=${found#linux-image-}
	version=$(candidate "$found")
	dir=$LIBPOOL_CACHE/stock-$release-$version
	[ ! -d "$dir" ] || return 0
	headers=linux-headers-$release
	common=$(depends "$headers" 'linux-headers-.*-common(-rt)?')
	kbuild=$(depends "$headers" 'linux-kbuild-.*')
	# The headers ask for a kbuild that is at least as new; the archive may have only a newer
	# one, since signed images follow later than what is built from the same source.
	packages=("$found=$version" "$headers=$version" "${common:=$headers-common}=$version" \
		  "${kbuild:=linux-kbuild-$release}")
	sizes "${packages[@]}"
}

# sizes PACKAGE=VERSION... - sets $download and $disk to the MB of all of them, which apt knows
sizes() {
	local known

	known=$(apt-cache show "$@" 2>/dev/null) || true
	download=$(awk '/^Size: / { sum += $2 } END { print int(sum / 1048576) + 1 }' <<<"$known")
	disk=$(awk '/^Installed-Size: / { sum += $2 } END { print int(sum / 1024) + 1 }' <<<"$known")
	[ "$(grep -c '^Package: ' <<<"$known")" -ge $# ] ||
		apt_lacks "one of $*"
}

# stock_cost KERNEL - prints the MB that a kernel takes which is not in the cache
stock_cost() {
	local series=${1#stock-} arch=-amd64 release dir packages download disk

	[ "$series" = "${series%-rt}" ] || arch=-rt-amd64
	stock_names "${series%-rt}" "$arch"
	[ -d "$dir" ] || echo "$1 $download $disk"
}

# stock_unpack DIR RELEASE PACKAGE... - fills DIR with the kernel and its headers
stock_unpack() {
	local dir=$1 release=$2 deb headers common
	shift 2

	fetch "$dir" "$@"
	headers=linux-headers-$release
	common=${3%=*}
	dpkg --fsys-tarfile "$dir/linux-image-$release"_*.deb |
		tar -x -C "$dir" --wildcards './boot/*'
	for deb in "${@:2}"; do
		dpkg -x "$dir/${deb%=*}"_*.deb "$dir"
	done
	rm -f "$dir"/*.deb
	# The unpacked headers have one absolute path, of the common Makefile.
	sed -i "s|^include .*|include \$(dir \$(lastword \$(MAKEFILE_LIST)))../$common/Makefile|" \
		"$dir/usr/src/$headers/Makefile"
}

# stock SERIES [-rt]
stock() {
	local arch=${2:-}-amd64 release dir packages compiler download disk

	stock_names "$1" "$arch"
	need make dwarves libelf-dev
	lock "stock-$1$arch"
	if [ ! -d "$dir" ]; then
		room "$disk" "$LIBPOOL_CACHE"
		begin "$dir"
		stock_unpack "$work" "$release" "${packages[@]}" >>"$log" 2>&1
		finish "$dir"
	fi

	# The headers name the compiler of this kernel.
	local kdir=("$dir"/usr/src/linux-headers-*-amd64) kmake=
	compiler=$(sed -n 's/^CC = .*(CROSS_COMPILE)//p' "${kdir[0]}/.kernelvariables")
	need "${compiler:-gcc}"
	# pahole warns when there is no vmlinux for it to read types from, as in
	# the headers of 6.1.  Modules load without these types.
	if [ ! -f "${kdir[0]}/vmlinux" ]; then
		kmake=CONFIG_DEBUG_INFO_BTF_MODULES=
	fi
	report "$(echo "$dir"/boot/vmlinuz-*)" "${kdir[0]}" "$kmake"
}

### The newest of Debian's kernels, in a Debian of its own

# backports_image - prints the package with the newest kernel for amd64 that apt in $work/root knows
backports_image() {
	"$here/chroot.sh" run "$work/root" "$work" apt-cache depends \
		"linux-image-amd64/$NEXT-backports" |
		sed -n 's/^ *Depends: //p' | grep -Ex -m1 'linux-image-[0-9].*-amd64'
}

# backports_unpack IMAGE - unpacks the kernel into $work, and its headers into $work/root
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

# make_backports [SERIES] - makes a cache entry of the newest kernel, which must be of that series
make_backports() {
	local image release series

	begin "$LIBPOOL_CACHE/stock-newest"
	"$here/chroot.sh" make "$NEXT" "$work/root" >>"$log" 2>&1
	image=$(backports_image 2>>"$log") ||
		die "the backports of $NEXT have no linux-image-amd64"
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

# series_of ENTRY - prints X.Y of a cache entry stock-X.Y.Z...
series_of() {
	local entry=${1##*/}

	expr "$entry" : 'stock-\([0-9]*\.[0-9]*\)'
}

# backports [SERIES] - prints the newest such cache entry, which is made if there is none
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
