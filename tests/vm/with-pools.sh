# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# with-pools.sh - the part of kernel.sh that makes a kernel with pools in it
#
# What is made is in build/builtin: the tree, and the kernel.

# shellcheck disable=SC2154	# of kernel.sh
top=${here%/tests/vm}

# tree_with_pools DIR - $source there, with pools and their user.  What into-tree may change is
# copied, and the rest are links, since a copy of all takes half a minute.
tree_with_pools() {
	local tree=$1 name

	if [ "$(cat "$tree.source" 2>/dev/null)" != "$source" ]; then
		rm -rf "$tree"
		mkdir -p "$tree"
		ln -s "$source"/* "$tree"
		sed '/^#/d; s|/.*||' "$top/scripts/in-tree/reads" | sort -u |
		while read -r name; do
			rm "$tree/$name"
			cp -a "$source/$name" "$tree"
		done
		echo 'obj-y += pool_user.o' >>"$tree/lib/Makefile"
		echo "$source" >"$tree.source"
	fi
	GIT_AUTHOR_NAME=libpool GIT_AUTHOR_EMAIL=libpool@localhost \
		"$top/scripts/into-tree" "$tree"
	cmp -s "$here/pool_user.c" "$tree/lib/pool_user.c" ||
		cp "$here/pool_user.c" "$tree/lib"
}

# with_pools - its key names all that it is made of; what has not changed is not compiled again.
with_pools() {
	# shellcheck disable=SC2034	# of ours() and get_source()
	local dir=$top/build/builtin arch image foreign cross fragments watch kmake clang
	# shellcheck disable=SC2034
	local options key source entry

	ours builtin
	need make gcc bison flex bc libelf-dev git
	get_source "$SERIES"
	mkdir -p "$dir/kernel"
	exec 9>"$dir/lock"
	flock 9
	log=$dir/log
	options=$dir/builtin.config
	# shellcheck disable=SC2086	# words
	fragments $fragments >"$options"
	key=$({
		echo "$source"
		gcc --version
		cd "$top" || exit
		find common kernel tests/promise tests/inside tests/worlds/kernel tests/lib scripts/in-tree -type f |
			sort | xargs cat "$options" scripts/into-tree tests/vm/pool_user.c
	} | sha256sum)
	if [ "$(cat "$dir/key" 2>/dev/null)" != "$key" ]; then
		say "making $dir, log: $log"
		trap failed EXIT
		rm -f "$dir/key"
		{
			tree_with_pools "$dir/tree"
			source=$dir/tree
			build "$dir/kernel"
		} >"$log" 2>&1
		echo "$key" >"$dir/key"
		trap - EXIT
	fi
	report "$dir/kernel/$image" "$dir/kernel" "$kmake" '' '' "$arch"
}
