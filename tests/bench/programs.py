#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Recorded programs on every peer: make bench-programs.

    programs.py PEERS OUT          measures, into OUT/programs.txt
    programs.py --keep OUT         the same, into figures/programs.txt

The traces are those of tests/replay/data.  Each round is a process of each peer, in shuffled
order; a process replays the trace once to warm up, and then several times.  Times are the
middle of the rounds, instructions are callgrind's, memory is what becomes resident in a first
replay.
"""

import lzma
import pathlib
import random
import statistics
import subprocess
import sys

import bench
import section
from report import plain_table

PROGRAMS = "cc1", "sqlite3", "lighttpd"
PEERS = "pool", "pool-so", "glibc", "jemalloc", "mimalloc", "tcmalloc", "dpdk"
ROUNDS = 9
EVENTS = 500000


def time_of(command):
    """ns per event; None if the peer cannot do it."""
    worker = bench.Worker(command, "trace")
    first = worker.slice(1) if worker.alive else None
    ns = worker.slice(EVENTS) if first else None
    worker.end()
    return ns


def times(commands):
    found = {peer: [] for peer in commands}
    for _ in range(ROUNDS):
        for peer in random.sample(list(commands), len(commands)):
            found[peer].append(time_of(commands[peer]))
    return {peer: "" if None in ns else f"{statistics.median(ns):.1f}"
            for peer, ns in found.items()}


def instructions(command, out):
    file = out / "callgrind.programs"
    file.unlink(missing_ok=True)
    subprocess.run(["valgrind", "--tool=callgrind", "--combine-dumps=yes",
                    f"--callgrind-out-file={file}", *command, "--count", "1", "trace"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not file.exists():
        return ""
    cost = dict(bench.counted(file.read_text())).get("trace")
    file.unlink()
    return f"{cost:.1f}" if cost else ""


def measure(folder, out):
    peers = [peer for peer in PEERS if (folder / peer).exists()]
    rows = []
    for program in PROGRAMS:
        trace = out / f"{program}.trace"
        trace.write_bytes(lzma.open(bench.HERE.parent / f"replay/data/{program}.trace.xz").read())
        commands = {peer: [str(folder / peer), "--trace", str(trace)] for peer in peers}
        ns = times(commands)
        counts = {peer: instructions(commands[peer], out) for peer in peers}
        kib = {peer: bench.memory_of(commands[peer], "trace") for peer in peers}
        for what, values in ("ns per event", ns), ("instructions", counts), ("KiB", kib):
            rows.append([program, what] + [values[peer] or ".." for peer in peers])
        trace.unlink()
    return plain_table(["program", "per event"] + peers, rows)


def main():
    args = [pathlib.Path(arg) for arg in sys.argv[1:]]
    if len(args) != 2:
        sys.exit(__doc__)
    if str(args[0]) == "--keep":
        section.write("programs", (args[1] / "programs.txt").read_text())
        return
    folder, out = args
    out.mkdir(parents=True, exist_ok=True)
    random.seed(1)
    table = measure(folder, out)
    (out / "programs.txt").write_text(table)
    print(table, end="")


main()
