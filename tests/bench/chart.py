#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Draws charts of the figures that page.py has left in figures/user.txt.

    chart.py FOLDER

Writes FOLDER/bench-readme.svg, for README.md: one panel with a linear axis.  "make html"
draws a chart per workload, bench-<workload>.svg: a panel per size, and a bar per peer from
the axis, which is logarithmic, to the median.
"""

import math
import pathlib
import re
import sys

import section

OURS = "#1f6fb4"
OTHERS = "#8a8a8a"
LAYOUT = "#b8732c"
LIMITS = "#cfcfcf"			# floor and empty loop: no allocators
COLOUR = {"pool": OURS, "pool-so": OURS, "layout": LAYOUT, "floor": LIMITS,
          "empty": LIMITS}

LABEL = 92				# pixels left of the axis
PLOT = 300
NUMBER = 64				# right of it
BAR = 15
HEAD = 46
TITLE = 26				# above the first line of panels
GAP = 20
WIDTH = LABEL + PLOT + NUMBER
COLUMNS = 2

# The chart of README is for readers who know no names of workloads and peers.
README = "hot", "64 bytes"
README_NAMES = {"pool": "libpool, inline", "pool-so": "libpool, by calls",
                "dpdk": "DPDK rte_mempool", "tcmalloc": "tcmalloc",
                "jemalloc": "jemalloc", "mimalloc": "mimalloc", "glibc": "glibc malloc",
                "gslice": "GLib slices"}
README_LABEL = 130


def text(x, y, what, anchor="start", size=11, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" '
            f'font-weight="{weight}" text-anchor="{anchor}">{what}</text>')


def short(ns):
    return f"{ns:.2f}" if ns < 10 else f"{ns:.1f}" if ns < 100 else f"{ns:.0f}"


class Axis:
    """An axis over whole powers of ten around all values."""

    def __init__(self, rows):
        self.low = math.floor(math.log10(min(r["median"] for r in rows)))
        self.high = math.ceil(math.log10(max(r["median"] for r in rows)))

    def x(self, ns):
        part = (math.log10(ns) - self.low) / max(1, self.high - self.low)
        return LABEL + PLOT * min(1, max(0, part))

    def draw(self, top, bottom):
        for power in range(self.low, self.high + 1):
            x = self.x(10.0 ** power)
            yield (f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" '
                   'stroke="#e4e4e4"/>')
            yield text(x, bottom + 12, f"{10.0 ** power:g}", "middle", 9)


def bar(axis, row, y):
    x = axis.x(row["median"])
    middle = y + BAR / 2
    colour = COLOUR.get(row["peer"].split("+")[0], OTHERS)
    yield text(LABEL - 5, middle + 4, row["peer"], "end")
    yield (f'<rect x="{LABEL}" y="{y + 2}" width="{x - LABEL:.1f}" '
           f'height="{BAR - 4}" fill="{colour}"/>')
    yield text(LABEL + PLOT + 6, middle + 4, short(row["median"]))


def panel(rows, axis, name):
    top = HEAD - 6
    bottom = HEAD + BAR * len(rows)
    yield text(LABEL, HEAD - 14, name, weight="bold")
    yield from axis.draw(top, bottom)
    for i, row in enumerate(rows):
        yield from bar(axis, row, HEAD + BAR * i)


def begin(width, height):
    """Begins a chart with a white background, because the page behind may be dark."""
    return [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" font-family="sans-serif">',
            '<rect width="100%" height="100%" fill="white"/>']


def readme(rows):
    """Draws a bar per allocator that programs may use, the fastest first."""
    rows = sorted((r for r in rows if r["peer"] in README_NAMES), key=lambda r: r["median"])
    most = max(r["median"] for r in rows)
    out = [*begin(README_LABEL + PLOT + NUMBER, HEAD + BAR * len(rows) + 8),
           text(8, 20, "ns per allocation and free of 64 bytes; less is better", size=13)]
    for i, row in enumerate(rows):
        y = HEAD - 12 + BAR * i
        width = PLOT * row["median"] / most
        out += [text(README_LABEL - 6, y + BAR / 2 + 4, README_NAMES[row["peer"]], "end"),
                f'<rect x="{README_LABEL}" y="{y + 2}" width="{width:.1f}" '
                f'height="{BAR - 4}" fill="{COLOUR.get(row["peer"], OTHERS)}"/>',
                text(README_LABEL + width + 6, y + BAR / 2 + 4, short(row["median"]))]
    return "\n".join(out + ["</svg>", ""])


def chart(work, sizes):
    """Returns the SVG of a workload: a panel per size."""
    axis = Axis([row for rows in sizes.values() for row in rows])
    height = HEAD + BAR * max(len(rows) for rows in sizes.values()) + GAP
    columns = min(COLUMNS, len(sizes))
    lines = -(-len(sizes) // columns)
    width = columns * WIDTH + 10
    out = [*begin(width, lines * height + TITLE + 10),
           text(8, 18, f"{work}: ns per operation, less is better", size=13),
           text(8, 32, "medians; logarithmic axis", size=10)]
    for i, (size, rows) in enumerate(sizes.items()):
        x, y = i % columns * WIDTH, i // columns * height + TITLE
        name = "kernel trace" if work == "trace" else size
        out += [f'<g transform="translate({x},{y})">',
                *panel(rows, axis, name), "</g>"]
    return "\n".join(out + ["</svg>", ""])


def load():
    """workload -> size -> rows"""
    table = {}
    text = section.read("user")
    for size, lines in re.findall(r"^(\d+ bytes): ns per operation\n\n(.*?)\n\n", text,
                                  re.M | re.S):
        head, *rows = [re.split(r" {2,}", line) for line in lines.splitlines()]
        for row in rows:
            table.setdefault(row[0], {})[size] = [
                {"peer": peer, "median": max(float(ns), 0.001)}
                for peer, ns in zip(head[1:], row[1:]) if ns != ".."]
    return table


def draw_all(folder):
    """The charts of all workloads; returns their files."""
    for work, sizes in load().items():
        file = folder / f"bench-{work}.svg"
        file.write_text(chart(work, sizes))
        yield file


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: chart.py FOLDER")
    work, size = README
    (pathlib.Path(sys.argv[1]) / "bench-readme.svg").write_text(readme(load()[work][size]))


if __name__ == "__main__":
    main()
