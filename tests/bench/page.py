#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Makes a page for Documentation of what "make bench-user" has measured.

    page.py FOLDER

Prints reStructuredText: the machine, which goals were reached, then all figures;
see report.py for how they are made, and Documentation/performance for what they are.
"""

import pathlib
import statistics
import sys

from report import (MALLOCS, PEERS, TAIL, Ratio, best, load, load_instructions,
                    load_memory, load_tail)

SMALL = 64, 256, 1024


def rst_table(head, rows):
    """A simple table; all cells are text."""
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    rule = "  ".join("=" * w for w in widths)
    print(rule)
    for i, row in enumerate([head] + rows):
        print("  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip())
        if not i:
            print(rule)
    print(rule + "\n")


def rst_title(text, line):
    print(f"{text}\n{line * len(text)}\n")


def rst_cell(rounds, name):
    return f"{statistics.median(rounds[name]):.2f}" if name in rounds else ".."


def rst_times(table, size):
    """Medians: a row per workload, a column per peer."""
    works = [key for key in table if key[1] == size]
    names = list(dict.fromkeys(n for key in works for n in table[key]))
    rst_title(f"{size} bytes: ns per operation", "-")
    rst_table(["workload"] + names,
              [[key[0]] + [rst_cell(table[key], n) for n in names]
               for key in works])


def rst_instructions(instructions, size):
    keys = [key for key in instructions if key[1] == size]
    names = list(dict.fromkeys(key[2] for key in keys))
    if not keys:
        return
    rst_title(f"{size} bytes: instructions per operation, loop included", "-")
    rst_table(["workload"] + names,
              [[work] + [f"{instructions[work, size, n]:.1f}"
                         if (work, size, n) in instructions else ".."
                         for n in names]
               for work in dict.fromkeys(key[0] for key in keys)])


def rst_ratios(table, name):
    """Of pools to the best peer: a row per workload, a column per size."""
    sizes = sorted({size for (_, size), rounds in table.items() if name in rounds})
    rows = []
    for work in dict.fromkeys(key[0] for key in table):
        row = [work]
        for size in sizes:
            rounds = table.get((work, size), {})
            peer = best(rounds, PEERS)
            row.append(f"{Ratio(rounds[name], rounds[peer])} {peer}".strip()
                       if peer and name in rounds else "..")
        rows.append(row)
    if not rows or not sizes:
        return
    rst_title(f"{name}: ratio to the best peer, 95 % interval, and which it is", "-")
    rst_table(["workload"] + [f"{size} bytes" for size in sizes], rows)


class Goals:
    """What was to be reached, and was it?"""

    def __init__(self, folder):
        self.times = load(folder)
        self.instructions = load_instructions(folder)
        self.memory = load_memory(folder)
        self.calls = load_tail(folder)
        self.rows = []

    def add(self, what, got, most):
        if got is not None:
            self.rows.append([what, f"{got:.2f}", f"{most:g}",
                              "yes" if got <= most else "no"])

    def count(self, what, peer, work, most):
        """Instructions net of the loop."""
        key = work, 64
        if key + (peer,) in self.instructions and key + ("empty",) in self.instructions:
            self.add(what, self.instructions[key + (peer,)] -
                     self.instructions[key + ("empty",)], most)

    def time(self, what, peer, work, size, others, most):
        """Of @peer's time to that of the best of the others."""
        rounds = self.times.get((work, size), {})
        other = best(rounds, others)
        if peer in rounds and other:
            self.add(f"{what}, {size} bytes: to {other}",
                     Ratio(rounds[peer], rounds[other]).median, most)

    def hot(self):
        self.count("hot, inline: instructions", "pool", "hot", 26)
        self.time("hot, inline", "pool", "hot", 64, MALLOCS, 0.55)
        self.time("hot, inline", "pool", "hot", 64, ["glibc"], 0.30)
        self.count("hot, by call: instructions", "pool-so", "hot", 40)
        self.time("hot, by call", "pool-so", "hot", 64, MALLOCS, 1)

    def batches(self):
        for work in ("lifo64", "fifo64", "lifo1000", "fifo1000", "random", "refill64",
                     "shuffled", "pools32"):
            for size in SMALL:
                self.time(work, "pool", work, size, PEERS, 1)
        self.time("random", "pool", "random", 1024, MALLOCS, 0.7)

    def rest(self):
        self.time("bulk64", "pool", "bulk64", 64, ["dpdk"], 1)
        self.time("bulk64", "pool", "bulk64", 1024, ["dpdk"], 0.7)
        for size in 64, 1024:
            self.time("ring", "pool", "ring", size, MALLOCS, 0.5)
            self.time("ring", "pool", "ring", size, ["dpdk"], 2)

    def amounts(self):
        for work in "trace", "million":
            least = min((row[work] for peer, row in self.memory.items()
                         if peer in PEERS and work in row), default=None)
            ours = self.memory.get("pool", {}).get(work)
            if ours and least:
                self.add(f"{work}, most memory: to the densest peer",
                         ours / least, 1.05)

    def tails(self):
        for size in SMALL:
            there = [ns[TAIL.index("p99.9")] for (s, peer), ns in self.calls.items()
                     if s == size and peer in PEERS]
            ours = self.calls.get((size, "pool"))
            if ours and there:
                self.add(f"99.9 of 100 calls, {size} bytes: to the best peer",
                         ours[TAIL.index("p99.9")] / min(there), 1)

    def all(self):
        for part in self.hot, self.batches, self.rest, self.amounts, self.tails:
            part()
        return self.rows


def rst_memory(memory):
    if not memory:
        return
    rst_title("Memory: most KiB resident, above what the empty loop has", "=")
    rst_table(["peer", "trace", "million"],
              [[peer, *(str(row.get(w, "..")) for w in ("trace", "million"))]
               for peer, row in memory.items()])


def rst_tail(calls):
    if not calls:
        return
    rst_title("Single calls: ns that all but so many take at most", "=")
    rst_table(["size", "peer", *TAIL],
              [[str(size), peer, *map(str, ns)]
               for (size, peer), ns in calls.items()])


def rst_text(folder, name, heading):
    """What a program has printed, as it is."""
    file = folder / name
    if not file.exists():
        return
    rst_title(heading, "=")
    print("::\n")
    for line in file.read_text().splitlines():
        print("\t" + line)
    print()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: page.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    goals = Goals(folder)
    table = goals.times
    print(".. SPDX-License-Identifier: GPL-2.0-only OR MIT\n"
          ".. Made by \"make bench-doc\" of what \"make bench-user\" measured.\n")
    heading = "Performance in user space: the figures"
    print("=" * len(heading))
    rst_title(heading, "=")
    print("What is measured, how, and why a goal was missed is in :doc:`performance`.\n"
          "``make bench-user`` measures all of this anew, and ``make bench-doc`` writes\n"
          "this page of it.  The ``trace`` has objects of many sizes; it stands with those\n"
          "of 64 bytes.\n")
    rst_text(folder, "machine.txt", "The machine")
    rst_title("Goals", "=")
    rst_table(["what", "measured", "goal", "reached"], goals.all())
    rst_title("Ratios and times", "=")
    for name in "pool", "pool-so", "pool+64M", "pool-so+64M":
        rst_ratios(table, name)
    for size in sorted({size for _, size in table}):
        rst_times(table, size)
        rst_instructions(goals.instructions, size)
    rst_memory(goals.memory)
    rst_tail(goals.calls)
    rst_text(folder, "bound.txt", "The bound, and hits")
    rst_text(folder, "cost.txt", "A pool without objects")
    rst_text(folder, "guard.txt", "Guards of the hit path")
    rst_title("Charts", "=")
    for work in dict.fromkeys(key[0] for key in table):
        print(f".. image:: bench-{work}.svg\n")


main()
