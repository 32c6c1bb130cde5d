# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Run by tests/vm/nodes.sh, in a machine of two nodes: the program with two buckets for each
# node, and with one bucket, which all share.

for options in buckets=4 buckets=1; do
	LIBPOOL_OPTIONS=$options ./nodes 4000 40 >/tmp/nodes || exit 1
	sed "s/^/NODES $options /" /tmp/nodes
done
