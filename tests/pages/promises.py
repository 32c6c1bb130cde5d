#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that document-here.rst has each promise once, a test in each world, and a mutant.

A row is "NUMBER | promise | user | kernel | where tested | edition".  The columns user
and kernel are "yes", "n/a", "gone" for what the last edition does not promise any more,
or the "D" and number of a deviation, which names the promises it covers.

"Where tested" has entries with commas between them: the name of a case, a script, or "CHECK
of SCRIPT".  A case runs in the worlds of its list; a script below tests/vm in kernels, any
other one in programs.  A script must be one that the check scripts run, and must have the
check.  Each world that the row does not leave out needs an entry that runs in it.

        promises.py                     fails if the page is wrong
        promises.py map [NUMBER...]     prints where each promise is tested, and its mutants
        promises.py self                fails if it accepts one of some wrong rows
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = TOP / "Documentation/document-here.rst"
EXTRA = ["6b", "13b", "28b", "45b", "104b"]
NUMBERS = [str(n) for n in range(1, 137)] + EXTRA
PARTS = {"principles": "12", "caches": "3", "shared": "4", "functions": "5", "builds": "6"}
LISTS = {"promise": {"user", "kernel"}, "inside": {"user", "kernel"},
         "worlds/user": {"user"}, "worlds/kernel": {"kernel"}}
TOPICS = "tests/vm/guest/stock/"


def cases():
    """Returns {case: worlds in which it runs}."""
    worlds = {}
    for folder, where in LISTS.items():
        text = (TOP / "tests" / folder / "cases.list").read_text()
        for name in re.findall(r"^CASE\((\w+)\)", text, re.M):
            worlds.setdefault(name, set()).update(where)
    return worlds


def is_run(path):
    """True if a topic of the stock kernels has the name, or a script that runs checks."""
    if path.startswith(TOPICS):
        topics = re.search(r"^all=(\S+)", (TOP / "tests/vm/guest/stock.sh").read_text(), re.M)
        return pathlib.Path(path).stem in topics.group(1).split(",")
    name = re.escape(path.removeprefix("tests/").removeprefix("vm/"))
    checks = [p.read_text() for pattern in ("check*.sh", "jobs.sh")
              for p in (TOP / "tests").glob(pattern)]
    return any(re.search(rf"^[^.#].*[/ ]{name}(?![\w.-])", text, re.M) for text in checks)


def entry_worlds(entry, names):
    """Returns the worlds in which an entry runs, and what is wrong with the entry."""
    check, _, path = entry.rpartition(" of ")
    if not re.match(r"tests/[\w./-]+$", path):
        return names.get(entry, set()), None if entry in names else f"there is no case {entry}"
    if not (TOP / path).is_file():
        return set(), f"there is no {path}"
    if not is_run(path):
        return set(), f"nothing runs {path}"
    if check and not re.search(rf"\b{re.escape(check)}\b", (TOP / path).read_text()):
        return set(), f"{path} has no check {check}"
    return {"kernel" if path.startswith("tests/vm/") else "user"}, None


def rows(text=None):
    found = []
    for line in (text or PAGE.read_text()).splitlines():
        m = re.match(r" +(\d+b?) \| (.*)$", line)
        if m:
            found.append([m.group(1)] + [c.strip()
                                         for c in m.group(2).split(" | ")])
    return found


def deviations(text):
    """Returns {number of a deviation: the promises that it names}."""
    return {m.group(1): re.findall(r"\d+b?", m.group(2))
            for m in re.finditer(r"^(D\d+), promises? ([^:]*):", text, re.M)}


def check_tests(row, names):
    number, _, user, kernel, where, _ = row
    tested = set()
    for entry in where.split(", "):
        worlds, wrong = entry_worlds(entry, names)
        tested |= worlds
        if wrong:
            yield f"{number}: {wrong}"
    for world, says in ("user", user), ("kernel", kernel):
        if says not in ("n/a", "gone") and world not in tested:
            yield f"{number}: {world} is {says}, and nothing in the row runs there"


def check_row(row, names, told):
    if len(row) != 6:
        yield f"{row[0]}: {len(row)} columns"
        return
    number, promise, user, kernel, where, edition = row
    if not promise or not where:
        yield f"{number}: no promise, or not tested"
    for world in user, kernel:
        if world in ("yes", "n/a"):
            continue
        if world == "gone" and edition in ("first", "oldest"):
            continue
        if number not in told.get(world, []):
            yield f"{number}: {world} is no deviation that names it"
    yield from check_tests(row, names)


def check_page(text, names):
    told, found = deviations(text), rows(text)
    for row in found:
        yield from check_row(row, names, told)
    have = [row[0] for row in found]
    yield from (f"no row for {n}" for n in NUMBERS if n not in have)
    yield from (f"{n} is there {have.count(n)} times, or is no promise"
                for n in sorted(set(have))
                if have.count(n) > 1 or n not in NUMBERS)
    for d, numbers in told.items():
        yield from (f"{d} covers {n}, whose row does not say so" for n in numbers
                    if not any(row[0] == n and d in row[2:4] for row in found))
    yield from check_mutants(NUMBERS)


def check_mutants(numbers):
    """Each promise has a mutant in tests/promise, or without.list says why it has none."""
    have = {m for path in (TOP / "tests/promise").glob("*.mutants")
            for m in re.findall(r"^= (\w+) ", path.read_text(), re.M)}
    none = set(re.findall(r"^(\d+b?) \w", (TOP / "tests/promise/without.list").read_text(), re.M))
    for number in numbers:
        if number not in have | none:
            yield f"{number}: has no mutant, and without.list has no reason"
    for number in sorted(have & none):
        yield f"{number}: has a mutant, and without.list says why it has none"
    for number in sorted((have | none) - set(numbers)):
        yield f"{number}: has a mutant or a reason, and is no promise"


# Rows that are put in the place of a promise's whole row, one at a time, and must be complained
# of.
WRONG = [
    "3 | only programs test it | yes | yes | dump_pools_writes_a_table_to_stderr | both",
    "3 | only kernels test it | yes | yes | tests/vm/failures.sh | both",
    "3 | a script of programs | n/a | yes | tests/install/header.sh | both",
    "3 | no such case | yes | yes | the_freshest_object_is_handed_out_first, a_b_c | both",
    "3 | no such check | yes | n/a | no_such_check of tests/install/header.sh | both",
    "3 | no such script | yes | n/a | tests/install/none.sh | both",
    "3 | nothing runs it | n/a | yes | tests/vm/lib.sh | both",
    "3 | no such deviation | yes | D99 | the_freshest_object_is_handed_out_first | both",
    "3 | gone, but promised | gone | yes | the_freshest_object_is_handed_out_first | both",
    "3 | not tested | yes | yes | by hand | both",
]


def check_self(text, names):
    """Returns the rows of WRONG that the check accepts, though it must not."""
    for wrong in WRONG:
        page = re.sub(r"^   3 \| .*$", lambda m, w=wrong: "   " + w, text, flags=re.M)
        if not any(line.startswith("3: ") for line in check_page(page, names)):
            yield f"accepts {wrong}"


def parts(text):
    """Returns {promise: the part of the document, which names its file in tests/promise}."""
    found = {}
    for section, rest in re.findall(r"^Sections? (\d)(.*?)(?=^Sections? \d|\Z)", text, re.M | re.S):
        part = next(name for name, sections in PARTS.items() if section in sections)
        found.update((number, part) for number in re.findall(r"^ +(\d+b?) \| ", rest, re.M))
    return found


def files():
    """Returns {case: its file}."""
    found = {}
    for folder in LISTS:
        for path in sorted((TOP / "tests" / folder).glob("*.c")):
            for name in re.findall(r"^[A-Z]+_CASE\((\w+)", path.read_text(), re.M):
                found.setdefault(name, []).append(str(path.relative_to(TOP)))
    return found


def mutants(number):
    """The files that mutants of a promise change, and why there is none."""
    for path in sorted((TOP / "tests/promise").glob("*.mutants")):
        yield from (f"mutant of {name}" for name in
                    re.findall(rf"^= {number} (\S+)", path.read_text(), re.M))
    text = (TOP / "tests/promise/without.list").read_text()
    yield from (f"no mutant: {why}" for why in re.findall(rf"^{number} (\w.*)", text, re.M))


def print_map(text, wanted):
    """For each promise its part and worlds, its tests with their files, and its mutants."""
    part, where = parts(text), files()
    for number, promise, user, kernel, tests, _ in rows(text):
        if wanted and number not in wanted:
            continue
        print(f"{number}  {promise}\n    {part[number]}; user {user}, kernel {kernel}")
        for entry in tests.split(", "):
            print("   ", entry, *where.get(entry, []))
        for mutant in mutants(number):
            print("   ", mutant)


def main():
    names, text = cases(), PAGE.read_text()
    if sys.argv[1:2] == ["map"]:
        print_map(text, sys.argv[2:])
        return 0
    bad = list((check_self if sys.argv[1:] == ["self"] else check_page)(text, names))
    for line in bad:
        print("document-here.rst: " + line)
    told = deviations(text)
    print(f"{len(rows(text))} promises, {len(told)} deviations of "
          f"{sum(len(n) for n in told.values())} of them")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
