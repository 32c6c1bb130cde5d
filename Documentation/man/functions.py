#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Writes what "make html" makes a site of: the pages, and one for each public function.

    functions.py FOLDER

Pages of functions are made of the comments that section 3 of the manual is made of, with an
example of another page that calls the function; the page of debugfs is made of the text of
section 5.  The other pages are links to those of Documentation/, but two are copies: in
api.rst the list of all functions replaces the line ".. functions", and in
performance-figures.rst what benchmarks have left replaces the lines ".. figures: NAME".
"""

import pathlib
import re
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/bench"))
import chart  # noqa: E402
import figures  # noqa: E402
import header  # noqa: E402
from groups import DESCRIBED_BY, GROUPS, HEADERS, VARIABLES, check
from text import blocks

TOP = pathlib.Path(__file__).resolve().parents[2]

# What a comment marks: a page, an argument, a call, a struct with a page, a constant.
MARKED = re.compile(r"Documentation/(?P<page>[\w-]+)(?![\w/])|(?<![\w.])@(?P<param>\w+)"
                    r"|(?P<call>(?<!\w)\w*_\w*\([^()]*\)|\b[a-z]\w*\(\))|(?P<struct>struct pool_\w+)"
                    r"|(?P<word>(?<![\w])-?[A-Z][A-Z0-9]*_[A-Z0-9_]*\*?|%\w\b)")

# A block of a page that is marked as C.
EXAMPLE = re.compile(r"^\.\. code-block:: c\n\n((?:\t.*\n|\n)+)", re.M)


def marked(text):
    """A text of a comment as RST; between words, "\\ " ends what is marked."""
    out, at = [], 0
    for match in MARKED.finditer(text):
        out.append(re.sub(r"([\\*`|_])", r"\\\1", text[at:match.start()]))
        kind, said = match.lastgroup, match.group(match.lastgroup)
        out.append(f"\\ :doc:`/{said}`\\ " if kind == "page" else
                   f"\\ *{said}*\\ " if kind == "param" else
                   "\\ ``" + " ".join(said.replace("@", "").split()) + "``\\ ")
        at = match.end()
    return "".join(out) + re.sub(r"([\\*`|_])", r"\\\1", text[at:])


def sentence(words):
    """With a capital, unless a name comes first."""
    plain = re.match(r"[a-z]+(?![\w(])", words)
    return words[:1].upper() + words[1:] if plain else words


def paragraph(words):
    """A text in one line, so that no line of it begins with what RST takes for a mark."""
    return marked(" ".join(words.split()))


def words_of(block):
    """A line with one tab is a term; lines with two say what it means."""
    for row in block:
        yield ("   " if row.startswith("\t\t") else "") + marked(row.strip())


def comment(text):
    """The text of a comment: paragraphs; what a tab indents is words with meanings, or code."""
    out = []
    for block in blocks(text):
        if not block[0].startswith("\t"):
            out += [paragraph("\n".join(block)), ""]
        elif any(row.startswith("\t\t") and not row[2:].startswith("\t") for row in block):
            out += [*words_of(block), ""]
        else:
            code = textwrap.dedent("\n".join(block)).expandtabs(8)
            out += [".. code-block:: c", "", textwrap.indent(code, "   "), ""]
    return out


def titled(title, mark):
    """A heading."""
    return [title, mark * len(title), ""]


def params_of(doc, names):
    """A list of those parameters or members of a description that are in @names, or all."""
    for name, rows in doc.params.items():
        if names is None or name in names:
            yield f"``{name}``"
            yield "   " + paragraph(sentence("\n".join(rows)))
    yield ""


def described(doc, names=None, summary=True):
    """A description; of another's, only the parameters in @names."""
    out = [paragraph(sentence(doc.summary.rstrip(".") + ".")), ""] if summary else []
    out += params_of(doc, names)
    out += comment(doc.text) if doc.text.strip() else []
    for name in ("Context", "Return"):
        if name in doc.sections:
            out += [f"**{name}:** " + paragraph(sentence("\n".join(doc.sections[name]))), ""]
    return out


def signature(headers, name):
    """The prototype, as Sphinx reads it, and the names of the parameters."""
    if name in VARIABLES:
        plain = header.NOISE.sub("", VARIABLES[name].replace("__thread", ""))
        return f".. c:var:: {' '.join(plain.split())}", []
    function = headers.function(name)
    params = ", ".join(function.params)
    names = [re.sub(r".*\(\*(\w+)\).*|.*?(\w+)$", r"\1\2", param) for param in function.params]
    if not function.kind:
        return f".. c:macro:: {name}({params})", names
    return f".. c:function:: {function.kind} {name}({params})", names


def body_of(headers, group, name):
    """What a page says below the prototype."""
    _, names = signature(headers, name)
    out = ["Only in the kernel.", ""] if headers.only_kernel(name) else []
    doc, other = headers.docs.get(name), headers.docs.get(DESCRIBED_BY.get(name))
    if doc:
        out += described(doc)
    if other:
        out += described(other, names, summary=not doc)
    if not doc and not other:
        for file, begins in group.comments:
            _, _, text = headers.comment(file, begins).partition("\n\n")
            out += comment(text)
    return out


def naming(pages, name):
    """The pages that name it."""
    found = [page for page, text in pages.items() if re.search(rf"``{name}\b", text)]
    return ", ".join(f":doc:`/{page}`" for page in found)


def example(pages, name):
    """The shortest example of a page that calls it, and where that is."""
    found = [(len(code), code, page) for page, text in pages.items()
             for code in EXAMPLE.findall(text) if re.search(rf"\b{name}\(", code)]
    if found:
        _, code, page = min(found)
        yield from (f"**Example,** of :doc:`/{page}`:", "", ".. code-block:: c", "",
                    textwrap.indent(textwrap.dedent(code).expandtabs(8).strip("\n"), "   "), "")


def page_of(headers, group, name, pages):
    """The page of a function, macro or variable."""
    out = titled(name + ("" if name in VARIABLES else "()"), "=")
    out += [signature(headers, name)[0], ""]
    out += body_of(headers, group, name)
    out += example(pages, name)
    near = [f"``struct {other}``" for other in group.structs]
    near += [f"``{other}()``" for other in group.names if other != name and other not in VARIABLES]
    out += ["**See also:** " + ", ".join(near) + ".", ""] if near else []
    where = naming(pages, name)
    return out + ([f"**Pages:** {where}.", ""] if where else [])


def struct_page(headers, name, pages):
    """The page of a struct: its definition, and what its members are."""
    code = re.search(rf"^struct {name} \{{.*?^\}};", "\n".join(headers.texts.values()),
                     re.S | re.M).group()
    out = titled(f"struct {name}", "=")
    out += ["Only in the kernel.", ""] if headers.only_kernel(name) else []
    out += [".. code-block:: c", "", textwrap.indent(code.expandtabs(8), "   "), ""]
    out += described(headers.docs[name])
    where = naming(pages, name)
    return out + ([f"**Pages:** {where}.", ""] if where else [])


def listed(headers):
    """The list of all functions, with a heading for each group."""
    out = []
    for group in GROUPS[:-1]:
        out += titled(group.title[0].upper() + group.title[1:], "=")
        for name in (*group.names, *group.structs):
            doc = headers.docs.get(name) or headers.docs.get(DESCRIBED_BY.get(name))
            shown = f"struct {name}" if name in group.structs else \
                name if name in VARIABLES else name + "()"
            out.append(f"- :doc:`{shown} <functions/{name}>`" +
                       (": " + paragraph(sentence(doc.summary.rstrip("."))) if doc else ""))
        out += ["", ".. toctree::", "   :hidden:", ""]
        out += [f"   functions/{name}" for name in (*group.names, *group.structs)] + [""]
    out += titled("Files in the kernel", "=")
    out += [":doc:`functions/pool-debugfs` has what programs may rely on.", ""]
    return "\n".join(out + [".. toctree::", "   :hidden:", "", "   functions/pool-debugfs", ""])


def debugfs_page():
    """The page of the files in debugfs, which pool-debugfs(5) is made of, too."""
    out = titled("Files of pool.ko in debugfs", "=")
    folder = "/sys/kernel/debug/pool/"
    text = (TOP / "Documentation/ABI/testing/debugfs-pool").read_text(encoding="utf-8")
    for entry in re.split(r"^What:\s*", text, flags=re.M)[1:]:
        what, _, body = entry.partition("\n")
        out += titled(what.removeprefix(folder) or folder, "-")
        for block in blocks(textwrap.dedent(body.split("Description:\n", 1)[1])):
            if block[0].startswith(" "):
                out += ["::", "", textwrap.indent("\n".join(block).expandtabs(8), "   "), ""]
            else:
                out += [paragraph("\n".join(block)), ""]
    return "\n".join(out)


def write(path, text):
    """Write a file if it is another one, as Sphinx reads again what is newer."""
    if not path.is_file() or path.is_symlink() or path.read_text(encoding="utf-8") != text:
        path.unlink(missing_ok=True)
        path.write_text(text, encoding="utf-8")


def link(path, to):
    """A link, so that what Sphinx remarks has the page's own lines."""
    path.unlink(missing_ok=True)
    path.symlink_to(to)


def main():
    """Write the pages; remove those that are of no page and no function any more."""
    folder = pathlib.Path(sys.argv[1]).resolve()
    headers = header.Headers([TOP / "common" / name for name in HEADERS])
    check(headers)
    pages = {path.stem: path.read_text(encoding="utf-8")
             for path in sorted((TOP / "Documentation").glob("*.rst"))}
    (folder / "pages/functions").mkdir(parents=True, exist_ok=True)
    for name in ("README.md", "user", "kernel"):
        link(folder / name, TOP / name)
    there = {folder / "pages/api.rst", folder / "pages/functions/pool-debugfs.rst"}
    write(folder / "pages/functions/pool-debugfs.rst", debugfs_page())
    write(folder / "pages/api.rst",
          pages["api"].replace("\n.. functions\n", "\n" + listed(headers) + "\n"))
    write(folder / "pages/performance-figures.rst", figures.page(pages["performance-figures"]))
    there.update(chart.draw_all(folder / "pages"))
    for path in [*(TOP / "Documentation").glob("*.rst"), *(TOP / "Documentation").glob("*.svg")]:
        if path.name not in ("api.rst", "performance-figures.rst"):
            link(folder / "pages" / path.name, path)
        there.add(folder / "pages" / path.name)
    for group in GROUPS[:-1]:
        for name in (*group.names, *group.structs):
            path = folder / "pages/functions" / f"{name}.rst"
            out = struct_page(headers, name, pages) if name in group.structs else \
                page_of(headers, group, name, pages)
            write(path, "\n".join(out))
            there.add(path)
    for path in (folder / "pages").rglob("*.*"):
        if path not in there:
            path.unlink()


main()
