#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Records what a compiler, a database and a web server of Debian allocate and free.
#
#	record-programs.sh [FOLDER [cc1|sqlite3|lighttpd]...]
#
# Writes FOLDER/PROGRAM.trace.xz (data, all three), in the format that
# Documentation/trace-format.rst describes.  What they do is below.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=../vm/lib.sh
. "$here/../vm/lib.sh"

folder=${1:-$here/data}
[ $# -le 1 ] || shift
[ $# -gt 0 ] && [ "$1" != "$folder" ] || set -- cc1 sqlite3 lighttpd
readonly EVENTS=150000
pooltrace=$top/build/user/pooltrace
tmp=$(mktemp -d)
server=
end() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	rm -rf "$tmp"
}
trap end EXIT
export LC_ALL=C.UTF-8

# Compiles a preprocessed file of this library; gcc starts cc1.
run_cc1() {
	gcc -std=gnu11 -DPOOL_NO_INLINE -I"$top/common" -I"$top/user" -E \
		"$top/common/core/cluster.c" >"$tmp/unit.i"
	"$pooltrace" -o "$tmp/all" --limit $EVENTS gcc -O2 -c "$tmp/unit.i" -o /dev/null
}

# Fills tables with keys, indices and text, and asks queries of them, with a transaction for every
# fifty changes.
queries() {
	echo "CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT UNIQUE, age INT);"
	echo "CREATE TABLE post(id INTEGER PRIMARY KEY, user INT REFERENCES user, text TEXT);"
	echo "CREATE INDEX post_user ON post(user);"
	awk 'BEGIN {
		for (i = 1; i <= 600; i++) {
			if (i % 50 == 1)
				print "BEGIN;"
			printf "INSERT INTO user VALUES(%d, \"user %d\", %d);\n", i, i * 7919 % 1000003, i * 31 % 90
			printf "INSERT INTO post(user, text) VALUES(%d, \"%s\");\n", i * 17 % 600, substr("a text of some length, or of less", 1 + i % 30)
			printf "SELECT name, age FROM user WHERE id = %d;\n", i * 13 % 600
			if (i % 10 == 0)
				printf "SELECT u.name, count(*) FROM user u JOIN post p ON p.user = u.id WHERE u.age > %d GROUP BY u.id ORDER BY 2 DESC LIMIT 5;\n", i % 90
			if (i % 7 == 0)
				printf "UPDATE user SET age = age + 1 WHERE id = %d;\n", i * 11 % 600
			if (i % 9 == 0)
				printf "DELETE FROM post WHERE user = %d;\n", i * 5 % 600
			if (i % 50 == 0)
				print "COMMIT;"
		}
	}'
}
run_sqlite3() {
	queries >"$tmp/queries"
	"$pooltrace" -o "$tmp/all" --limit $EVENTS sqlite3 "$tmp/db" <"$tmp/queries" >/dev/null
}

# Serves files of three sizes and a folder's list, to clients whose connections stay and to others.
run_lighttpd() {
	local port=18080 size

	mkdir "$tmp/www" "$tmp/www/list"
	for size in 100 4000 100000; do
		head -c $size /dev/zero >"$tmp/www/$size.html"
	done
	touch "$tmp"/www/list/{1..20}
	cat >"$tmp/conf" <<-END
		server.document-root = "$tmp/www"
		server.port = $port
		server.bind = "127.0.0.1"
		server.modules = ("mod_access", "mod_setenv", "mod_dirlisting")
		dir-listing.activate = "enable"
		setenv.add-response-header = ("X-Test" => "1")
		mimetype.assign = (".html" => "text/html")
	END
	"$pooltrace" -o "$tmp/all" --limit $EVENTS /usr/sbin/lighttpd -D -f "$tmp/conf" &
	server=$!
	until ab -q -n 1 "http://127.0.0.1:$port/100.html" >/dev/null 2>&1; do
		kill -0 "$server"
		sleep 0.1
	done
	ab -q -n 3000 -c 20 "http://127.0.0.1:$port/100.html"
	ab -q -n 3000 -c 20 -k "http://127.0.0.1:$port/4000.html"
	ab -q -n 1000 -c 10 -k "http://127.0.0.1:$port/100000.html"
	ab -q -n 1000 -c 10 -k "http://127.0.0.1:$port/list/"
	ab -q -n 1000 -c 10 "http://127.0.0.1:$port/none"
	kill "$server"
	wait "$server" || true
	server=
}

need make xz-utils python3
make -s -C "$top" build/user/pooltrace build/user/libpooltrace.so build/user/poolreplay
mkdir -p "$folder"
for program; do
	case $program in
	cc1) need gcc libc6-dev ;;
	sqlite3) need sqlite3 ;;
	lighttpd) need lighttpd apache2-utils ;;
	*) die "usage: ${0##*/} [FOLDER [cc1|sqlite3|lighttpd]...]" ;;
	esac
	rm -f "$tmp"/all*
	"run_$program" >"$tmp/out" 2>&1 || { cat "$tmp/out" >&2; die "$program failed"; }
	file=$(grep -l "^# source: $program," "$tmp"/all*) || die "$program left no trace"
	"$top/build/user/poolreplay" "$file" 2>"$tmp/out" || { cat "$tmp/out" >&2; die "$file"; }
	python3 "$here/convert.py" check <"$file" >"$tmp/out" || die "$file"
	xz -9e -c "$file" >"$tmp/xz"
	mv "$tmp/xz" "$folder/$program.trace.xz"
	say "$folder/$program.trace.xz: $(stat -c %s "$folder/$program.trace.xz") bytes"
done
