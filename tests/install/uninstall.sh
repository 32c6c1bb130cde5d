#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# "make uninstall" removes what "make install install-tools" wrote, and nothing else: files,
# links and folders are as before.  Prints a line per promise, "ok - NAME" or "not ok - NAME".
#
#	uninstall.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

dest=$tmp/dest

# into TARGET... [NAME=VALUE...] - makes these targets for $dest
into() {
	make -s "B=$out" "DESTDIR=$dest" "$@"
}

# tree - a line for each file, link and folder below $dest: kind, mode, path, content
tree() {
	(cd "$dest" && find . -printf '%y %m %p %l\n' | sort &&
		find . -type f -print0 | sort -z | xargs -r0 sha256sum)
}

# foreign - makes files that are not ours: one in a folder that we use, too, and an empty folder
foreign() {
	mkdir -p "$dest"/usr/local/{include/libpool,lib/pkgconfig,share/man/man3,share/libpool}
	mkdir -p "$dest/data"
	ln -s /data "$dest/usr/local/other"
	echo mine >"$dest/usr/local/include/libpool/mine.h"
	echo mine >"$dest/usr/local/share/man/man3/pool_mine.3"
	chmod 2775 "$dest/usr/local/lib"
}

# returns BEFORE [NAME=VALUE...] - an installation and its removal must leave $dest as BEFORE, a
# function, had made it
returns() {
	local before=$1

	shift
	rm -rf "$dest"
	mkdir "$dest"
	"$before"
	tree >"$tmp/before"
	into install install-tools "$@" && [ "$(tree | wc -l)" -gt 150 ] &&
		into uninstall "$@" && tree >"$tmp/after" && diff "$tmp/before" "$tmp/after"
}

twice() {
	returns : && into install && into install install-tools && into uninstall &&
		tree | diff "$tmp/before" -
}

# Each of several calls may be the one that makes a folder.
at_once() {
	returns : && into -j4 install install-tools && into uninstall &&
		tree | diff "$tmp/before" -
}

# A file that was added later, in a folder that the installation made, must stay.
later() {
	returns : && into install && echo mine >"$dest/usr/local/include/libpool/mine.h" &&
		into uninstall || return 1
	same "$(cd "$dest" && find . -type f)" ./usr/local/include/libpool/mine.h
}

# says TEXT COMMAND... - the command must fail, print TEXT, and leave $dest unchanged
says() {
	local said text=$1

	shift
	rm -rf "$dest"
	mkdir "$dest"
	! said=$("$@" 2>&1) || return 1
	echo "$said"
	[[ $said = *"$text"* ]] && [ "$(tree | wc -l)" = 1 ]
}

elsewhere=(PREFIX=/opt/pool LIBDIR=/usr/lib/some-machine MANDIR=/man BINDIR=/opt/bin/../tools)
check an_empty_tree_is_empty_again returns :
check files_and_folders_of_others_stay returns foreign
check other_folders_are_found returns : "${elsewhere[@]}"
check what_was_installed_twice_goes twice
check what_was_installed_by_several_at_once_goes at_once
check a_file_that_came_later_stays later
check nothing_installed_is_said \
	says "there is no $dest/usr/local/share/libpool/installed" into uninstall
check a_relative_folder_is_refused \
	says 'PREFIX=~/.local is not an absolute path' into install 'PREFIX=~/.local'
finish
