#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Sees that the Debian packages for a kind of work are there.
#
#	deps.sh build|check-user|vm
#
# As root it installs what is missing; else it prints the command and fails.

set -euo pipefail

# shellcheck source=vm/lib.sh
. "$(cd "$(dirname "$0")" && pwd)/vm/lib.sh"

build=(make gcc libc6-dev xz-utils)
check=("${build[@]}" check pkg-config clang g++ binutils git
       valgrind)
vm=("${build[@]}" rsync cpio qemu-system-x86 busybox-static)

case ${1:-} in
build) need "${build[@]}" ;;
check-user) need "${check[@]}" ;;
vm) need "${vm[@]}" ;;
*) die "usage: ${0##*/} build|check-user|vm" ;;
esac
