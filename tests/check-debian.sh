#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs "make check-user" in another release of Debian, in a clone of what is committed.
#
#	check-debian.sh SUITE		trixie
#
# The Debian is a fresh installation, which has neither make nor a compiler.  The clone is
# build/SUITE; its results are in there.

set -euo pipefail

exec "$(dirname "$0")/vm/chroot.sh" clone "$1" "$1" sh -euc '
	DEBIAN_FRONTEND=noninteractive \
		apt-get -qy install --no-install-recommends make >/dev/null
	exec make check-user'
