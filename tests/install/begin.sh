# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# begin.sh - the common beginning of scripts that check a build of the library
#
# Sourced by a script whose first argument is the build folder.  Sets $top and $out, goes to
# $top, and provides the functions of programs.sh and results.sh.  No option of the
# environment changes what the checked programs do.

set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# The scripts that source this file use it.
# shellcheck disable=SC2034
out=$(cd "$1" && pwd)
cd "$top"
# shellcheck source=tests/lib/programs.sh
. tests/lib/programs.sh
unset LIBPOOL_OPTIONS LD_PRELOAD
