#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks kernel.sh, boot.sh and extract.sh: every kernel boots, loads a module that was
# built for it without a warning, and hands files out; scripts that should fail do fail.
#
#	selftest.sh [WHAT...]		the kernels (all five)

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

if [ $# -eq 0 ]; then
	set -- stock-6.1 stock-6.12 "$("$here/kernel.sh" newest)" uml debug
fi

# passes NAME BOOT-ARG... - boot.sh must succeed
passes() {
	check "$1" "$here/boot.sh" "${@:2}"
}

# fails NAME WHY BOOT-ARG... - boot.sh must fail and say WHY, a regex
fails() {
	check "$1" fails_for "${@:2}"
}
fails_for() {
	local why=$1

	shift
	! "$here/boot.sh" --log "$tmp/log" "$@" >"$tmp/out" 2>&1 &&
		grep -q "FAILED: $why" "$tmp/out" && return
	echo "no failure for '$why'"
	cat "$tmp/out"
	return 1
}

# not_again BOOT-ARG... - a machine that dies must fail, and not be started again
not_again() {
	PATH=$tmp/bin:$PATH fails_for "never came" "$@" && ! grep -q 'started again' "$tmp/out"
}

# script NAME - makes a script for the machine of the standard input
script() {
	cat >"$tmp/$1.sh"
}

mkdir "$tmp/module"
echo 'obj-m := hello.o' >"$tmp/module/Kbuild"
cat >"$tmp/module/hello.c" <<'EOF'
// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <linux/module.h>
#include <linux/slab.h>

static bool lose;
module_param(lose, bool, 0);
MODULE_PARM_DESC(lose, "an allocation");

static int __init hello_init(void)
{
	pr_info("hello module %d\n", lose && kmalloc(1000, GFP_KERNEL));
	return 0;
}
module_init(hello_init);

static void __exit hello_exit(void)
{
}
module_exit(hello_exit);

MODULE_DESCRIPTION("says hello");
MODULE_LICENSE("Dual MIT/GPL");
EOF

script good <<'EOF'
set -e
uname -a
[ "$(pwd)" = /files ]
[ "$word" = given ]
[ "$(nproc)" -eq "$cpus" ]
insmod hello.ko
dmesg | grep -q 'hello module'
rmmod hello
[ -d /sys/kernel/debug ]
echo "ok 1 pool_leak"
seq 20000 >numbers
(while :; do echo "noise noise" >/dev/kmsg; usleep 1000; done) &
emit numbers
kill $!
seq 20000 >/dev/ttyS1
EOF
script exits <<'EOF'
exit 3
EOF
script bad <<'EOF'
echo "WARNING: test" >/dev/kmsg
EOF
script old <<'EOF'
echo "workqueue: work func f enqueued on deprecated workqueue. Use system_wq" >/dev/kmsg
EOF
script sleeps <<'EOF'
sleep 1000
EOF
script loses <<'EOF'
insmod hello.ko lose=1 && rmmod hello && leaks
EOF
# User-Mode Linux ends by a power off, QEMU -no-reboot by a reboot.
script stops <<'EOF'
if grep -q User.Mode /proc/cpuinfo; then poweroff -f; fi
reboot -f
EOF
seq 20000 >"$tmp/numbers"

# builds DIR - the module must build without a warning
builds() {
	kmake "$1" "$1" W=1 modules >"$tmp/out" 2>&1 &&
		! grep -Ei 'warning|skipping' "$tmp/out" && return
	cat "$tmp/out"
	return 1
}

# whole - all that the machine wrote must have arrived
whole() {
	cmp "$tmp/data" "$tmp/numbers" && cmp "$tmp/got/numbers" "$tmp/numbers"
}

for what; do
	kernel "$what"
	cp -r "$tmp/module" "$tmp/$what"
	check "$what: module" builds "$tmp/$what"
	cpus=3
	[ "$what" != uml ] || cpus=1
	passes "$what: boots" --cpus 3 --append "word=given cpus=$cpus" --data "$tmp/data" \
		--extract-to "$tmp/got" "$what" "$tmp/good.sh" \
		"$tmp/$what/hello.ko"
	check "$what: files come out whole" whole
	rm -rf "$tmp/data" "$tmp/got"
	[ "$what" != debug ] ||
		fails "$what: a leak" "bad lines" "$what" "$tmp/loses.sh" "$tmp/$what/hello.ko"
	fails "$what: bad line" "bad lines" "$what" "$tmp/bad.sh"
done

# The rest is the same for any of them.
what=$1
passes "$what: --expect-bad" --expect-bad 'WARNING: test' "$what" "$tmp/bad.sh"
fails "$what: deprecated" "bad lines" "$what" "$tmp/old.sh"
fails "$what: exit status" "the script exited with 3" "$what" "$tmp/exits.sh"
fails "$what: time-out" "not done after 60 seconds" --timeout 60 "$what" \
	"$tmp/sleeps.sh"
fails "$what: no exit status" "crashed in the script" "$what" "$tmp/stops.sh"
fails "$what: no script" "never came to run the script" \
	--timeout 30 --append rdinit=/none "$what" "$tmp/exits.sh"
if [ "$what" != uml ]; then
	# A machine that dies of a breakpoint the first time, and of its flags the second
	mkdir "$tmp/bin"
	cat >"$tmp/bin/qemu-system-x86_64" <<-EOF
		#!/bin/sh
		if mkdir "$tmp/died" 2>/dev/null; then
			echo "[    1.7] Oops: int3: 0000 [#1] SMP"
			echo "[    1.7] RIP: 0010:kmem_cache_alloc+0x5/0x2f0"
		elif mkdir "$tmp/again" 2>/dev/null; then
			echo "[    2.1] RSP: 0018:ffff8880065fbde8 EFLAGS: 5fbde246"
		else
			exec $(command -v qemu-system-x86_64) "\$@"
		fi
	EOF
	chmod 755 "$tmp/bin/qemu-system-x86_64"
	check "$what: started again" env "PATH=$tmp/bin:$PATH" "$here/boot.sh" \
		--data "$tmp/data" --append "word=given cpus=2" \
		"$what" "$tmp/good.sh" "$tmp/$what/hello.ko"
	# An error is found in code of a module, and of a module that is gone.
	for rip in 'pool_free+0x5/0x40 [pool]' 0xffffffffc0401005; do
		printf '#!/bin/sh\necho "[    1.7] Oops: int3: 0000 [#1] SMP"\necho "[    1.7] RIP: 0010:%s"\n' \
			"$rip" >"$tmp/bin/qemu-system-x86_64"
		check "$what: a breakpoint in ${rip%%+*}" not_again "$what" "$tmp/exits.sh"
	done
	passes "$what: --icount" --icount --data "$tmp/data" \
		--append "word=given cpus=1 mitigations=off" \
		"$what" "$tmp/good.sh" "$tmp/$what/hello.ko"
	if [ "$what" != stock-6.1 ]; then
		passes "$what: --icount --cpus" --icount --cpus 2 --cpu EPYC \
			--append "word=given cpus=2 mitigations=off" \
			--data "$tmp/data" \
			"$what" "$tmp/good.sh" "$tmp/$what/hello.ko"
	fi
fi

finish
