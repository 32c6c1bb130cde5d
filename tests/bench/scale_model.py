# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Many processors that visit a shared pool, event by event; used by scale.py.

A line of memory is with one processor, which may write it, or with several, which
may read it.  Who needs it otherwise waits until it has come; those who take one line
away from others come one after the other.  A thread is a generator: each "yield" is
a time that it takes, and what it does to lines and buckets happens when its turn
comes.  What it does, and in which order, is common/core/shared.c, need.c and below.c.

A processor with several threads gives each a slice; a thread that loses it in the
middle of a visit leaves its bucket BUSY.
"""

import heapq
import random

CLUSTER = 32
SPAN = 2048				# POOL_NEED_SPAN
TRIES = 64				# POOL_BUSY_TRIES
STASH, SPARES = 64, 16			# POOL_STASH_MAX, POOL_SPARES_MAX
TURN = 8				# shared.c: TURN_LINES


class Line:
    """Who has it; the times are those of a Machine."""

    def __init__(self, times):
        self.times = times
        self.owner = None
        self.written = False
        self.readers = set()
        self.free = 0.0

    def has(self, cpu):
        return self.owner == cpu or cpu in self.readers

    def read(self, now, cpu):
        """How long a read takes.  The first one after a write may move the line."""
        if self.has(cpu):
            return 0.0
        done = max(now, self.free) + self.times["read"]
        if self.written and self.times["moves"]:
            self.owner = cpu
            self.free = done
        else:
            if self.owner is not None:
                self.readers = {self.owner}
                self.owner = None
            self.readers.add(cpu)
        self.written = False
        return done - now

    def write(self, now, cpu):
        """How long a write takes; a line that others read is claimed from them."""
        self.written = True
        if self.owner == cpu:
            return 0.0
        self.free = max(now, self.free) + \
            self.times["claim" if cpu in self.readers else "fetch"]
        self.owner = cpu
        self.readers = set()
        return self.free - now


class Bucket:
    def __init__(self, times):
        self.line = Line(times)
        self.busy = False
        self.apart = 0			# objects taken one by one
        self.clusters = []		# processor that has each one's lines


class Pool:
    def __init__(self, times, buckets):
        self.bucket = [Bucket(times) for _ in range(buckets)]
        self.filled = Line(times)
        self.need = Line(times)
        self.allocated_line = Line(times)
        self.spare_line = Line(times)
        self.spares = 0
        self.bits = 0
        self.every = max(1, buckets // TURN)
        self.puts = [0] * buckets
        self.allocated = 0
        self.shared = 0
        self.average = self.peak = self.keep = 0
        self.left = SPAN

    def begin(self, allocated):
        self.allocated = allocated
        self.average = self.peak = self.keep = allocated

    def sample(self):
        """common/core/need.c"""
        need = max(0, self.allocated - self.shared)
        peak = max(self.peak, need)
        if self.left > CLUSTER:
            self.left -= CLUSTER
            self.peak = peak
        else:
            average = self.average
            self.average = peak if peak >= average else \
                average - (average - peak + 1) // 2
            self.peak = need
            self.left = SPAN
        self.keep = max(self.average, peak)


class Thread:
    """One that takes a burst of clusters, then puts them, over and over."""

    def __init__(self, machine, number, cpu):
        self.machine = machine
        self.pool = machine.pool
        self.cpu = cpu
        self.first = number % len(self.pool.bucket)
        self.order = [(self.first + i) % len(self.pool.bucket)
                      for i in range(len(self.pool.bucket))]
        self.stash = self.single = 0
        self.ops = 0.0
        self.left = 0.0
        self.had = self.stock()
        self.run = self.life()

    def stock(self):
        """
        Some of its clusters are in buckets, not each in its own: where threads
        have met, that is where they are.
        """
        had = self.machine.random.randrange(self.machine.burst + 1)
        for _ in range(had):
            i = self.machine.random.choice(self.order)
            self.pool.bucket[i].clusters.append(self.cpu)
            self.pool.bits |= 1 << i
            self.pool.shared += CLUSTER
        return had

    def life(self):
        """
        A batch: what the caches have, what they have not; then all back.  Where a
        batch ends in a cluster varies, and so what the caches have, by a cluster.
        """
        m = self.machine
        full = m.local + m.burst
        cached = m.local
        in_hand = full - self.had
        while True:
            while in_hand < full:
                yield m.pause(m.apart)
                if in_hand >= cached:
                    yield from self.get()
                yield from self.emptied()
                in_hand += 1
                self.ops += m.ops_per_cluster / 2
            cached = m.local + m.random.choice((-1, 0, 0, 1))
            while in_hand:
                yield m.pause(m.apart)
                yield from self.empty_one()
                if in_hand <= full - cached:
                    yield from self.put()
                in_hand -= 1
                self.ops += m.ops_per_cluster / 2

    def emptied(self):
        """A cluster without objects: this CPU's stash, the pool's, or free()."""
        m, pool = self.machine, self.pool
        if self.stash < STASH:
            self.stash += 1
            return
        yield pool.spare_line.read(m.now, self.cpu)
        if pool.spares < SPARES:
            pool.spares += 1
            yield pool.spare_line.write(m.now, self.cpu)
            yield pool.spare_line.write(m.now, self.cpu)

    def empty_one(self):
        """One to fill; the pool's are taken all at once."""
        m, pool = self.machine, self.pool
        if self.stash:
            self.stash -= 1
            return
        yield pool.spare_line.read(m.now, self.cpu)
        if pool.spares:
            yield pool.spare_line.write(m.now, self.cpu)
            self.stash = max(0, pool.spares - 1)
            pool.spares = 0
            yield pool.spare_line.write(m.now, self.cpu)

    def hold(self, bucket):
        """Ends with the bucket BUSY for us, or returns False."""
        m = self.machine
        yield bucket.line.read(m.now, self.cpu)
        if not bucket.busy:
            yield bucket.line.write(m.now, self.cpu)
            if not bucket.busy:
                bucket.busy = True
                return True
        m.skips += 1
        return False

    def release(self, bucket):
        yield bucket.line.write(self.machine.now, self.cpu)
        bucket.busy = False

    def bit(self, i, filled):
        """The summary of buckets that are not empty; its bucket is held."""
        yield self.pool.filled.write(self.machine.now, self.cpu)
        if filled:
            self.pool.bits |= 1 << i
        else:
            self.pool.bits &= ~(1 << i)

    def take_from(self, i):
        m = self.machine
        bucket = self.pool.bucket[i]
        if not (yield from self.hold(bucket)):
            return False
        had = None
        if bucket.clusters:
            had = bucket.clusters.pop()
            self.pool.shared -= CLUSTER
            m.foreign += had != self.cpu
            if had != self.cpu:
                yield m.times["read"]		# its length and its link
            yield m.hold
            if not bucket.clusters:
                yield from self.bit(i, False)
        yield from self.release(bucket)
        if had is not None and had != self.cpu:
            yield m.times["read"] + 3 * m.times["sum"]	# its pointers
        return had is not None

    def take(self):
        yield self.pool.filled.read(self.machine.now, self.cpu)
        bits = self.pool.bits
        for i in self.order:
            if bits >> i & 1:
                if (yield from self.take_from(i)):
                    return True
        return False

    def take_one(self):
        """While all are BUSY, looks again: one object."""
        m = self.machine
        for _ in range(TRIES):
            for i in self.order:
                bucket = self.pool.bucket[i]
                if self.pool.bits >> i & 1 and (yield from self.hold(bucket)):
                    yield m.hold
                    yield from self.take_apart(i, bucket)
                    yield from self.release(bucket)
                    return True
            if not self.pool.bits:
                break
            yield m.look
        return False

    def take_apart(self, i, bucket):
        """One object less in a bucket that is held, if it has some."""
        if not bucket.clusters:
            return
        self.single += 1
        bucket.apart += 1
        if bucket.apart == CLUSTER:
            bucket.apart = 0
            bucket.clusters.pop()
            self.pool.shared -= CLUSTER
            if not bucket.clusters:
                yield from self.bit(i, False)

    def get(self):
        """A cluster; where there is none, single objects until there is one."""
        m, pool = self.machine, self.pool
        while self.single < CLUSTER:
            m.visits += 1
            if (yield from self.take()):
                return
            if pool.bits and (yield from self.take_one()):
                yield m.pause(2 * m.apart / CLUSTER)
                continue
            m.backend += 1
            yield pool.allocated_line.write(m.now, self.cpu)
            pool.allocated += 1
            self.single += 1
            yield m.backend_alloc
        self.single -= CLUSTER

    def count(self):
        """Reads all buckets, side by side."""
        m = self.machine
        missing = [b.line for b in self.pool.bucket if not b.line.has(self.cpu)]
        took = [line.read(m.now, self.cpu) for line in missing]
        if took:
            yield max(took) + (len(took) - 1) * m.times["sum"]

    def keeps(self):
        m, pool = self.machine, self.pool
        if "sampling" in m.without:
            return True
        yield max(pool.need.read(m.now, self.cpu),
                  pool.allocated_line.read(m.now, self.cpu))
        if pool.every > 1:
            yield pool.bucket[self.first].line.read(m.now, self.cpu)
        kept = "excess" in m.without or pool.allocated <= pool.keep
        if kept and pool.puts[self.first] % pool.every:
            return True
        yield from self.count()
        yield pool.need.write(m.now, self.cpu)
        pool.sample()
        return "excess" in m.without or pool.allocated <= pool.keep

    def give_up(self):
        """A cluster's objects go to the backend, one by one."""
        m = self.machine
        for _ in range(CLUSTER):
            yield self.pool.allocated_line.write(m.now, self.cpu)
            self.pool.allocated -= 1
            yield m.backend_free

    def shed(self):
        yield from self.give_up()
        yield from self.count()
        if self.pool.shared >= CLUSTER:
            if (yield from self.take()):
                yield from self.give_up()

    def put(self):
        m, pool = self.machine, self.pool
        m.visits += 1
        if not (yield from self.keeps()):
            yield from self.shed()
            return
        for i in self.order:
            bucket = pool.bucket[i]
            if not (yield from self.hold(bucket)):
                continue
            yield m.hold
            if not bucket.clusters:
                yield from self.bit(i, True)
            bucket.clusters.append(self.cpu)
            pool.puts[i] += 1
            pool.shared += CLUSTER
            yield from self.release(bucket)
            return
        m.refused += 1
        yield from self.give_up()


class Machine:
    """Processors, lines and threads; inputs: see scale.py."""

    def __init__(self, inputs, cpus, threads, buckets, distance=1.0, without=(),
                 seed=1):
        self.random = random.Random(seed)
        self.times = {key: inputs[key] * distance
                      for key in ("read", "claim", "fetch", "sum")}
        self.times["moves"] = inputs["moves"]
        for key in ("hold", "apart", "look", "backend_alloc", "backend_free",
                    "slice", "ops_per_cluster", "burst", "local"):
            setattr(self, key, inputs[key])
        self.without = without
        self.now = 0.0
        self.visits = self.skips = self.foreign = self.refused = self.backend = 0
        self.pool = Pool(self.times, buckets)
        self.pool.begin(threads * self.burst * CLUSTER)
        self.threads = [Thread(self, i, i % cpus) for i in range(threads)]
        self.queues = [self.threads[i::cpus] for i in range(min(cpus, threads))]
        self.ends = [self.slice * self.random.random() for _ in self.queues]

    def pause(self, ns):
        """Without memory, as queueing models have it: threads are never in step."""
        return self.random.expovariate(1 / ns)

    def step(self, i):
        """Run a processor's thread up to its next event; returns when that is."""
        queue = self.queues[i]
        if len(queue) > 1 and self.now >= self.ends[i]:
            queue.append(queue.pop(0))
            self.ends[i] = self.now + self.slice
        thread = queue[0]
        wait = thread.left or next(thread.run)
        thread.left = 0.0
        if len(queue) > 1 and self.now + wait > self.ends[i]:
            thread.left = self.now + wait - self.ends[i]
            return self.ends[i]
        return self.now + wait

    def play(self, warm, measured):
        """Operations per second, after @warm ns, in @measured ns."""
        events = [(0.0, i) for i in range(len(self.queues))]
        before = None
        while True:
            self.now, i = events[0]
            if before is None and self.now >= warm:
                before = sum(thread.ops for thread in self.threads)
            if self.now >= warm + measured:
                break
            heapq.heapreplace(events, (self.step(i), i))
        done = sum(thread.ops for thread in self.threads) - before
        return done / measured * 1e9
