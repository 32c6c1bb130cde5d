#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Holds what the benchmarks have measured against the goals of goals.table.

    goals.py show FOLDER [TABLE [PAGE]]
    goals.py write FOLDER           the same, into figures/goals.txt, if FOLDER has figures
                                    of user space

FOLDER is where bench.py, fillspill.sh and tests/vm/bench.sh leave their figures.  A
kernel of which it has none is taken from PAGE, which is figures/kernel.txt;
never a part of one, since figures of two runs are not compared.
Prints one table.  A goal is

    met         the figure is that or less
    missed      it is more
    missing     there is no figure, or one of the peers to compare with has none

With a peer missing the best of the others may be slower than the best of all: then
what is above the goal is missed, and what is not has not been shown to be met.  Beside a
ratio is that of the peer "floor", to the same peer: what a bare array can do there.

Times are no test, so the exit status does not depend on them.
"""

import csv
import pathlib
import re
import sys

import section
from report import (MALLOCS, PEERS, TAIL, Ratio, best, load, load_instructions,
                    load_memory, load_tail, plain_table)

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "goals.table"
SAMPLES = "samples.csv"
BOOT = "mitigations=off init_on_alloc=0"

# Workloads whose objects have sizes of their own, and parts of "grow".
MANY_SIZES = "trace", "trace-cold", "poolreplay", "million", "counters"
ONCE = "grow", "grow-first", "grow-free"

GROUPS = {"mallocs": MALLOCS, "peers": PEERS}
# Since GLib 2.76 its slices call malloc(), so a build without them lacks no peer.
MAY_LACK = {"gslice"}


class Figure:
    """A figure, and that of the peer "floor"; @lacking: peers that were not measured."""

    def __init__(self, value, text, lacking=(), floor=None):
        self.value = value
        self.text = text
        self.lacking = sorted(set(lacking) - MAY_LACK)
        self.floor = f"{floor:.2f}" if floor else ".."

    def verdict(self, most):
        if self.value > most:
            return "missed"
        if self.lacking:
            return "missing: " + ", ".join(self.lacking)
        return "met"


def count(value):
    return Figure(value, f"{value:.1f}")


def ratio(ours, other, peer, lacking=(), floor=0):
    return Figure(ours / other, f"{ours / other:.2f} {peer}", lacking, floor / other)


def group(to):
    return GROUPS.get(to, (to,))


class Goal:
    """A line of the table, of one size."""

    def __init__(self, words, size):
        self.figure, self.peer, self.work, _, self.to, most = words
        self.size = int(size)
        self.most = float(most)
        self.kernel = self.figure.partition("kernel-")[2]

    def what(self):
        where = f"Linux {self.kernel}, " if self.kernel else ""
        size = "" if self.work in MANY_SIZES else f", {self.size} B"
        unit = self.figure if self.to != "-" and not self.kernel else "instructions"
        to = "" if self.to == "-" else f", to {self.to}"
        return f"{where}{self.work}, {self.peer}{size}: {unit}{to}"

    def command(self):
        if self.kernel:
            return f"vm/bench.sh stock-{self.kernel}"
        if self.figure in ("memory", "p99.9"):
            return "bench.py"
        if self.figure == "fillspill":
            return "fillspill.sh"
        sizes = "" if self.work in MANY_SIZES + ONCE else f" --sizes {self.size}"
        work = "grow" if self.work in ONCE else self.work
        return f"bench.py --works {work}{sizes}"


def load_goals(file):
    goals = []
    for line in file.read_text().splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 6:
            sys.exit(f"{file}: {line}")
        goals += [Goal(words, size) for size in words[3].split(",")]
    if not goals:
        sys.exit(f"{file}: no goals")
    return goals


def kernels_measured(folder):
    """release -> (workload, size, peer) -> instructions; refusals with N CPUs are
    the workload "refused-N"."""
    found = {}
    for file in sorted(folder.glob("kernel-*.csv")):
        for row in csv.DictReader(file.open(newline="")):
            if row.get("boot") != BOOT:
                continue
            work = row.get("workload") or f"refused-{row['cpus']}"
            costs = found.setdefault(row["kernel"], {})
            costs[work, row["size"], row["peer"]] = float(row["instructions"])
    return found


def add_row(costs, head, words):
    """A row of a table of the page; @head are the words of the table's first."""
    if head[0] == "peer" and len(words) == len(head):
        costs[f"refused-{words[1]}", "64", words[0]] = float(words[2])
    elif head[0] == "workload" and len(words) == len(head):
        for peer, cost in list(zip(head, words))[2:]:
            if cost not in ("-", "\\-"):
                name = "kmem_cache" if peer == "kmem" else peer
                costs[words[0], words[1], name] = float(cost)


def kernels_of_page(text):
    """Reads the same from figures that bench-page.sh has written."""
    found, costs, head = {}, None, []
    for line in text.splitlines():
        title = re.match(r"Linux (\S+), (?:refused, )?(.*)", line)
        if title:
            costs = found.setdefault(title[1], {}) if title[2] == BOOT else None
            head = []
        elif costs is not None and re.match(r"\w", line):
            if head:
                add_row(costs, head, line.split())
            else:
                head = line.split()
    return found


class Figures:
    """All figures that were measured."""

    def __init__(self, folder, page):
        self.times = load(folder)
        self.counts = load_instructions(folder)
        self.memories = load_memory(folder)
        self.tails = load_tail(folder)
        self.visits = {}
        visits = folder / "fillspill.txt"
        if visits.exists():
            self.visits = dict(line.split() for line in
                               visits.read_text().splitlines())
        self.kernels = kernels_of_page(section.read("kernel", page))
        self.kernels.update(kernels_measured(folder))

    def of(self, goal):
        """Returns the Figure of a goal, or None if it was not measured."""
        kinds = {"instructions": self.instructions, "time": self.time,
                 "p99.9": self.tail, "memory": self.memory,
                 "fillspill": self.fillspill}
        how = self.in_kernel if goal.kernel else kinds.get(goal.figure)
        if not how:
            sys.exit(f"{goal.figure}: no such figure")
        return how(goal)

    def instructions(self, goal):
        ours = self.counts.get((goal.work, goal.size, goal.peer))
        loop = self.counts.get((goal.work, goal.size, "empty"))
        return None if ours is None or loop is None else count(ours - loop)

    def fillspill(self, goal):
        value = self.visits.get(goal.work)
        return count(float(value)) if value else None

    def time(self, goal):
        rounds = self.times.get((goal.work, goal.size), {})
        peer = best(rounds, group(goal.to))
        if goal.peer not in rounds or not peer:
            return None
        both = Ratio(rounds[goal.peer], rounds[peer])
        floor = "floor" in rounds and Ratio(rounds["floor"], rounds[peer]).median
        return Figure(both.median, f"{str(both).strip()} {peer}",
                      set(group(goal.to)) - set(rounds), floor)

    def least(self, goal, values):
        """Returns a Figure of {peer: value}, where less is better, and 0 means not measured."""
        values = {peer: value for peer, value in values.items() if value > 0}
        peer = min(set(group(goal.to)) & set(values), key=values.get, default=None)
        if goal.peer not in values or not peer:
            return None
        return ratio(values[goal.peer], values[peer], peer,
                     set(group(goal.to)) - set(values), values.get("floor", 0))

    def tail(self, goal):
        return self.least(goal, {peer: ns[TAIL.index("p99.9")] for (size, peer), ns
                                 in self.tails.items() if size == goal.size})

    def memory(self, goal):
        return self.least(goal, {peer: row[goal.work] for peer, row
                                 in self.memories.items() if goal.work in row})

    def in_kernel(self, goal):
        for release, costs in self.kernels.items():
            if not re.match(rf"{re.escape(goal.kernel)}\b", release):
                continue
            key = goal.work, str(goal.size), goal.peer
            if goal.work.startswith("refused"):
                return self.refused(costs, key)
            ours = costs.get(key)
            other = costs.get(key[:2] + ("empty" if goal.to == "-" else goal.to,))
            if not ours or not other:
                return None
            return count(ours - other) if goal.to == "-" else ratio(ours, other, goal.to)
        return None

    @staticmethod
    def refused(costs, key):
        """Returns the cost of a refusal with 2 CPUs, or of each further CPU of 4."""
        two = costs.get(("refused",) + key[1:])
        four = costs.get(("refused-4",) + key[1:])
        if key[0] == "refused":
            return None if two is None else count(two)
        return None if two is None or four is None else count((four - two) / 2)


def rows(goals, figures):
    for goal in goals:
        figure = figures.of(goal)
        text, verdict, floor = (figure.text, figure.verdict(goal.most), figure.floor) \
                               if figure else ("..", "missing", "..")
        yield [goal.what(), text, f"{goal.most:g}", verdict, floor, goal.command()]


def report(goals, figures):
    """Returns the table as text, and below it how many goals are met."""
    table = list(rows(goals, figures))
    ends = [row[3].split(":")[0] for row in table]
    rounds = [len(r) for peers in figures.times.values() for r in peers.values()]
    return (plain_table(["what", "measured", "goal", "is", "floor", "command"], table) +
            f"Of {len(ends)} goals {ends.count('met')} are met, "
            f"{ends.count('missed')} missed, {ends.count('missing')} missing; "
            f"{min(rounds, default=0)} rounds or more per ratio.\n")


def main():
    if not 3 <= len(sys.argv) <= 5 or sys.argv[1] not in ("show", "write"):
        sys.exit("usage: goals.py show|write FOLDER [TABLE [PAGE]]")
    folder, table, page = map(pathlib.Path, sys.argv[2:] + [
        TABLE, section.FIGURES][len(sys.argv) - 3:])
    text = report(load_goals(table), Figures(folder, page))
    print(text, end="")
    if sys.argv[1] == "write":
        if not (folder / SAMPLES).is_file():
            sys.exit(f"goals.py: {folder} has no {SAMPLES}, so goals.txt stays as it is;"
                     " make bench-user leaves one")
        section.write("goals", text)


if __name__ == "__main__":
    main()
