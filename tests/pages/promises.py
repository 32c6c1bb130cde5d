#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that document-here.rst has each promise once, each with a mutant.

A row is "NUMBER | promise | user | kernel | where tested | edition".  The columns user
and kernel are "yes", "n/a", "gone" for what the last edition does not promise any more,
or the "D" and number of a deviation, which names the promises it covers.  Words of
"where tested" that look like a case's name must be in a list of cases or in a script of
tests/, and paths must be there.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = TOP / "Documentation/document-here.rst"
EXTRA = ["6b", "13b", "28b", "45b", "104b"]
NUMBERS = [str(n) for n in range(1, 137)] + EXTRA


def cases():
    names = set()
    for path in (TOP / "tests").rglob("*.list"):
        names |= set(re.findall(r"^CASE\((\w+)\)", path.read_text(), re.M))
    for path in (TOP / "tests").rglob("*.sh"):
        names |= set(re.findall(r"[a-z0-9]+(?:_[a-z0-9]+){2,}", path.read_text()))
    return names


def rows():
    found = []
    for line in PAGE.read_text().splitlines():
        m = re.match(r" +(\d+b?) \| (.*)$", line)
        if m:
            found.append([m.group(1)] + [c.strip()
                                         for c in m.group(2).split(" | ")])
    return found


def deviations():
    """The number of each deviation and the promises it names."""
    text = PAGE.read_text()
    return {m.group(1): re.findall(r"\d+b?", m.group(2))
            for m in re.finditer(r"^(D\d+), promises? ([^:]*):", text, re.M)}


def check_mutants(numbers):
    """Each promise has a mutant in tests/promise, or without.list says why it has none."""
    have = {m for path in (TOP / "tests/promise").glob("*.mutants")
            for m in re.findall(r"^= (\w+) ", path.read_text(), re.M)}
    none = set(re.findall(r"^(\d+b?) \w", (TOP / "tests/promise/without.list").read_text(), re.M))
    for number in numbers:
        if number not in have | none:
            yield f"{number}: has no mutant, and without.list has no reason"
    for number in sorted(have & none):
        yield f"{number}: has a mutant, and without.list says why it has none"
    for number in sorted((have | none) - set(numbers)):
        yield f"{number}: has a mutant or a reason, and is no promise"


def check_row(row, names, told):
    if len(row) != 6:
        yield f"{row[0]}: {len(row)} columns"
        return
    number, promise, user, kernel, where, edition = row
    if not promise or not where:
        yield f"{number}: no promise, or not tested"
    for world in user, kernel:
        if world in ("yes", "n/a"):
            continue
        if world == "gone" and edition in ("first", "oldest"):
            continue
        if number not in told.get(world, []):
            yield f"{number}: {world} is no deviation that names it"
    for word in re.findall(r"\w+", where):
        if word.count("_") >= 2 and word not in names:
            yield f"{number}: there is no case {word}"
    for path in re.findall(r"tests/[\w./-]+", where):
        if not (TOP / path).exists():
            yield f"{number}: there is no {path}"
    if not re.search(r"\w+_\w+_\w+|tests/", where):
        yield f"{number}: no case and no script"


def main():
    names, told, found = cases(), deviations(), rows()
    bad = [line for row in found for line in check_row(row, names, told)]
    have = [row[0] for row in found]
    bad += [f"no row for {n}" for n in NUMBERS if n not in have]
    bad += [f"{n} is there {have.count(n)} times, or is no promise"
            for n in sorted(set(have))
            if have.count(n) > 1 or n not in NUMBERS]
    for d, numbers in told.items():
        bad += [f"{d} covers {n}, whose row does not say so" for n in numbers
                if not any(row[0] == n and d in row[2:4] for row in found)]
    covered = sum(len(n) for n in told.values())
    bad += check_mutants(NUMBERS)
    for line in bad:
        print("document-here.rst: " + line)
    print(f"{len(found)} promises, {len(told)} deviations of {covered} of them")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
