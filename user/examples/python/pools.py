#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Reads the numbers of a running program's pools, from Python.

    pools.py LIBRARY FUNCTION

Loads a shared library that uses pools, has a thread call its function, which takes no
arguments, and prints a line per pool each second and when the function has returned.  In a
program of your own import Pools.
"""

import ctypes
import json
import sys
import threading


class Pools:
    """The pools of this program: of Python, and of all libraries that it has loaded."""
    MORE = 4096     # a text may be so much longer than it was a moment before

    def __init__(self, library="libpool.so.0"):
        self.dump = ctypes.CDLL(library).dump_pools_to_buf
        self.dump.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p]

    def text(self, words):
        """What "show pools" of poolctl prints with these words: raw, json, byusage, ..."""
        size = 0
        while True:
            text = ctypes.create_string_buffer(size + self.MORE)
            size = self.dump(text, len(text), words.encode())
            if size < len(text):
                return text.value.decode()

    def stats(self):
        """A dict of numbers per pool, the oldest first; pool_stats.h says what each means."""
        return json.loads(self.text("json"))["pools"]


def show(pools):
    for one in pools.stats():
        print("{name:12} size {size} used {used} cached {cached} shared {shared} fills {fills}"
              .format(**one), "failed", one["failed"] + one["refused"], flush=True)


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
