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
# shellcheck disable=SC2034	# for results.sh
kind=user
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh

job version tests/package/version.sh "$1"
job consumers tests/package/consumers.sh "$1"
job abi tests/package/abi.sh "$1"
job abi-self tests/package/abi-self.sh
job package-bookworm tests/package/debian.sh bookworm
job package-trixie tests/package/debian.sh trixie
tests/lib/summary.sh user
