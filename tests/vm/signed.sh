#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# make modules_install signs pool.ko if the kernel is configured so, and a kernel that loads
# signed modules only loads it.  A key of one's own signs it, too, but that kernel has to
# trust it.  "make check-long" calls it.
#
#	signed.sh

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

what=signed
dir=$(POOL_TESTS='' "$here/build-modules.sh" "$what" | tail -n 1)
kernel "$what"
sign_file=$KDIR/scripts/sign-file

# installs NAME ARGUMENT... - by our Makefile's goal, into $tmp/NAME
installs() {
	local goal to=$tmp/$1

	shift
	goal=$(make -s -C "$here/../.." MAKE=echo modules_install)
	kmake "$dir" "$dir" INSTALL_MOD_PATH="$to/root" "$@" "${goal##* }" 2>&1 || return 1
	find "$to/root" -name pool.ko -exec cp {} "$to/pool.ko" \;
	[ -f "$to/pool.ko" ]
}

# signed FILE
signed() {
	[ "$(tail -c 28 "$1")" = '~Module signature appended~' ]
}

# verifies FILE CERT - the signature at the end of FILE must be of what is before it, by this key.
# The last four of the twelve bytes between the signature and the last line are its length.
verifies() {
	local size len

	size=$(stat -c %s "$1")
	len=$((0x$(tail -c 32 "$1" | head -c 4 | od -An -tx1 | tr -d ' \n')))
	head -c $((size - 40 - len)) "$1" >"$tmp/content"
	cmp "$tmp/content" "$dir/pool.ko" || return 1
	tail -c $((40 + len)) "$1" | head -c "$len" >"$tmp/signature"
	openssl cms -verify -binary -noverify -inform DER -in "$tmp/signature" \
		-content "$tmp/content" -certfile "$2" -nointern -out /dev/null
}

# without_key - kbuild must say that it has no key, and go on
without_key() {
	installs no-key CONFIG_MODULE_SIG_KEY=/none >"$tmp/said" || return 1
	cat "$tmp/said"
	grep '/none' "$tmp/said" && not signed "$tmp/no-key/pool.ko"
}

# by_hand - signs with a key of one's own, as Documentation/module.rst says
by_hand() {
	mkdir "$tmp/own"
	cp "$dir/pool.ko" "$tmp/own/"
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=own/ \
		-addext extendedKeyUsage=codeSigning -outform DER \
		-keyout "$tmp/own.pem" -out "$tmp/own.der" &&
		"$sign_file" sha256 "$tmp/own.pem" "$tmp/own.der" "$tmp/own/pool.ko"
}

# changed - changes one byte that means nothing, which only the signature shows
changed() {
	mkdir "$tmp/changed"
	sed 's/author=The libpool/author=the libpool/' "$tmp/signed/pool.ko" >"$tmp/changed/pool.ko"
	same "$(cmp -l "$tmp/signed/pool.ko" "$tmp/changed/pool.ko" | wc -l)" 1
}

# pem FILE - prints the certificate as text, for openssl
pem() {
	openssl x509 -inform DER -in "$1" -out "$1.pem"
}

boots() {
	"$here/boot.sh" --show --append module.sig_enforce=1 "$what" "$here/guest/signed.sh" \
		"$here/../lib/results.sh" "$tmp"/{signed,no-key,own,changed} \
		>"$tmp/out" 2>"$tmp/err"
}

check "what was built is not signed" not signed "$dir/pool.ko"
check "modules_install installs it" installs signed
check "... signed" signed "$tmp/signed/pool.ko"
cp "$KDIR/certs/signing_key.x509" "$tmp/kernel.der"
check "... by the kernel's key" eval 'pem "$tmp/kernel.der" &&
	verifies "$tmp/signed/pool.ko" "$tmp/kernel.der.pem"'
check "without a key it is installed, not signed, and kbuild says so" without_key
check "sign-file signs it by a key of one's own" by_hand
check "... which openssl can tell" eval 'pem "$tmp/own.der" &&
	verifies "$tmp/own/pool.ko" "$tmp/own.der.pem"'
check "... from the kernel's" not verifies "$tmp/own/pool.ko" "$tmp/kernel.der.pem"
check "one is changed in a byte" changed
rm -rf "$tmp"/{signed,no-key}/root
boots_well
finish
