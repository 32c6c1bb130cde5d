# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# bugs.sh - poolctl bugs: of dumps with numbers of ours, and of a program that has one
#
# poolctl.sh sources it.  $tmp/after is a dump of 7 pools that need nothing; dump() of
# advise.sh changes numbers of pool1 in it.

# bugs STATUS ARG... - poolctl bugs must exit with STATUS; $tmp/bugs gets its output
bugs() {
	local status=0 want=$1

	shift
	"$ctl" "$@" >"$tmp/bugs" || status=$?
	cat "$tmp/bugs"
	same "$status" "$want"
}
none() {
	bugs 0 bugs "$tmp/after" && same "$(cat "$tmp/bugs")" "0 faults in 0 of 7 pools"
}
check no_bugs_are_a_line_and_no_error none
counts() {
	dump double_free=3 overflow=1 quarantined=2
	bugs 3 bugs "$tmp/changed" && same "$(cat "$tmp/bugs")" \
"pool           size  quarantined     overflow  double_free
pool1           40B            2            1            3
4 faults in 1 of 7 pools; the log has the reports"
}
check bugs_are_counted_by_pool_and_kind counts
check no_bugs_as_json_are_no_error bugs 0 --json bugs "$tmp/after"
counts_as_json() {
	bugs 3 --json bugs "$tmp/changed" && python3 -c '
import json, sys
bugs = json.load(sys.stdin)
keys = "id name size quarantined written overflow underflow double_free foreign interior wrong_pool elsewhere"
assert bugs["version"] == 1 and bugs["faults"] == 4
pool, = bugs["pools"]
assert list(pool) == keys.split()
assert [pool[k] for k in keys.split()[1:]] == ["pool1", 40, 2, 0, 1, 0, 3, 0, 0, 0, 0]' <"$tmp/bugs"
}
check keys_of_bugs_are_stable counts_as_json

# A fault that the library found and reported in its log.
finds() {
	local program to_program status=0

	program "$tmp/bugs.sock,integrity,faults=continue" 2 2>"$tmp/log"
	bugs 0 --socket "$tmp/bugs.sock" bugs || status=1
	echo twice >&"$to_program"
	within grep -q twice "$tmp/said"
	bugs 3 --socket "$tmp/bugs.sock" bugs || status=1
	kill "$program"
	cat "$tmp/log"
	grep -Eqx 'pool0 +32B +1' "$tmp/bugs" && grep -q 'freed twice' "$tmp/log" &&
		same "$status" 0
}
check a_bug_of_a_program_is_found finds
kernel_finds() {
	local stats=$tmp/debugfs/by-name/plain/stats status=0

	cp "$stats" "$tmp/stats"
	echo 'double_free 2' >>"$stats"
	bugs 3 --debugfs "$tmp/debugfs" bugs || status=1
	cp "$tmp/stats" "$stats"
	grep -Eqx 'plain +64B +2' "$tmp/bugs" && same "$status" 0
}
check a_bug_of_the_kernel_is_found kernel_finds
check a_dead_program_has_no_answer refused 1 'No such file' --socket "$tmp/none" bugs
wrong bugs_of_nothing 'needs a dump' bugs
wrong bugs_of_a_dump_and_a_program 'needs no --pid' "${s[@]}" bugs "$tmp/after"
wrong bugs_of_two_dumps 'too many words' bugs "$tmp/after" "$tmp/after"
sed 's/^total/truncated\n&/' "$tmp/after" >"$tmp/truncated"
"$src/ask.py" json <"$tmp/after" | sed 's/"truncated": false/"truncated": true/' \
	>"$tmp/truncated.json"
wrong bugs_of_a_truncated_dump 'it was truncated' bugs "$tmp/truncated"
wrong bugs_of_truncated_json 'it was truncated' bugs "$tmp/truncated.json"
wrong bugs_of_what_is_no_dump 'neither a raw dump' bugs "$src/prog.c"
wrong bugs_for_prometheus 'no such format' --prometheus bugs "$tmp/after"
