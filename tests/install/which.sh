#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Which tool finds which fault: each cell of the table in Documentation/bug-matrix.rst is tried.
# Prints a line per row, "ok - NAME" or "not ok - NAME".
#
#	which.sh BUILD-FOLDER [write]		write: the table as it was found
#
# The faults are those of tools/bad.c and tools/races.c, and for analyzers, which run no
# program, those of analyzer/bad.c.

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

page=Documentation/bug-matrix.rst
export ASAN_OPTIONS=detect_leaks=1
ulimit -c 0

build() {
	local flavour=$1 program

	shift
	for program in bad races; do
		gcc -std=gnu11 -O1 -g -I"$tmp" -o "$tmp/$program-$flavour" \
			"tests/install/tools/$program.c" "$out/libpool.so.0" \
			"-Wl,-rpath,$out" -pthread "$@" || return
	done
}
check "programs_build_for_each_tool" eval 'build plain && build asan -fsanitize=address &&
	build tsan -fsanitize=thread'

# Per row of the table: its text, the fault of tools/bad.c, and the macro of analyzer/bad.c, if
# there is one.
faults='
read after free|read_first_byte_of_a_free_object|AFTER
write after free|write_last_byte_of_a_free_object|AFTER
read of one byte too many|read_one_byte_too_many|OVER
write of one byte too many|write_one_byte_too_many|OVER
free of a free object|free_twice|TWICE
object that is lost|leak|LEAK
use of what was not written|use_what_was_not_written|UNWRITTEN
threads without an order|race|
'
tools='AddressSanitizer valgrind ThreadSanitizer gcc clang'

# says TOOL FAULT MACRO - prints the tool's report about the fault
says() {
	local program=bad fault=$2

	[ "$2" != race ] || { program=races; fault=bad; }
	case $1 in
	AddressSanitizer) timeout 60 "$tmp/$program-asan" "$fault" ;;
	ThreadSanitizer) timeout 60 "$tmp/$program-tsan" "$fault" ;;
	valgrind) timeout 120 valgrind --leak-check=full "$tmp/$program-plain" "$fault" ;;
	gcc) [ -z "$3" ] || gcc -std=gnu11 -O1 -fanalyzer -DPOOL_NO_INLINE -I"$tmp" \
		"-D$3" -c -o "$tmp/o" tests/install/analyzer/bad.c ;;
	clang) [ -z "$3" ] || clang --analyze -Xclang -analyzer-config \
		-Xclang unix.DynamicMemoryModeling:Optimistic=true -I"$tmp" "-D$3" \
		-o "$tmp/o" tests/install/analyzer/bad.c ;;
	esac 2>&1
}
# The first words of a report, by any of the tools or by libpool.
REPORT='(Address|Leak|Thread)Sanitizer: |Invalid (read|write)|definitely lost: [1-9]'
REPORT+='|uninitialised value|FAULT: |warning: '
finds() {
	says "$@" >"$tmp/said" || true
	grep -qaE "$REPORT" "$tmp/said"
}

# Without a fault a tool must report nothing, otherwise the table would mean nothing.
quiet() {
	local tool

	for tool in gcc clang; do
		! finds "$tool" '' NOTHING || { cat "$tmp/said"; return 1; }
	done
}
check analyzers_find_nothing_in_a_program_without_a_fault quiet

# row TEXT FAULT MACRO
row() {
	local tool

	printf '%-28s' "$1"
	for tool in $tools; do
		if finds "$tool" "$2" "$3"; then
			printf '  %-*s' ${#tool} yes
		else
			printf '  %-*s' ${#tool} --
		fi
	done
}
table() {
	local text fault macro rule

	rule=$(printf '%028d' 0; for tool in $tools; do printf "  %0${#tool}d" 0; done)
	echo "${rule//0/=}"
	printf '%-28s' fault
	for tool in $tools; do printf '  %s' "$tool"; done
	printf '\n%s\n' "${rule//0/=}"
	while IFS='|' read -r text fault macro; do
		[ -z "$text" ] || row "$text" "$fault" "$macro" | sed 's/ *$/\n/'
	done <<<"$faults"
	echo "${rule//0/=}"
}
table >"$tmp/table" 2>/dev/null
written() {
	sed -n '/^\.\. which begin/,/^\.\. which end/{//d; /./p}' $page
}
if [ "${2:-}" = write ]; then
	sed -i -e "/^\.\. which begin/,/^\.\. which end/{//!d}" $page
	sed -i -e "/^\.\. which begin/r $tmp/table" $page
	sed -i -e 's/^\.\. which begin.*/&\n/' -e 's/^\.\. which end/\n&/' $page
fi
while IFS='|' read -r text _; do
	[ -z "$text" ] || check "${text// /_}_is_found_by_what_the_page_says" \
		diff <(written | grep "^$text ") <(grep "^$text " "$tmp/table")
done <<<"$faults"
finish
