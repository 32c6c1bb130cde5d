# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# names.sh - names with spaces and slashes

echo "# names that are no words"
check "pool.ko loads" insmod pool.ko
forget
check "a user with odd names loads" insmod pool_second.ko odd=1
check "... without a word" same "$(logged)" ""
check "each has a folder" same "$(folders)" \
	"%2E %2E~ a%2Fb a%2Fb~ sc_built sc_conn session%20ser session%20ser~ "
check "... that says its name" same \
	"$(sed -n 's/^name //p' $P/by-name/a%2Fb~*/stats)" a%2Fb
check "... as the table does" lists "byname match a" "a%2Fb a%2Fb "
ask raw
check "the table has a line for each" table 8
check "each has a cache" same "$(caches_left 'session%20ser')" 2
check "a name as it is can be flushed" sh -c "echo 'session ser' >$P/flush"
check "... and as it is shown" sh -c "echo a%2Fb >$P/flush"
check "unloads" rmmod pool_second pool
check "no cache is left" same "$(caches_left '.*')" 0
