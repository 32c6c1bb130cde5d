#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Says which files have the cases of a source, and sees that each source has some.

        cases.py                        fails if a source has none, or a list lacks a case

A source and its cases have like names: common/shared/shared.c, tests/inside/shared.c.  The
head of a file of cases may name more sources: "Layer: tests of user/fork.c and thread.c".
All others are in OTHERS.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]

# Sources without a file of cases that has their name, or names them in its head: the files of
# tests/ with cases that fail if they are wrong.
OTHERS = {
    "common/base/layout.c": "inside/check.c",
    "common/api/border.c": "inside/fill.c",
    "common/reclaim/pack.c": "worlds/user/arena.c worlds/user/node_memory.c",
    "common/shared/spare.c": "inside/spare.c inside/shrink.c",
    "common/shared/unpark.c": "inside/parked.c",
    "common/debug/object_table.c": "inside/check.c inside/switch.c",
    "common/debug/pattern.c": "inside/check.c",
    "common/debug/report.c": "inside/check.c",
    "kernel/debugfs/debug.c": "vm/guest/stock/options.sh",
    "kernel/debugfs/debugfs.c": "vm/guest/stock/load.sh vm/guest/stock/readers.sh",
    "kernel/debugfs/memstats.c": "vm/guest/stock/memstats.sh",
    "kernel/debugfs/number.c": "vm/guest/stock/options.sh",
    "kernel/debugfs/pools.c": "vm/guest/stock/dumps.sh",
    "kernel/debugfs/text.c": "vm/guest/fuzz.c vm/guest/stock/dumps.sh",
    "kernel/exports.c": "vm/guest/stock/modules.sh",
    "kernel/hotplug.c": "worlds/kernel/kernel.c",
    "kernel/main.c": "vm/guest/stock/parameters.sh",
    "kernel/trace.c": "vm/guest/stock/trace.sh",
    "user/declare.c": "worlds/user/user.c install/declare.sh",
    "user/extra/memstats.c": "install/memstats.sh",
    "user/extra/so/unwinder.c": "install/life.sh",
    "user/functions.c": "inside/registry.c",
    "user/main.c": "install/header.sh",
    "user/slab/map.c": "worlds/user/space.c",
    "user/slab/first.c": "worlds/user/slab.c",
}

# The folders of cases with like names, by the first folder of the source.
LIKE = {"common": ["inside"], "user": ["worlds/user", "inside"],
        "kernel": ["worlds/kernel", "inside"]}

HEAD = re.compile(r"Layer:\s+(tests? .*?)\.\n \*", re.S)


def sources():
    """All sources but those of examples, as paths in the tree."""
    found = [path for group in LIKE for path in (TOP / group).rglob("*.c")]
    return sorted(str(path.relative_to(TOP)) for path in found if "example" not in str(path))


def resolve(name, behind, known):
    """Returns the source that @name means; in the folder of @behind, which the head names before."""
    if "/" in name:
        return next((path for path in known if path.endswith(name)), None)
    like = [path for path in known if path.endswith("/" + name)]
    like.sort(key=lambda path: (path.rpartition("/")[0] != behind.rpartition("/")[0],
                                path.split("/")[0] != behind.split("/")[0]))
    return like[0] if like else None


def heads(known):
    """Yields (file of cases, source) for each source that a head names; None if it does not exist."""
    for path in sorted(TOP.glob("tests/[iw][no]*/**/*.c")) + sorted(TOP.glob("tests/proof/s*/*.c")):
        head = HEAD.search(path.read_text(encoding="utf-8"))
        behind = ""
        for name in re.findall(r"[\w/]*\w\.c\b", head[1]) if head else []:
            source = resolve(name, behind, known)
            if source or not (TOP / "tests" / name).exists() + (path.parent / name).exists():
                behind = source or f"no {name}"
                yield str(path.relative_to(TOP / "tests")), behind


def files_of(source):
    """The files of tests/ with the cases of @source; a header has those of its .c file."""
    source = re.sub(r"\.h$", ".c", source)
    known = sources()
    name = pathlib.Path(source).name
    found = [f"{folder}/{name}" for folder in LIKE.get(source.split("/", 1)[0], [])
             if (TOP / "tests" / folder / name).exists()]
    found += [test for test, named in heads(known) if named == source]
    found += OTHERS.get(source, "").split()
    return list(dict.fromkeys(found))


def unlisted():
    """Cases that nobody runs, as the lists of their folder do not have them."""
    for folder in sorted(path.parent for path in TOP.glob("tests/**/cases.list")):
        ran = {name for path in folder.glob("*.list")
               for name in re.findall(r"^CASE\((\w+)\)", path.read_text(), re.M)}
        for path in sorted(folder.glob("*.c")):
            for name in re.findall(r"^[A-Z]+_CASE\((\w+)", path.read_text(), re.M):
                if name not in ran:
                    yield f"{path.relative_to(TOP)}: no list has {name}"


def main():
    """Print the sources without cases, and names of what is not there."""
    known = sources()
    named = list(heads(known))
    wrong = [f"{source} has no file of cases" for source in known if not files_of(source)]
    wrong += [f"{test}: there is {source}" for test, source in named if source not in known]
    wrong += [f"there is no {source}" for source in OTHERS if source not in known]
    wrong += [f"there is no tests/{test}" for tests in OTHERS.values()
              for test in tests.split() if not (TOP / "tests" / test).exists()]
    wrong += [f"{source} needs no row" for source, tests in OTHERS.items()
              if set(files_of(source)) - set(tests.split())]
    wrong += unlisted()
    print("\n".join(wrong + [f"{len(known)} sources, {len(named)} named in heads"]))
    return 1 if wrong or not named else 0


if __name__ == "__main__":
    sys.exit(main())
