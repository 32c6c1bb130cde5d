#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that tests/promise has nothing but what users have, one file per part of the document.

        public.py               fails if a file there has a private name or header, or a case whose
                                promise is of another part
        public.py self          fails if it accepts one of some wrong lines

Private are names that headers in the folders of common/ have and its public headers have not.
Helpers of tests/lib/case.h, which has no private header either, do what no call of users does.
"""

import pathlib
import re
import sys

import promises

TOP = pathlib.Path(__file__).resolve().parents[2]
NAME = re.compile(r"\b(?:pool|plat|POOL|PLAT)_\w+")
HEADERS = {"case.h": {"pool.h", "kunit/test.h", "check.h", "stdio.h", "string.h",
                      "../promise/cases.list", "../inside/cases.list",
                      "../worlds/kernel/cases.list"}}


def names(paths):
    """Returns the names in these files, except names in comments and strings."""
    found = set()
    for path in paths:
        text = path.read_text(encoding="utf-8")
        found |= set(NAME.findall(re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', "", text, flags=re.S)))
    return found


def private():
    """All private names."""
    common = TOP / "common"
    return names(common.glob("*/*.h")) - names(common.glob("*.h"))


def wrong(path, text, hidden):
    """Returns what is wrong in a file with that text."""
    for header in re.findall(r'^#include [<"](.*)[>"]', text, re.M):
        if header not in HEADERS.get(path.name, {"case.h"}):
            yield f"{path.name}: {header} is not for users"
    bare = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', "", text, flags=re.S)
    yield from (f"{path.name}: {name} is private" for name in sorted(set(NAME.findall(bare)) & hidden))
    if path.name != "case.h":
        yield from (f"{path.name}: declares {said}" for said in re.findall(r"\bextern\b.*", bare))


def elsewhere(path, text, page):
    """Returns the cases of a file that no promise of its part names."""
    part = promises.parts(page)
    named = {entry for row in promises.rows(page) if part[row[0]] == path.stem
             for entry in row[4].split(", ")}
    for name in re.findall(r"^[A-Z]+_CASE\((\w+)", text, re.M):
        if name not in named:
            yield f"{path.name}: no promise of its part names {name}"


# Lines that are put behind a file, one at a time, and must be complained of.
WRONG = [
    "static struct pool_cpu *cpu;",
    '#include "seam/plat.h"',
    "static void f(void) { plat_pause(true); }",
    "extern unsigned int pool_hidden;",
    "TEST_CASE(a_bound_of_nothing_caches_nothing)",
]


def main():
    """Prints what is wrong."""
    hidden, page = private(), promises.PAGE.read_text(encoding="utf-8")
    paths = sorted((TOP / "tests/promise").glob("*.c"))
    if sys.argv[1:] == ["self"]:
        text = paths[0].read_text(encoding="utf-8")
        bad = [f"accepts {line}" for line in WRONG
               if not [*wrong(paths[0], f"{text}\n{line}\n", hidden),
                       *elsewhere(paths[0], f"{text}\n{line}\n", page)]]
    else:
        bad = [said for path in [*paths, TOP / "tests/lib/case.h"]
               for said in wrong(path, path.read_text(encoding="utf-8"), hidden)]
        bad += [said for path in paths
                for said in elsewhere(path, path.read_text(encoding="utf-8"), page)]
        bad += [f"there is no {part}.c" for part in promises.PARTS
                if part not in {path.stem for path in paths}]
    print("\n".join([*bad, f"{len(paths)} files, {len(hidden)} private names"]))
    return 1 if bad or not paths or not hidden else 0


if __name__ == "__main__":
    sys.exit(main())
