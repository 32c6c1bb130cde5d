#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Draws what haproxy.py and chat.py have measured.

    chart.py FOLDER          prints tables of FOLDER/real-haproxy.csv and real-chat.csv, and
                             writes a chart beside each
    chart.py FOLDER write    writes tables and charts into Documentation/

A bar is what pools take, in percent of what the program takes without them.
"""

import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "bench"))

import section  # noqa: E402
from chart import OURS, begin, text  # noqa: E402
from program import die  # noqa: E402
from report import table_text  # noqa: E402

MORE = "#b8732c"		# where pools take more
NAMES = "haproxy", "chat"
LABEL, PLOT, NUMBER, BAR, HEAD = 330, 300, 150, 20, 46
# Percent at the right end of the plot; a bar that is longer is cut off.
END = 150


def read(path):
    try:
        with open(path) as rows:
            return list(csv.DictReader(rows))
    except OSError as why:
        die(f"chart.py: {why}")


def amount(row, who):
    return f"{int(row[who]):,}".replace(",", " ") + f" {row['unit']}".rstrip()


def varies(row):
    return float(row["least"]) < float(row["most"])


def x(ratio):
    return LABEL + PLOT * min(100 * ratio, END) / END


def bar(row, name, y):
    ratio = float(row["ratio"])
    middle = y + BAR / 2
    yield text(LABEL - 6, middle + 4, row[name], "end")
    yield (f'<rect x="{LABEL}" y="{y + 3}" width="{x(ratio) - LABEL:.1f}" '
           f'height="{BAR - 6}" fill="{OURS if ratio <= 1 else MORE}"/>')
    if varies(row):
        yield (f'<line x1="{x(float(row["least"])):.1f}" y1="{middle}" '
               f'x2="{x(float(row["most"])):.1f}" y2="{middle}" stroke="#222"/>')
    yield text(LABEL + PLOT + 8, middle + 4,
               f"{amount(row, 'original')} → {amount(row, 'pools')}", size=10)


def chart(rows):
    """Draws the figures of which less is better."""
    name = next(iter(rows[0]))
    rows = [row for row in rows if not row[name].endswith("per second")]
    bottom = HEAD + BAR * len(rows)
    out = begin(LABEL + PLOT + NUMBER, bottom + 24)
    out.append(text(8, 20, f"{name}: with libpool, in percent of without; less is better",
                    size=13))
    for percent in range(0, END + 1, 50):
        at = x(percent / 100)
        out.append(f'<line x1="{at:.1f}" y1="{HEAD - 4}" x2="{at:.1f}" y2="{bottom + 4}" '
                   f'stroke="{"#888" if percent == 100 else "#e4e4e4"}"/>')
        out.append(text(at, bottom + 17, f"{percent} %", "middle", 9))
    for i, row in enumerate(rows):
        out += bar(row, name, HEAD + BAR * i)
    return "\n".join(out + ["</svg>", ""])


def table(rows):
    name = next(iter(rows[0]))
    lines = [(row[name], amount(row, "original"), amount(row, "pools"), row["ratio"],
              f"{row['least']}-{row['most']}" if varies(row) else "..")
             for row in rows]
    return table_text((name, "without", "libpool", "ratio", "of all pairs"), lines)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["write"]):
        die("usage: chart.py FOLDER [write]")
    folder = pathlib.Path(sys.argv[1])
    for name in NAMES:
        rows = read(folder / f"real-{name}.csv")
        if sys.argv[2:]:
            section.write(name, table(rows), section.PAGES / "real-programs.rst")
            (section.PAGES / f"real-{name}.svg").write_text(chart(rows))
        else:
            print(table(rows))
            (folder / f"real-{name}.svg").write_text(chart(rows))


if __name__ == "__main__":
    main()
