#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Compares constants that pages name with their definitions in the source.

A page names one as ``NAME`` (VALUE), or where the worlds differ as ``NAME`` (VALUE;
kernel VALUE).  Fails where the source says something else, or has no such name.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
NAMED = re.compile(r"``([A-Z][A-Z0-9_]+)``\s+\((\d+)(?:;\s+kernel\s+(\d+))?\)")
DEFINED = re.compile(r"^#define ([A-Z][A-Z0-9_]+)\s+(\d+)u?l?\b(?! *[-+*/<])", re.M)

# If all pages have fewer, then the pattern does not find them.
LEAST = 15


def defined(*folders):
    found = {}
    for folder in folders:
        for path in (TOP / folder).rglob("*.[ch]"):
            for name, value in DEFINED.findall(path.read_text()):
                found.setdefault(name, set()).add(value)
    return found


def main():
    user = defined("common", "user")
    kernel = defined("common", "kernel")
    bad, seen = [], 0
    for path in sorted((TOP / "Documentation").glob("*.rst")):
        for name, value, other in NAMED.findall(path.read_text()):
            seen += 1
            want = {value}, {other} if other else {value}
            got = user.get(name, set()), kernel.get(name, set())
            if got[0] != want[0] or (got[1] != want[1] and (other or got[1])):
                bad.append(f"{path.name}: {name} is {value} {other}; the source:"
                           f" user {sorted(got[0])}, kernel {sorted(got[1])}")
    print("\n".join(bad + [f"{seen} constants named"]))
    return 1 if bad or seen < LEAST else 0


sys.exit(main())
