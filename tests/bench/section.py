#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Replaces the figures of one benchmark.

    section.py NAME < TEXT      of figures/NAME.txt, which "make html" makes a page of

Figures are text without marks: a heading is a line of its own, columns of a table are at
least two spaces apart, and a tab indents what a program has printed.  Other pages have
generated sections: from the line ".. NAME begin: COMMANDS" to ".. NAME end".
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGES = HERE.parents[1] / "Documentation"
FIGURES = HERE / "figures"
HEAD = "# SPDX-License-Identifier: GPL-2.0-only OR MIT\n"


def parts(name, text):
    """What is before the section, in it, and behind it; None without the section."""
    found = re.findall(rf"\A(.*^\.\. {name} begin: [^\n]*\n)(.*?)(^\.\. {name} end$.*)\Z",
                       text, re.M | re.S)
    return found[0] if len(found) == 1 and text.count(f".. {name} begin:") == 1 else None


def read(name, folder=FIGURES):
    """The figures of one benchmark; @folder may be a file that has nothing else."""
    file = folder / f"{name}.txt" if folder.is_dir() else folder
    return file.read_text() if file.exists() else ""


def write(name, text, page=None):
    """The figures of one benchmark, or the section of a page."""
    if page is None:
        file = FIGURES / f"{name}.txt"
        if not file.exists():
            sys.exit(f"there is no {file}")
        file.write_text(f"{HEAD}\n{text.strip(chr(10))}\n")
        return
    found = parts(name, page.read_text())
    if not found:
        sys.exit(f"{page}: no section \"{name}\"")
    page.write_text(f"{found[0]}\n{text.strip(chr(10))}\n\n{found[2]}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: section.py NAME < TEXT")
    write(sys.argv[1], sys.stdin.read())
