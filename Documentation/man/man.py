#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Writes the manual pages: "make man".

    man.py FOLDER

Section 3 is of the comments of the public headers, section 5 of the description of the
files of debugfs, libpool-options(7) of options.rst, and libpool(7) of libpool.7 with a
list of all functions.
"""

import pathlib
import re
import sys

import header
import text
from groups import GROUPS, HEADERS, VARIABLES, check

TOP = pathlib.Path(__file__).resolve().parents[2]


def read(path):
    return (TOP / path).read_text()


def begin(title, section, names, about):
    """The date is that of the page of poolreplay, so that no build depends on the day."""
    date = re.search(r"^\.Dd .*", read("Documentation/man/poolreplay.1"), re.M).group()
    out = ['.\\" SPDX-License-Identifier: GPL-2.0-only OR MIT',
           date, f".Dt {title.upper()} {section}", ".Os", ".Sh NAME"]
    out += [f".Nm {name} ," for name in names[:-1]] + [f".Nm {names[-1]}"]
    return out + [f".Nd {about}"]


def see_also(out, own, *others):
    """What a text refers to: the pages of the functions that it names, and others."""
    named = set(re.findall(r"\\fB(\w+)\\fR\(\)", "\n".join(out)))
    pages = {(3, group.names[0]) for group in GROUPS if named & set(group.names)}
    pages |= {(3 if "_" in name else 7 if "lib" in name else 5, name)
              for name in ("libpool", *others)}
    pages = sorted(pages - {(3, own), (5, own), (7, own)},
                   key=lambda page: (page[0], page[1].lower()))
    refs = [f".Xr {name} {section} ," for section, name in pages]
    return out + [".Sh SEE ALSO", *refs[:-1], refs[-1].removesuffix(" ,")]


def synopsis(headers, group):
    out = [".Sh SYNOPSIS", ".In libpool/pool.h"]
    kernel = [name for name in group.names if headers.only_kernel(name)]
    # A program is shown nothing that its header does not have.
    for name in [name for name in group.names if name not in kernel] + kernel:
        if kernel and name == kernel[0]:
            out += [".Pp", "Only in the kernel:", '.Fd "#include \\(dqpool.h\\(dq"']
        if name in VARIABLES:
            out.append(f".Vt {VARIABLES[name]} ;")
            continue
        function = headers.function(name)
        out += [f'.Ft "{function.kind}"'] if function.kind else []
        out += [f".Fo {name}"] + [f'.Fa "{param}"' for param in function.params] + [".Fc"]
    return out


def sentence(words):
    """With a capital, unless a name comes first."""
    plain = re.match(r"[a-z]+(?![\w(])", words)
    return words[:1].upper() + words[1:] if plain else words


def described(doc):
    """A function or a struct: the summary is the first sentence."""
    out = text.lines_of(text.marked(sentence(doc.summary.rstrip(".") + ".")))
    if doc.params:
        out += [".Bl -tag -width Ds"]
        for name, rows in doc.params.items():
            out += [f".It Fa {name}"] + text.lines_of(text.marked(sentence("\n".join(rows))))
        out += [".El"]
    out += text.comment(doc.text) if doc.text.strip() else []
    for name, rows in doc.sections.items():
        out += [".Pp"] + text.lines_of(f"{name}: " + text.marked("\n".join(rows)))
    return out


def page_of(headers, group):
    own = group.names[0]
    out = begin(own, 3, group.names, group.title) + synopsis(headers, group)
    out += [".Sh DESCRIPTION"]
    for name, begins in group.comments:
        out += text.comment(headers.comment(name, begins))
    for name in group.names:
        if name not in headers.docs:
            continue
        out += [f".Ss {name}" + ("" if name in VARIABLES else "()")]
        out += ["Only in the kernel."] if headers.only_kernel(name) else []
        out += described(headers.docs[name])
    for name in group.structs:
        out += [f".Ss struct {name}"]
        out += ["Only in the kernel."] if headers.only_kernel(name) else []
        out += described(headers.docs[name])
    return see_also(out, own)


def section_of(page, title):
    """A section of a page of RST, without its title."""
    found = re.search(rf"^{re.escape(title)}\n([=-])\1+\n(.*?)(?=^\S[^\n]*\n([=-])\3{{3,}}\n|\Z)",
                      page, re.S | re.M)
    if not found:
        raise SystemExit(f"options.rst has no section {title}")
    return found.group(2)


def options():
    page = read("Documentation/options.rst")
    tables = re.search(r"^\.\. tables begin.*?\n(.*)^\.\. tables end", page, re.S | re.M)
    out = begin("libpool-options", 7, ["libpool-options"], "options of pools")
    out += [".Sh DESCRIPTION"] + text.lines_of(text.marked(
        "Words that turn something on, each with an opposite, and keys with values. "
        "``now`` is what holds where nothing was set.")) + text.rst(tables.group(1))
    for title in ("What is not in a line of the table", "Where to set them", "Declared pools",
                  "Build defines", "Live pools"):
        out += [f".Sh {title.upper()}"] + text.rst(section_of(page, title))
    return see_also(out, "libpool-options", "pool_configure", "pool-debugfs")


def debugfs():
    """What: begins a file; Description: has paragraphs, and indented lines."""
    out = begin("pool-debugfs", 5, ["pool-debugfs"],
                "files of pool.ko in /sys/kernel/debug/pool")
    out += [".Sh DESCRIPTION"]
    for entry in re.split(r"^What:\s*", read("Documentation/ABI/testing/debugfs-pool"),
                          flags=re.M)[1:]:
        what, _, body = entry.partition("\n")
        out += [f".Ss {what}"]
        body = body.split("Description:\n", 1)[1]
        for block in text.blocks("\n".join(row[2:] for row in body.split("\n"))):
            out += text.literal(block, of=text.escape) if block[0].startswith(" ") else \
                [".Pp"] + text.lines_of(text.marked("\n".join(block)))
    return see_also(out, "pool-debugfs", "libpool-options")


def overview():
    out = begin("libpool", 7, ["libpool"], "pools of objects of one size")
    program = re.search(r"^```c\n(.*?)^```", read("README.md"), re.S | re.M).group(1)
    functions = []
    for group in GROUPS[:-1]:
        about = group.title[0].upper() + group.title[1:]
        functions += [f".It Xr {group.names[0]} 3"] + text.lines_of(text.marked(about + "."))
        functions += [".Pp"] + text.lines_of(", ".join(f"\\fB{name}\\fR"
                                                       for name in group.names)) \
            if len(group.names) > 1 else []
    for line in read("Documentation/man/libpool.7").split("\n"):
        if line == ".\\\" FUNCTIONS":
            out += [".Bl -tag -width Ds"] + functions + [".El"]
        elif line == ".\\\" PROGRAM":
            out += text.literal(program.rstrip().split("\n"), of=text.escape)
        elif line == ".\\\" SEE ALSO":
            out = see_also(out, "libpool", "libpool-options", "pool-debugfs")
        elif not line.startswith(".\\\""):
            out.append(line)
    return out


def write(folder, name, section, out):
    path = folder / f"man{section}" / f"{name}.{section}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(out)


def main():
    folder = pathlib.Path(sys.argv[1])
    headers = header.Headers([TOP / "common" / name for name in HEADERS])
    check(headers)
    for group in GROUPS:
        own = group.names[0]
        write(folder, own, 3, text.joined(page_of(headers, group)))
        for name in group.names[1:]:
            write(folder, name, 3, f".so man3/{own}.3\n")
    write(folder, "pool-debugfs", 5, text.joined(debugfs()))
    write(folder, "libpool", 7, text.joined(overview()))
    write(folder, "libpool-options", 7, text.joined(options()))


main()
