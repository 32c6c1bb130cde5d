#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Gets a file that `emit` printed to the console out of a log of boot.sh.
#
#	extract.sh LOG NAME	the file, to the standard output
#	extract.sh LOG		the names of the files that there are
#
# Kernel messages between the lines of the file are left out.  If several files have the
# name, it is the last one.

set -euo pipefail

[ $# -eq 1 ] || [ $# -eq 2 ] || {
	echo "usage: ${0##*/} LOG [NAME]" >&2
	exit 2
}

# cleaned LOG - prints the log without carriage returns and kernel messages
cleaned() {
	perl -0777 -pe 's/\r//g; s/\[ *\d+\.\d{6}\][^\n]*\n//g' "$1"
}

if [ $# -eq 1 ]; then
	cleaned "$1" | sed -n 's/.*VM-FILE-BEGIN //p' | sort -u
	exit
fi

text=$(cleaned "$1" | NAME=$2 perl -0777 -ne '
	while (/VM-FILE-BEGIN \Q$ENV{NAME}\E\n(.*?)VM-FILE-END\n/gs) {
		$text = $1;
	}
	print $text if defined $text')
if [ -z "$text" ]; then
	echo "${0##*/}: no whole file $2 in $1" >&2
	exit 1
fi
printf '%s' "$text" | base64 -d | gzip -dc
