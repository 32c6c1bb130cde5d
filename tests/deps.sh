#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that the Debian packages for a kind of work are there.
#
#	deps.sh build|check-user|cross|package|lint|vm|bench|real|html
#
# As root it installs those that are missing; else it prints the command and fails.

set -euo pipefail

# shellcheck source=vm/lib.sh
. "$(cd "$(dirname "$0")" && pwd)/vm/lib.sh"

build=(make gcc libc6-dev xz-utils)
check=("${build[@]}" check pkg-config python3-docutils clang libclang-rt-dev lld g++ binutils git
       cmake abigail-tools valgrind gdb mandoc groff-base patch
       libncurses-dev tmux python3 perl bsdutils
       libjemalloc-dev libmimalloc-dev libgoogle-perftools-dev systemtap-sdt-dev bpftrace
       google-perftools)
cross=("${build[@]}" git qemu-user musl-tools
       gcc-{aarch64,s390x,riscv64}-linux-gnu gcc-arm-linux-gnueabihf
       libc6-dev-{arm64,armhf,s390x,riscv64}-cross)
bench=("${build[@]}" pkg-config python3 valgrind libjemalloc-dev libmimalloc-dev
       libgoogle-perftools-dev libdpdk-dev libglib2.0-dev g++ libboost-dev)
lint=("${build[@]}" git perl sparse coccinelle rsync clang bison flex bc libelf-dev)
package=(build-essential debhelper git lintian autopkgtest xz-utils)
real=("${build[@]}" apache2-utils debian-archive-keyring dpkg-dev patch pkg-config python3
      valgrind wrk)
html=(make python3-sphinx furo)
vm=("${build[@]}" libncurses-dev rsync cpio qemu-system-x86 busybox-static debootstrap)

# What a build of this kind has in build/, in MB, by "du -sm build", rounded up
declare -A mb=([build]=40 [check-user]=40 [lint]=40 [cross]=400 [package]=100 [vm]=60
	       [real]=200 [bench]=100 [html]=20)
case ${1:-} in
build) need "${build[@]}" ;;
check-user) need "${check[@]}" ;;
lint) need "${lint[@]}" ;;
cross) need "${cross[@]}" ;;
package) need "${package[@]}" ;;
vm) need "${vm[@]}" ;;
real) need "${real[@]}" ;;
bench) need "${bench[@]}" ;;
html) need "${html[@]}" ;;
*) die "usage: ${0##*/} build|check-user|cross|package|lint|vm|bench|real|html" ;;
esac
room "${mb[$1]}" build
