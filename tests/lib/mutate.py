#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Reads mutants, changes to the source that a test must find, and applies them.

        mutate.py list FOLDER               prints the names of a folder's mutants
        mutate.py apply FOLDER NAME TREE    changes the sources below TREE
        mutate.py check FOLDER              fails if a mutant does not fit the sources

The files *.mutants of a folder have them:

        = pop common/shared/shared.c        name, and the file that is changed
        - old lines                          which are in that file once, however indented
        + new lines
        & common/pool_hot.h                 another file that the same mutant changes
        = 12 common/a.h for common/b.c      of a header, and the only file to be compiled with it

Several old and new lines may follow one another.
"""

import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]


class Wrong(Exception):
    """Why a mutant cannot be applied, or is not found."""


class Change:
    """What a mutant changes in one file."""

    def __init__(self, path, *sources):
        self.path = path
        self.sources = sources[1:] or [path]
        self.hunks = []

    def add(self, line):
        """Add an old or a new line."""
        old = line[0] == "-"
        if not self.hunks or (old and self.hunks[-1][1]):
            self.hunks.append(([], []))
        self.hunks[-1][0 if old else 1].append(" ".join(line[1:].split()))

    def changed(self, text):
        """Return the changed text of the file."""
        lines = text.split("\n")
        for old, new in self.hunks:
            bare = [" ".join(line.split()) for line in lines]
            at = [i for i in range(len(bare)) if bare[i:i + len(old)] == old]
            if not old or len(at) != 1:
                raise Wrong(f"{self.path} has {len(at)} times: {old}")
            lines[at[0]:at[0] + len(old)] = new
        return "\n".join(lines)

    def apply(self, tree):
        """Change the file below @tree, which must be a copy and not a link."""
        path = tree / self.path
        if tree not in path.resolve().parents:
            raise Wrong(f"{self.path} is not copied, so it cannot be changed")
        path.write_text(self.changed(path.read_text(encoding="utf-8")), encoding="utf-8")


def mutants(folder):
    """All mutants of a folder, in lists by their name; each is a list of changes."""
    found = {}
    for path in sorted(folder.glob("*.mutants")):
        for line in path.read_text(encoding="utf-8").splitlines():
            mark, words = line[:1], line.split()[1:]
            if mark == "=":
                mutant = []
                found.setdefault(words.pop(0), []).append(mutant)
            if mark in ("=", "&"):
                mutant.append(Change(*words))
            if mark in ("-", "+"):
                mutant[-1].add(line)
    return found


def check(found):
    """Raise if a mutant does not fit the sources as they are, or if a name has two."""
    for name, some in found.items():
        try:
            if len(some) != 1:
                raise Wrong(f"there are {len(some)}")
            for change in some[0]:
                change.changed((TOP / change.path).read_text(encoding="utf-8"))
        except (OSError, Wrong) as why:
            raise Wrong(f"mutant {name}: {why}") from None


def main():
    """Do what the arguments say."""
    if len(sys.argv) != {"list": 3, "check": 3, "apply": 5}.get("".join(sys.argv[1:2])):
        sys.exit("usage: mutate.py list FOLDER | check FOLDER | apply FOLDER NAME TREE")
    what, folder, *rest = sys.argv[1:]
    found = mutants(pathlib.Path(folder))
    try:
        if not found:
            raise Wrong(f"{folder} has no mutants")
        if what == "list":
            print("\n".join(sorted(found)))
        elif what == "check":
            check(found)
        elif rest[0] not in found:
            raise Wrong(f"{folder} has no mutant {rest[0]}")
        else:
            for change in found[rest[0]][0]:
                change.apply(pathlib.Path(rest[1]).resolve())
    except Wrong as why:
        sys.exit(str(why))


if __name__ == "__main__":
    main()
