# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# dumps.sh - the table of pools in each order and format, and words that are refused

echo "# dumps as they are asked for"
check "pool.ko loads" insmod pool.ko
check "the example loads" insmod pool_example.ko
ask raw
# shellcheck disable=SC2016	# columns of awk
check "by default in order of creation" awk \
	'/^[0-9]/ { bad = bad || $1 <= last; last = $1; n++ } END { exit bad || n != 2 }' $P/pools
check "by name" lists byname "ex_conn ex_event "
check "only two that match" lists "byname match ex_" "ex_conn ex_event "
check "only one that matches" lists "match ex_e" "ex_event "
check "only one line" lists "1 byname" "ex_conn "
check "... but the total of both" grep -q "^total pools=2 " $P/pools
check "none that matches" lists "match none" ""
check "the largest first" same "$(ask "raw bysize"; awk '/^[0-9]/ { print $3 }' $P/pools)" \
	"$(awk '/^[0-9]/ { print $3 }' $P/pools | sort -rn)"
check "details follow their pool" sh -c "echo raw detailed >$P/pools &&
	awk '/^[0-9]/ { name = \$2; n++ } /^  > / { bad = bad || \$2 != name; m++ }
	     END { exit bad || n != 2 || m < 2 }' $P/pools"
check "JSON" ask "json detailed byname"
check "... of two pools" same "$(grep -c '^{"id":' $P/pools)" 2
check "... begins" sh -c "head -n1 $P/pools | grep -qF '{\"version\":5,\"pools\":['"
check "... ends" sh -c "tail -n1 $P/pools | grep -qF '\"truncated\":false}'"
check "... as many brackets close as open" \
	same "$(cat $P/pools | tr -dc '[{' | wc -c)" "$(cat $P/pools | tr -dc ']}' | wc -c)"
check "Prometheus text" ask prometheus
check "... with a sample for each pool and state" same \
	"$(sed -n 's/^libpool_objects{pool="\([a-z_]*\)",id="[0-9]*",\(.*\)} [0-9]*$/\1 \2/p' \
	   $P/pools | sort | tr '\n' ' ')" \
	'ex_conn state="cached" ex_conn state="shared" ex_conn state="used" ex_event state="cached" ex_event state="shared" ex_event state="used" '
check "... of each metric in one place" sh -c "awk '
	/^# TYPE/ { bad = bad || seen[\$3]++; now = \$3; n++ }
	/^[^#]/ { split(\$1, m, \"{\"); bad = bad || m[1] != now }
	END { exit bad || n < 20 }' $P/pools"
check "... by 100 bytes the same" sh -c "
	dd if=$P/pools bs=100 2>/dev/null | sed 's/ [0-9]*$//' >/tmp/small &&
	sed 's/ [0-9]*$//' $P/pools | cmp - /tmp/small"
for wrong in bogus "byname bogus" match 0 "2147483648 json" "json,table"; do
	forget
	check "'$wrong' is refused" not sh -c "echo '$wrong' >$P/pools" 2>/dev/null
	word=${wrong#byname }
	check "... by a line that names it" says "\"${word% json}\""
	check "... and lists the words" says "byname bysize byusage detailed match"
done
check "... with EINVAL" sh -c "echo bogus 2>&1 >$P/pools | grep -q 'Invalid argument'"
forget
check "200 bytes are refused" not sh -c "printf '%200s' json >$P/pools" 2>/dev/null
check "... by a line that says so" says "200 bytes"
check "what was asked for before still holds" grep -q '^libpool_objects{' $P/pools
check "nothing asked for is the table of all" ask ""
check "... again" aligned 2
check "unloads" stop
