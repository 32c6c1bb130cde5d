#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Replaces one generated section of a page.

    section.py NAME < TEXT      of Documentation/performance-figures.rst

A section begins with the line ".. NAME begin: COMMANDS" and ends with ".. NAME end".
"""

import pathlib
import re
import sys

PAGES = pathlib.Path(__file__).resolve().parents[2] / "Documentation"
FIGURES = PAGES / "performance-figures.rst"


def parts(name, text):
    """What is before the section, in it, and behind it; None without the section."""
    found = re.findall(rf"\A(.*^\.\. {name} begin: [^\n]*\n)(.*?)(^\.\. {name} end$.*)\Z",
                       text, re.M | re.S)
    return found[0] if len(found) == 1 and text.count(f".. {name} begin:") == 1 else None


def read(name, page=FIGURES):
    """The section; the whole text of a page that is nothing else."""
    text = page.read_text() if page.exists() else ""
    found = parts(name, text)
    return found[1] if found else text


def write(name, text, page=FIGURES):
    found = parts(name, page.read_text())
    if not found:
        sys.exit(f"{page}: no section \"{name}\"")
    page.write_text(f"{found[0]}\n{text.strip(chr(10))}\n\n{found[2]}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: section.py NAME < TEXT")
    write(sys.argv[1], sys.stdin.read())
