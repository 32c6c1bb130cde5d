#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Memory of large objects goes back to the system whichever malloc() the program has, and stays
# with the option no-trim.
#
#	malloc.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

cc -std=gnu11 -O1 -I"$tmp" -o "$tmp/burst" tests/install/malloc/burst.c "$out/libpool.so.0" \
	"-Wl,-rpath,$out" -pthread

# The C library's malloc_trim(): musl has none.
if [[ $(ldd "$tmp/burst") == *musl* ]]; then
	echo "n/a - malloc_of_the_c_library_gives_back # musl has no malloc_trim()"
else
	check malloc_of_the_c_library_gives_back "$tmp/burst"
	check no_trim_leaves_it_alone eval '! LIBPOOL_OPTIONS=no-trim "$tmp/burst"'
fi
for name in jemalloc mimalloc tcmalloc; do
	so=$(ldconfig -p | sed -nE "s/.*lib$name\.so\.[0-9]+ .*=> //p" | head -1)
	if [ -n "$so" ]; then
		check "${name}_gives_back" env "LD_PRELOAD=$so" "$tmp/burst"
	else
		echo "n/a - ${name}_gives_back # lib$name is not installed"
	fi
done
finish
