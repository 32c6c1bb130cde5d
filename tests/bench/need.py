#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""How much of a shared pool is kept: rules compared, see Documentation/amounts.

A pool with nothing but a shared part serves 140 rounds in which 1000 objects are
allocated and freed, then a burst of 100,000.  Printed are, per rule, the backend
calls of the last 100 rounds, what is still allocated after the burst, and, of
another such pool, the backend calls of the last of 30 bursts of 16,384.
"""

CLUSTER = 32


class Pool:
    def __init__(self, rule):
        self.keep = rule
        self.allocated = self.shared = self.calls = 0

    def alloc(self, n):
        have = min(self.shared, n)
        self.shared -= have
        self.allocated += n - have
        self.calls += n - have

    def free(self, left):
        while left:
            n = min(CLUSTER, left)
            left -= n
            if self.allocated <= self.keep(self.allocated - self.shared, n):
                self.shared += n
                continue
            more = min(CLUSTER, self.shared)
            self.shared -= more
            self.allocated -= n + more
            self.calls += n + more


def plain(window, factor):
    """An exponential average of need, times a factor."""
    avg = 0.0

    def keep(need, n):
        nonlocal avg
        avg += (need - avg) * n / window
        return factor * avg
    return keep


def highest(span, most=0):
    """common/shared/need.c: what is kept rises to the need, and falls half way to the highest
    need of each span.  The first of these is twice as long each time that it fell in vain, @most
    times."""
    target = peak = remaining = top = fallen = patience = 0

    def rise(need):
        nonlocal target, fallen, patience
        target = need + need // 64
        if fallen and need >= top - top // 32:
            fallen, patience = 0, min(most, patience + 1)

    def end_span(n):
        nonlocal target, top, fallen, patience
        falls = peak + n < target - target // 32
        if falls and not fallen:
            top = target
        if falls:
            target -= (target - peak) // 2
        if falls or fallen:
            fallen += 1
        if fallen >= 32:
            fallen = patience = 0

    def keep(need, n):
        nonlocal peak, remaining
        peak = max(peak, need)
        if need > target:
            rise(need)
        if remaining > n:
            remaining -= n
            return target
        if remaining:
            end_span(n)
        remaining, peak = span << (0 if fallen else patience), need
        return target
    return keep


def again(rule):
    """Backend calls of the last of many bursts."""
    pool = Pool(rule)
    for _ in range(30):
        pool.calls = 0
        pool.alloc(16384)
        pool.free(16384)
    return pool.calls


def play(name, rule, *args):
    pool = Pool(rule(*args))
    for turn in range(140):
        if turn == 40:
            pool.calls = 0
        pool.alloc(1000)
        pool.free(1000)
    calls = pool.calls
    pool.alloc(100000)
    pool.free(100000)
    print(f"{name:32}{calls:14}{pool.allocated:14}{again(rule(*args)):14}")


print(f"{'rule':32}{'backend calls':>14}{'left':>14}{'again':>14}")
play("plain average, window 2048", plain, 2048, 1)
for size in 2048, 4096, 8192:
    play(f"the same, 2 times, {size}", plain, size, 2)
for size in 512, 1024, 2048, 4096:
    play(f"highest of each {size}, halving", highest, size)
play("highest of each 2048, patient", highest, 2048, 5)
