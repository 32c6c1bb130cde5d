#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that calls go down in the folders of common/ that move objects.

Their files have one order, which is here; a function of one may call those of
its own and of later ones.  Prints, for each file, the files that it calls, and fails if
one of them comes earlier, or if a file has no place.

        order.py [FOLDER]               those of common/, or a copy of their files
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]

FOLDERS = ["reclaim", "api", "limit", "core", "shared"]

# The files, from those that release memory, and the API, down to those next to the platform.
ORDER = ["bound", "pass", "idle", "shrink", "reclaim", "pack",
         "hit", "reserve", "bulk", "alloc", "border",
         "queue", "last", "remote", "slots",
         "ahead", "quick", "fill", "spill", "carry", "here", "age", "hot", "cluster",
         "unpark", "below", "parked", "need", "shared", "backend", "reach", "spare", "moving", "walk"]

COMMENT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.S)
ATTRIBUTE = re.compile(r"__attribute__\(\(\w+\)\)\n")
DEFINED = re.compile(r"^(?:[a-z][\w *]*?[ *])?(\w+)\([^;{}]*\)\n\{", re.M)


def read(folders):
    """Returns {file: text of its .c and .h together, without comments and attributes}."""
    texts = {}
    for path in sorted(path for folder in folders for path in folder.glob("*.[ch]")):
        text = ATTRIBUTE.sub("", COMMENT.sub("", path.read_text(encoding="utf-8")))
        texts[path.stem] = texts.get(path.stem, "") + text
    return texts


def defined(texts):
    """Returns {function: its file}."""
    return {name: stem for stem, text in texts.items()
            for name in DEFINED.findall(text) if name.startswith("pool_")}


def calls_of(texts):
    """Returns the files that each file calls, and the functions that make the calls."""
    home = defined(texts)
    calls = {stem: {} for stem in texts}
    for stem, text in texts.items():
        for name in set(re.findall(r"\b(pool_\w+)\b", text)):
            there = home.get(name, stem)
            if there != stem:
                calls[stem].setdefault(there, []).append(name)
    return calls


def main():
    """Prints the order, and each call that leads up."""
    folders = [TOP / "common" / name for name in FOLDERS]
    calls = calls_of(read([pathlib.Path(sys.argv[1])] if sys.argv[1:] else folders))
    wrong = [f"{stem} has no place in the order" for stem in calls if stem not in ORDER]
    wrong += [f"{stem} is in the order, and there is no such file"
              for stem in ORDER if stem not in calls]
    for stem in ORDER:
        lower = sorted(calls.get(stem, {}), key=ORDER.index)
        print(f"{stem:8} -> {' '.join(lower)}")
        wrong += [f"{stem} calls up: {', '.join(sorted(calls[stem][there]))} of {there}"
                  for there in lower if ORDER.index(there) < ORDER.index(stem)]
    for line in wrong:
        print(line)
    return 1 if wrong or not calls else 0


if __name__ == "__main__":
    sys.exit(main())
