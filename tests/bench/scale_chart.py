# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Draws throughput by buckets, a curve per number of CPUs; used by scale.py."""

import math

from chart import LAYOUT, OTHERS, OURS, text

COLOURS = OTHERS, LAYOUT, OURS
WIDTH, HEIGHT = 320, 260
LEFT, TOP, RIGHT, BOTTOM = 54, 46, 66, 40


class Plot:
    """Both axes are logarithmic."""

    def __init__(self, buckets, most):
        self.buckets = buckets
        self.high = math.ceil(math.log10(most))
        self.low = self.high - 4

    def x(self, buckets):
        return LEFT + WIDTH * math.log2(buckets) / math.log2(self.buckets[-1])

    def y(self, rate):
        part = (math.log10(rate) - self.low) / (self.high - self.low)
        return TOP + HEIGHT * (1 - max(0, part))

    def grid(self):
        for power in range(self.low, self.high + 1):
            y = self.y(10.0 ** power)
            yield (f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}" '
                   'stroke="#e4e4e4"/>')
            yield text(LEFT - 5, y + 4, f"{10.0 ** (power - 6):g}", "end", 9)
        for b in self.buckets:
            yield text(self.x(b), TOP + HEIGHT + 14, b, "middle", 9)
        yield text(LEFT + WIDTH / 2, TOP + HEIGHT + 30, "buckets", "middle")

    def curve(self, rates, colour):
        points = [(self.x(b), self.y(r)) for b, r in zip(self.buckets, rates)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield (f'<polyline points="{path}" fill="none" stroke="{colour}" '
               'stroke-width="2"/>')
        for x, y in points:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'

    def names(self, table):
        """Behind the last points, from above, moved down where they would overlap."""
        least = 0
        for cpus, rates in sorted(table.items(), key=lambda row: -row[1][-1]):
            least = max(least + 12, self.y(rates[-1]) + 4)
            yield text(LEFT + WIDTH + 7, least, f"{cpus} CPUs")


def draw(buckets, tables):
    """@tables: lines -> CPUs -> operations per second, one per number of buckets."""
    plot = Plot(buckets, max(r for t in tables.values()
                             for rates in t.values() for r in rates))
    panel = LEFT + WIDTH + RIGHT
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{panel * len(tables)}" '
           f'height="{TOP + HEIGHT + BOTTOM}" font-family="sans-serif">',
           '<rect width="100%" height="100%" fill="white"/>',
           text(8, 18, "predicted millions of operations per second, more is better",
                size=13)]
    for i, (name, table) in enumerate(tables.items()):
        out += [f'<g transform="translate({i * panel},0)">', *plot.grid(),
                text(LEFT, TOP - 10, f"lines take {name} as long", weight="bold")]
        for colour, rates in zip(COLOURS, table.values()):
            out += plot.curve(rates, colour)
        out += plot.names(table)
        out.append("</g>")
    return "\n".join(out + ["</svg>", ""])
