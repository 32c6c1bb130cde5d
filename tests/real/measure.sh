#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Measures real programs as they are and with pools, in turn.
#
#	measure.sh BUILD-FOLDER FOLDER
#
# Leaves FOLDER/real-haproxy.csv and real-chat.csv, with a chart beside each, and prints
# tables of them.

set -euo pipefail

cd "$(dirname "$0")/../.."
out=$(cd "$1" && pwd)
export LD_LIBRARY_PATH=$out PYTHONDONTWRITEBYTECODE=1
unset LIBPOOL_OPTIONS
tests/deps.sh real
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$2"

tests/real/twins.sh "$out" >"$tmp/twins"
# shellcheck source=/dev/null
. "$tmp/twins"
tests/real/haproxy.py measure "$ORIGINAL" "$POOLS" >"$tmp/real-haproxy.csv"
tests/real/chat-twins.sh "$out" "$tmp/chat"
tests/real/chat.py measure "$tmp/chat" >"$tmp/real-chat.csv"
mv "$tmp"/*.csv "$2"
tests/real/chart.py "$2"
