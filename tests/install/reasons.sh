#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Each command that README names ends with a reason where it cannot work: with an apt that
# knows nothing, without a network, without root, and where the disk is full.  None of them
# comes to do anything, since no package seems to be installed and no kernel is there.
#
#	reasons.sh [COMMAND...]		else all
#
# The commands run in a copy of the tree, with an apt that cannot install.

set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh

tree=$tmp/tree
mkdir -p "$tree" "$tmp/bin" "$tmp"/apt/{lists,archives}/partial "$tmp/cache"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -P --parents -t "$tree" 2>/dev/null || true
[ -f "$tree/Makefile" ] || die "cannot copy the tree: is git there?"
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/dpkg-query"
chmod +x "$tmp/bin/dpkg-query"

# An empty dpkg, so that nothing is ever installed.
cat >"$tmp/apt.conf" <<END
Dir::Bin::dpkg "/bin/false";
Dir::State::status "/dev/null";
Dir::Cache "$tmp/apt";
END
cat - "$tmp/apt.conf" >"$tmp/empty.conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$tmp/apt/lists";
END

# Runs a command of make with one of these apts.
cat >"$tmp/in_tree" <<END
#!/bin/sh
config=\$1
shift
exec env -u LIBPOOL_OPTIONS -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u RESULTS \\
	APT_CONFIG="$tmp/\$config.conf" LIBPOOL_CACHE="$tmp/cache" \\
	make -s -C "$tree" "\$@"
END
# Runs make with disks of 2 MB as build/ and as the cache folder.
cat >"$tmp/cramped" <<END
#!/bin/sh
mount -t tmpfs -o size=2m none "$tree/build"
mount -t tmpfs -o size=2m none "$tmp/cache"
exec "$tmp/in_tree" "\$@"
END
chmod +x "$tmp/in_tree" "$tmp/cramped"
mkdir -p "$tree/build"

# last FILE - prints the last line that make did not write itself
last() {
	{ grep -v '^make\(\[[0-9]*\]\)\?: ' "$1" || true; } | tail -n 1
}

# ends_with REASON COMMAND... - the command must fail within five minutes, and its last line must
# match REASON
ends_with() {
	local reason=$1 status=0

	shift
	timeout 300 "$@" >"$tmp/said" 2>&1 </dev/null || status=$?
	tail -n 5 "$tmp/said"
	[ $status != 0 ] && [ $status != 124 ] || { echo "status $status"; return 1; }
	last "$tmp/said" | grep -qE -- "$reason"
}

offline=(unshare --net) mounts=(unshare --mount) nobody=()
if [ "$(id -u)" -eq 0 ]; then
	nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups env "HOME=$tmp")
	chmod 755 "$tmp"
fi

# tried NAME REASON COMMAND... - as ends_with; n/a where this machine cannot run a command in that
# way
tried() {
	local name=$1

	shift
	if [ "$2" = unshare ] && ! "$2" "$3" true 2>/dev/null; then
		echo "n/a - $name # this machine makes no namespaces"
		return
	fi
	check "$name" ends_with "$@"
}

if [ $# -eq 0 ]; then
	set -- demo check check-quick html bench-user check-package
fi
# An apt that has other kernels than ours says so before it would need a disk or a network.
other='|apt knows no linux-'
present=$PATH
PATH=$tmp/bin:$PATH
for command; do
	name=${command//-/_}
	tried "${name}_with_an_apt_that_knows_nothing" \
		'apt knows no [a-z0-9.+-]+.*(no source|network)' "$tmp/in_tree" empty "$command"
	tried "${name}_without_a_network" "network$other" \
		"${offline[@]}" "$tmp/in_tree" apt "$command"
	PATH=$present tried "${name}_where_the_disk_is_full" \
		"needs [0-9]+ MB.* has [0-9]+ MB free$other" \
		"${mounts[@]}" "$tmp/cramped" apt "$command"
done
# The checks that change the owner come last.
[ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$tree" "$tmp/cache"
for command; do
	tried "${command//-/_}_without_root" 'as root, run: apt-get' \
		"${nobody[@]}" "$tmp/in_tree" apt "$command"
done

# ends_so REASON - runs a script that fails; REASON must be its last line
ends_so() {
	cat >"$tmp/script"
	ends_with "$1" bash "$tmp/script"
}
check a_command_that_fails_silently_is_named \
	ends_so 'script: line 7: "entry=.*" failed with status 1; ' <<END
set -euo pipefail
. tests/lib/why.sh
entries() {
	[ -d /no/such/folder ] && echo /no/such/folder
}

entry=\$(entries | sort -V | tail -n 1)
[ -n "\$entry" ] || die "there is no entry"
END
check a_script_that_has_died_is_not_explained_twice ends_so '^[^:]*: the reason$' <<END
set -euo pipefail
. tests/lib/why.sh
found=\$(bash -c '. tests/lib/why.sh; die "the reason"' | tail -n 1)
END
check a_last_line_without_a_reason_is_seen \
	not ends_with 'apt knows no' bash -c 'echo apt knows no x; echo; echo done; exit 1'
check a_command_that_succeeds_is_seen not ends_with 'apt knows no' echo 'apt knows no x'
finish
