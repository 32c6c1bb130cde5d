#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that what pages refer to is there.

Checks the links of the .md pages with their headings, the sections that a .rst page
names as :doc:`page`, "Section", and the files of the tree that it names as ``path``.
Files are not looked for in the change log, which is of the past.  Sphinx, by "make html",
checks the rest.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGES = TOP / "Documentation"

LINK = re.compile(r"\]\(([^)#]*)(?:#([^)]*))?\)")
SECTION = re.compile(r':doc:`(?:[^`<]*<)?([\w/-]+)>?`,\s+"([^"]+)"')
TITLE = re.compile(r"^(\S.*)\n([=~\-^])\2{2,}$", re.M)
NAMED = re.compile(r"`(?:\./)?([\w.-]+/[\w./*-]+)(?::\w+(?:\(\))?)?`")

# If there are fewer, then the patterns do not find them.
LEAST = {"links": 10, "sections": 20, "files": 80}


def slug(title):
    """Returns the anchor that sites for sources make of a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def titles(path):
    if path.suffix == ".md":
        return re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return [m.group(1) for m in TITLE.finditer(path.read_text())]


def links(page):
    """Returns the links of an .md page."""
    for target, anchor in LINK.findall(page.read_text()):
        if "://" in target:
            continue
        path = page.parent / target if target else page
        if not path.exists():
            yield f"there is no {target}"
        elif anchor and anchor not in map(slug, titles(path)):
            yield f"there is no heading {anchor} in {target}"
        else:
            yield None


def sections(page):
    """Returns the sections that an .rst page names."""
    for name, section in SECTION.findall(page.read_text()):
        path = PAGES / f"{name}.rst"
        wanted = " ".join(section.split())
        if path.exists() and wanted not in titles(path):
            yield f'{name} has no section "{wanted}"'
        else:
            yield None


def files(page):
    """Returns the files of the tree that a page names, except files that are built."""
    if page.name == "CHANGELOG.md":
        return
    folders = {path.name for path in TOP.iterdir() if path.is_dir()} - {"build"}
    for name in NAMED.findall(page.read_text()):
        name = name.rstrip("./")
        if name.split("/")[0] in folders and not list(TOP.glob(name)):
            yield f"there is no {name}"
        else:
            yield None


def main():
    md, rst = sorted([*TOP.glob("*.md"), *TOP.glob("tests/*.md")]), sorted(PAGES.glob("*.rst"))
    bad = []
    for kind, check, pages in (("links", links, md), ("sections", sections, rst),
                               ("files", files, md + rst)):
        found = [(page, said) for page in pages for said in check(page)]
        bad += [f"{page.name}: {said}" for page, said in found if said]
        if len(found) < LEAST[kind]:
            bad.append(f"only {len(found)} {kind}")
        print(f"{len(found)} {kind}")
    print("\n".join(bad))
    return 1 if bad else 0


sys.exit(main())
