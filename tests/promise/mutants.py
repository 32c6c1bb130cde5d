#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that the tests of each promise of document-here.rst fail when the promise is broken.

        mutants.py [NUMBER...]          all promises, or these; "make check-promises PROMISE=87"

A mutant is a change to the source that breaks one promise; its name is the promise's number, and
tests/lib/mutate.py says how the files *.mutants are read.  A mutant is compiled into a copy of
build/tests/quick, where the cases of the promise's row run; or the row names "CHECK of
tests/SCRIPT.sh", which runs that check alone on the changed sources, unless it needs a virtual
machine.  One of them must fail with the mutant, and all must pass without it.  Prints a result
per promise.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/pages"), str(TOP / "tests/lib")]
import promises  # pylint: disable=wrong-import-position
from mutate import Wrong, mutants  # pylint: disable=wrong-import-position

HERE = TOP / "tests/promise"
OBJECTS = TOP / "build/tests/quick.o"
LONGEST = 120       # seconds that the cases of a row may take
JOBS = 2


def listed():
    """The cases that build/tests/quick has."""
    return {name for folder in ("promise", "inside", "worlds/user")
            for name in re.findall(r"^CASE\((\w+)\)",
                                   (TOP / f"tests/{folder}/cases.list").read_text(), re.M)}


def tests_of(where):
    """The cases that a row names, and (script, names of checks)."""
    known = listed()
    scripts = {}
    for name, script in re.findall(r"(\w+) of (tests/(?!vm/)[\w/-]+\.sh)", where):
        scripts.setdefault(script, []).append(name)
    return [word for word in re.findall(r"\w+", where) if word in known], scripts


def kill_session(leader):
    """End a command and all that it started: Check gives each case a process group of its own."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, session = int(stat.parent.name), int(stat.read_text().rsplit(")", 1)[1].split()[3])
            if session == leader:
                os.kill(pid, signal.SIGKILL)
        except (OSError, ValueError):
            continue            # it has ended meanwhile


def run(command, cwd, **env):
    """Run a command; returns its status and what it printed.  It may take LONGEST seconds."""
    with subprocess.Popen(command, cwd=cwd, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True, env={**os.environ, **env}) as child:
        try:
            said, _ = child.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            kill_session(child.pid)
            raise Wrong(f"{command[0]} took more than {LONGEST} seconds") from None
    return child.returncode, said


def must(command, cwd):
    """Run a command that must succeed."""
    status, said = run(command, cwd)
    if status:
        raise Wrong(f"{' '.join(command[:1])} failed: {said}")


def need(names, ran, said):
    """Raise if one of these tests did not run; returns those that failed."""
    missing = set(names) - set(ran)
    if missing:
        raise Wrong(f"{' '.join(sorted(missing))} did not run: {said}")
    return {name for name in names if ran[name] != "ok"}


def failed_cases(program, names):
    """Those of these cases that fail in a program."""
    if not names:
        return set()
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as tap:
        _, said = run([str(program)], TOP, TEST_ONLY=" ".join(names), TEST_TAP=tap.name)
        ran = re.findall(r"^((?:not )?ok) \d+ - [^:]*:\w+:(\w+):", tap.read(), re.M)
    return need(names, {name: ok for ok, name in ran}, said)


def failed_checks(tree, scripts):
    """Those of these checks of scripts that fail on the sources of @tree."""
    failed = set()
    for script, names in scripts.items():
        _, said = run([f"./{script}", "build/user"], tree, ONLY=" ".join(names))
        ran = re.findall(r"^((?:not )?ok) - (\w+)", said, re.M)
        failed |= need(names, {name: ok for ok, name in ran}, said)
    return failed


def copied(tree):
    """Make @tree a copy of the tree, whose sources may be changed."""
    for path in TOP.iterdir():
        if path.name in ("common", "user"):
            shutil.copytree(path, tree / path.name)
        elif path.is_file():
            shutil.copy(path, tree)
        elif path.name != ".git":
            (tree / path.name).symlink_to(path)


def linked(tree, sources):
    """Link @tree/quick, with these sources as they are in @tree, and the objects that there are."""
    changed = {source: tree / f"{n}.o" for n, source in enumerate(sources)}
    for source, obj in changed.items():
        must(os.environ["QUICK_CC"].split() + ["-c", "-o", str(obj), source], tree)
    objects = [str(changed.get(str(path.relative_to(OBJECTS).with_suffix(".c")), path))
               for path in (TOP / name for name in os.environ["QUICK_OBJECTS"].split())]
    must(os.environ["QUICK_CC"].split() + ["-Wl,-S", "-o", str(tree / "quick")] + objects +
         os.environ["QUICK_LIBS"].split(), tree)
    return tree / "quick"


def survives(mutant, cases, scripts):
    """Why a mutant is not found, or None."""
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name).resolve()
        copied(tree)
        try:
            for change in mutant:
                change.apply(tree)
            sources = [source for change in mutant for source in change.sources]
            if cases and failed_cases(linked(tree, sources), cases):
                return None
            return None if failed_checks(tree, scripts) else "no test of the row fails"
        except Wrong as wrong:
            return str(wrong)


def tested(some, where, bad):
    """Why a promise is not tested, a line each: by @some mutants, and tests that a row names.

    @bad: tests that fail without a mutant.
    """
    cases, scripts = tests_of(where)
    if bad & {*cases, *(name for names in scripts.values() for name in names)}:
        return ["its tests fail without a mutant"]
    return [f"{mutant[0].path}: {why}" for mutant in some
            if (why := survives(mutant, cases, scripts))]


def whole(wanted):
    """The tests of these rows that fail without a mutant."""
    cases, scripts = set(), {}
    for where in wanted.values():
        some, checks = tests_of(where)
        cases |= set(some)
        for script, names in checks.items():
            scripts.setdefault(script, set()).update(names)
    return failed_cases(TOP / "build/tests/quick", cases) | failed_checks(TOP, scripts)


def report(name, why):
    """Print one result, and why it is none; returns whether it is good."""
    print(f"{'not ok' if why else 'ok'} - {name}")
    for line in why:
        print("# " + line.replace("\n", "\n# "))
    sys.stdout.flush()
    return not why


def main():
    """Print a result per promise."""
    found = mutants(HERE)
    rows = {row[0]: row[4] for row in promises.rows()}
    wanted = {number: rows[number] for number in sys.argv[1:] or rows if number in found}
    if not wanted:
        sys.exit("no promise of these has a mutant")
    try:
        bad = whole(wanted)
        good = report("tests_pass_without_a_mutant", sorted(bad))
    except Wrong as wrong:
        report("tests_pass_without_a_mutant", [str(wrong)])
        return 1
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = {number: pool.submit(tested, found[number], where, bad)
                   for number, where in wanted.items()}
        for number, result in results.items():
            good = report(f"promise_{number}_is_tested", result.result()) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
