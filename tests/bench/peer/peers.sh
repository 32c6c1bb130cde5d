#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Prints the names of the peers that can be built here.  The others are named on stderr,
# with the Debian package that they need.
#
#	peers.sh [NAME...]		all, if none is given

set -euo pipefail

# links PACKAGE HEADER LIBRARY... - succeeds if the header and the libraries are there
links() {
	local package=$1 header=$2

	shift 2
	printf '#include <%s>\nint main(void) { return 0; }\n' "$header" |
		${CC:-cc} -x c -o /dev/null - "$@" 2>/dev/null || {
		echo "# $peer is skipped: it needs $package" >&2
		return 1
	}
}

# can NAME - succeeds if the peer can be built
can() {
	local peer=$1 flags

	case $peer in
	empty | floor | pool | pool-so | layout | glibc) ;;
	jemalloc) links libjemalloc-dev jemalloc/jemalloc.h -ljemalloc ;;
	mimalloc) links libmimalloc-dev mimalloc.h -lmimalloc ;;
	tcmalloc)
		links libgoogle-perftools-dev gperftools/tcmalloc.h \
			-ltcmalloc_minimal
		;;
	dpdk)
		flags=$(pkg-config --cflags libdpdk 2>/dev/null || true)
		# shellcheck disable=SC2086	# they are words
		links libdpdk-dev rte_mempool.h $flags -lrte_mempool -lrte_eal \
			-lrte_mempool_ring
		;;
	gslice)
		flags=$(pkg-config --cflags glib-2.0 2>/dev/null || true)
		# shellcheck disable=SC2086
		links libglib2.0-dev glib.h $flags -lglib-2.0
		;;
	*)
		echo "${0##*/}: no peer $peer" >&2
		return 1
		;;
	esac
}

[ $# -gt 0 ] || set -- empty floor pool pool-so layout glibc jemalloc mimalloc \
	tcmalloc dpdk gslice
for name; do
	if can "$name"; then
		echo "$name"
	fi
done
