#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Compares the ordered accesses in the source with the table in ordering.rst.

    ordering.py [list]

An access is one that is neither plain nor relaxed: a call of the seam's ordered
operations, a compiler's atomic with an order, one of the kernel's, a fence, a
compiler barrier.  The table has each function, operation and word; a row may have several
functions.  Fails where a row is missing, or has nothing in the source any more.  "list" prints what
the source has.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = TOP / "Documentation/ordering.rst"

# The kernel's operations that order, where their names do not say "relaxed".
KERNEL = (r"smp_(?:mb|rmb|wmb|load_acquire|store_release|mb__\w+)|barrier"
          r"|(?:try_)?(?:cmp)?xchg(?:_acquire|_release)?"
          r"|atomic(?:_long|64)?_(?:try_)?(?:cmp)?xchg(?:_acquire|_release)?"
          r"|atomic(?:_long|64)?_(?:fetch_\w+|\w+_return|\w+_and_test)"
          r"(?:_acquire|_release)?"
          r"|atomic(?:_long|64)?_(?:read_acquire|set_release)"
          r"|test_and_\w+_bit|set_bit_unlock|clear_bit_unlock")
CALL = re.compile(
    r"\b(plat_\w*_(?:acquire|release)|plat_cmpxchg|plat_fence|pool_barrier"
    r"|__sync_\w+|__atomic_\w+|atomic_\w+_explicit|__asm__|" + KERNEL + r")\b")
ORDER = re.compile(r"__ATOMIC_(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST|CONSUME)")
NAME = re.compile(r"(\w+)\(")

# A function with the name of an operation of the seam implements it, so is no use of it.
SEAM = re.compile(r"plat_\w*_(?:acquire|release)$|plat_cmpxchg$|plat_fence$"
                  r"|pool_barrier$")


def without_comments(text):
    """Blanks out comments and strings, and keeps the lines' numbers."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group(0))
    text = re.sub(r"/\*.*?\*/|//[^\n]*", blank, text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def statement(text, at):
    """Returns the text up to the parenthesis that closes the call."""
    depth = 0
    for end in range(at, len(text)):
        if text[end] == "(":
            depth += 1
        elif text[end] == ")":
            depth -= 1
            if not depth:
                return text[at:end + 1]
    return text[at:]


def first_word(call):
    """Returns the field that a call reads or writes: the last name of its first argument."""
    inside = call[call.index("(") + 1:-1]
    depth = 0
    for i, c in enumerate(inside):
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "," and not depth:
            inside = inside[:i]
            break
    inside = re.sub(r"\[[^]]*\]", "", inside)
    names = re.findall(r"[A-Za-z_]\w*", inside)
    return names[-1] if names else "-"


def functions(text):
    """Yields each function's or macro's name, and where it begins and ends."""
    for m in re.finditer(r"^#define (\w+)(?:[^\n]*\\\n)*[^\n]*", text, re.M):
        yield m.group(1), m.start(), m.end()
    for m in re.finditer(r"^\{.*?^\}", text, re.M | re.S):
        head = text[:m.start()].rstrip().rsplit("\n\n", 1)[-1]
        head = re.sub(r"^#.*$", "", head, flags=re.M)
        head = re.sub(r"__attribute__\(\(.*?\)\)", "", head)
        name = NAME.search(head)
        if name:
            yield name.group(1), m.start(), m.end()


def accesses(path):
    """Yields (file:function(), operation word) of one file."""
    text = without_comments(path.read_text())
    where = str(path.relative_to(TOP))
    if where.startswith("common/"):
        where = path.name
    for name, start, end in functions(text):
        if SEAM.match(name):
            continue
        for m in CALL.finditer(text, start, end):
            op = m.group(1)
            if op == name or text[m.end()] not in "( ":
                continue
            call = statement(text, m.end())
            if op == "__asm__":
                continue
            if op.startswith("__atomic_") or op.endswith("_explicit"):
                order = ORDER.search(call)
                if not order:
                    continue
                op += " " + order.group(1).lower()
            word = first_word(call)
            yield f"{where}:{name}()", op if word == "-" else f"{op} {word}"


def in_source():
    found = set()
    for folder in ("common", "user", "kernel"):
        for path in sorted((TOP / folder).rglob("*.[ch]")):
            found |= set(accesses(path))
    return found


def in_page():
    """Rows of the table: ``where``, ``where`` ... | ``access`` | partner | without it."""
    rows = []
    for line in PAGE.read_text().splitlines():
        m = re.match(r" +((?:``[^`]+\(\)``,? )+)\| ``([^`]+)`` \| (.*) \| (.*)$", line)
        if m:
            rows += [(where, m.group(2), m.group(3).strip(), m.group(4).strip())
                     for where in re.findall(r"``([^`]+)``", m.group(1))]
    return rows


def main():
    source = in_source()
    if sys.argv[1:] == ["list"]:
        for where, what in sorted(source):
            print(f"{where} | {what}")
        return 0
    rows = in_page()
    page = {row[:2] for row in rows}
    bad = [f"no row: {w} {a}" for w, a in sorted(source - page)]
    bad += [f"stale row: {w} {a}" for w, a in sorted(page - source)]
    bad += [f"row without partner or race: {r[0]}" for r in rows
            if not r[2] or not r[3]]
    if len(rows) != len(page):
        bad.append("a row is there twice")
    for line in bad:
        print("ordering.rst: " + line)
    print(f"{len(source)} ordered accesses, {len(rows)} rows")
    return 1 if bad or not source else 0


sys.exit(main())
