#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that no script has a long text of another program in it: that is a file.

        heredocs.py [TREE]              this one, or a copy to be tested

A here-document has at most 60 lines.
"""

import os
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]

MOST = 60
BEGIN = re.compile(r"(?<!<)<<-?\s*[\"'\\]?([A-Za-z_]\w*)")
SCRIPT = re.compile(r"#!.*sh\b")

# If there are fewer, then the pattern does not find them.
LEAST = 30


def scripts(tree):
    """Yields the path and the lines of each shell script, sourced file and makefile."""
    for folder, below, names in os.walk(tree):
        below[:] = [name for name in below if name not in ("build", ".git")]
        for path in (pathlib.Path(folder) / name for name in sorted(names)):
            named = path.suffix in (".sh", ".mk", ".yml") or path.name == "Makefile"
            if path.is_file() and (named or not path.suffix):
                text = path.read_text(encoding="utf-8", errors="replace")
                if named or SCRIPT.match(text):
                    yield path, text.splitlines()


def heredocs(lines):
    """Yields (number of the first line, length) of each here-document that has an end."""
    at = 0
    while at < len(lines):
        begin = BEGIN.search(lines[at])
        ends = [n for n in range(at + 1, len(lines))
                if lines[n].lstrip("\t") == begin[1]][:1] if begin else []
        if ends:
            yield at + 1, ends[0] - at - 1
        at = ends[0] + 1 if ends else at + 1


def main():
    """Prints the here-documents that are too long, and the number of all."""
    tree = pathlib.Path(sys.argv[1]) if sys.argv[1:] else TOP
    found = [(path.relative_to(tree), at, length) for path, lines in scripts(tree)
             for at, length in heredocs(lines)]
    bad = [f"{path}:{at}: a here-document of {length} lines"
           for path, at, length in found if length > MOST]
    print("\n".join(bad + [f"{len(found)} here-documents"]))
    return 1 if bad or len(found) < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
