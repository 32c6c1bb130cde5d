#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Writes what containers take with each allocator into Documentation/cxx.rst.

    containers.py PROGRAM...    programs made of containers.cc
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import section  # noqa: E402

RUNS = 3


def measured(programs):
    """{allocator: {work: nanoseconds}}, the middle of some runs, which take turns."""
    took = {}
    for _ in range(RUNS):
        for program in programs:
            out = subprocess.run([program], stdout=subprocess.PIPE, check=True, text=True)
            for line in out.stdout.splitlines():
                work, name, nanoseconds = line.split("\t")
                took.setdefault(name, {}).setdefault(work, []).append(float(nanoseconds))
    return {name: {work: sorted(all_of)[RUNS // 2] for work, all_of in works.items()}
            for name, works in took.items()}


def table(took):
    works = list(next(iter(took.values())))
    wide = max(map(len, took)) + 4
    rule = "=" * wide + "".join("  " + "=" * max(5, len(work)) for work in works)
    yield rule
    yield f"{'allocator':{wide}}" + "".join(f"  {work:>5}" for work in works)
    yield rule
    for name, row in took.items():
        yield (f"{name if ',' in name else '``' + name + '``':{wide}}" +
               "".join(f"  {row[work]:{max(5, len(work))}.0f}" for work in works))
    yield rule


if len(sys.argv) < 2:
    sys.exit(__doc__)
TEXT = "\n".join(table(measured(sys.argv[1:])))
print(TEXT)
section.write("containers", TEXT, section.PAGES / "cxx.rst")
