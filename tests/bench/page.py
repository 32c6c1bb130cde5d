#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Writes what "make bench-user" has measured into Documentation.

    page.py FOLDER

All figures go to figures/user.txt, and a table of the most important ones to the section
"summary" of performance.rst.  report.py says how ratios are made; goals.py says which goals
they reach.
"""

import contextlib
import io
import pathlib
import statistics
import sys

import section
from report import (MALLOCS, PEERS, TAIL, Ratio, best, load, load_instructions,
                    load_memory, load_tail, table_text)

# What performance.rst shows: workloads at SUMMARY_SIZE.
SUMMARY_SIZE = 64
SUMMARY = ("hot", "lifo64", "bulk64", "random", "fifo1000", "shuffled", "pools32", "ring",
           "alternate", "trace", "grow")


def rst_table(head, rows):
    print(table_text(head, rows), end="")


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


def rst_memory(memory):
    if not memory:
        return
    rst_title("Memory: most KiB resident, above what the empty loop has", "-")
    rst_table(["peer", "trace", "million"],
              [[peer, *(str(row.get(w, "..")) for w in ("trace", "million"))]
               for peer, row in memory.items()])


def rst_tail(calls):
    if not calls:
        return
    rst_title("Single calls: ns that all but so many take at most", "-")
    rst_table(["size", "peer", *TAIL],
              [[str(size), peer, *map(str, ns)]
               for (size, peer), ns in calls.items()])


def rst_text(folder, name, heading):
    """What a program has printed, as it is."""
    file = folder / name
    if not file.exists():
        return
    rst_title(heading, "-")
    print("::\n")
    for line in file.read_text().splitlines():
        print("\t" + line)
    print()


def figures(folder, table):
    instructions = load_instructions(folder)
    rst_text(folder, "machine.txt", "The machine")
    for name in "pool", "pool-so", "pool+64M", "pool-so+64M":
        rst_ratios(table, name)
    for size in sorted({size for _, size in table}):
        rst_times(table, size)
        rst_instructions(instructions, size)
    rst_memory(load_memory(folder))
    rst_tail(load_tail(folder))
    rst_text(folder, "bound.txt", "The bound, and hits")
    rst_text(folder, "cost.txt", "A pool without objects")
    rst_text(folder, "fillspill.txt", "Instructions of a fill and a spill of 64 objects")
    rst_text(folder, "guard.txt", "Guards of the hit path")
    rst_text(folder, "limit.txt", "A limit where nobody waits")
    rst_text(folder, "wait.txt", "Frees while threads wait")


def summary(table):
    """Pools beside the best malloc() and the best of all peers."""
    rows = []
    for work in SUMMARY:
        rounds = table.get((work, SUMMARY_SIZE), {})
        peer = best(rounds, PEERS)
        if "pool" not in rounds or not peer:
            continue
        rows.append([f"``{work}``", rst_cell(rounds, "pool"), rst_cell(rounds, "pool-so"),
                     rst_cell(rounds, best(rounds, MALLOCS)), rst_cell(rounds, "dpdk"),
                     f"{Ratio(rounds['pool'], rounds[peer])} {peer}".strip()])
    rst_table(["workload", "pool", "pool-so", "best malloc", "dpdk",
               "pool / best of these"], rows)


def printed(what, *args):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        what(*args)
    return text.getvalue()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: page.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    table = load(folder)
    section.write("user", printed(figures, folder, table))
    section.write("summary", printed(summary, table), section.PAGES / "performance.rst")


main()
