# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Shared by the scripts of this directory: messages, the cache folder and the
# Debian packages that they need.  Sourced, never run.

# The folder that keeps kernels between runs.
LIBPOOL_CACHE=${LIBPOOL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/libpool}

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
	say "$@"
	exit 1
}

# need PACKAGE... - the packages are installed, or get installed when root.
need() {
	local package missing=()

	for package; do
		if ! dpkg-query -W -f '${db:Status-Status}\n' "$package" \
		     2>/dev/null | grep -qx installed; then
			missing+=("$package")
		fi
	done
	if [ ${#missing[@]} -eq 0 ]; then
		return
	fi
	if [ "$(id -u)" -ne 0 ]; then
		say "packages are missing; as root, run"
		die "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
	fi
	say "installing ${missing[*]}"
	apt_install "${missing[@]}" >&2 || {
		apt-get -q update >&2
		apt_install "${missing[@]}" >&2
	}
}

apt_install() {
	DEBIAN_FRONTEND=noninteractive \
		apt-get -qy -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
}

# with_update COMMAND ARG... - its output; if there is none, apt's lists may be
# missing, so it gets a second try after apt-get update.
with_update() {
	local out

	out=$("$@")
	if [ -z "$out" ] && [ "$(id -u)" -eq 0 ]; then
		apt-get -q update >&2
		out=$("$@")
	fi
	printf '%s\n' "$out"
}

# kmake TREE DIR ARGUMENT... - make for the modules in DIR and for the kernel that
# kernel.sh has printed.  TREE, which is DIR or above it, has all files that are needed.
kmake() {
	local tree=$1 dir=$2 run=()
	shift 2

	if [ -n "$KROOT" ]; then
		run=("${BASH_SOURCE[0]%/*}/chroot.sh" run "$KROOT" "$tree")
	fi
	# shellcheck disable=SC2086	# KMAKE is words
	"${run[@]}" make -C "$KDIR" M="$dir" $KMAKE "$@"
}

# boots_well ARGUMENT... - the caller's boots(), which leaves $tmp/out and $tmp/err: shows the
# results of the machine, and judges its kernel.  For scripts with results.sh.
boots_well() {
	local booted=0

	boots "$@" || booted=$?
	results sed -n 's/\r$//; /^ok - /p; /^not ok - /p; /^n\/a - /p; /^# /p' \
		"${tmp:?}/out"
	if [ $booted -eq 0 ]; then
		result ok "the kernel had nothing to complain of"
	else
		result "not ok" "the script ended well and the kernel did not complain"
		cat "$tmp/err" >&2
	fi
}

### Cache entries

# open_log NAME - sets $log, for the work between begin() and finish()
open_log() {
	mkdir -p "$LIBPOOL_CACHE"
	LIBPOOL_CACHE=$(cd "$LIBPOOL_CACHE" && pwd)
	log=$LIBPOOL_CACHE/$1.log
	exec 8>&2
}

# lock NAME - until the script ends or locks another name.  Other scripts wait, then find
# that the work is done.
lock() {
	exec 9>"$LIBPOOL_CACHE/$1.lock"
	flock 9
}

# begin DIR - sets $work to an empty folder that finish() renames to DIR, so
# that an entry is complete or absent.  Removes what an interrupted run has left.
begin() {
	work=$1.part
	say "making ${1##*/}, log: $log"
	trap failed EXIT
	: >"$log"
	rm -rf "$work"
	mkdir -p "$work"
}

finish() {
	mv "$work" "$1"
	trap - EXIT
}

failed() {
	tail -n 30 "$log" >&8
	say "failed; the whole log is $log" 2>&8
}
