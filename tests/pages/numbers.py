#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that each number of a pool is in the table of all formats, and where people read of it.

    numbers.py [TREE]               this one, or a copy to be tested

The members of struct pool_stats have a line each in dump_numbers.c.  The ABI page of debugfs names
what these lines name, in their order.
"""

import pathlib
import re
import sys

TREE = pathlib.Path(sys.argv[1] if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[2])
ROW = re.compile(r'\b(?:(?:NUMBER|METRIC|FIRST|NEXT)\("(\w+)", ([\w\[\]]+)|'
                 r'FAULT\("(\w+)", (\w+)\)|STATE\((\w+),)')
# The struct's own size, the text beside the numbers, and calls with a pool that is gone.
NOT_SHOWN = {"size", "name", "faults", "faults[POOL_FAULT_DESTROYED]"}


def read(path):
    return (TREE / path).read_text()


def rows():
    """Returns {name: member} of the table."""
    text = read("common/show/dump_numbers.c")
    found = {}
    for name, member, fault, kind, part in ROW.findall(text[text.index("pool_dump_columns["):]):
        found[name or fault or part] = member or part or f"faults[POOL_FAULT_{kind}]"
    return found


def members():
    """Returns the members of struct pool_stats, with one for each kind of fault."""
    text = read("common/pool_stats.h")
    body = re.search(r"^struct pool_stats \{(.*?)^\};", text, re.M | re.S).group(1)
    kinds = re.findall(r"^\t(POOL_FAULT_\w+),\t", text, re.M)
    names = re.findall(r"(\w+)(?:\[\w+\])?;", body)
    return names, [f"faults[{kind}]" for kind in kinds]


def main():
    table, (names, faults) = rows(), members()
    abi = read("Documentation/ABI/testing/debugfs-pool")
    wanted = [n for n in names + faults if n not in NOT_SHOWN]
    bad = [f"the table has no {n}" for n in wanted if n not in table.values()]
    bad += [f"debugfs-pool has no {n}" for n in table if not re.search(rf"\b{n}\b", abi)]
    first, *others = table
    if " ".join([first, "name", *others]) not in " ".join(abi.split()):
        bad.append("debugfs-pool has the columns in another order")
    print("\n".join(bad + [f"{len(table)} numbers"]))
    return 1 if bad or len(table) < len(wanted) else 0


sys.exit(main())
