# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Makes the page of figures of what benchmarks have left in figures/; "make html" calls it."""

import re

import chart
import section
from report import table_text

PLACE = re.compile(r"^\.\. figures: (\w+)$", re.M)


def with_ratios(rows):
    """Adds a row of ratios to the column "kmem" below each row."""
    for row in rows:
        yield row
        base = row[2]
        if base != "-":
            yield [""] * 3 + [f"({float(cell) / float(base):.2f})" if cell != "-" else ""
                              for cell in row[3:]]


def table(lines):
    """Makes a simple table of lines whose columns are two spaces apart."""
    head, *rows = [re.split(r" {2,}", line) for line in lines]
    if head[2:3] == ["kmem"]:
        rows = list(with_ratios(rows))
    return table_text(head, [[r"\-" if cell == "-" else cell for cell in row] for row in rows])


def block(text):
    """Makes reStructuredText of a table, a program's output, a heading, or a paragraph."""
    lines = text.splitlines()
    if text.startswith("\t"):
        return f"::\n\n{text}\n\n"
    if len(lines) > 1:
        return table(lines)
    if text.endswith((".", ":")):
        return f"{text}\n\n"
    return f"{text}\n{'-' * len(text)}\n\n"


def figures(name):
    """Returns the figures of one benchmark; behind those of user space are the charts."""
    texts = section.read(name).removeprefix(section.HEAD).strip("\n").split("\n\n")
    out = "".join(map(block, texts))
    if name == "user":
        out += block("Charts")
        out += "".join(f".. image:: bench-{work}.svg\n\n" for work in chart.load())
    return out


def page(text):
    """Returns the page with all figures."""
    there = {file.stem for file in section.FIGURES.glob("*.txt")}
    if sorted(PLACE.findall(text)) != sorted(there):
        raise SystemExit(f"figures.py: the page has no places for {', '.join(sorted(there))}")
    return PLACE.sub(lambda match: figures(match[1]).strip("\n"), text)
