#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Drives the benchmark of user space: every peer on the same work.

    bench.py [options] PEERS OUT

PEERS is the folder of the programs, one per peer (make bench-peers); into OUT go
samples.csv, instructions.csv, memory.csv and tail.csv, of which report.py prints tables.
See Documentation/performance.

For each workload and size each peer is a process of its own.  A round gives each
of them one slice of work, in shuffled order, while the others wait: what disturbs
the machine meets all alike.  After some rounds the processes end and new ones are
started, so that where a process happens to lie in memory is not the figure.  They are
programs whose code lies 16 and 32 bytes higher, so that neither is how a loop lies in the
lines of the cache; that alone changes "hot" by a fifth.  What can be done once only, such as
growing from nothing, has a process per round.
"""

import argparse
import csv
import lzma
import pathlib
import random
import re
import subprocess
import sys
import time

from report import MALLOCS

HERE = pathlib.Path(__file__).resolve().parent
TRACE = HERE.parent / "replay/data/kernel-6.12.trace.xz"

SIZES = 64, 256, 1024, 16384
SINGLE = ("hot", "hot-opaque", "lifo64", "fifo64", "lifo1000", "fifo1000",
          "bulk64", "random", "refill64", "shuffled", "pools32")
DOUBLE = "ring", "alternate", "hot2", "churn", "counters"
# Workloads whose objects have sizes of their own.
OWN_SIZES = "trace", "counters"
# Once per process; see ONCE_DO.
ONCE = "grow", "trace-cold", "poolreplay"
GROW = 500000
ORDER = ("pool", "pool-so", "layout", "glibc", "jemalloc", "mimalloc", "tcmalloc",
         "dpdk", "gslice", "floor", "empty")

# Folders of PEERS with the same programs, placed otherwise: a generation uses each in turn.
PLACES = "", "16", "32"

# At 16 KiB the default bound is 32 objects; this one is 4096.  At 1 KiB it holds all
# that 32 pools can have.
WIDE = 64 << 20
WIDE_SIZE = 16384
WIDE_WORKS = ("pools32", 1024),
WIDE_PEERS = "pool", "pool-so", "layout"


class Worker:
    """A peer's process, which does a workload slice by slice."""

    def __init__(self, args, work):
        self.child = subprocess.Popen(args + [work], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        self.alive = self.child.stdout.readline() == "ready\n"

    def slice(self, n):
        """Returns the ns per operation; None if the process has died."""
        try:
            self.child.stdin.write(f"{n}\n")
            self.child.stdin.flush()
            done, ns = self.child.stdout.readline().split()
        except (OSError, ValueError):
            self.alive = False
            return None
        return float(ns) / int(done)

    def end(self):
        self.child.stdin.close()
        self.child.stdout.close()
        self.child.wait()


def calibrated(worker, ms):
    """Returns how many operations fill a slice, and warms up.  Each number is done twice, because
    the first time may touch new memory."""
    n = 500
    ns = 0
    while ns is not None and ns * n < ms * 1e6 / 4:
        n *= 4
        worker.slice(n)
        ns = worker.slice(n)
    return max(1, int(ms * 1e6 / ns)) if ns else 0


def candidates(opt, size, work=None, place=""):
    """Returns what is measured: {name: command}"""
    wide = size == WIDE_SIZE or (work, size) in WIDE_WORKS
    found = {}
    for peer in opt.peers:
        found[peer] = [str(opt.folder / place / peer), "--size", str(size),
                       "--trace", str(opt.trace)]
        if wide and peer in WIDE_PEERS:
            found[peer + "+64M"] = found[peer] + ["--bound", str(WIDE)]
    return found


def generation(opt, work, commands, ops, samples):
    """Makes some rounds, by new processes."""
    workers = {name: Worker(args, work) for name, args in commands.items()}
    for name, worker in workers.items():
        if name not in ops and worker.alive:
            ops[name] = calibrated(worker, opt.ms)
        elif worker.alive:
            worker.slice(max(1, ops[name] // 2))
    for _ in range(opt.rounds // opt.generations):
        names = list(workers)
        random.shuffle(names)
        for name in names:
            ns = workers[name].slice(ops[name]) if workers[name].alive else None
            samples.setdefault(name, []).append(ns)
    for worker in workers.values():
        worker.end()


def measure(opt, work, size, out):
    """Makes all rounds of a workload, and writes a line of each to @out."""
    ops, samples = {}, {}
    for i in range(opt.generations):
        commands = candidates(opt, size, work, opt.places[i % len(opt.places)])
        generation(opt, work, commands, ops, samples)
    for name in commands:
        write(out, work, size, name, samples[name])


def write(out, work, size, name, values):
    if None in values:
        print(f"# {name} cannot do {work} of {size} bytes", flush=True)
        return
    for i, ns in enumerate(values):
        out.writerow([work, size, name, i, f"{ns:.4f}"])


def answer(command, text=""):
    """Returns both outputs of a process that runs once; "" if it fails."""
    try:
        done = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    except FileNotFoundError:
        return ""
    return "" if done.returncode else done.stdout


def grow(command):
    """Returns the ns per object of a new process: of the allocation, of the free, and of both."""
    said = answer(command + ["--grow", str(GROW)]).split()
    if len(said) != 2:
        return None
    first, free = map(float, said)
    return {"grow": first + free, "grow-first": first, "grow-free": free}


def trace_cold(command):
    """Returns the ns per event of a first replay."""
    said = answer(command + ["trace"], "1\n").split()
    if said[:1] != ["ready"]:
        return None
    return {"trace-cold": float(said[2]) / float(said[1])}


def poolreplay(command):
    said = re.search(r"^ns_per_event (\S+)$", answer(command), re.M)
    return {"poolreplay": float(said[1])} if said else None


def library(program, name):
    """Returns the file of a library that a program is linked with."""
    found = re.search(rf"\S*{name}\S* => (\S+)", answer(["ldd", str(program)]))
    return found and found[1]


def replayers(opt):
    """poolreplay on pools, and on the malloc() of each peer that is one.  A peer whose
    library is not found is left out: without it this would be glibc's."""
    replay = [str(opt.folder.parent / "poolreplay"), "--word", "--cpus", "1"]
    found = {}
    for peer in opt.peers:
        if peer == "pool":
            found[peer] = replay + [str(opt.trace)]
            continue
        file = library(opt.folder / peer, "libc.so" if peer == "glibc" else peer)
        if peer in MALLOCS and file:
            found[peer] = ["env", f"LD_PRELOAD={file}", *replay, "--malloc",
                           str(opt.trace)]
    return found


ONCE_DO = {"grow": grow, "trace-cold": trace_cold, "poolreplay": poolreplay}


def measure_once(opt, work, out):
    """A round is a process of each, in shuffled order.  Such rounds differ more, since
    each process runs alone from its start to its end; so there are three times as many."""
    commands = replayers(opt) if work == "poolreplay" else candidates(opt, 64)
    samples = {}
    for _ in range(3 * opt.rounds):
        for name in random.sample(list(commands), len(commands)):
            done = ONCE_DO[work](commands[name]) or {work: None}
            for part, ns in done.items():
                samples.setdefault(part, {}).setdefault(name, []).append(ns)
    for part, peers in samples.items():
        for name in commands:
            values = peers.get(name, [])
            whole = len(values) == 3 * opt.rounds
            write(out, part, 64, name, values if whole else [None])


def measure_all(opt):
    with open(opt.out / "samples.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["workload", "size", "peer", "round", "ns"])
        for work in opt.works:
            if work in ONCE:
                measure_once(opt, work, out)
            else:
                for size in [64] if work in OWN_SIZES else opt.sizes:
                    measure(opt, work, size, out)
            print(f"# {work}: {time.monotonic() - opt.start:.0f} s", flush=True)


def counted(text):
    """Of a callgrind file with a part per workload: (workload, instructions)."""
    name = None
    for line in text.splitlines():
        if line.startswith("desc: Trigger: Client Request: "):
            name, ops = line.split(": ")[3].split()
        elif line.startswith("totals: ") and name:
            yield name, int(line.split()[1]) / int(ops)
            name = None


def count_one(opt, size, name, command):
    """Begins to count one peer; returns what collect() needs."""
    works = [w for w in opt.works if w in SINGLE]
    if "trace" in opt.works and size == opt.sizes[0]:
        works.append("trace")
    file = opt.out / f"callgrind.{name}.{size}"
    file.unlink(missing_ok=True)
    args = ["valgrind", "--tool=callgrind", "--combine-dumps=yes",
            f"--callgrind-out-file={file}", *command, "--count", "20000", *works]
    child = subprocess.Popen(args, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    return name, size, file, child


def collect(running, out):
    """Waits for the count that began first, and writes its figures."""
    peer, size, file, child = running.pop(0)
    if child.wait() or not file.exists():
        print(f"# {peer}: instructions could not be counted", flush=True)
        return
    for work, cost in counted(file.read_text()):
        row = 64 if work == "trace" else size
        out.writerow([work, row, peer, f"{cost:.2f}"])
    file.unlink()


def count_all(opt):
    """Counts instructions per operation, of two programs at a time, as time does not matter."""
    with open(opt.out / "instructions.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["workload", "size", "peer", "instructions"])
        running = []
        for size in opt.sizes:
            for name, command in candidates(opt, size).items():
                if len(running) == 2:
                    collect(running, out)
                running.append(count_one(opt, size, name, command))
        while running:
            collect(running, out)
    print(f"# instructions: {time.monotonic() - opt.start:.0f} s", flush=True)


def memory_of(command, work):
    done = subprocess.run(command + ["--memory", "1", work],
                          stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def weigh_all(opt):
    """Measures the most KiB that the trace takes, and a million objects."""
    with open(opt.out / "memory.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["workload", "peer", "kib"])
        for work in "trace", "million":
            for peer, command in candidates(opt, 64).items():
                kib = memory_of(command, work)
                if kib.isdigit():
                    out.writerow([work, peer, kib])


def time_calls(opt):
    """Times single calls, in three processes per peer, of which the middle one counts."""
    with open(opt.out / "tail.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["size", "peer", "half", "p99", "p99.9", "p99.99"])
        for size in opt.sizes[:3]:
            for peer, command in list(candidates(opt, size).items()) * 3:
                done = subprocess.run(command + ["--tail", "1000000"],
                                      stdout=subprocess.PIPE, text=True)
                if not done.returncode and done.stdout != "cannot\n":
                    out.writerow([size, peer, *done.stdout.split()])
    print(f"# single calls: {time.monotonic() - opt.start:.0f} s", flush=True)


def have_valgrind():
    try:
        return not subprocess.run(["valgrind", "--version"],
                                  stdout=subprocess.DEVNULL).returncode
    except FileNotFoundError:
        return False


def words(text):
    return text.split(",")


def numbers(text):
    return [int(word) for word in words(text)]


def is_whole(opt, place):
    """True if the place has all peers; otherwise prints which are missing."""
    lacks = [p for p in opt.peers if not (opt.folder / place / p).exists()]
    if lacks:
        print(f"# place {place} is not used: no {' '.join(lacks)}", flush=True)
    return not lacks


def read_options():
    works = SINGLE + DOUBLE + ("trace",) + ONCE
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--rounds", type=int, default=9)
    args.add_argument("--generations", type=int, default=3,
                      help="processes that share the rounds")
    args.add_argument("--ms", type=float, default=12, help="of a slice")
    args.add_argument("--works", type=words, default=works)
    args.add_argument("--sizes", type=numbers, default=SIZES)
    args.add_argument("--peers", type=words, default=ORDER)
    args.add_argument("--no-count", action="store_true")
    args.add_argument("folder", type=pathlib.Path)
    args.add_argument("out", type=pathlib.Path)
    opt = args.parse_args()
    opt.peers = [p for p in opt.peers if (opt.folder / p).exists()]
    opt.places = [place for place in PLACES if is_whole(opt, place)]
    opt.trace = opt.out / "trace"
    if opt.rounds % opt.generations or opt.rounds % 2 == 0:
        sys.exit("rounds: an odd multiple of the generations")
    if set(opt.works) - set(works):
        sys.exit("works: of " + ",".join(works))
    return opt


def main():
    opt = read_options()
    opt.out.mkdir(parents=True, exist_ok=True)
    opt.start = time.monotonic()
    opt.trace.write_bytes(lzma.open(TRACE).read())
    random.seed(1)
    measure_all(opt)
    weigh_all(opt)
    time_calls(opt)
    if opt.no_count or not have_valgrind():
        print("# instructions were not counted")
        (opt.out / "instructions.csv").unlink(missing_ok=True)
    else:
        count_all(opt)
    subprocess.run([str(HERE / "report.py"), str(opt.out)], check=True)


if __name__ == "__main__":
    main()
