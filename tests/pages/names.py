#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that functions are where pages say: ``cache.c:fill()`` is in the file of that name."""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
NAMED = re.compile(r"``((?:\w+/)*\w+\.[ch]):(\w+)(?:\(\))?``")

# If all pages have fewer, then the pattern does not find them.
LEAST = 60


def source(name):
    for path in [*TOP.glob(f"common/*/{name}"), TOP / "common" / name, TOP / name]:
        if path.exists():
            return path.read_text()
    return ""


def main():
    bad, seen = [], 0
    for path in sorted((TOP / "Documentation").glob("*.rst")):
        for name, function in NAMED.findall(path.read_text()):
            seen += 1
            if not re.search(rf"\b{function}\b", source(name)):
                bad.append(f"{path.name}: there is no {function} in {name}")
    print("\n".join(bad + [f"{seen} functions named"]))
    return 1 if bad or seen < LEAST else 0


sys.exit(main())
