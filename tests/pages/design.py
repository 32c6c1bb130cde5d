#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that Documentation/design.rst has few concepts, and draws the order of the core.

        design.py concepts              the first table has the rows that it says, at most 14
        design.py drawing               the files are drawn in the order of order.py
"""

import pathlib
import re
import sys

import order

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Documentation/design.rst"

SAYS = re.compile(r"^A change to a free needs these (\w+)\..*:$", re.M)
WORDS = {"twelve": 12, "thirteen": 13, "fourteen": 14}


def lines_between(text, begin, end):
    """The lines behind the one that ends with @begin, up to one that starts with @end."""
    _, _, found = text.partition(begin + "\n")
    return found.partition("\n" + end)[0].splitlines()


def concepts(text):
    """Returns what is wrong with the table of concepts, whose rows begin in the first column."""
    said = SAYS.search(text)
    table = lines_between(text, said[0], "In a kernel") if said else []
    rows = [line for line in table if re.match(r"[^\s=]", line)]
    print(f"{len(rows)} concepts")
    if not said or len(rows) != WORDS.get(said[1]):
        yield f"the page says {said and said[1]}; it may say {', '.join(WORDS)}"


def drawing(text):
    """Returns what is wrong with the drawing, whose lines have a folder, a colon and its files."""
    drawn = [name for line in lines_between(text, "draws the folders::", "Free objects")
             for name in line.rpartition(":")[2].split() if ":" in line]
    print(" ".join(drawn))
    yield from (f"{name} is not drawn" for name in order.ORDER if name not in drawn)
    yield from (f"{name} is drawn, and not in the order" for name in drawn
                if name not in order.ORDER)
    if sorted(drawn) == sorted(order.ORDER) and drawn != order.ORDER:
        yield "the files are drawn in another order"


def main():
    """Prints what is wrong."""
    checks = {"concepts": concepts, "drawing": drawing}
    wrong = list(checks[sys.argv[1]](PAGE.read_text(encoding="utf-8")))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
