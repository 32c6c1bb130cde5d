# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# modules.sh - two modules with pools: apart, merged, and one that does not clean up

echo "# two modules"
regs() { number "$1" registrations; }
check "pool.ko loads" insmod pool.ko
decl=$(grep -ao 'pool_decl_[0-9][0-9]*' pool_example.ko | head -n 1)
for value in =1 ""; do
	forget
	check "a declaration is refused as parameter${value:+ with a value}" \
		not insmod pool_example.ko "$decl$value" 2>/dev/null
	check "... like any unknown one" same \
		"$(dmesg | sed 's/^\[[^]]*\] //' | grep -v 'tainting kernel' | sort -u)" \
		"pool_example: Unknown parameter \`$decl'"
done
check "... and nothing is left" table 0
check "the example loads" insmod pool_example.ko
check "a second user loads" insmod pool_second.ko
check "they share no pool" same "$(folders)" "ex_conn ex_event sc_built sc_conn "
check "a registration says how it was asked for" same \
	"$(cut -d' ' -f3 $P/by-name/sc_conn/registrations $P/by-name/sc_built/registrations |
	grep -v size | tr '\n' ' ')" "shared usercopy "
for usersize in /sys/kernel/slab/pool-sc_built-*/usersize \
	/sys/kernel/slab/pool-sc_conn-*/usersize; do
	[ -e "$usersize" ] || continue	# a kernel without hardened usercopy
	check "${usersize%-*} says what may be copied" same "$(cat "$usersize")" \
		"$(case "$usersize" in (*built*) echo 50 ;; (*) echo 192 ;; esac)"
done
check "... of equal size" same "$(number ex_conn size)" "$(number sc_conn size)"
forget
check "the second departs by pool_destroy_all()" rmmod pool_second
check "... its own are gone" same "$(folders)" "ex_conn ex_event "
check "... without a line in the log" same "$(logged)" ""
check "... and those of the example live" moves ex_conn fills
forget
check "it loads again and leaves" sh -c \
	"insmod pool_second.ko leave=1 && rmmod pool_second"
check "... which is said" says "pool_second is gone without destroying pools: 1 "
check "... the pool with a destructor is gone" \
	same "$(folders)" "ex_conn ex_event sc_conn "
check "... after undoing its object" \
	sh -c "dmesg | grep -q 'an object is undone'"
check "it loads again" insmod pool_second.ko
check "... and does not get what was left" \
	same "$(folders)" "ex_conn ex_event sc_built sc_conn sc_conn~ "
check "... nor destroys it" rmmod pool_second
check "... as can be seen" same "$(folders)" "ex_conn ex_event sc_conn "
forget
check "a user whose init fails does not load" \
	not insmod pool_second.ko fail=1 2>/dev/null
check "... and is known to be gone" says "pool_second is gone"
check "... the pool with a destructor is gone" not ls $P/by-name/sc_built* 2>/dev/null
forget
check "flags that mean nothing work" insmod pool_second.ko gfp=1
check "... and are named once" says '"sc_conn": gfp flags 0x'
rmmod pool_second
forget
check "a call that must not fail and cannot wait" insmod pool_second.ko gfp=2
check "... is refused, said once" says "__GFP_NOFAIL without"
check "... and counted" same "$(cat $P/by-name/sc_conn*/stats | sed -n 's/^failed //p' | sort -n | tail -n 1)" 3
rmmod pool_second
check "objects that readers may see are soon back" insmod pool_second.ko late=1
rmmod pool_second
forget
check "a user that wants to change others' pools loads" insmod pool_second.ko meddle=1
check "... and is refused, pool by pool" same \
	"$(dmesg | sed -n 's/.*pool "\([^"]*\)": \([a-z_]*()\) by module pool_second is refused: it did not create this pool/\1 \2/p' |
	sort -u | grep ex_conn | tr '\n' ' ')" \
	"ex_conn pool_set_debug() ex_conn pool_set_limit() ex_conn pool_set_min_avail() "
check "... and all pools at once" sh -c \
	"dmesg | grep -q 'pool_set_debug(NULL) by module pool_second is refused'"
check "... which changes nothing" same "$(cat $P/by-name/ex_conn/debug)$(number ex_conn limit)" none0
rmmod pool_second
forget
check "unloading pool.ko ends all that was left" stop
check "... which had no object in use" same "$(logged)" ""
check "no cache is left" same "$(caches_left '.*')" 0
check "loads with merge-modules" start debug=merge-modules
check "a second user loads" insmod pool_second.ko
check "they share a pool" same "$(folders)" "ex_conn ex_event sc_built "
check "... with a registration each" same \
	"$(sed -n 's/ .*//; 2,$p' $P/by-name/ex_conn/registrations | tr '\n' ' ')" \
	"sc_conn ex_conn "
check "the second departs by pool_destroy_all()" rmmod pool_second
check "... the example keeps the pool" same "$(regs ex_conn)" 1
check "... and uses it" moves ex_conn fills
check "it loads again" insmod pool_second.ko
check "the example departs" rmmod pool_example
check "... the second keeps the pool" same "$(regs ex_conn)" 1
check "the second departs" rmmod pool_second
check "the example loads" insmod pool_example.ko
check "a user that gives back too often loads" insmod pool_second.ko often=1
forget
check "... and departs" rmmod pool_second
check "... the example keeps the pool" same "$(folders) $(number ex_conn registrations)" "ex_conn ex_event  1"
check "... which is said" says "not destroyed: it is another owner's"
check "... and uses it" moves ex_conn fills
check "unloads" rmmod pool_example pool
check "no cache is left" same "$(caches_left '.*')" 0
check "loads with words behind each object" start debug=tag,caller,backup
for usersize in /sys/kernel/slab/pool-ex_conn-*/usersize; do
	[ -e "$usersize" ] || continue
	check "... which may not be copied" same "$(cat "$usersize")" "$(number ex_conn size)"
done
check "unloads" stop

echo "# two modules that leave their pools behind"
# registered - prints how often each pool is registered
registered() { cat $P/by-name/*/stats | sed -n 's/^registrations //p' | tr '\n' ' '; }
for merge in no-merge-modules merge-modules; do
	case $merge in
	merge-modules) both="sc_conn " each="2 " ;;
	*) both="sc_conn sc_conn~ " each="1 1 " ;;
	esac
	for order in "pool_second pool_third" "pool_third pool_second"; do
		check "pool.ko loads with $merge" insmod pool.ko debug=$merge
		check "... and two users" sh -c \
			"insmod pool_second.ko leave=1 && insmod pool_third.ko leave=1"
		check "... with their pools" same "$(folders)" "sc_built sc_built~ $both"
		for module in $order; do
			forget
			check "$module leaves" rmmod $module
			check "... which is said" says \
				"module $module is gone without destroying pools: 1 registrations stay"
			check "... and calls its destructor" sh -c \
				"dmesg | grep -q '$module: an object is undone'"
			check "... and all files can be read" \
				sh -c "cat $P/pools $P/by-name/*/* >/dev/null"
		done
		check "... what has no destructor stays" same "$(folders)" "$both"
		check "... with all registrations" same "$(registered)" "$each"
		forget
		check "unloading pool.ko ends it" rmmod pool
		check "... without a line in the log" same "$(logged)" ""
		check "no cache is left" same "$(caches_left '.*')" 0
	done
done
