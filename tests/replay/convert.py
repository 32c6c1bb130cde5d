#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Makes and checks traces in the format of Documentation/trace-format.rst.

    convert.py convert EVENTS <FTRACE >TRACE
    convert.py check <TRACE

FTRACE is what record.sh gets out of the kernel: "# uname" and "# cpus" lines and
then the tracing file `trace` with kmem_cache_alloc, kmem_cache_free and kfree events.
At most the first EVENTS events are taken.
"""

import collections
import re
import sys
import zlib

HEAD = "# libpool trace "
SETTINGS = [("mode", "global"), ("buckets", 4), ("cluster", 64),
            ("hot_size", 524288)]
NAME_MAX = 11

# By version: most pools, largest size, characters of names.
LIMITS = {1: (4096, 2 ** 22, "[A-Za-z0-9._:-]{1,63}"),
          2: (65536, 2 ** 31 - 1, "[A-Za-z0-9._:+-]{1,63}")}

# Header lines: what follows the key, and its range.
NUMBER = "(0|[1-9][0-9]*)"
HEADER = {
    "mode": ("(global|no-global|no-cache)", None, None),
    "cpus": (NUMBER, 1, 64),
    "buckets": ("(1|2|4|8|16|32|64)", 1, 64),
    "cluster": (NUMBER, 1, 64),
    "hot_size": (NUMBER, 0, 2 ** 30),
    "pools": (NUMBER, 1, 65536),
    "events": (NUMBER, 1, 2 ** 26),
    "objects": (NUMBER, 1, 2 ** 26),
}

ALLOC = re.compile(r"\[(\d+)\].*: kmem_cache_alloc: call_site=(\S+) "
                   r"ptr=([0-9a-f]+) bytes_req=(\d+) bytes_alloc=(\d+) ")
FREE = re.compile(r"\[(\d+)\].*: kmem_cache_free: call_site=\S+ "
                  r"ptr=([0-9a-f]+) name=(\S+)")
KFREE = re.compile(r"\[(\d+)\].*: kfree: call_site=\S+ ptr=(\S+)")


class Object:
    """One allocation; its name is known from the free, if there is one."""

    def __init__(self, site):
        self.site = site
        self.name = None
        self.id = None


def read_ftrace(lines, limit):
    """Returns facts, and events as lists [letter, cpu, object]."""
    facts = collections.Counter()
    info = {}
    live = {}
    events = []
    for line in lines:
        if line.startswith("# uname ") or line.startswith("# cpus "):
            key, value = line[2:].split()
            info[key] = value
            continue
        if line.startswith("#"):
            continue
        if len(events) >= limit:
            facts["cut"] += 1
            continue
        match = ALLOC.search(line)
        if match:
            cpu, site, ptr, size, room = match.groups()
            if int(ptr, 16) == 0:
                facts["failed"] += 1
                continue
            if ptr in live:
                # Freed by a function that has no tracepoint.
                facts["implied"] += 1
                events.append(["f", cpu, live[ptr]])
            live[ptr] = Object((int(size), int(room), site))
            events.append(["a", cpu, live[ptr]])
            continue
        match = FREE.search(line)
        if match:
            cpu, ptr, name = match.groups()
            if ptr not in live:
                facts["unseen"] += 1
                continue
            obj = live.pop(ptr)
            obj.name = name
            events.append(["f", cpu, obj])
            continue
        match = KFREE.search(line)
        if match:
            # Mostly of kmalloc() memory, but objects of a cache may come too.
            cpu, ptr = match.groups()
            if ptr in live:
                facts["kfree"] += 1
                events.append(["f", cpu, live.pop(ptr)])
            continue
        sys.exit("convert.py: not understood: " + line)
    # An event that brought an implied free may be one too many.
    del events[limit:]
    return info, facts, events


def clean(name):
    return re.sub(r"[^A-Za-z0-9._:-]", "_", name)[:NAME_MAX]


def convert(limit):
    info, facts, events = read_ftrace(sys.stdin, limit)

    names = {}
    for _, _, obj in events:
        if obj.name:
            names.setdefault(obj.site, obj.name)
    pools = {}
    objects = 0
    body = []
    for letter, cpu, obj in events:
        if letter == "a":
            size = obj.site[0]
            name = obj.name or names.get(obj.site) or "size-%d" % size
            pool = pools.setdefault((name, size), len(pools))
            obj.id = objects
            objects += 1
            body.append("a %d %d %d" % (int(cpu), pool, obj.id))
        else:
            body.append("f %d %d" % (int(cpu), obj.id))

    out = [HEAD + "1", "# source: %s, %s CPUs" % (info["uname"], info["cpus"]),
           "# %d frees of unseen objects left out, %d frees implied by reuse"
           % (facts["unseen"], facts["implied"])]
    settings = dict(SETTINGS)
    out += ["mode %s" % settings["mode"], "cpus %s" % info["cpus"],
            "buckets %d" % settings["buckets"],
            "cluster %d" % settings["cluster"],
            "hot_size %d" % settings["hot_size"],
            "pools %d" % len(pools), "events %d" % len(body),
            "objects %d" % objects]
    for (name, size), pool in pools.items():
        out.append("pool %d %d %s" % (pool, size, clean(name)))
    data = ("\n".join(out + body) + "\n").encode("ascii")
    data += b"end %d %08x\n" % (len(body), zlib.crc32(data))
    sys.stdout.buffer.write(data)
    print("convert.py: %d events; left out: %d frees of unseen objects, "
          "%d failed allocations, %d events past the limit; "
          "%d frees by kfree, %d implied by reuse"
          % (len(body), facts["unseen"], facts["failed"], facts["cut"],
             facts["kfree"], facts["implied"]), file=sys.stderr)


class Checker:
    """Reads a trace strictly; every departure from the format is an error."""

    def __init__(self, data):
        self.number = 0
        if not data.endswith(b"\n"):
            self.bad("no newline at the end")
        text, mark, _ = data.rpartition(b"\nend ")
        self.crc = zlib.crc32(text + b"\n") if mark else None
        try:
            self.lines = data.decode("ascii").split("\n")[:-1]
        except UnicodeDecodeError:
            self.bad("not ASCII")

    def bad(self, why):
        sys.exit("convert.py: line %d: %s" % (self.number, why))

    def line(self, pattern):
        line = self.peek()
        self.number += 1
        match = re.fullmatch(pattern, line)
        if not match:
            self.bad("'%s' is not %s" % (line, pattern))
        return [int(g) if re.fullmatch("0|[1-9][0-9]*", g) else g
                for g in match.groups()]

    def peek(self):
        if self.number >= len(self.lines):
            self.bad("ends too early")
        return self.lines[self.number]

    def check(self):
        num = NUMBER
        version, = self.line(re.escape(HEAD) + "([12])")
        most_pools, largest, name_of = LIMITS[version]
        header = {}
        while not self.peek().startswith("pool "):
            if self.peek().startswith("#"):
                self.line("#[ -~]*")
                continue
            key, _ = self.line("([a-z_]+) (.*)")
            if key not in HEADER or key in header:
                self.bad("no such header line, or twice")
            self.number -= 1
            header[key], = self.line(key + " " + HEADER[key][0])
            low, high = HEADER[key][1:]
            if key != "mode" and not low <= header[key] <= high:
                self.bad("%s out of range" % key)
        if len(header) != len(HEADER):
            self.bad("a header line is missing")
        if header["pools"] > most_pools:
            self.bad("more pools than version %d has" % version)
        cpus, pools, count, objects = (
            header[k] for k in ("cpus", "pools", "events", "objects"))
        sizes = []
        names = []
        for i in range(pools):
            pool, size, name = self.line(
                "pool %s %s (%s)" % (num, num, name_of))
            if pool != i or not 1 <= size <= largest:
                self.bad("pool id or size")
            sizes.append(size)
            names.append(str(name))

        owner = {}
        used = collections.Counter()
        per_cpu = collections.Counter()
        allocs = frees = remote = peak = bytes_live = peak_bytes = 0
        highest = -1
        for _ in range(count):
            letter, cpu, rest = self.line("([af]) %s (.*)" % num)
            if cpu >= cpus:
                self.bad("no such CPU")
            per_cpu[cpu] += 1
            words = str(rest).split(" ")
            if letter == "a":
                if len(words) != 2 or not all(
                        re.fullmatch(num, w) for w in words):
                    self.bad("a record")
                pool, obj = map(int, words)
                if pool >= pools or obj >= objects or obj in owner:
                    self.bad("no such pool, or object too high or live")
                highest = max(highest, obj)
                owner[obj] = (cpu, pool)
                used[pool] += 1
                allocs += 1
                bytes_live += sizes[pool]
                peak = max(peak, len(owner))
                peak_bytes = max(peak_bytes, bytes_live)
            else:
                if len(words) != 1 or not re.fullmatch(num, words[0]):
                    self.bad("f record")
                if int(words[0]) not in owner:
                    self.bad("free of what is not live")
                cpu_then, pool = owner.pop(int(words[0]))
                bytes_live -= sizes[pool]
                frees += 1
                remote += cpu_then != cpu
        total, crc = self.line("end %s ([0-9a-f]{8})" % num)
        if total != count or highest + 1 != objects:
            self.bad("counts do not match the header")
        if int(str(crc), 16) != self.crc:
            self.bad("crc is %08x" % self.crc)
        if self.number != len(self.lines):
            self.bad("goes on after the end")

        print("events %d: allocations %d, frees %d" % (count, allocs, frees))
        print("CPUs: " + ", ".join("%d: %d" % item
                                   for item in sorted(per_cpu.items())))
        print("frees on another CPU: %d (%.1f%%)"
              % (remote, 100 * remote / max(frees, 1)))
        print("pools %d, object sizes %d (%d to %d bytes)"
              % (pools, len(set(sizes)), min(sizes, default=0),
                 max(sizes, default=0)))
        print("peak live %d objects, %d bytes; live at the end %d objects, "
              "%d bytes" % (peak, peak_bytes, len(owner), bytes_live))
        print("busiest pools, by allocations:")
        for pool, number in used.most_common(12):
            print("  %-11s %4d bytes %6d"
                  % (names[pool], sizes[pool], number))


def main():
    args = sys.argv[1:]
    if len(args) == 2 and args[0] == "convert" and args[1].isdigit():
        convert(int(args[1]))
    elif args == ["check"]:
        Checker(sys.stdin.buffer.read()).check()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
