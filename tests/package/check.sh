#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What is built for users; "make check-package" calls it.  The last line is "N passed,
# N failed".
#
#	check.sh BUILD-FOLDER

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
# shellcheck source=tests/lib/worlds.sh
. tests/lib/worlds.sh

job user-version tests/package/version.sh "$1"
job user-consumers tests/package/consumers.sh "$1"
job user-abi tests/package/abi.sh "$1"
job user-abi-self tests/package/abi-self.sh
for suite in bookworm trixie; do
	job user-package-$suite tests/vm/chroot.sh clone $suite package-$suite \
		tests/package/inside.sh
done
tests/lib/summary.sh user || exit
