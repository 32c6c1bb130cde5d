#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Builds the library for other machines and another C library, and runs the cases of
# user space there: by qemu-user, or as they are.
#
#	cross.sh [NAME...]	NAME: arm64 armhf riscv64 s390x musl
#
# Debian has no package of the library Check for these, so it is built from Debian's
# source, in the cache folder.  tests/worlds/user/cross-none.list has the cases that cannot run
# there, with reasons.  Results, a line per case, go to build/results.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
# shellcheck source=tests/vm/lib.sh
. tests/vm/lib.sh
# shellcheck source=tests/lib/worlds.sh
. tests/lib/worlds.sh

# world NAME - sets its compiler, GNU's name of the machine, the command that runs its
# programs, and flags of its own
world() {
	local gnu

	own=
	case $1 in
	arm64) gnu=aarch64-linux-gnu ;;
	armhf) gnu=arm-linux-gnueabihf ;;
	riscv64 | s390x) gnu=$1-linux-gnu ;;
	musl)
		cc=musl-gcc host=$(uname -m)-linux-musl run=()
		# The kernel's headers, which musl's package does not have.
		own="-idirafter /usr/include/$(uname -m)-linux-gnu"
		own+=" -idirafter /usr/include"
		# gcc's unwinder was built for another C library.
		own+=" -fno-exceptions"
		return
		;;
	*) die "no such world: $1" ;;
	esac
	cc=$gnu-gcc host=$gnu
	run=("qemu-${gnu%%-*}" -L "/usr/$gnu")
}

# source_of PACKAGE DIR - Debian's source, unpacked in the new folder DIR
source_of() {
	local lists

	lists=$(mktemp -d)
	mkdir -p "$lists/lists/partial"
	# Lists of sources for each repository that apt uses; apt's own settings stay.
	# shellcheck disable=SC2016	# apt's variables
	apt-get indextargets --format 'deb-src $(REPO_URI) $(CODENAME) main' \
		'Created-By: Packages' 'Component: main' 'Origin: Debian' |
		sort -u >"$lists/sources.list"
	(
		cd "$lists"
		apt=(apt-get -q -o "Dir::Etc::SourceList=$lists/sources.list"
		     -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$lists/lists"
		     -o APT::Sandbox::User=root)
		"${apt[@]}" update
		"${apt[@]}" source --download-only "$1"
	) >&2
	mkdir -p "$2"
	tar -C "$2" --strip-components=1 -xf "$lists/$1"_*.orig.tar.*
	rm -rf "$lists"
}

# check_for NAME - builds the library Check for a world, unless the cache folder has it
check_for() {
	local name=$1 made=$LIBPOOL_CACHE/check-$1 source=$LIBPOOL_CACHE/check-source

	exec 9>"$LIBPOOL_CACHE/check.lock"
	flock 9
	if [ ! -d "$source" ]; then
		rm -rf "$source.part"
		source_of check "$source.part"
		mv "$source.part" "$source"
	fi
	if [ ! -d "$made" ]; then
		say "building Check for $name"
		rm -rf "$made.part" "$made.build"
		mkdir -p "$made.build"
		(
			cd "$made.build"
			"$source/configure" --host="$host" CC="$cc" CFLAGS=-O2 \
				--prefix="$made" --disable-subunit \
				--disable-shared --disable-build-docs
			make -C lib
			make -C src install-libLTLIBRARIES \
				install-includeHEADERS DESTDIR="$made.part"
			cp check_stdint.h "$made.part$made/include"
		) >"$made.log" 2>&1 || die "no Check for $name: see $made.log"
		mv "$made.part$made" "$made"
		rm -rf "$made.part" "$made.build"
	fi
	exec 9>&-
}

# programs NAME - programs that use the library: one linked with the shared library, two
# with the archive, and one that loads it by dlopen()
programs() (
	local b=build/cross/$1/user flags=(-O2 -Wall -Wextra -Werror -pthread)

	# shellcheck source=tests/lib/programs.sh
	. tests/lib/programs.sh
	flags+=("-I$tmp" "-Wl,-rpath,$top/$b")
	check a_program_with_the_shared_library_runs eval \
		'"$cc" -std=c11 -D_GNU_SOURCE "${flags[@]}" -Itests/install/declare \
			-o "$tmp/so" tests/install/declare/all.c tests/install/declare/other.c \
			"$b/libpool.so.0" && "${run[@]}" "$tmp/so"'
	check a_program_with_the_archive_runs eval \
		'"$cc" -std=c11 -D_GNU_SOURCE "${flags[@]}" -Itests/install/declare \
			-o "$tmp/a" tests/install/declare/all.c tests/install/declare/other.c \
			"$b/libpool.a" && "${run[@]}" "$tmp/a"'
	check a_static_program_runs eval \
		'"$cc" -std=c11 -D_GNU_SOURCE "${flags[@]}" -Itests/install/declare -static \
			-o "$tmp/static" tests/install/declare/all.c \
			tests/install/declare/other.c "$b/libpool.a" &&
			"${run[@]}" "$tmp/static"'
	check a_program_without_libpool_builds \
		"$cc" -std=gnu11 "${flags[@]}" -o "$tmp/host" tests/install/life/host.c -ldl
	if [ "$1" = musl ]; then
		check musl_says_why_it_does_not_load_libpool eval \
			'! "$tmp/host" library "$top/$b/libpool.so.0" \
				>"$tmp/why" 2>&1 &&
				grep "initial-exec TLS" "$tmp/why"'
	else
		check a_program_loads_libpool_and_lets_go_of_it \
			"${run[@]}" "$tmp/host" library "$top/$b/libpool.so.0"
	fi
	finish
)

# none NAME - cases that cannot run there are neither passed nor failed
none() {
	local results=build/results/cross-$1 name case reason failed=

	while read -r name case reason; do
		[ "$name" = "$1" ] || [ "$name$((${#run[@]} > 0))" = qemu1 ] ||
			continue
		! grep -qx "not ok - $case" "$results" || failed=1
		sed -i -E "/^(not )?ok - $case\$/d" "$results"
		echo "n/a - $case # $reason" >>"$results"
	done < <(grep -v '^#' tests/worlds/user/cross-none.list)
	# The program ended so because of these cases, if no other one has failed.
	if [ -n "$failed" ] && grep -aqE '^[0-9]+%: Checks: ' "$results.log" &&
	   ! grep -q '^not ok' <<<"$(grep -v '^not ok - program_ends_well$' "$results")"; then
		sed -i '/^not ok - program_ends_well$/d' "$results"
	fi
}

# all_of NAME - builds and runs everything for a world
all_of() {
	local name=$1 b=build/cross/$1 scale

	world "$name"
	scale=1
	[ ${#run[@]} -eq 0 ] || scale=4
	check_for "$name"
	say "building for $name"
	if ! make -s -j2 CC="$cc" B="$b/user" T="$b/tests" \
	     DEBUG="$own" \
	     CHECK_CFLAGS="-I$LIBPOOL_CACHE/check-$name/include -DTEST_SCALE=$scale" \
	     CHECK_LIBS="-L$LIBPOOL_CACHE/check-$name/lib -lcheck -lrt -lm" \
	     all "$b/tests/plain" >"build/results/cross-$name.log" 2>&1; then
		cat "build/results/cross-$name.log"
		echo "not ok - ${name}_builds" >"build/results/cross-$name"
		return
	fi
	say "running the cases for $name"
	cases "cross-$name" timeout 1800 "${run[@]}" "$b/tests/plain"
	none "$name"
	job "cross-$name-programs" programs "$name"
}

[ $# -gt 0 ] || set -- arm64 armhf riscv64 s390x musl
rm -f build/results/cross-*
for name; do
	all_of "$name"
done
tests/lib/summary.sh cross
