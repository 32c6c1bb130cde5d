#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Clients of the tutorial's server, for tutorial.sh.

        clients.py PORT chat            two hear what a third says, in its order
        clients.py PORT crowd N M       N come and stay; the last M of them hear "busy"
        clients.py PORT slow N M        one does not read while another says N lines, and a
                                        third M lines.  Prints "full" and waits for a line.
                                        Then it reads all: prints how many of the N it hears,
                                        and how many of those that were said of the M, and
                                        that it does not hear, were answered "busy"
        clients.py PORT quit N          N come, one after the other, and say "/quit": prints
                                        how many of them the server lets go
"""

import socket
import sys

PORT = int(sys.argv[1])
# A server that is silent for so long does not answer.
PATIENCE = 20


def connect(size=None):
    """A client, with so small a buffer that little waits in it."""
    sock = socket.socket()
    sock.settimeout(PATIENCE)
    if size:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
    sock.connect(("127.0.0.1", PORT))
    return sock


def said_until(sock, end):
    """What a client hears until this, or until the server has closed."""
    text = b""
    while not text.endswith(end):
        part = sock.recv(65536)
        if not part:
            break
        text += part
    return text


def meet(socks):
    """All are clients once each of them has heard of the next one."""
    for to, sock in zip(socks, socks[1:]):
        sock.sendall(b"here\n")
        assert said_until(to, b"here\n").endswith(b"here\n")


def chat():
    first, second, third = socks = [connect() for _ in range(3)]
    meet(socks)
    said = b"".join(b"line %d\n" % i for i in range(1000))
    third.sendall(said)
    for sock in first, second:
        heard = said_until(sock, b"line 999\n").replace(b"here\n", b"")
        assert heard == said, heard[-100:]
    second.sendall(b"half")
    second.sendall(b" a line\nand one\n")
    assert said_until(first, b"and one\n") == b"half a line\nand one\n"


def crowd(count, refused):
    socks = [connect() for _ in range(count)]
    clients = socks[:count - refused]
    for sock in socks[count - refused:]:
        assert said_until(sock, b"never") == b"busy\n"
    meet(clients)


def ends(sock):
    """The server has read all that the client has said."""
    sock.shutdown(socket.SHUT_WR)
    return said_until(sock, b"never")


def answers(sock, count):
    """Says so many lines, fewer if some are not answered: how many are, and how many it said."""
    answered = silent = 0
    sock.settimeout(2)
    while answered + silent < count and silent < 30:
        sock.sendall(b"lost\n")
        try:
            answered += said_until(sock, b"\n") == b"busy\n"
        except TimeoutError:
            silent += 1
    sock.settimeout(PATIENCE)
    return answered, answered + silent


def slow(count, refused):
    reader, talker = connect(4096), connect()
    talker.sendall(b"".join(b"%0199d\n" % i for i in range(count)))
    ends(talker)
    late = connect()
    answered, said = answers(late, refused)
    print("full", flush=True)
    sys.stdin.readline()
    heard = b""
    while not heard.endswith(b"end\n"):
        heard += reader.recv(65536)
        late.sendall(b"end\n")
    lines = [int(line) for line in heard.split(b"\n") if len(line) == 199]
    # A reader may get a little more now and then, so a later line may come though one was lost.
    assert lines == sorted(set(lines)) and lines[-1] < count, "not in order"
    print("heard", len(lines), "answered", answered, "of", said - heard.count(b"lost\n"))


def quits(count):
    gone = 0
    for _ in range(count):
        with connect() as sock:
            sock.sendall(b"/quit\n")
            gone += sock.recv(1) == b""
    print(gone)


globals()[{"quit": "quits"}.get(sys.argv[2], sys.argv[2])](*map(int, sys.argv[3:]))
