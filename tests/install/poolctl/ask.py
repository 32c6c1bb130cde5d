#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The other end of a control socket, for poolctl.sh.

        ask.py ask SOCKET LINE       sends a line, prints the answer without its first line
        ask.py serve SOCKET HOW      a server that is none: it says HOW, an escaped string, to
                                     each client and leaves; "silent": it never answers
        ask.py prometheus            checks the standard input as a Prometheus text
"""

import re
import socket
import sys

SAMPLE = re.compile(r'([a-z_]+)((?:\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+\})?) (\d+)')


def ask(path, line):
    """Print what follows "ok"."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(path)
        sock.sendall(line.encode() + b"\n")
        answer = b"".join(iter(lambda: sock.recv(65536), b""))
    first, rest = answer.split(b"\n", 1)
    if first != b"ok":
        sys.exit(first.decode(errors="replace"))
    sys.stdout.buffer.write(rest)


def serve(path, how):
    """Say the same to each client."""
    clients = []
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(path)
        sock.listen()
        print("ready", flush=True)
        while True:
            client = sock.accept()[0]
            if how == "silent":
                clients.append(client)
                continue
            client.recv(256)
            client.sendall(how.encode().decode("unicode_escape").encode("latin-1"))
            client.close()


def prometheus():
    """Each metric has its type first, its samples together, and none of them twice."""
    typed, seen, last = set(), set(), None
    for number, line in enumerate(sys.stdin, 1):
        if line.startswith("# TYPE "):
            metric, kind = line.split()[2:]
            if metric in typed or kind not in ("gauge", "counter"):
                sys.exit(f"line {number}: {line}")
            typed.add(metric)
            last = metric
        elif not line.startswith("# HELP "):
            match = SAMPLE.fullmatch(line.rstrip("\n"))
            if not match or match[1] != last or match[0].rsplit(" ", 1)[0] in seen:
                sys.exit(f"line {number}: {line}")
            seen.add(match[0].rsplit(" ", 1)[0])
    if len(typed) < 10 or not line.endswith("\n"):
        sys.exit(f"{len(typed)} metrics")


if __name__ == "__main__":
    {"ask": ask, "serve": serve, "prometheus": prometheus}[sys.argv[1]](*sys.argv[2:])
