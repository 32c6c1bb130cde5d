#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Compares the memory that allocators keep after a burst.

    memory.py PROGRAMS SURVIVORS PHASES FOLDER
    memory.py FOLDER

PROGRAMS has the programs made of memory.c, one per allocator, SURVIVORS those made of
survivors.c, PHASES those made of phases.c.  Prints tables; writes what the programs say to
FOLDER/burst.csv, survivors.csv, seen.csv, phases.csv and peers.txt, and a chart to
FOLDER/bench-memory.svg.  Without PROGRAMS, writes these of FOLDER to slabs.rst.
"""

import csv
import pathlib
import subprocess
import sys

import section
from chart import OURS, text
from report import table_text

PEERS = "pool", "glibc", "jemalloc", "mimalloc", "tcmalloc"
COLOURS = OURS, "#8a8a8a", "#b8732c", "#3d8b54", "#8a4fa0"
ENDS = "peak", "freed", "calmed", "gc", "reclaim"
TITLES = "peak", "freed", "calm", "asked", "all"
CALLS = {
    "pool": "pool_gc(); pool_reclaim(NULL)",
    "glibc": "malloc_trim(0), twice",
    "jemalloc": "arena.4096.purge; and thread.tcache.flush",
    "mimalloc": "mi_collect(false); mi_collect(true)",
    "tcmalloc": "ReleaseFreeMemory; and MarkThreadIdle",
}
# Survivors in percent, pools, bytes, order of frees, threads.
SCENARIOS = (
    "0 1 64 random 1", "0 8 2048 fifo 4", "1 8 512 fifo 1", "1 1 256 random 4",
    "1 8 1024 random 4", "3 8 512 random 1", "3 8 640 lifo 1", "10 1 1024 lifo 4",
    "10 8 128 random 1", "30 8 64 random 1", "30 1 2048 random 1", "0 1 16000 random 4",
    "3 8 16000 random 4", "10 1 8192 random 8", "0 8 3000 random 1", "5 1 20000 random 2",
)
# Per row: what is measured; the scenario; the MiB that a program once had with libpool; and the
# index of the figure that survivors.c prints.
SEEN = (
    ("eight pools, 3 % stay", "3 8 512 random 1 512", 645, 1),
    ("after pool_age(), 3 times", "3 8 512 random 1 512", 165, 3),
    ("after pool_gc()", "3 8 512 random 1 512", 143, 4),
    ("eight pools, none stay", "0 8 2000 random 1 512", 381, 1),
    ("threads come and go", "0 1 16000 random 4 64 20", 219, 1),
    ("their peak", "0 1 16000 random 4 64 20", None, 0),
    ("of 33,000 bytes", "0 1 33000 random 4 64 20", None, 0),
)
# The workloads of phases.c.  Each prints bytes after the first and the last round, the peak,
# and bytes after a minute of light work.
KINDS = "saw", "phase"
WHENS = "first", "last", "peak", "light"
PACKAGES = "libc6", "libjemalloc-dev", "libmimalloc-dev", "libgoogle-perftools-dev"
WIDTH, HEIGHT, LEFT, TOP = 640, 260, 54, 40


def run(program):
    """[(phase, operations, KiB)]"""
    out = subprocess.run([program], stdout=subprocess.PIPE, check=True, text=True)
    rows = [line.split() for line in out.stdout.splitlines()]
    return [(phase, int(done), int(kib)) for phase, done, kib in rows]


def end(rows, phase):
    return next(kib for name, _, kib in rows if name == phase)


def table(results):
    rows = []
    for name, measured in results.items():
        kib = [end(measured, phase) for phase in ENDS]
        rows.append([name, *map(str, kib), f"{100 * kib[3] / kib[0]:.1f} %"])
    return table_text(["KiB", *TITLES, "part"], rows)


class Plot:
    """The chart: operations to the right, MiB up; right of them the calls that return memory."""

    def __init__(self, results):
        rows = [row for rows in results.values() for row in rows]
        self.ops = max(done for _, done, _ in rows)
        self.most = max(kib for _, _, kib in rows)

    def x(self, phase, done):
        after = {"gc": 1, "reclaim": 2}.get(phase, 0)
        return LEFT + WIDTH * (done / self.ops + after / 12) / (1 + 2 / 12)

    def y(self, kib):
        return TOP + HEIGHT * (1 - max(0, kib) / self.most)

    def grid(self):
        for mib in range(0, self.most // 1024 + 1, 64):
            y = self.y(mib * 1024)
            yield (f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}" '
                   'stroke="#e4e4e4"/>')
            yield text(LEFT - 5, y + 4, mib, "end", 9)
        for part, name in enumerate(("allocate", "free in random order",
                                     "1000 objects live")):
            yield text(self.x("", self.ops * (2 * part + 1) / 6), TOP + HEIGHT + 16,
                       name, "middle")
        for phase, name in ("gc", "asked"), ("reclaim", "all"):
            yield text(self.x(phase, self.ops), TOP + HEIGHT + 16, name, "middle")

    def curve(self, rows, colour):
        points = [(self.x(phase, done), self.y(kib)) for phase, done, kib in rows]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield (f'<polyline points="{path}" fill="none" stroke="{colour}" '
               'stroke-width="2"/>')


def chart(results):
    plot = Plot(results)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" '
           f'height="{TOP + HEIGHT + 46}" font-family="sans-serif">',
           '<rect width="100%" height="100%" fill="white"/>',
           text(8, 18, "MiB resident after a burst of 256 MB, less is better", size=13)]
    out += plot.grid()
    for i, (name, rows) in enumerate(results.items()):
        colour = COLOURS[PEERS.index(name)]
        out += plot.curve(rows, colour)
        out.append(f'<rect x="{LEFT + 110 * i}" y="{TOP + HEIGHT + 28}" width="14" '
                   f'height="6" fill="{colour}"/>')
        out.append(text(LEFT + 110 * i + 20, TOP + HEIGHT + 35, name))
    return "\n".join(out + ["</svg>", ""])


def survive_all(programs, scenario):
    """Runs a scenario; returns {peer: MiB that survivors.c prints}."""
    mib = {}
    for name in PEERS:
        if (programs / name).exists():
            out = subprocess.run([programs / name, *scenario.split()],
                                 stdout=subprocess.PIPE, check=True, text=True)
            mib[name] = [int(kib) / 1024 for kib in out.stdout.split()]
    return mib


def write_rows(folder, name, head, rows):
    with open(folder / name, "w", newline="") as out:
        csv.writer(out).writerows([head, *rows])


def read_rows(folder, name):
    with open(folder / name, newline="") as rows:
        return list(csv.reader(rows))[1:]


def by_peer(folder, name):
    """Reads rows that end with peer and MiB; returns {the columns before: {peer: MiB}}."""
    results = {}
    for *key, peer, mib in read_rows(folder, name):
        results.setdefault(tuple(key), {})[peer] = float(mib)
    return results


def peer_table(head, results, lost, names=PEERS):
    """A row per key of @results, a column per peer; a star is at what @lost says is lost."""
    names = [name for name in names if name in next(iter(results.values()))]
    rows = [[*(word or r"\-" for word in key),
             *(f"{mib[n]:.0f}" + (r"\*" if n == "pool" and lost(key, mib) else "")
               if n in mib else r"\-" for n in names)]
            for key, mib in results.items()]
    return table_text([*head, *names], rows)


def measure_seen(programs, folder):
    results = {scenario: survive_all(programs, scenario)
               for scenario in dict.fromkeys(row[1] for row in SEEN)}
    write_rows(folder, "seen.csv", ["what", "scenario", "once", "peer", "MiB"],
               [[what, scenario, once or "", name, f"{mib[at]:.1f}"]
                for what, scenario, once, at in SEEN
                for name, mib in results[scenario].items() if at < 3 or name == "pool"])


def seen(folder):
    """Makes the table; a star marks what is above 1.1 times the best malloc()."""
    return peer_table(["MiB", "survivors", "once"], by_peer(folder, "seen.csv"),
                      lambda _, mib: mib["pool"] > 1.1 * min(mib.values()))


def measure_survivors(programs, folder):
    """Measures the MiB that are resident at the end, and as "used" the bytes of survivors."""
    rows = []
    for scenario in SCENARIOS:
        mib = survive_all(programs, scenario)
        rows += [[scenario, name, f"{figures[1]:.1f}"] for name, figures in mib.items()]
        rows.append([scenario, "used", f"{next(iter(mib.values()))[2]:.1f}"])
    write_rows(folder, "survivors.csv", ["scenario", "peer", "MiB"], rows)


def survivors(folder):
    """Makes the table; a star marks what is above jemalloc or mimalloc."""
    return peer_table(["MiB"], by_peer(folder, "survivors.csv"),
                      lambda _, mib: mib["pool"] > min(mib.get("jemalloc", mib["pool"]),
                                                       mib.get("mimalloc", mib["pool"])),
                      PEERS + ("used",))


def measure_phases(programs, folder):
    """Runs all peers of a kind at once, because they sleep most of the time."""
    rows = []
    for kind in KINDS:
        children = {name: subprocess.Popen([programs / name, kind],
                                           stdout=subprocess.PIPE, text=True)
                    for name in PEERS if (programs / name).exists()}
        for name, child in children.items():
            kib = child.communicate()[0].split()
            if child.returncode:
                sys.exit(f"{name}: {kind} failed")
            rows += [[kind, when, name, f"{int(n) / 1024:.1f}"] for when, n in zip(WHENS, kib)]
    write_rows(folder, "phases.csv", ["kind", "when", "peer", "MiB"], rows)


def loses(when, mib, first):
    """True above a goal: the first round, 1.1 times the best peak, 1.3 times jemalloc."""
    rivals = [n for name, n in mib.items() if name != "pool"]
    if when == "last":
        return mib["pool"] > 1.05 * first["pool"] + 1
    if when == "peak":
        return bool(rivals) and mib["pool"] > 1.1 * min(rivals)
    return when == "light" and "jemalloc" in mib and mib["pool"] > 1.3 * mib["jemalloc"]


def phases(folder):
    results = by_peer(folder, "phases.csv")
    return peer_table(["MiB", "when"], results,
                      lambda key, mib: loses(key[1], mib, results[key[0], "first"]))


def versions(folder):
    """Writes a line with the versions of the packages of the peers."""
    out = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}, ", *PACKAGES],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                         text=True)
    (folder / "peers.txt").write_text(out.stdout.rstrip(", ") + "\n")


def write_page(folder):
    burst = {}
    for peer, phase, done, kib in read_rows(folder, "burst.csv"):
        burst.setdefault(peer, []).append((phase, int(done), int(kib)))
    for name, text_of in (("tables", table(burst)), ("survivors", survivors(folder)),
                          ("seen", seen(folder)),
                          ("phases", phases(folder) + (folder / "peers.txt").read_text())):
        section.write(name, text_of, section.PAGES / "slabs.rst")
    (section.PAGES / "bench-memory.svg").write_text(chart(burst))


def measure_burst(programs, folder):
    results = {name: run(programs / name) for name in PEERS
               if (programs / name).exists()}
    write_rows(folder, "burst.csv", ["peer", "phase", "operations", "KiB"],
               [[name, *row] for name, rows in results.items() for row in rows])
    (folder / "bench-memory.svg").write_text(chart(results))
    print(table(results))
    for name in results:
        print(f"# {name}: {CALLS[name]}")


def main():
    folders = [pathlib.Path(name) for name in sys.argv[1:]]
    if len(folders) == 4:
        programs, survivors_of, phases_of, out = folders
        versions(out)
        measure_burst(programs, out)
        for measure, text_of, programs in ((measure_survivors, survivors, survivors_of),
                                           (measure_seen, seen, survivors_of),
                                           (measure_phases, phases, phases_of)):
            measure(programs, out)
            print(text_of(out))
    elif len(folders) == 1:
        write_page(*folders)
    else:
        sys.exit("usage: memory.py [PROGRAMS SURVIVORS PHASES] FOLDER")


if __name__ == "__main__":
    main()
