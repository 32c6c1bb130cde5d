#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that calls and includes between folders go down.

The folders of common/ have one order, which is here, and so have those of each world; a
file may call functions of its own folder and of later ones, and include their headers.
The headers of common/seam, and those at the top of common/, user/ and kernel/, belong to no
folder: all include those.  A prototype is no call; what a header has inline is.  Between common/ and a world
is the seam, which seam.py checks.

        folders.py [TREE]               this one, or a copy to be tested
        folders.py map FILE             draws the folders and their calls: an SVG

Prints, for each folder, how many functions of which others it calls, and fails if one
of them comes earlier, or if a folder has no place.  order.py does the same for
the files of those that move objects.
"""

import pathlib
import re
import sys

from order import ATTRIBUTE, COMMENT, DEFINED

TOP = pathlib.Path(__file__).resolve().parents[2]

# From what users call down to what all folders use, each with a few words.
ORDER = {
    "common/show": "dumps, and which code allocates",
    "common/life": "pools are made, merged, changed, ended",
    "common/reclaim": "memory goes back: the bound, ageing, idle CPUs, gc",
    "common/api": "a hit, one object, many, a reserve",
    "common/limit": "who waits, last looks, other CPUs' caches",
    "common/core": "visits: arrays and clusters of a CPU",
    "common/shared": "shared pools, the backend, what is on its way",
    "common/debug": "what checked pools need",
    "common/options": "the table, its reader, its texts",
    "common/base": "which pools there are, names, layout, sums",
    "user": "the seam in programs; threads, forks, start",
    "user/extra": "tools, counts of malloc(), SIGQUIT",
    "user/slab": "where small objects are",
    "kernel": "the seam in pool.ko; load and unload",
    "kernel/debugfs": "what users read and write",
}
PLACES = list(ORDER)

INCLUDE = re.compile(r'^#include "([\w/]+)/\w+\.h"', re.M)
BODY = re.compile(r"^\{\n.*?^\}", re.M | re.S)


class File:
    """A source or a header: what it defines, calls and includes."""

    def __init__(self, path, tree):
        text = path.read_text(encoding="utf-8")
        self.name = str(path.relative_to(tree))
        self.folder = str(path.parent.relative_to(tree))
        self.group = self.folder.split("/", maxsplit=1)[0]
        self.includes = {f"{self.group}/{name}" for name in INCLUDE.findall(text)}
        text = ATTRIBUTE.sub("", COMMENT.sub("", text))
        self.defines = {name for name in DEFINED.findall(text) if name.startswith("pool_")}
        code = text if path.suffix == ".c" else "\n".join(BODY.findall(text))
        self.words = set(re.findall(r"\bpool_\w+\b", code))


def files_of(tree):
    """Returns all files of the folders, except the kernel's examples, which are users' programs."""
    for group in ("common", "user", "kernel"):
        for path in sorted([*(tree / group).glob("*.c"), *(tree / group).glob("*/*.[ch]")]):
            if path.parent.name not in ("example", "seam"):
                yield File(path, tree)


def arrows(files):
    """Returns {(from, to): what is called or included, and by which file}."""
    home = {(file.group, name): file.folder for file in files for name in file.defines}
    found = {}
    for file in files:
        for name in file.words:
            there = home.get((file.group, name), file.folder)
            if there != file.folder:
                found.setdefault((file.folder, there), set()).add((name + "()", file.name))
        for there in file.includes & set(ORDER) - {file.folder}:
            found.setdefault((file.folder, there), set()).add(("a header", file.name))
    return found


def wrong_of(files, found):
    """Returns the calls and includes that lead up in the order."""
    there = {file.folder for file in files}
    for folder in sorted(there ^ set(ORDER)):
        yield f"{folder} " + ("has no place in the order" if folder in there else
                              "is in the order, and there is no such folder")
    for (here, below), what in sorted(found.items()):
        if not {here, below} - set(ORDER) and PLACES.index(below) < PLACES.index(here):
            for name, by in sorted(what):
                yield f"{by} goes up: {name} of {below}"


def box(folder, stems, at):
    """Returns a folder's lines: its name, what it is, and its files, wrapped."""
    lines, line = [], ""
    for stem in stems:
        if len(line) + len(stem) > 66:
            lines.append(line)
            line = ""
        line += stem + "  "
    lines.append(line)
    height = 44 + 16 * len(lines)
    yield height
    yield f'<rect x="20" y="{at}" width="480" height="{height}" rx="6"/>'
    yield f'<text x="32" y="{at + 20}" class="name">{folder}/</text>'
    yield f'<text x="170" y="{at + 20}">{ORDER[folder]}</text>'
    for nth, text in enumerate(lines):
        yield f'<text x="32" y="{at + 40 + 16 * nth}" class="file">{text.strip()}</text>'


def draw(files, found):
    """Draws the folders from the top down, with calls as curves on their right."""
    out, where, at = [], {}, 20
    for folder in ORDER:
        at += 0 if "/" in folder else 30
        stems = sorted({pathlib.Path(file.name).stem for file in files
                        if file.folder == folder})
        height, *lines = box(folder, stems, at)
        out += lines
        where[folder] = at, height
        at += height + 24
    for (here, below), what in sorted(found.items()):
        far = PLACES.index(below) - PLACES.index(here)
        start = where[here][0] + 14 + 9 * far
        end = where[below][0] + where[below][1] - 14 - 9 * far
        bend = 520 + 46 * abs(far)
        count = len({name for name, _ in what})
        out.append(f'<path d="M500 {start} C{bend} {start} {bend} {end} 502 {end}"/>')
        out.append(f'<text x="{(500 + 3 * bend) / 4 + 3:.0f}" y="{(start + end) / 2 + 4:.0f}"'
                   f' class="count">{count}</text>')
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{at}">
<!-- SPDX-License-Identifier: GPL-2.0-only OR MIT -->
<defs><marker id="to" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">
<path d="M0 0L8 4L0 8z" style="fill:#555;stroke:none"/></marker></defs>
<style>
text {{ font: 13px sans-serif }} .name {{ font-weight: bold }}
.file {{ font: 12px monospace; fill: #444 }} .count {{ font-size: 11px; fill: #06c }}
rect {{ fill: #f6f6f2; stroke: #888 }}
path {{ fill: none; stroke: #555; marker-end: url(#to) }} marker path {{ marker-end: none }}
</style>
<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>
{chr(10).join(out)}
</svg>
"""


def main():
    """Prints or draws the order, and prints each call that leads up."""
    args = sys.argv[1:]
    picture = args[1] if args[:1] == ["map"] else None
    tree = pathlib.Path(args[0]) if args and not picture else TOP
    files = list(files_of(tree))
    found = arrows(files)
    wrong = list(wrong_of(files, found))
    for folder in ORDER:
        below = [f"{there} {len(what)}" for there in ORDER
                 for what in [{name for name, _ in found.get((folder, there), ())}] if what]
        print(f"{folder:14} -> {', '.join(below)}")
    for line in wrong:
        print(line)
    if picture:
        pathlib.Path(picture).write_text(draw(files, found), encoding="utf-8")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
