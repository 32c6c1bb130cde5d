#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Makes tables of what bench.py has measured.

    report.py FOLDER

Reads samples.csv, instructions.csv, memory.csv and tail.csv, and prints a table per
workload and size.  page.py makes the figures of Documentation from the same files.

A ratio is taken of the same round, so that what disturbs both cancels out.  Given
is the median of the rounds, and between which values the median of a sample of as
many rounds, drawn from these with replacement, lies in 95 of 100 cases: the
bootstrap, for a median of which no samples need be drawn (interval()).
"""

import csv
import math
import pathlib
import statistics
import sys

MALLOCS = "glibc", "jemalloc", "mimalloc", "tcmalloc"
PEERS = MALLOCS + ("dpdk", "gslice")


def median_within(n):
    """For k = 1..n: how probable a resampled median is the k-th value or less."""
    half = n // 2 + 1
    for k in range(1, n + 1):
        p = k / n
        yield sum(math.comb(n, j) * p ** j * (1 - p) ** (n - j)
                  for j in range(half, n + 1))


def interval(values):
    """Ends of the 95 % interval; the number of values is odd."""
    ordered = sorted(values)
    low = high = None
    for value, p in zip(ordered, median_within(len(ordered))):
        if low is None and p >= 0.025:
            low = value
        if high is None and p >= 0.975:
            high = value
    return low, ordered[-1] if high is None else high


class Ratio:
    """The ratio of two peers, of the same rounds."""

    def __init__(self, ours, theirs):
        values = [a / b for a, b in zip(ours, theirs)]
        self.median = statistics.median(values)
        self.low, self.high = interval(values)

    def __str__(self):
        return f"{self.median:6.2f} ({self.low:.2f}-{self.high:.2f})"


def rows_of(folder, name):
    try:
        with open(folder / name, newline="") as file:
            return list(csv.DictReader(file))
    except FileNotFoundError:
        return []


def load(folder):
    """(workload, size) -> peer -> ns of each round"""
    table = {}
    for row in rows_of(folder, "samples.csv"):
        rounds = table.setdefault((row["workload"], int(row["size"])), {})
        rounds.setdefault(row["peer"], []).append(float(row["ns"]))
    return table


def load_instructions(folder):
    return {(row["workload"], int(row["size"]), row["peer"]):
            float(row["instructions"])
            for row in rows_of(folder, "instructions.csv")}


def best(rounds, names):
    """Returns the fastest of those peers that were measured, or None."""
    there = [n for n in names if n in rounds]
    return min(there, key=lambda n: statistics.median(rounds[n]), default=None)


def against(rounds):
    """Returns the peers to compare with: {title: peer or None}"""
    return {"glibc": best(rounds, ["glibc"]),
            "malloc": best(rounds, MALLOCS),
            "peer": best(rounds, PEERS),
            "floor": best(rounds, ["floor"])}


def title(kind, peer):
    if kind in ("glibc", "floor"):
        return f"to {kind}"
    return f"to best {kind}, {peer or 'none'}"


def deviation(values):
    middle = statistics.median(values)
    return statistics.median(abs(v - middle) for v in values)


def result(key, name, rounds, other, instructions):
    """Returns a line of the table."""
    ns = rounds[name]
    count = instructions.get(key + (name,))
    text = (f"{name:12}{statistics.median(ns):9.2f}{min(ns):9.2f}{max(ns):10.2f}"
            f"{deviation(ns):8.2f}{'' if count is None else f'{count:.1f}':>9}")
    for peer in other.values():
        ratio = Ratio(ns, rounds[peer]) if peer else None
        text += f"  {str(ratio or '-'):26}"
    return text.rstrip()


def print_one(key, rounds, instructions):
    other = against(rounds)
    work, size = key
    what = "" if work == "trace" else f", {size} bytes"
    print(f"\n# {work}{what}: ns per operation; ratios with 95 % intervals")
    print(f"{'# of':12}{'median':>9}{'min':>9}{'max':>10}{'dev':>8}{'instr':>9}" +
          "".join(f"  {title(kind, peer):26}"
                  for kind, peer in other.items()).rstrip())
    for name in rounds:
        print(result(key, name, rounds, other, instructions))


def columns(rows):
    """Returns a line per row, with columns that are two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
            for row in rows]


def plain_table(head, rows):
    """Returns a table as figures/ has them."""
    return "\n".join(columns([head, *rows])) + "\n\n"


def table_text(head, rows):
    """Returns a simple table of reStructuredText; all cells are text."""
    rule, *lines = columns([["=" * max(map(len, column)) for column in zip(head, *rows)],
                            head, *rows])
    return "\n".join([rule, lines[0], rule, *lines[1:], rule]) + "\n\n"


def load_memory(folder):
    """peer -> workload -> most KiB resident, above what the empty loop has"""
    kib = {}
    for row in rows_of(folder, "memory.csv"):
        kib.setdefault(row["peer"], {})[row["workload"]] = int(row["kib"])
    base = kib.pop("empty", {})
    return {peer: {work: value - base.get(work, 0) for work, value in row.items()}
            for peer, row in kib.items()}


def print_memory(folder):
    kib = load_memory(folder)
    if not kib:
        return
    print("\n# memory: most KiB resident, above what the empty loop has")
    print(f"{'# of':12}{'trace':>10}{'million':>10}")
    for peer, row in kib.items():
        print(f"{peer:12}{row.get('trace', '-'):>10}{row.get('million', '-'):>10}")


TAIL = "half", "p99", "p99.9", "p99.99"


def load_tail(folder):
    """(size, peer) -> ns of each column of TAIL, the middle one of the runs"""
    runs = {}
    for row in rows_of(folder, "tail.csv"):
        runs.setdefault((int(row["size"]), row["peer"]), []).append(row)
    return {key: [statistics.median_low(int(r[c]) for r in rows) for c in TAIL]
            for key, rows in runs.items()}


def print_tail(folder):
    calls = load_tail(folder)
    if not calls:
        return
    print("\n# single calls, steps of pools32: ns that all but so many take at most")
    print(f"{'# size':8}{'of':12}" + "".join(f"{c:>10}" for c in TAIL))
    for (size, peer), ns in calls.items():
        print(f"{size:<8}{peer:12}" + "".join(f"{v:>10}" for v in ns))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: report.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    instructions = load_instructions(folder)
    for key, rounds in load(folder).items():
        print_one(key, rounds, instructions)
    print_memory(folder)
    print_tail(folder)


if __name__ == "__main__":
    main()
