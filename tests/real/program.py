# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Starts servers, counts their instructions and reads how much memory they hold."""

import csv
import itertools
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time

# A server that is silent for so long does not answer.
PATIENCE = 60
# Times differ from run to run, so both programs run in turn, so often and so long.
PAIRS = 5
SECONDS = 3


def die(text):
    print(text, file=sys.stderr)
    sys.exit(2)


def need(*programs):
    for name in programs:
        if not shutil.which(name):
            die(f"{sys.argv[0]}: {name}: not found")


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def within(done, what):
    """Waits until the condition is true."""
    end = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not within {PATIENCE} seconds")
        time.sleep(0.05)


def result(name, good, *why):
    """As check() of lib/results.sh."""
    print("ok" if good else "not ok", "-", name)
    for line in () if good else why:
        print("#", line)


class Program:
    """A server, which is stopped at the end of its "with" block."""

    def __init__(self, folder, command, env=None, count=False):
        self.folder = pathlib.Path(folder)
        self.counts = self.folder / "callgrind.out"
        self.log = self.folder / "log"
        wrap = ["valgrind", "-q", "--tool=callgrind",
                f"--callgrind-out-file={self.counts}"] if count else []
        with open(self.log, "w") as log:
            self.child = subprocess.Popen([*wrap, *command], stdout=log, stderr=log,
                                          env={**os.environ, **(env or {})})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()

    def said(self):
        return self.log.read_text(errors="replace")

    def listens(self, port):
        """Waits until it does."""
        def connects():
            if self.child.poll() is not None:
                raise RuntimeError("the server has ended: " + self.said())
            with socket.socket() as sock:
                return sock.connect_ex(("127.0.0.1", port)) == 0
        within(connects, f"port {port}")

    def stop(self, signo=signal.SIGTERM):
        """Return: its status."""
        self.child.send_signal(signo)
        return self.child.wait(PATIENCE)

    def resident(self):
        """Returns the KiB of memory, without mappings of files."""
        text = pathlib.Path(f"/proc/{self.child.pid}/smaps_rollup").read_text()
        return int(re.search(r"^Anonymous: +(\d+) kB", text, re.M)[1])

    def ran(self):
        """Returns the ns of its first thread, including those in the kernel."""
        text = pathlib.Path(f"/proc/{self.child.pid}/schedstat").read_text()
        return int(text.split()[0])

    def instructions(self):
        """Returns the instructions of its whole life, once it has ended."""
        return int(re.search(r"^(?:summary|totals): (\d+)", self.counts.read_text(),
                             re.M)[1])


def per_request(run, few, many):
    """Instructions of one of them.  @run: does so many, and returns the instructions of
    the server's life, with its start and its end, which are the same both times."""
    return (run(many) - run(few)) / (many - few)


def wrk(*options):
    """Returns the requests per second; each request must be answered well."""
    said = subprocess.run(["wrk", f"-d{SECONDS}", *options], stdout=subprocess.PIPE, check=True,
                          text=True).stdout
    if "Socket errors" in said or "Non-2xx" in said:
        raise RuntimeError("wrk: not all requests were answered:\n" + said)
    return float(re.search(r"Requests/sec: +([\d.]+)", said)[1])


first = itertools.cycle((True, False))


def in_turn(run, a, b):
    """Returns what both programs say; every other time the second one runs first."""
    if next(first):
        return run(a), run(b)
    said = run(b)
    return run(a), said


def cpu_time(program, *options):
    """Returns the program's ns of processor time per request of wrk."""
    before = program.ran()
    rate = wrk(*options)
    return (program.ran() - before) / (rate * SECONDS)


class Table:
    """Prints a line of CSV per figure: medians of both programs, and of the ratios."""

    def __init__(self, program):
        self.out = csv.writer(sys.stdout, lineterminator="\n")
        self.out.writerow([program, "unit", "original", "pools", "least", "ratio", "most"])

    def add(self, name, unit, pairs):
        pairs = list(pairs)
        ratios = [b / a for a, b in pairs]
        self.out.writerow([name, unit, *(round(statistics.median(x)) for x in zip(*pairs)),
                           *(f"{x:.3f}" for x in (min(ratios), statistics.median(ratios),
                                                  max(ratios)))])
        sys.stdout.flush()
