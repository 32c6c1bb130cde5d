#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The other end of a control socket, for poolctl.sh.

        ask.py ask SOCKET LINE       sends a line, prints the answer without its first line
        ask.py serve SOCKET HOW      a server that is none: it says HOW, an escaped string, to
                                     each client and leaves; "silent": it never answers;
                                     "endless", "slow": it answers, and never ends, by 1 MB
                                     or a byte at a time;
                                     "rising": one pool that has 1000 fills in a second;
                                     "falling": one whose counts are those of a new program
        ask.py prometheus            checks the standard input as a Prometheus text
        ask.py json                  raw dumps at the standard input become JSON
        ask.py svg FILE NAME:N,...   the lines of an SVG of poolctl have these numbers
"""

import json
import re
import socket
import sys
import time
from xml.etree import ElementTree

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


def never_end(client, how):
    """The first bytes look like an answer.  A client that leaves ends it."""
    try:
        client.sendall(b"ok\npools version 5\n# id name size\n")
        while True:
            client.sendall(b"a" * (1 if how == "slow" else 1000000))
            time.sleep(0.5 if how == "slow" else 0)
    except OSError:
        client.close()


def serve(path, how):
    """Say the same to each client."""
    clients, start, refused = [], time.monotonic(), 100
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
            said = how
            if how in ("endless", "slow"):
                never_end(client, how)
                continue
            if how == "rising":
                fills = int((time.monotonic() - start) * 1000)
                said = ("ok\npools version 5\n# id name size used fills\n"
                        f"1 rising 8 5 {fills}\ntotal pools=1\n")
            if how == "falling":
                refused -= 1
                said = ("ok\npools version 5\n# id name size used limit refused\n"
                        f"1 falling 8 5 5 {refused}\ntotal pools=1\n")
            client.sendall(said.encode().decode("unicode_escape").encode("latin-1"))
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


def as_json():
    """Keys are the columns."""
    for line in sys.stdin:
        words = line.split()
        if line.startswith("pools version "):
            pools = []
        elif line.startswith("# "):
            keys = words[1:]
        elif line.startswith("total "):
            print(json.dumps({"version": 5, "pools": pools, "truncated": False, "total": {}}))
        else:
            pools.append({k: v if k == "name" else int(v) for k, v in zip(keys, words)})


def number(text):
    """Of an axis: 0B, 2.0K, 1500."""
    unit = "BKMGTPE".find(text[-1])
    return float(text.rstrip("BKMGTPE")) * 1024 ** max(unit, 0)


def svg(path, *wanted):
    """Lines of the grid with their numbers say what a point means."""
    space = "{http://www.w3.org/2000/svg}"
    root = ElementTree.parse(path).getroot()
    if root.get("role") != "img" or not root.findtext(space + "desc"):
        sys.exit("it says nothing in words")
    axes, lines, at = [], {}, []
    for line in root.iter():
        if line.get("class") == "grid":
            at.append(float(line.get("y1")))
        elif line.tag == space + "text" and line.get("text-anchor") == "end" and at:
            axes.append((at.pop(), number(line.text) if line.get("x") == "58" else 0))
        elif line.get("points") is not None:
            points = [tuple(map(float, p.split(","))) for p in line.get("points").split()]
            lines[line.get("class")] = list(axes), points
    for want in wanted:
        name, numbers = want.split(":")
        numbers = [float(n) for n in numbers.split(",") if n]
        axes, points = lines[name]
        zero, one = [a for a in axes if a[1] == 0][-1], axes[-1]
        scale = one[1] / (zero[0] - one[0])
        has = [(zero[0] - y) * scale for _, y in points][:len(numbers)]
        if any(abs(h - n) > 0.15 * scale for h, n in zip(has, numbers)) or \
                len(points) < len(numbers):
            sys.exit(f"{name}: {has}, not {numbers}")


if __name__ == "__main__":
    {"ask": ask, "serve": serve, "prometheus": prometheus, "json": as_json,
     "svg": svg}[sys.argv[1]](*sys.argv[2:])
