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
# What programs showed once, MiB resident with libpool, and which figure of survivors.c it is.
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
    rule = "=" * 8 + "".join("  " + "=" * 7 for _ in TITLES) + "  " + "=" * 6
    yield rule
    yield f"{'KiB':8}" + "".join(f"  {t:>7}" for t in TITLES) + f"  {'part':>6}"
    yield rule
    for name, rows in results.items():
        kib = [end(rows, phase) for phase in ENDS]
        part = 100 * kib[3] / kib[0]
        yield (f"{name:8}" + "".join(f"  {k:7}" for k in kib) + f"  {part:4.1f} %")
    yield rule


class Plot:
    """Operations to the right, MiB up; what is asked for comes after the last."""

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
    """{peer: MiB as survivors.c prints them}"""
    mib = {}
    for name in PEERS:
        if (programs / name).exists():
            out = subprocess.run([programs / name, *scenario.split()],
                                 stdout=subprocess.PIPE, check=True, text=True)
            mib[name] = [int(kib) / 1024 for kib in out.stdout.split()]
    return mib


def survive(programs, scenario):
    """{peer: MiB resident at the end}, and the bytes of survivors as "used" """
    mib = survive_all(programs, scenario)
    used = next(iter(mib.values()))[2]
    return {**{name: figures[1] for name, figures in mib.items()}, "used": used}


def measure_seen(programs, folder):
    results = {scenario: survive_all(programs, scenario)
               for scenario in dict.fromkeys(row[1] for row in SEEN)}
    with open(folder / "seen.csv", "w") as out:
        out.write("what,scenario,once,peer,MiB\n")
        for what, scenario, once, at in SEEN:
            for name, mib in results[scenario].items():
                if at < 3 or name == "pool":
                    out.write(f'"{what}",{scenario},{once or ""},{name},{mib[at]:.1f}\n')
    print("\n".join(seen(folder)))


def seen(folder):
    """What is above 1.1 times the best malloc has a star: lost."""
    results = {}
    with open(folder / "seen.csv") as rows:
        for what, scenario, once, peer, mib in list(csv.reader(rows))[1:]:
            results.setdefault((what, scenario, once), {})[peer] = float(mib)
    names = [name for name in PEERS if name in next(iter(results.values()))]
    rule = "=" * 26 + "  " + "=" * 25 + "".join("  " + "=" * 8 for _ in range(1 + len(names)))
    yield rule
    yield f"{'MiB':26}  {'survivors':25}  {'once':>8}" + "".join(f"  {n:>8}" for n in names)
    yield rule
    for (what, scenario, once), mib in results.items():
        lost = "\\*" if mib["pool"] > 1.1 * min(mib.values()) else ""
        cells = [once or "\\-"]
        cells += [f"{mib[n]:.0f}" + (lost if n == "pool" else "") if n in mib else "\\-"
                  for n in names]
        yield f"{what:26}  {scenario:25}" + "".join(f"  {cell:>8}" for cell in cells)
    yield rule


def survivors(results):
    """What is above jemalloc or mimalloc has a star: lost."""
    names = [name for name in PEERS + ("used",) if name in next(iter(results.values()))]
    rule = "=" * 18 + "".join("  " + "=" * 8 for _ in names)
    yield rule
    yield f"{'MiB':18}" + "".join(f"  {name:>8}" for name in names)
    yield rule
    for scenario, mib in results.items():
        rivals = [mib[name] for name in ("jemalloc", "mimalloc") if name in mib]
        lost = "\\*" if rivals and mib["pool"] > min(rivals) else ""
        cells = [f"{mib[name]:.0f}" + (lost if name == "pool" else "") for name in names]
        yield f"{scenario:18}" + "".join(f"  {cell:>8}" for cell in cells)
    yield rule


def read_survivors(folder):
    results = {}
    with open(folder / "survivors.csv") as rows:
        for scenario, peer, mib in list(csv.reader(rows))[1:]:
            results.setdefault(scenario, {})[peer] = float(mib)
    return results


def measure_survivors(programs, folder):
    with open(folder / "survivors.csv", "w") as out:
        out.write("scenario,peer,MiB\n")
        for scenario in SCENARIOS:
            for name, mib in survive(programs, scenario).items():
                out.write(f"{scenario},{name},{mib:.1f}\n")
    print("\n".join(survivors(read_survivors(folder))))


def measure_phases(programs, folder):
    """All peers of a kind at once, since most of the time they sleep."""
    with open(folder / "phases.csv", "w") as out:
        out.write("kind,when,peer,MiB\n")
        for kind in KINDS:
            children = {name: subprocess.Popen([programs / name, kind],
                                               stdout=subprocess.PIPE, text=True)
                        for name in PEERS if (programs / name).exists()}
            for name, child in children.items():
                kib = child.communicate()[0].split()
                if child.returncode:
                    sys.exit(f"{name}: {kind} failed")
                out.writelines(f"{kind},{when},{name},{int(n) / 1024:.1f}\n"
                               for when, n in zip(WHENS, kib))
    print("\n".join(phases(read_phases(folder))))


def read_phases(folder):
    results = {}
    with open(folder / "phases.csv") as rows:
        for kind, when, peer, mib in list(csv.reader(rows))[1:]:
            results.setdefault((kind, when), {})[peer] = float(mib)
    return results


def loses(when, mib, first):
    """Not met: as after the first round, a peak of 1.1 times the best, 1.3 times jemalloc."""
    rivals = [n for name, n in mib.items() if name != "pool"]
    if when == "last":
        return mib["pool"] > 1.05 * first["pool"] + 1
    if when == "peak":
        return bool(rivals) and mib["pool"] > 1.1 * min(rivals)
    return when == "light" and "jemalloc" in mib and mib["pool"] > 1.3 * mib["jemalloc"]


def phases(results):
    names = [name for name in PEERS if name in next(iter(results.values()))]
    rule = "=" * 12 + "".join("  " + "=" * 8 for _ in names)
    yield rule
    yield f"{'MiB':12}" + "".join(f"  {name:>8}" for name in names)
    yield rule
    for (kind, when), mib in results.items():
        lost = "\\*" if loses(when, mib, results[kind, "first"]) else ""
        cells = [f"{mib[name]:.0f}" + (lost if name == "pool" else "") for name in names]
        yield f"{kind + ' ' + when:12}" + "".join(f"  {cell:>8}" for cell in cells)
    yield rule


def versions(folder):
    """A line with the versions of the peers, as packages of the system."""
    out = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}, ", *PACKAGES],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                         text=True)
    (folder / "peers.txt").write_text(out.stdout.rstrip(", ") + "\n")


def write_page(folder):
    results = {}
    with open(folder / "burst.csv") as rows:
        for peer, phase, done, kib in list(csv.reader(rows))[1:]:
            results.setdefault(peer, []).append((phase, int(done), int(kib)))
    section.write("tables", "\n".join(table(results)), section.PAGES / "slabs.rst")
    section.write("survivors", "\n".join(survivors(read_survivors(folder))),
                  section.PAGES / "slabs.rst")
    section.write("seen", "\n".join(seen(folder)), section.PAGES / "slabs.rst")
    section.write("phases", "\n".join([*phases(read_phases(folder)), "",
                                       (folder / "peers.txt").read_text()]),
                  section.PAGES / "slabs.rst")
    (section.PAGES / "bench-memory.svg").write_text(chart(results))


def measure_burst(programs, folder):
    results = {name: run(programs / name) for name in PEERS
               if (programs / name).exists()}
    with open(folder / "burst.csv", "w") as out:
        out.write("peer,phase,operations,KiB\n")
        for name, rows in results.items():
            out.writelines(f"{name},{phase},{done},{kib}\n"
                           for phase, done, kib in rows)
    (folder / "bench-memory.svg").write_text(chart(results))
    print("\n".join(table(results)))
    for name in results:
        print(f"# {name}: {CALLS[name]}")


def main():
    folders = [pathlib.Path(name) for name in sys.argv[1:]]
    if len(folders) == 4:
        programs, survivors_of, phases_of, out = folders
        versions(out)
        measure_burst(programs, out)
        measure_survivors(survivors_of, out)
        measure_seen(survivors_of, out)
        measure_phases(phases_of, out)
    elif len(folders) == 1:
        write_page(*folders)
    else:
        sys.exit("usage: memory.py [PROGRAMS SURVIVORS PHASES] FOLDER")


if __name__ == "__main__":
    main()
