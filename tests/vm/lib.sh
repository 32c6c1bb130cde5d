# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Shared by the scripts of this directory: messages, the cache folder and the
# Debian packages that they need.  Sourced, never run.

# The folder that keeps kernels between runs.
LIBPOOL_CACHE=${LIBPOOL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/libpool}

# shellcheck source=tests/lib/why.sh
. "${BASH_SOURCE[0]%/*}/../lib/why.sh"

# need PACKAGE... - installs missing packages as root; otherwise ends the script and names them
need() {
	local package missing=() said

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
		die "packages are missing; as root, run: apt-get update &&" \
			"apt-get install -y --no-install-recommends ${missing[*]}"
	fi
	known "${missing[@]}"
	say "installing ${missing[*]}"
	apt-get -q --assume-no install --no-install-recommends "${missing[@]}" 2>/dev/null |
		grep -E '^(Need to get|After this)' >&2 || true
	said=$(mktemp)
	apt_install "${missing[@]}" >"$said" 2>&1 || {
		apt_update
		apt_install "${missing[@]}" >"$said" 2>&1
	} || {
		tail -n 30 "$said" >&2
		die "cannot install ${missing[*]}: $(reason "$said")"
	}
	rm -f "$said"
}

apt_install() {
	DEBIAN_FRONTEND=noninteractive \
		apt-get -qy -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
}

# apt_update - sets $updated to what apt-get update said; that fails seldom, although no
# archive may have answered.
updated=
apt_update() {
	say "apt-get update"
	updated=$(apt-get -q update 2>&1) || true
}

# candidate PACKAGE - prints the version that apt would fetch, or nothing
candidate() {
	apt-cache policy "$1" 2>/dev/null |
		sed -n 's/^ *Candidate: //p' | grep -vFx '(none)' || true
}

# lacking PACKAGE... - prints those that apt does not know, and that no other package provides
lacking() {
	local package

	for package in $(comm -23 <(printf '%s\n' "$@" | sort -u) \
		<(apt-cache policy "$@" 2>/dev/null | awk '
			/^[^ ]/ { name = $1; sub(/:$/, "", name) }
			$1 == "Candidate:" && $2 != "(none)" { print name }' | sort -u)); do
		[ -n "$(apt-cache showpkg "$package" 2>/dev/null |
			sed '1,/^Reverse Provides:/d')" ] || echo "$package"
	done
}

# known PACKAGE... - fails unless apt knows each of them, perhaps after apt-get update
known() {
	local lack

	lack=$(lacking "$@")
	if [ -n "$lack" ] && [ "$(id -u)" -eq 0 ] && [ -z "$updated" ]; then
		apt_update
		lack=$(lacking "$@")
	fi
	# shellcheck disable=SC2086	# words
	[ -z "$lack" ] || apt_lacks $lack
}

# apt_lacks PACKAGE... - ends the script, and says what to do
apt_lacks() {
	local said

	[ -n "$updated" ] || die "apt knows no $*; as root, run: apt-get update"
	said=$(mktemp)
	printf '%s\n' "$updated" >"$said"
	say "apt-get update said:"
	tail -n 5 "$said" >&2
	case $(reason "$said") in
	"no answer"* | *"disk is full") die "apt knows no $*: $(reason "$said")" ;;
	esac
	die "apt knows no $*; no source in /etc/apt/sources.list* has it"
}

# with_update COMMAND ARG... - sets $found to its output; if there is none, apt's lists may
# be missing, so it gets a second try after apt-get update.
with_update() {
	found=$("$@")
	if [ -z "$found" ] && [ "$(id -u)" -eq 0 ] && [ -z "$updated" ]; then
		apt_update
		found=$("$@")
	fi
}

# ahead MB KERNEL... - says what will be downloaded.  Fails if apt does not know where to get one of
# these kernels, or if the disk lacks room for them and for MB in build/. Sets $costs to the lines
# of kernel.sh.
costs=
ahead() {
	local mb=$1 name down disk unknown='' download=0 space=0

	shift
	[ $# -eq 0 ] || costs=$("${BASH_SOURCE[0]%/*}/kernel.sh" cost "$@")
	while read -r name down disk; do
		case $down in
		'') ;;
		'?') unknown+=" $name" ;;
		*) download=$((download + down)) space=$((space + disk)) ;;
		esac
	done <<<"$costs"
	room "$space" "$LIBPOOL_CACHE"
	room "$mb" build
	[ -z "$unknown" ] || unknown="; not measured:$unknown"
	echo "download: $download MB of kernels, to $LIBPOOL_CACHE$unknown"
	echo "disk: $space MB there, $mb MB in build/"
}

# kernel WHAT - sets the variables that kernel.sh prints.  The output goes through a variable,
# because "eval" of a command that fails would succeed.
kernel() {
	local words

	words=$("${BASH_SOURCE[0]%/*}/kernel.sh" "$1") || return
	eval "$words"
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

# lock NAME - locks NAME until the script ends or locks another name.  Other scripts wait, and then
# find the work done.
lock() {
	exec 9>"$LIBPOOL_CACHE/$1.lock"
	flock 9
}

# begin DIR - sets $work to an empty folder that finish() renames to DIR, so
# that an entry is complete or absent.  Removes what an interrupted run has left.
begin() {
	work=$1.part
	began=$SECONDS
	say "making ${1##*/}, log: $log"
	trap failed EXIT
	: >"$log"
	rm -rf "$work"
	mkdir -p "$work"
}

# An entry keeps what it cost, for the plan of check.sh.
finish() {
	{
		echo "seconds $((SECONDS - began))"
		sed -n 's/^Fetched \([0-9.,]*\) \([kMG]*B\) .*/fetched \1 \2/p' "$log"
	} >"$work/.cost"
	mv "$work" "$1"
	trap - EXIT
}

failed() {
	tail -n 30 "$log" >&8
	say "failed to make ${work##*/}; the whole log is $log; $(reason "$log")" 2>&8
	exit $SAID
}
