#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Reads the numbers of a running program's pools, from Python.

    pools.py LIBRARY FUNCTION

Loads a shared library that uses pools, has a thread call its function, which takes no
arguments, and prints a line per pool each second and when the function has returned.  In a
program of your own import Pools.
"""

import ctypes
import sys
import threading


class Stats(ctypes.Structure):
    """struct pool_stats of pool_stats.h, whose comment says what each member means."""
    COUNTS = ("size allocated used cached shared parked reserved quarantined abandoned "
              "moving limit min_avail need fills spills evictions gets get_objs puts "
              "put_objs nested store_gets store_puts failed refused injected allocs id").split()
    _fields_ = ([(name, ctypes.c_ulonglong) for name in COUNTS] +
                [(name, ctypes.c_uint) for name in
                 ("object_size", "alignment", "registrations")] +
                [("name", ctypes.c_char * 16), ("faults", ctypes.c_ulonglong * 12)])


class Pools:
    """The pools of this program: of Python, and of all libraries that it has loaded."""
    EACH = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)

    def __init__(self, library="libpool.so.0"):
        self.lib = ctypes.CDLL(library)
        self.lib.pool_for_each.argtypes = [self.EACH, ctypes.c_void_p]
        self.lib.pool_for_each.restype = None
        self.lib.pool_stats_get.argtypes = [ctypes.c_void_p, ctypes.POINTER(Stats),
                                            ctypes.c_size_t]
        self.lib.pool_stats_get.restype = None

    def stats(self):
        """A list of Stats, the oldest pool first."""
        found = []

        def each(pool, _):
            stats = Stats()
            self.lib.pool_stats_get(pool, stats, ctypes.sizeof(stats))
            found.append(stats)
        self.lib.pool_for_each(self.EACH(each), None)
        return found


def show(pools):
    for one in pools.stats():
        print(f"{one.name.decode(errors='replace'):12} size {one.object_size} "
              f"used {one.used} cached {one.cached} shared {one.shared} "
              f"fills {one.fills} failed {one.failed + one.refused}",
              flush=True)


def main(library, function):
    try:
        work = threading.Thread(target=getattr(ctypes.CDLL(library), function))
        pools = Pools()
    except (OSError, AttributeError) as error:
        print(f"pools.py: {error}", file=sys.stderr)
        return 2
    work.start()
    running = True
    while running:
        work.join(1)
        running = work.is_alive()
        show(pools)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print("usage: pools.py LIBRARY FUNCTION", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
