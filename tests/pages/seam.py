#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that the seam is small, and in its three places what plat.h says.

    seam.py [list]

Operations are what plat.h and plat_report.h have prototypes of, in a comment or not:
at most MOST, each of them used in common/, and no other name of the seam is called
there.  Each world has them all, each file of a world in the order of these pages.
"list" prints them.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
MOST = 52
PAGES = ("plat.h", "plat_report.h")

# No scenario reaches these operations, so the enumerator's world need not have them.
WORLDS = {"user": set(), "kernel": set(), "tests/proof/schedule": {"plat_places", "plat_memory"}}

PROTOTYPE = re.compile(r"\b(?:void|bool|any|size_t|unsigned int|unsigned long"
                       r"|enum \w+|struct \w+) \*?(plat_\w+)\(")
BEGINS = re.compile(r"^(#define |[a-z][\w ]* \*?)(plat_\w+)\(", re.M)
CALLED = re.compile(r"\b(plat_\w+)\(")


def read(path):
    return (TOP / path).read_text()


def operations():
    names = []
    for page in PAGES:
        for name in PROTOTYPE.findall(read(f"common/seam/{page}")):
            if name not in names:
                names.append(name)
    return names


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def called():
    """Returns the names of the seam that common/ calls."""
    names = set()
    for path in (TOP / "common").rglob("*.[ch]"):
        if path.name not in PAGES:
            names.update(CALLED.findall(without_comments(path.read_text())))
    return names


def has(path):
    """Returns the names that a file defines; a header may declare functions of a .c file."""
    text = without_comments(path.read_text())
    names = []
    for m in BEGINS.finditer(text):
        ends = re.search(r"[;{]", text[m.end():])
        if path.name == "plat_impl.h" or ends and ends.group() == "{":
            names.append(m.group(2))
    return names


def world(folder, missing, ops):
    there = set()
    for path in sorted((TOP / folder).rglob("*.[ch]")):
        mine = [name for name in has(path) if name in ops]
        there.update(mine)
        if mine != sorted(mine, key=ops.index):
            yield f"{folder}/{path.name}: not in the order of the pages: " + \
                " ".join(mine)
    for name in ops:
        if (name in there) == (name in missing):
            yield f"{folder}: {name} is {'' if name in there else 'not '}there"


def main():
    ops = operations()
    used = called()
    bad = [f"{name} has no user in common/" for name in ops if name not in used]
    bad += [f"{name} is called in common/, and no part of the seam"
            for name in sorted(used - set(ops))]
    for folder, missing in WORLDS.items():
        bad += world(folder, missing, ops)
    if len(ops) > MOST:
        bad.append(f"more than {MOST} operations")
    if sys.argv[1:] == ["list"]:
        print("\n".join(ops))
    print("\n".join(bad + [f"{len(ops)} operations"]))
    return 1 if bad else 0


sys.exit(main())
