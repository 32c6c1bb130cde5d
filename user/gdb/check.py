# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Walks all lists and counts, and says what does not agree: "pool check".

What a thread may be about to change, since it was stopped inside a call of libpool, is a
note, no problem.  Lists change under a lock, so without a holder they have no excuse.
"""

import gdb


class Check:
    def __init__(self, lib):
        self.lib = lib
        self.problems = 0
        self.notes = 0
        self.inside = lib.inside()

    def say(self, text):
        self.problems += 1
        print(text)

    def note(self, text):
        self.notes += 1
        print(f"note: {text}")

    def differ(self, quiet, text):
        """Two things do not agree: a problem, unless a thread was changing them."""
        if quiet:
            self.say(text)
        else:
            self.note(text)

    def run(self):
        for number in self.inside:
            self.note(f"thread {number} is in a call of libpool")
        for pool in self.lib.pools():
            CheckPool(self, pool).run()
        for area in self.lib.areas():
            self.area(area)

    def area(self, area):
        """The lists of a thread, of all pools, and what is charged for them."""
        cpu, name = area["cpu"], self.lib.thread_of(area)
        quiet = not int(cpu["lock"]["holder"])
        if not quiet:
            self.note(f"the lock of {name} is held")

        def broken(text):
            self.differ(quiet, text)

        clusters = list(self.lib.entries(cpu["by_lru"], "cluster", "by_lru",
                                         f"the clusters of {name} by age", broken))
        arrays = {int(local.address): local for local in
                  self.lib.entries(cpu["by_age"], "local", "by_age",
                                   f"the arrays of {name} by age", broken)}
        by_pool, hot, moving, rooms = 0, 0, 0, {}
        for pool in self.lib.pools():
            for other, local in pool.locals():
                if other.address != area.address or int(local["pool"]) != pool.at:
                    continue
                slots = int(local["hot"]["slots"])
                by_pool += int(local["clustered"]) * pool.size
                moving += int(local["moving"])
                hot += slots * pool.size
                if slots:
                    rooms[int(local.address)] = pool
        if set(rooms) != set(arrays):
            broken(f"{name}: {len(rooms)} arrays have slots, and {len(arrays)} are listed")
        if int(cpu["hot_bytes"]) != hot:
            broken(f"{name}: arrays have slots for {hot} bytes, hot_bytes is "
                   f"{int(cpu['hot_bytes'])}")
        listed = sum(int(c["n"]) * int(c["local"]["pool"]["head"]["size"]) for c in clusters)
        if listed != by_pool:
            broken(f"{name}: clusters by age have {listed} bytes, by pool {by_pool}")
        word = 1 << 8 * cpu["charged"].type.sizeof
        charged = (int(cpu["charged"]) + int(cpu["refunded"])) % word
        if charged < hot + by_pool or (not moving and charged != hot + by_pool):
            self.differ(not self.inside,
                        f"{name}: {hot + by_pool} bytes are there, {charged} are charged")
        self.stash(cpu, name, broken)

    def stash(self, cpu, name, broken):
        stash = cpu["stash"]
        stashed = int(cpu["stashed"])
        most = stash.type.range()[1] + 1
        if stashed > most:
            broken(f"{name}: {stashed} empty clusters, {most} at most")
            return
        for i in range(stashed):
            address = int(stash[i])
            try:
                c = self.lib.at(address, "cluster")
                n, boxed = int(c["n"]), int(c["boxed"])
            except gdb.MemoryError:
                broken(f"{name}: an empty cluster at {hex(address)}, which cannot be read")
                continue
            if n or boxed:
                broken(f"{name}: the empty cluster at {hex(address)} has {n} objects "
                       f"and {boxed} clusters")


class CheckPool:
    def __init__(self, check, pool):
        self.check = check
        self.lib = check.lib
        self.pool = pool
        self.places = {}
        self.quiet = not check.inside and not pool.sums()["moving"]
        self.parts = pool.layout()

    def say(self, text):
        self.check.say(f'pool "{self.pool.name}": {text}')

    def differ(self, text):
        self.check.differ(self.quiet, f'pool "{self.pool.name}": {text}')

    def run(self):
        for obj, where in self.pool.free_objects(self.say):
            plain = obj & ~SEAL_BITS
            if plain in self.places:
                self.differ(f"{hex(plain)} is free twice: {self.places[plain]}, and {where}")
            self.places[plain] = where
            try:
                self.free_object(plain, obj & SEAL_BITS, where)
            except gdb.MemoryError:
                self.say(f"{hex(plain)}, {where}, cannot be read")
        for area, local in self.pool.locals():
            if int(local["pool"]) == self.pool.at:
                self.part(local, self.lib.thread_of(area), not int(area["cpu"]["lock"]["holder"]))
            self.parked(local["parked"], self.lib.thread_of(area))
        self.parked(self.pool.v["parked"], "no thread")
        self.shared()
        self.table()
        sums = self.pool.sums()
        if sums["used"] < 0:
            self.differ(f"{sums['allocated']} objects are allocated, {sums['cached']} cached "
                        f"and {sums['shared']} shared")

    def free_object(self, obj, seal, where):
        align = int(self.pool.v["align"])
        if obj % align:
            self.say(f"{hex(obj)}, {where}, is not aligned to {align} bytes")
            return
        if seal and where.startswith("in the hot"):
            self.say(f"{hex(obj)}, {where}, is sealed")
        self.in_slab(obj, where)
        if self.pool.table().state.get(obj, FREE) & 3 != FREE:
            self.differ(f"{hex(obj)}, {where}, is in use, too")
        if seal:
            self.contents(obj, seal >> 1, where)

    def in_slab(self, obj, where):
        slab = self.lib.slab_of(obj)
        if not slab:
            return
        around = slab.around(obj)
        if slab.class_at and slab.class_at != self.pool.class_at:
            self.say(f"{hex(obj)}, {where}, is an object of another pool: slabs of "
                     f"{slab.stride} bytes")
        elif not around or around[1]:
            self.differ(f"{hex(obj)}, {where}, is free in its slab, too")
        elif around[0] != obj:
            self.say(f"{hex(obj)}, {where}, points into the object at {hex(around[0])}")

    def contents(self, obj, phase, where):
        """Was a free object written to?  As pool_check_out() does: pattern.c."""
        size = self.pool.size
        data = bytes(gdb.selected_inferior().read_memory(obj, size))
        if phase:
            x = obj * 0x9e3779b97f4a7c15 & self.lib.ones
            x = ((x ^ x >> 4 * self.lib.word) + phase * (self.lib.ones // 3)) & self.lib.ones
            order = "big" if self.lib.order == ">" else "little"
            whole = x.to_bytes(self.lib.word, order) * (size // self.lib.word + 1)
            self.compare(obj, data, whole[:size], where)
        if "copy" in self.parts:
            at = obj + self.parts["copy"]
            copy = bytes(gdb.selected_inferior().read_memory(at, size))
            self.compare(obj, data, copy, where)

    def compare(self, obj, data, expected, where):
        if data != expected:
            first = [a == b for a, b in zip(data, expected)].index(False)
            self.differ(f"{hex(obj)} + {first}, {where}, was written to while free")

    def part(self, local, name, quiet):
        """The counts of a thread's part."""
        hot = local["hot"]
        n, slots, cap = int(hot["n"]), int(hot["slots"]), int(hot["cap"])
        if not n <= slots <= length(local["slot"]) or cap > slots:
            self.differ(f"the hot array of {name}: n {n}, cap {cap}, slots {slots}")
        # The list was walked before, which said what is broken.
        clusters = list(self.lib.entries(local["by_pool"], "cluster", "by_pool", "", ignore))
        total = sum(int(c["n"]) for c in clusters)
        text = f'pool "{self.pool.name}": clusters of {name} have {total} objects, clustered ' \
               f"is {int(local['clustered'])}"
        if total != int(local["clustered"]):
            self.check.differ(quiet, text)
        for c in clusters:
            if int(c["local"]) != int(local.address):
                self.say(f"the cluster at {hex(int(c.address))}, of {name}, is of another part")

    def parked(self, parked, name):
        n = sum(1 for _ in self.pool.parked_objects(parked, "", ignore))
        if n != int(parked["count"]):
            self.differ(f"parked by {name} are {n} objects, the count is "
                        f"{int(parked['count'])}")

    def shared(self):
        filled = int(self.pool.v["filled"])
        for i, b in self.pool.buckets():
            if int(b["head"]) == BUSY:
                self.check.note(f'pool "{self.pool.name}": bucket {i} is BUSY')
                continue
            n = sum(int(c["n"]) for c in self.lib.chain(b["head"], "", ignore))
            if n != int(b["objs"]):
                self.say(f"bucket {i} has {n} objects, objs is {int(b['objs'])}")
            if bool(filled >> i & 1) != bool(int(b["head"])):
                self.say(f"bucket {i} has {n} objects, its bit in filled is {filled >> i & 1}")

    def table(self):
        """What the table of a checked pool knows, beside what the lists have."""
        table = self.pool.table()
        if not table.whole:
            return
        sums = self.pool.sums()
        # Objects in reserves are on no list, and no list has the reserves.
        nowhere = [obj for obj in table.of(FREE) if obj not in self.places]
        for obj in nowhere[sums["reserved"]:]:
            self.differ(f"{hex(obj)} was freed, and is on no list")
        tag = self.pool.tag()
        for obj in table.of(USED) if "tag" in self.parts else ():
            if self.lib.words(obj + self.parts["tag"], 1)[0] != tag:
                self.differ(f"{hex(obj)}, in use, was written to behind its end")
        known = len(table.of(USED, BAD)) + sums["parked"] + sums["reserved"]
        if known != sums["used"] and not int(self.pool.v["abandoned"]):
            self.differ(f"{sums['used']} objects are used, and {known} are known")
