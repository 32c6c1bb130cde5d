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
                    load_memory, load_tail, plain_table, table_text)

# What performance.rst shows: workloads at SUMMARY_SIZE.
SUMMARY_SIZE = 64
SUMMARY = ("hot", "lifo64", "bulk64", "random", "fifo1000", "shuffled", "pools32", "ring",
           "alternate", "trace", "grow")


def titled(title, head, rows):
    print(f"{title}\n")
    print(plain_table(head, rows), end="")


def cell(rounds, name):
    return f"{statistics.median(rounds[name]):.2f}" if name in rounds else ".."


def times(table, size):
    """Prints medians: a row per workload, a column per peer."""
    works = [key for key in table if key[1] == size]
    names = list(dict.fromkeys(n for key in works for n in table[key]))
    titled(f"{size} bytes: ns per operation", ["workload"] + names,
           [[key[0]] + [cell(table[key], n) for n in names] for key in works])


def costs(instructions, size):
    keys = [key for key in instructions if key[1] == size]
    names = list(dict.fromkeys(key[2] for key in keys))
    if not keys:
        return
    titled(f"{size} bytes: instructions per operation, loop included", ["workload"] + names,
           [[work] + [f"{instructions[work, size, n]:.1f}" if (work, size, n) in instructions
                      else ".." for n in names]
            for work in dict.fromkeys(key[0] for key in keys)])


def ratios(table, name):
    """Prints ratios of pools to the best peer: a row per workload, a column per size."""
    sizes = sorted({size for (_, size), rounds in table.items() if name in rounds})
    rows = []
    for work in dict.fromkeys(key[0] for key in table):
        row = [work]
        for size in sizes:
            rounds = table.get((work, size), {})
            peer = best(rounds, PEERS)
            row.append(f"{Ratio(rounds[name], rounds[peer])} {peer}".strip()
                       if peer and name in rounds else "..")
        if set(row[1:]) - {".."}:
            rows.append(row)
    if rows:
        titled(f"{name}: ratio to the best peer, 95 % interval, and which it is",
               ["workload"] + [f"{size} bytes" for size in sizes], rows)


def memory_of(memory):
    if memory:
        titled("Memory: most KiB resident, above what the empty loop has",
               ["peer", "trace", "million"],
               [[peer, *(str(row.get(w, "..")) for w in ("trace", "million"))]
                for peer, row in memory.items()])


def tail_of(calls):
    if calls:
        titled("Single calls: ns that all but so many take at most", ["size", "peer", *TAIL],
               [[str(size), peer, *map(str, ns)] for (size, peer), ns in calls.items()])


def verbatim(folder, name, heading):
    """Prints the output of a program, with a tab before each line."""
    file = folder / name
    if file.exists():
        print(heading, "", *("\t" + line for line in file.read_text().splitlines()), "", sep="\n")


def figures(folder, table):
    instructions = load_instructions(folder)
    verbatim(folder, "machine.txt", "The machine")
    for name in "pool", "pool-so":
        ratios(table, name)
    sizes = sorted({size for _, size in table})
    for size in sizes:
        times(table, size)
    for size in dict.fromkeys(sizes[:1] + sizes[-1:]):
        costs(instructions, size)
    memory_of(load_memory(folder))
    tail_of(load_tail(folder))
    verbatim(folder, "bound.txt", "The bound, and hits")
    verbatim(folder, "cost.txt", "A pool without objects")
    verbatim(folder, "fillspill.txt", "Instructions of a fill and a spill of 64 objects")
    verbatim(folder, "limit.txt", "A limit where nobody waits")
    verbatim(folder, "wait.txt", "Frees while threads wait")


def summary(table):
    """Prints pools beside the best malloc() and the best of all peers."""
    rows = []
    for work in SUMMARY:
        rounds = table.get((work, SUMMARY_SIZE), {})
        peer = best(rounds, PEERS)
        if "pool" not in rounds or not peer:
            continue
        rows.append([f"``{work}``", cell(rounds, "pool"), cell(rounds, "pool-so"),
                     cell(rounds, best(rounds, MALLOCS)), cell(rounds, "dpdk"),
                     f"{Ratio(rounds['pool'], rounds[peer])} {peer}".strip()])
    print(table_text(["workload", "pool", "pool-so", "best malloc", "dpdk",
                      "pool / best of these"], rows), end="")


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
