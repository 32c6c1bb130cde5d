#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""HAProxy with its own pools and with libpool, under the same load.

    haproxy.py check ORIGINAL POOLS
    haproxy.py measure ORIGINAL POOLS >FILE.CSV

The two programs are those of twins.sh.  "check" prints results: both answer alike, nothing
more is left in use by one of them, and the one with libpool needs fewer instructions for a
request.  "measure" prints instructions, requests per second and memory.
"""

import contextlib
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from program import (PAIRS, SECONDS, Program, Table, cpu_time, die, free_port,
                     in_turn, need, per_request, result, within, wrk)

EXAMPLE = pathlib.Path(__file__).parents[2] / "user/examples/haproxy"
CONNECTIONS = 800
# The most instructions, as a fraction of the original's.
MOST = 0.98
# The options of ab for a connection with one request, and for a connection with many.
LOADS = {"connection": ["-c", "1"], "request": ["-c", "1", "-k"]}
MEMORY = ("memory at the start",
          f"memory with {CONNECTIONS} connections, silent",
          f"memory with {CONNECTIONS} requests that wait",
          f"memory after {CONNECTIONS} connections asked for {SECONDS} s",
          "memory after SIGQUIT, which collects")
CLOSE = b"Host: a\r\nConnection: close\r\n"
REQUESTS = (
    b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n",
    b"HEAD /x?y HTTP/1.0\r\n\r\n",
    b"POST / HTTP/1.1\r\n" + CLOSE + b"Content-Length: 5\r\n\r\n12345",
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\n" + CLOSE + b"\r\n",
    b"nonsense\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + CLOSE + b"X: " + b"x" * 20000 + b"\r\n\r\n",
)
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
# A request without its last byte waits, with its stream and its buffer.
BODY = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345"


class Proxy(Program):
    """A proxy before the server at the port @origin."""

    def __init__(self, program, origin, debug=None, count=False):
        self.own = tempfile.TemporaryDirectory()
        self.port = free_port()
        self.stats = self.own.name + "/stats"
        env = {"PORT": str(self.port), "ORIGIN": str(origin), "STATS": self.stats}
        options = [] if debug is None else [f"-dM{debug}"]
        super().__init__(self.own.name, [program, "-db", *options, "-f",
                                            EXAMPLE / "proxy.cfg"], env, count)
        self.listens(self.port)

    def __exit__(self, *why):
        super().__exit__(*why)
        self.own.cleanup()

    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def connect(self, request):
        sock = socket.create_connection(("127.0.0.1", self.port), 20)
        sock.sendall(request)
        return sock

    def answer(self, request):
        with self.connect(request) as sock:
            return b"".join(iter(lambda: sock.recv(65536), b""))

    def show_pools(self):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(self.stats)
            sock.sendall(b"show pools\n")
            return b"".join(iter(lambda: sock.recv(65536), b"")).decode()

    def in_use(self):
        """{name: objects in use} of pools that have some."""
        text = self.show_pools()
        used = column_of_ours if text.startswith("pool ") else used_of_theirs
        return {name: n for name, n in used(text) if n}


def used_of_theirs(text):
    """Yields (name, objects in use); HAProxy counts cached objects as used, too."""
    for name, used, cached in re.findall(
            r"- Pool (\S+) .* (\d+) used \(~(\d+) by thread caches\)", text):
        yield name, int(used) - int(cached)


def column_of_ours(text, name="used"):
    head, *rows = (line.split() for line in text.splitlines() if line[:1].strip())
    for row in rows:
        if len(row) == len(head) and name in head:
            yield row[0], int(row[head.index(name)])


@contextlib.contextmanager
def origin(program, idle):
    """The server behind a proxy, which is always the original program.  It ends connections
    that are idle for so long."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, \
            Program(folder, [program, "-db", "-f", EXAMPLE / "origin.cfg"],
                    {"ORIGIN": str(port), "IDLE": idle}) as server:
        server.listens(port)
        yield port


def ab(proxy, count, *options):
    said = subprocess.run(["ab", "-q", "-n", str(count), *options, proxy.url()],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
    for line in (rf"Complete requests: +{count}\n", r"Failed requests: +0\n"):
        if not re.search(line, said):
            raise RuntimeError("ab: not all requests were answered:\n" + said)
    if "Non-2xx" in said:
        raise RuntimeError("ab: not all answers are 200:\n" + said)


def instructions(program, port, *options):
    """Counts the instructions of a request, by callgrind."""
    def run(count):
        with Proxy(program, port, count=True) as proxy:
            ab(proxy, count, *options)
            proxy.stop(signal.SIGUSR1)
            return proxy.instructions()
    return per_request(run, 100, 600)


def held(proxy, count):
    """KiB for so many connections, each with a request that waits for its last byte; and
    whether all of them are answered then."""
    socks = [proxy.connect(BODY[:-1]) for _ in range(count)]
    within(lambda: proxy.in_use()["stream"] > count, f"{count} streams")
    kib = proxy.resident()
    for sock in socks:
        sock.sendall(BODY[-1:])
    answered = all(sock.recv(4096).startswith(b"HTTP/1.1 200 ") for sock in socks)
    for sock in socks:
        sock.close()
    return kib, answered


def at_rest(proxy, like):
    """Objects in use, once no connection of HTTP is left, in front or behind, and another look says
    the same: the next one, or the one @like at another proxy.  Tasks and applets end after
    their connections, and a look itself needs a buffer more now and then."""
    used = {}

    def rests():
        used.clear()
        used.update(proxy.in_use())
        return "h1c" not in used and used.get("appctx", 1) == 1 and \
            used == (like or proxy.in_use())

    with contextlib.suppress(RuntimeError if like else ()):
        within(rests, "an end of all connections")
    return used


def answers(program, port, debug, like=None):
    """What one says to all requests, what is left in use then, its status and its log.  @like: as
    at_rest()."""
    with Proxy(program, port, debug) as proxy:
        said = [proxy.answer(request) for request in REQUESTS]
        ab(proxy, 500, "-c", "16")
        ab(proxy, 500, "-c", "16", "-k")
        said.append(held(proxy, CONNECTIONS)[1])
        return said, at_rest(proxy, like), proxy.stop(signal.SIGUSR1), proxy.said()


def fails(program, port):
    """With -dMfail: how many of some requests are answered, and how many allocations failed."""
    answered, failed = 0, 0
    with Proxy(program, port, "fail") as proxy:
        for _ in range(500):
            with contextlib.suppress(OSError):
                answered += proxy.answer(REQUESTS[0]).startswith(b"HTTP/1.1 200 ")
        for _ in range(20):
            with contextlib.suppress(OSError):
                text = proxy.show_pools() or "pool"
                failed = max(failed, sum(n for _, n in column_of_ours(text, "injected")))
        return answered, failed


def poisoned(program, port, debug):
    """True if a request is answered with these options."""
    with Proxy(program, port, debug) as proxy:
        return proxy.answer(REQUESTS[0]).startswith(b"HTTP/1.1 200 ")


def check(original, pools):
    with origin(original, "1s") as port:
        theirs = answers(original, port, "no-merge")
        ours = answers(pools, port, "no-merge", theirs[1])
        compare(theirs, ours)
        if original != pools:
            checked = answers(pools, port, "no-merge,integrity,tag,caller", theirs[1])
            result("checks_of_all_objects_find_nothing",
                   checked[:3] == ours[:3] and "FAULT" not in checked[3], *checked[1:])
            answered, failed = fails(pools, port)
            result("it_starts_and_goes_on_where_allocations_fail",
                   100 < answered < 500 and failed > 0, answered, failed)
            result("a_command_line_may_begin_with_the_byte_of_poison",
                   all(poisoned(pools, port, debug) for debug in ("", "0x50,no-merge")))
        for name, options in LOADS.items():
            a, b = (instructions(program, port, *options)
                    for program in (original, pools))
            result(f"a_{name}_takes_fewer_instructions", b <= MOST * a, a, b)
            print(f"# {a:.0f} without libpool, {b:.0f} with it: {b / a:.3f}")


def compare(theirs, ours):
    result("both_answer_alike", theirs[0] == ours[0], theirs[0], ours[0])
    result("all_that_wait_are_answered", ours[0][-1] is True, ours[0][-1])
    result("both_have_the_same_objects_in_use_afterwards", theirs[1] == ours[1],
           theirs[1], ours[1])
    result("both_end_well", theirs[2] == ours[2] == 0, theirs[3], ours[3])


def rate(proxy):
    """Returns the requests per second of 16 connections."""
    return wrk("-t1", "-c16", proxy.url())


def cpu(proxy):
    """Returns the ns of processor time for one of these requests, kernel included."""
    return cpu_time(proxy, "-t1", "-c16", proxy.url())


def memory(proxy):
    """[KiB] at the start, for connections that wait for a request, for those whose request
    waits, after a burst of many, and after a collection."""
    kib = [proxy.resident()]
    socks = [proxy.connect(REQUEST) for _ in range(CONNECTIONS)]
    for sock in socks:
        assert sock.recv(4096).startswith(b"HTTP/1.1 200 ")
    kib.append(proxy.resident())
    for sock in socks:
        sock.close()
    kib.append(held(proxy, CONNECTIONS)[0])
    wrk("-t1", f"-c{CONNECTIONS}", proxy.url())
    kib.append(proxy.resident())
    proxy.child.send_signal(signal.SIGQUIT)
    within(lambda: " pools" in proxy.said(), "a dump")
    time.sleep(1)
    return [*kib, proxy.resident()]


def both(original, pools, port, run):
    """Returns pairs of what both programs say, in turn."""
    for _ in range(PAIRS):
        with Proxy(original, port) as a, Proxy(pools, port) as b:
            yield in_turn(run, a, b)


def measure(original, pools):
    table = Table("HAProxy")
    with origin(original, "60s") as port:
        for name, options in LOADS.items():
            table.add(f"instructions of a {name}", "",
                      [[instructions(program, port, *options)
                        for program in (original, pools)]])
        table.add("requests per second", "", both(original, pools, port, rate))
        table.add("processor's time of a request", "ns",
                  both(original, pools, port, cpu))
        kib = list(both(original, pools, port, memory))
        for i, name in enumerate(MEMORY):
            table.add(name, "KiB", [(a[i], b[i]) for a, b in kib])


def main():
    modes = {"check": check, "measure": measure}
    if len(sys.argv) != 4 or sys.argv[1] not in modes:
        die("usage: haproxy.py check|measure ORIGINAL POOLS")
    need("ab", "valgrind", "wrk", *sys.argv[2:])
    modes[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
