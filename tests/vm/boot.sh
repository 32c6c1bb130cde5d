#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs a shell script in a virtual machine and judges the kernel's log.
#
#	boot.sh [OPTION...] WHAT SCRIPT [FILE...]
#
# WHAT is a kernel of kernel.sh.  SCRIPT is run by busybox sh as root, in /files,
# where the FILEs are, with /proc, /sys, debugfs, /dev and /tmp mounted.  Words
# NAME=VALUE in --append reach it as environment variables.  It may call
#
#	emit FILE		to hand FILE out by way of the console (extract.sh)
#	... >/dev/ttyS1		to write into the file of --data
#	step on, step off	to begin and end what --singlestep asks for
#	leaks			to print what kmemleak finds, if the kernel has it
#
#   --cpus N            CPUs of the machine (2, with --icount 1; User-Mode Linux
#                       has one)
#   --cpu MODEL         what QEMU calls their model (its default; arm64 cortex-a76)
#   --mem MB            memory (512; User-Mode Linux 256)
#   --nodes             two nodes, each with half of the memory and of the CPUs
#   --sockets N         so many processors, which share the CPUs; all CPUs run at once
#   --plugin WORDS      a plugin of QEMU: FILE.so,NAME=VALUE,...
#   --timeout SECONDS   after which the machine is stopped (600)
#   --log FILE          where the console goes; else a temporary file, which
#                       stays only after a failure
#   --data FILE         what the machine writes to /dev/ttyS1 goes there; not in arm64
#   --extract-to DIR    where emitted files go
#   --icount            a clock of one ns per instruction.  More than one CPU
#                       takes turns on it; 6.1 hangs when it starts a second one
#   --singlestep        one instruction per translated block between the script's
#                       "step on" and "step off": interrupts come between any
#                       two instructions
#   --append PARAMS     more kernel parameters
#   --expect-bad REGEX  lines (perl) that are not bad here
#   --whole             judges the log from the boot on, not from the script's start on
#   --show              prints what the script and the kernel said
#
# Exits with 0 if the script did and if no line of the log, from the script's
# start on, is bad: a warning, an oops, a lockdep splat, a leak, a stall, a data race, or a work
# queue that is deprecated.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

# Patterns of bad lines.  In test results, "ok 3 pool_leak" is a name.
BAD='WARNING:|\bBUG\b|\bOops\b|possible |INFO: task .* blocked|'\
'INFO: trying to register|detected .*stall|unreferenced object|Call [Tt]race|'\
'[Kk]ernel panic|general protection|UBSAN|KASAN|KMSAN|[Ll]eak|[Dd]eprecated work|'\
'debugfs: (Directory|File) |cannot create duplicate filename'
NAMES='^(\[[^]]*\])?\s*(not ok|ok|#|\d+\.\.\d+)\b'

usage() {
	sed -n '1,3d; /^#/!q; s/^# \{0,1\}//; p' "$0" >&2
	exit 2
}

again=("$@")
cpus='' cpu='' mem='' timeout=600 log='' data='' extract='' icount='' singlestep=''
append='' expect='' show='' nodes='' sockets='' plugin='' whole=''
while [ $# -gt 0 ]; do
	case $1 in
	--cpus | --cpu | --mem | --timeout | --log | --data | --extract-to | \
	--append | --expect-bad | --sockets | --plugin)
		[ $# -ge 2 ] || usage
		;;
	esac
	case $1 in
	--cpus) cpus=$2; shift ;;
	--cpu) cpu=$2; shift ;;
	--mem) mem=$2; shift ;;
	--timeout) timeout=$2; shift ;;
	--log) log=$2; shift ;;
	--data) data=$2; shift ;;
	--extract-to) extract=$2; shift ;;
	--append) append=$2; shift ;;
	--expect-bad) expect=$2; shift ;;
	--nodes) nodes=1 ;;
	--sockets) sockets=$2; shift ;;
	--plugin) plugin=$2; shift ;;
	--icount) icount=1 ;;
	--singlestep) singlestep=1 ;;
	--whole) whole=1 ;;
	--show) show=1 ;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
[ $# -ge 2 ] || usage
what=$1 script=$2
shift 2

need busybox-static cpio perl-base
kernel "$what"
[ -n "${KERNEL:-}" ] || die "no kernel $what"
case $ARCH in
um)
	if [ -n "$icount$singlestep$cpu$nodes$sockets$plugin" ]; then
		die "User-Mode Linux has no --icount, --singlestep, --cpu, --nodes, --sockets" \
			"or --plugin"
	fi
	;;
arm64)
	need qemu-system-arm
	[ -z "$data" ] || die "this machine has one serial port, so no --data"
	;;
*) need qemu-system-x86 ;;
esac

pid=
trap 'if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; wait "$pid" || true; fi
      rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
keep=
if [ -z "$log" ]; then
	log=$(mktemp --tmpdir --suffix="-boot-$what")
	keep=failure
fi

### The initramfs

root=$tmp/root
mkdir -p "$root"/{bin,dev,proc,sys,tmp,files}
cp "${BUSYBOX:-/bin/busybox}" "$root/bin/"
for applet in $(/bin/busybox --list); do
	[ -e "$root/bin/$applet" ] || ln -s busybox "$root/bin/$applet"
done
cp "$script" "$root/script"
[ $# -eq 0 ] || cp -rL "$@" "$root/files/"

cat >"$root/bin/emit" <<'EOF'
#!/bin/sh
[ -f "$1" ] || { echo "emit: no file $1"; exit 1; }
echo "VM-FILE-BEGIN $(basename "$1")"
gzip -c "$1" | base64
echo "VM-FILE-END"
EOF

cat >"$root/bin/step" <<'EOF'
#!/bin/sh
[ -n "$SINGLESTEP" ] || exit 0
echo "VM-STEP $1" >/dev/kmsg
read -r _ </dev/console
EOF

# kmemleak reports nothing that is younger than five seconds, nor what has changed since the scan
# before.  The name that Linux 6.12 loses where it cannot show a new slab in /sys is left out.
cat >"$root/bin/leaks" <<'EOF'
#!/bin/sh
LIST=/sys/kernel/debug/kmemleak
[ -e $LIST ] && ! grep -q kmemleak=off /proc/cmdline || exit 0
sleep 6
echo scan >$LIST && echo scan >$LIST && cat $LIST >/tmp/leaks || exit 1
awk '
	function tell() { if (!ours) return; printf "%s", text }
	/^unreferenced object/ { tell(); text = ""; ours = 1 }
	/ sysfs_slab_add\+/ { ours = 0 }
	{ text = text $0 "\n" }
	END { tell() }' /tmp/leaks
EOF

# The markers go through the kernel's log: no kernel message can split them.
# stty waits until the port has sent all it was given.
cat >"$root/init" <<'EOF'
#!/bin/sh
export PATH=/bin HOME=/
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t debugfs debugfs /sys/kernel/debug
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
stty -F /dev/ttyS1 raw -echo 2>/dev/null
cd /files
echo VM-SCRIPT-START >/dev/kmsg
sh /script </dev/null
status=$?
stty -F /dev/ttyS1 raw -echo 2>/dev/null
stty -F /dev/console -echo
echo "VM-SCRIPT-EXIT $status" >/dev/kmsg
if grep -q User.Mode /proc/cpuinfo; then
	poweroff -f
fi
reboot -f
EOF
chmod 755 "$root/init" "$root/bin/emit" "$root/bin/step" "$root/bin/leaks"
(cd "$root" && find . | cpio -o -H newc --owner=+0:+0 --quiet) >"$tmp/initramfs"

### The machine

params="ignore_loglevel printk.devkmsg=on"
if [ "$ARCH" = um ]; then
	: "${mem:=256}"
	mkdir "$tmp/uml"
	run=("$KERNEL" "mem=${mem}M" "initrd=$tmp/initramfs" "uml_dir=$tmp/uml/"
	     "con=null" "con0=null,fd:1"
	     ssl=null)
	if [ -n "$data" ]; then
		run+=("ssl1=null,fd:7")
	fi
	# shellcheck disable=SC2206	# parameters are words
	run+=($params $append)
else
	: "${mem:=512}"
	accel=tcg
	if [ "$ARCH" = arm64 ]; then
		# This model has the atomic instructions that the kernel prefers.
		run=(qemu-system-aarch64 -machine "virt,gic-version=3")
		params="$params console=ttyAMA0"
		: "${cpu:=cortex-a76}"
	else
		run=(qemu-system-x86_64)
		params="$params console=ttyS0,115200 reboot=t"
	fi
	run+=(-display none -nodefaults -no-user-config
	      -no-reboot -m "$mem" -kernel "$KERNEL" -initrd "$tmp/initramfs"
	      -serial stdio)
	params="$params panic=-1"
	if [ -n "$icount" ]; then
		: "${cpus:=1}"
		accel=tcg,thread=single
		run+=(-icount "shift=0,sleep=off,align=off")
		[ "$ARCH" = arm64 ] || params="$params tsc=reliable"
	fi
	if [ -z "$icount" ] && [ "$ARCH" != arm64 ]; then
		# On a busy machine no tick may come in time, and the kernel would panic.
		params="$params no_timer_check"
	fi
	if [ -n "$cpu" ]; then
		run+=(-cpu "$cpu")
	fi
	if [ -n "$nodes" ]; then
		: "${cpus:=2}"
		for node in 0 1; do
			run+=(-object "memory-backend-ram,id=node$node,size=$((mem / 2))M"
			      -numa "node,memdev=node$node,cpus=$((node * cpus / 2))-$(((node + 1) * cpus / 2 - 1))")
		done
	fi
	if [ -n "$sockets" ]; then
		: "${cpus:=2}"
		accel=tcg,thread=multi
	fi
	if [ -n "$plugin" ]; then
		run+=(-plugin "$plugin")
	fi
	if [ -n "$singlestep" ]; then
		mkfifo "$tmp/monitor.in" "$tmp/monitor.out"
		run+=(-chardev "pipe,id=monitor,path=$tmp/monitor"
		      -mon chardev=monitor)
		params="$params SINGLESTEP=1"
	fi
	if [ -n "$data" ]; then
		run+=(-chardev "file,id=data,path=/dev/fd/7" -serial chardev:data)
	fi
	# Allocation profiling is off, unless --append turns it on.  It warns of objects that modules
	# leave on purpose.  And Linux 6.12 dies with it when a slab gets its tags only at the
	# second try: alloc_tag_add_check() takes the mark for "no tag" for a pointer.
	[[ $what != debug* ]] || params="$params sysctl.vm.mem_profiling=0"
	run+=(-accel "$accel" -smp "${cpus:-2}${sockets:+,sockets=$sockets}" -append "$params $append")
fi

if [ -n "$data" ]; then
	exec 7>"$data"
fi
ulimit -c 0
input=/dev/null
if [ -n "$singlestep" ]; then
	input=$tmp/console
	mkfifo "$input"
	exec 6<>"$input"
fi
timeout -k 5 "$timeout" "${run[@]}" <"$input" >"$log" 2>&1 &
pid=$!

# seen COUNT REGEX FILE - waits until FILE has COUNT such lines, or the machine has ended
seen() {
	until [ "$(grep -cE "$2" "$3")" -ge "$1" ]; do
		kill -0 "$pid" 2>/dev/null || return 1
		sleep 0.2
	done
}

# step COUNT on|off - answers a call of step by the script.  Single steps from the start on
# would make the boot take eight minutes.  The command has two names, of different versions
# of QEMU; QEMU answers to the wrong one with a line.
step() {
	local answers=$tmp/monitor.log

	seen 1 "\\] VM-STEP $2" "$log" || return 0
	printf '%s\n' "one-insn-per-tb $2" "singlestep $2" "info status" >&5
	seen "$1" '^VM status' "$answers" || return 0
	[ "$(grep -c '^unknown command' "$answers")" = "$1" ] ||
		die "QEMU cannot single-step"
	echo go >&6
}

if [ -n "$singlestep" ]; then
	exec 5<>"$tmp/monitor.in"
	: >>"$log"
	: >"$tmp/monitor.log"
	cat "$tmp/monitor.out" >>"$tmp/monitor.log" &
	step 1 on
	step 2 off
fi
status=0
wait "$pid" || status=$?
pid=

### The verdict

# since LOG [WHOLE] - prints the log from the script's start on, or with WHOLE from the boot on
since() {
	perl -sne 's/\r//g; $on ||= /\] VM-SCRIPT-START$/; print if $on' -- -on="${2:-}" "$1"
}

# bad LOG - prints its bad lines, except lines of emitted files, and what KUnit prints of a case
# that took long, whose name may have "leaks" in it
bad() {
	since "$1" "$whole" | BAD=$BAD NAMES=$NAMES EXPECT=$expect \
		perl -ne '
		next if /^[A-Za-z0-9+\/=]+$/ || /$ENV{NAMES}/;
		next if /^\[[^]]*\]\s+# \w+: Test should be marked slow \(/;
		next if $ENV{EXPECT} ne "" && /$ENV{EXPECT}/;
		print if /$ENV{BAD}/'
}

# Now and then QEMU 7.2 is wrong, and the kernel dies.  While its CPUs start, and for probes, a
# kernel patches its own code by breakpoints, and QEMU runs one that the kernel has taken back.
# Or QEMU computes flags with more than 22 bits, which no processor has.  Either says nothing of
# what is tested, so the machine is started again, three times at most.
#
# own_breakpoint LOG - was it in the kernel's code, and not in that of a module, even of one that
# is gone?
own_breakpoint() {
	perl -ne '$died ||= / int3: 0000 \[#/;
		if ($died && /RIP: \w+:(.*)/) { $own = $1 =~ /^[A-Za-z_][^\[]*$/; last }
		END { exit !$own }' "$1"
}
wrong=
if own_breakpoint "$log"; then
	wrong="a breakpoint of its own"
elif grep -qE 'EFLAGS: ([1-9a-f]|0[1-9a-f]|00[4-9a-f])' "$log"; then
	wrong="flags that no processor has"
elif grep -q "IO-APIC + timer doesn't work" "$log"; then
	wrong="a timer that this busy machine did not run"
elif [[ $status = 124 || $status = 137 ]] && ! grep -q 'Run /' "$log"; then
	wrong="a boot that stopped before any program ran"
fi
tries=${BOOT_TRIES:-1}
if [ -n "$wrong" ] && [ "$tries" -lt 4 ]; then
	say "$what: died of $wrong; started again" >&2
	rm -rf "$tmp"
	[ -z "$keep" ] || rm -f "$log"
	BOOT_TRIES=$((tries + 1)) exec "$0" "${again[@]}"
fi

why=
code=$(since "$log" | sed -n 's/.*\] VM-SCRIPT-EXIT \([0-9]*\)$/\1/p')
lines=$(bad "$log")
if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
	why="not done after $timeout seconds"
	if [ -z "$(since "$log")" ]; then
		why="never came to run the script in $timeout seconds"
	fi
elif [ -z "$(since "$log")" ]; then
	why="never came to run the script"
elif [ -z "$code" ]; then
	why="crashed in the script"
elif [ "$code" -ne 0 ]; then
	why="the script exited with $code"
elif [ -n "$lines" ]; then
	why="bad lines in the log"
fi

if [ -n "$show" ]; then
	since "$log"
fi
if [ -n "$extract" ]; then
	mkdir -p "$extract"
	for name in $("$here/extract.sh" "$log"); do
		"$here/extract.sh" "$log" "$name" >"$extract/$name" ||
			why="${why:-cannot extract $name}"
	done
fi
if [ -z "$why" ]; then
	[ -z "$keep" ] || rm -f "$log"
	exit 0
fi

{
	say "$what: FAILED: $why"
	if [ -n "$lines" ]; then
		echo "--- bad lines"
		echo "$lines"
	fi
	echo "--- end of the log, $log"
	tail -n 40 "$log" | tr -d '\r'
	echo "---"
} >&2
exit 1
