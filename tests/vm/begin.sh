# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# begin.sh - the common beginning of scripts that check or measure in virtual machines
#
# Sets $here, this folder, and $top, and provides the functions of lib.sh and results.sh.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The scripts that source this file use it.
# shellcheck disable=SC2034
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
# shellcheck source=tests/lib/results.sh
. "$here/../lib/results.sh"
