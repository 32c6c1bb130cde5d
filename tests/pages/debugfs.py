#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that the ABI page of debugfs has what the source of the files has.

    debugfs.py [TREE]               this one, or a copy to be tested

Each file has an entry with its mode; the entry of a file names each key, flag and column
that the file prints.  What stats prints of dump_numbers.c is numbers.py's.
"""

import pathlib
import re
import sys

TREE = pathlib.Path(sys.argv[1] if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[2])
PAGE = "Documentation/ABI/testing/debugfs-pool"

FILE = re.compile(r'debugfs_create_file\("(\w+)",\s*(0\d+)')
ENTRY = re.compile(r"^What:\s*/sys/kernel/debug/pool/(\S*)\n(.*?)(?=^What:|\Z)", re.M | re.S)
SHOW = re.compile(r"^static int (\w+)_show\(.*?^\}", re.M | re.S)
FLAG = re.compile(r'\{ MEM_F_\w+, "(\w+)" \}')
KEY = re.compile(r'(?:"|\\n)([A-Za-z]\w*):? %')
COLUMNS = re.compile(r'"# ([\w: ]+)\\n"')

# If all files print fewer words, then the patterns do not find them.
LEAST = 30


def printed(text):
    """(file, words): what the source prints under a name of its own."""
    for m in SHOW.finditer(text):
        yield m.group(1), set(KEY.findall(m.group(0)))
        for columns in COLUMNS.findall(m.group(0)):
            yield m.group(1), set(re.findall(r"\w+", columns))
    yield "registrations", set(FLAG.findall(text))


def main():
    entries = {name.split("/")[-1]: "" for name, _ in ENTRY.findall((TREE / PAGE).read_text())}
    for name, text in ENTRY.findall((TREE / PAGE).read_text()):
        entries[name.split("/")[-1]] += text
    bad, seen = [], 0
    for path in sorted((TREE / "kernel/debugfs").glob("*.c")):
        text = path.read_text()
        for name, mode in FILE.findall(text):
            if f", {mode})" not in entries.get(name, ""):
                bad.append(f"{name} has no entry, or not with its mode {mode}")
        for name, words in printed(text):
            seen += len(words)
            there = set(re.findall(r"\w+", entries.get(name, "")))
            bad += [f"the entry of {name} does not name {word}" for word in sorted(words - there)]
    print("\n".join(bad + [f"{seen} words of files"]))
    return 1 if bad or seen < LEAST else 0


sys.exit(main())
