#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The tutorial's server with malloc() and with pools, under the same load.

    chat.py check FOLDER
    chat.py measure FOLDER >FILE.CSV

FOLDER has the programs of chat-twins.sh.  "check" prints results: all clients hear
everything, by wrk, too, and a message takes fewer instructions with pools.  "measure" prints
instructions, answers per second and memory.
"""

import pathlib
import re
import socket
import sys
import tempfile

from program import (PAIRS, Program, Table, cpu_time, die, in_turn, need, per_request, result,
                     within)

SCRIPT = pathlib.Path(__file__).parent / "chat.lua"
PROGRAMS = "malloc", "pools", "steps"
LISTENERS = 8
# Lines that are said at once.  Each is a message for each listener, and the server of all
# steps has 4000 of them.
BURSTS = {"said alone": 1, "in a burst": 400}
# The most instructions of a message, as a fraction of those with malloc().
MOST = {"said alone": 0.9, "in a burst": 0.75}
LINE = b"%0198d\n"
# So many messages wait for a client that does not read.
WAITING = 20000
MEMORY = (f"memory while {WAITING} messages wait", "memory when they have been taken",
          "memory after pool_gc()")


class Chat(Program):
    """The server."""

    def __init__(self, program, count=False, ctl=False):
        self.own = tempfile.TemporaryDirectory()
        self.ctl = self.own.name + "/ctl"
        env = {"LIBPOOL_OPTIONS": "ctl=" + self.ctl} if ctl else {}
        super().__init__(self.own.name, [program], env, count)
        within(lambda: "port" in self.said(), "a port")
        self.port = int(re.search(r"port (\d+)", self.said())[1])

    def __exit__(self, *why):
        super().__exit__(*why)
        self.own.cleanup()

    def connect(self, size=None):
        """A client; @size: bytes that may wait in its socket."""
        sock = socket.socket()
        sock.settimeout(20)
        if size:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
        sock.connect(("127.0.0.1", self.port))
        return sock

    def collect(self):
        """Collects as "poolctl gc" does; nothing happens without pools."""
        if not pathlib.Path(self.ctl).exists():
            return
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(self.ctl)
            sock.sendall(b"gc\n")
            while sock.recv(4096):
                pass

    def crowd(self):
        """Connects a talker and its listeners; returns when the server knows all."""
        listeners = []
        for _ in range(LISTENERS):
            listeners.append(self.connect())
            talker = self.connect()
            talker.sendall(b"\n")
            for sock in listeners:
                hear(sock, 1)
            if len(listeners) < LISTENERS:
                talker.close()
        return talker, listeners


def hear(sock, size):
    said = b""
    while len(said) < size:
        part = sock.recv(size - len(said))
        if not part:
            raise RuntimeError("the server has closed")
        said += part
    return said


def talk(server, bursts, lines):
    """True if all clients hear everything, in the order in which it was said."""
    talker, listeners = server.crowd()
    said = b"".join(LINE % i for i in range(lines))
    good = True
    for _ in range(bursts):
        talker.sendall(said)
        for sock in listeners:
            good = good and hear(sock, len(said)) == said
    return good


def instructions(program, lines):
    """Counts the instructions of a message, by callgrind."""
    def run(messages):
        with Chat(program, count=True) as server:
            talk(server, messages // LISTENERS // lines, lines)
            server.stop()
            return server.instructions()
    return per_request(run, 3200, 16000)


def cpu(server):
    """Returns the ns of processor time for an answer to wrk: two messages, kernel included."""
    return cpu_time(server, "-t1", "-c2", "-s", SCRIPT,
                    f"http://127.0.0.1:{server.port}")


def memory(server):
    """[KiB] while all messages wait for a slow client, after it has taken them, and after
    a collection."""
    slow, talker = server.connect(4096), server.connect()
    talker.sendall(b"".join(LINE % i for i in range(WAITING)))
    talker.shutdown(socket.SHUT_WR)
    # The server closes, so it has read everything.
    while talker.recv(65536):
        pass
    kib = [server.resident()]
    hear(slow, WAITING * len(LINE % 0))
    kib.append(server.resident())
    server.collect()
    return [*kib, server.resident()]


def check(folder):
    for name in PROGRAMS:
        with Chat(folder / name) as server:
            result(f"all_hear_all_with_{name}",
                   all(talk(server, 3, lines) for lines in BURSTS.values()))
            result(f"wrk_is_answered_with_{name}", cpu(server) > 0)
            result(f"the_server_ends_well_with_{name}", server.stop() == 0, server.said())
    for name, lines in BURSTS.items():
        a, b = (instructions(folder / program, lines) for program in PROGRAMS[:2])
        result(f"a_message_{name.replace(' ', '_')}_takes_fewer_instructions",
               b <= MOST[name] * a, a, b)


def both(folder, run, ctl=False):
    """Returns pairs of what both programs say, in turn.  @ctl: with a control socket, whose
    thread makes system calls slower."""
    for _ in range(PAIRS):
        with Chat(folder / "malloc", ctl=ctl) as a, Chat(folder / "pools", ctl=ctl) as b:
            yield in_turn(run, a, b)


def measure(folder):
    table = Table("chat server")
    for name, lines in BURSTS.items():
        theirs, ours, steps = (instructions(folder / program, lines)
                               for program in PROGRAMS)
        table.add(f"instructions of a message {name}", "", [(theirs, ours)])
        table.add(f"instructions of a message {name}, all steps", "", [(theirs, steps)])
    table.add("processor's time of an answer to wrk", "ns", both(folder, cpu))
    kib = list(both(folder, memory, True))
    for i, name in enumerate(MEMORY):
        table.add(name, "KiB", [(a[i], b[i]) for a, b in kib])


def main():
    modes = {"check": check, "measure": measure}
    if len(sys.argv) != 3 or sys.argv[1] not in modes:
        die("usage: chat.py check|measure FOLDER")
    need("valgrind", "wrk", *(f"{sys.argv[2]}/{name}" for name in PROGRAMS))
    modes[sys.argv[1]](pathlib.Path(sys.argv[2]))


if __name__ == "__main__":
    main()
