# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Commands of gdb that look into the pools of a program or of its core file.

They only read, and call nothing, so they work on a core.  All types and places come from
the debug information of libpool.  Another version's are refused, since what follows knows
how this version's structs belong together.

This file reads pools, check.py compares what it reads, commands.py is what users call.
"make" joins the three to one script, which gdb loads by itself: Documentation/debugging.rst.
"""

import struct

import gdb

VERSION = "@VERSION@"

# Bits of a pointer to a free object: debug.h, "A seal".
SEAL_BITS = 7

# Of option bits, a state, and the table of states: debug.h, object_table.c, object_slots.h.
GEN = 0x10000
CHECKED = ("fail", "cold-first", "integrity", "caller", "tag", "poison", "uaf", "backup",
           "memstats", "tools")
PIECE_WINDOWS = 30
USED, FREE, BAD = 1, 2, 3

# The head of a bucket that is being changed.
BUSY = 1

# Of a name in a table; and so many frames of a thread are looked at.
WIDTH = 14
FRAMES_MOST = 64

# slab.h; LEAF_BITS by the bytes of a word
CHUNK_SHIFT = 21
SLAB_SHIFT = 16
LEAF_BITS = {4: 11, 8: 14}


def length(array):
    return array.type.range()[1] + 1


def warn(text):
    print(f"pool: {text}")


def frame_files():
    """The sources of the selected thread's frames, as far as there is a way back."""
    try:
        frame, n = gdb.newest_frame(), 0
        while frame and n < FRAMES_MOST:
            if frame.function():
                yield frame.function().symtab.fullname()
            frame, n = frame.older(), n + 1
    except gdb.error:
        return


def ignore(text):
    """What is broken was said before, or will be said by "pool check"."""


class Table:
    """What a checked pool knows of its objects: object_table.c."""

    def __init__(self, lib, pool):
        self.state = {}
        gen = pool.word // GEN
        self.current = any(pool.has(name) for name in CHECKED)
        self.whole = self.current and bool(pool.v["object_table"]["whole"])
        if not self.current:
            return
        segments = pool.v["object_table"]["segment"]
        for i in range(length(segments)):
            if int(segments[i]):
                for at in filter(None, lib.words(int(segments[i]), 1 << i)):
                    self.read(lib, at, gen)

    def read(self, lib, at, gen):
        words = lib.words(at, PIECE_WINDOWS * (1 + 2 * lib.word))[PIECE_WINDOWS:]
        for key, state in zip(words[::2], words[1::2]):
            obj = key ^ lib.ones if key & 2 else key
            if obj and state // GEN == gen:
                self.state[obj] = state

    def of(self, *kinds):
        return [obj for obj, state in self.state.items() if state & 3 in kinds]


class Pool:
    def __init__(self, lib, value):
        self.lib = lib
        self.v = value
        self.at = int(value.address)
        self.head_at = int(value["head"].address)
        self.name = value["shown"].string(errors="replace")
        self.word = int(value["debug"])
        self.size = int(value["head"]["size"])
        self.class_at = int(value["backend"]["slabs"])
        self.kept_table = None

    def has(self, option):
        return bool(self.word & self.lib.flags[option])

    def options(self):
        return ",".join(n for n, f in self.lib.flags.items() if self.word & f) or "-"

    def table(self):
        if not self.kept_table:
            self.kept_table = Table(self.lib, self)
        return self.kept_table

    def tag(self):
        """What is behind its objects in use, as pool_tag_of() computes it."""
        mask = self.lib.ones // 0xff * 0x5a if self.lib.order == ">" else 0
        return self.head_at ^ mask

    def locals(self):
        """(area, its part of this pool) of all threads that have one."""
        if self.v["cached"]:
            for area in self.lib.areas():
                at = (int(area.address) + int(self.v["own"]["hot"])) & self.lib.ones
                yield area, self.lib.at(at, "local")

    def buckets(self):
        # A flexible array: its length is elsewhere.
        first = self.v["bucket"][0].address
        for i in range(int(self.v["buckets"])):
            yield i, (first + i).dereference()

    def layout(self):
        """Where the fields behind an object are, as pool_layout_of() computes it."""
        word, end, fields = self.lib.word, self.size, {}
        extra = self.has("caller") or self.has("backup") or self.v["head"]["constructed"]
        if self.has("tag") or (self.has("uaf") and extra):
            fields["tag"] = end
            end += word
        if self.has("caller"):
            fields["caller"] = -(-end // word) * word
            end = fields["caller"] + 2 * word
        if self.has("backup"):
            fields["copy"] = -(-end // word) * word
        return fields

    def callers(self, obj):
        """The callers that allocated and freed an object; 0: not known."""
        at = self.layout().get("caller")
        if at is not None:
            return self.lib.words(obj + at, 2)
        state = self.table().state.get(obj, 0)
        return [self.lib.bin_caller(state >> 4 & 0xfff), 0]

    def sums(self):
        """The numbers of stats.c."""
        s = {"allocated": int(self.v["allocated"]) & (self.lib.ones >> 1),
             "moving": int(self.v["moving"]), "cached": 0, "parked": 0, "shared": 0,
             "reserved": int(self.v["reserved"])}
        s["parked"] = int(self.v["parked"]["count"])
        for _, local in self.locals():
            moving = int(local["moving"])
            s["moving"] += moving
            s["cached"] += moving + int(local["clustered"]) + int(local["hot"]["n"])
            s["parked"] += int(local["parked"]["count"])
        s["shared"] = sum(int(b["objs"]) for _, b in self.buckets())
        s["used"] = s["allocated"] - s["cached"] - s["shared"]
        return s

    def free_objects(self, say):
        """(pointer, where it is) of each free object.  say() is told of broken lists."""
        lib = self.lib
        for area, local in self.locals():
            where = lib.thread_of(area)
            if int(local["pool"]) == self.at:
                yield from self.hot_objects(local, where, say)
                # Its holder may be changing the list.
                tell = ignore if int(area["cpu"]["lock"]["holder"]) else say
                for c in lib.entries(local["by_pool"], "cluster", "by_pool",
                                     f"the clusters of {where}", tell):
                    yield from self.cluster_objects(c, f"in a cluster of {where}", tell)
            yield from self.parked_objects(local["parked"], f"parked by {where}", say)
        yield from self.parked_objects(self.v["parked"], "parked", say)
        for i, b in self.buckets():
            for c in lib.chain(b["head"], f"the shared pool, bucket {i}", say):
                yield from self.cluster_objects(c, f"in the shared pool, bucket {i}", say)

    def hot_objects(self, local, where, say):
        n, most = int(local["hot"]["n"]), length(local["slot"])
        if n > most:
            say(f"the hot array of {where} has {n} objects in {most} slots")
            return
        for i, obj in enumerate(self.lib.words(int(local["slot"].address), n)):
            yield obj, f"in the hot array of {where}, slot {i}"

    def cluster_objects(self, c, where, say):
        n, most = int(c["n"]), length(c["obj"])
        if not 0 < n <= most:
            say(f"the cluster at {hex(int(c.address))}, {where}, has {n} objects; it may have "
                f"1 to {most}")
            return
        for obj in self.lib.words(int(c["obj"].address), n):
            yield obj, where

    def parked_objects(self, parked, where, say):
        obj, seen = int(parked["head"]), set()
        while obj:
            if obj in seen:
                say(f"the list {where} is a circle at {hex(obj)}")
                return
            seen.add(obj)
            yield obj, where
            try:
                obj = self.lib.words((obj & ~SEAL_BITS) + int(self.v["link"]), 1)[0]
            except gdb.MemoryError:
                say(f"the list {where} has {hex(obj)}, which cannot be read")
                return

    def used_objects(self):
        """The objects in use, and whether these are all; None: it cannot be known."""
        if self.table().current:
            return self.table().of(USED), self.table().whole
        sharers = self.lib.pools_of_class(self.class_at)
        if not self.class_at or len(sharers) > 1:
            return None, False
        free = {obj & ~SEAL_BITS for obj, _ in self.free_objects(ignore)}
        return [obj for obj in self.lib.slab_objects(self.class_at) if obj not in free], True


class Slab:
    """A slab and its free objects: slab.h."""

    def __init__(self, lib, value):
        shelf = value["shelf"]
        self.class_at = int(shelf["class"]) if int(shelf) else 0
        self.first = int(value["first"])
        self.objs = int(value["objs"])
        if self.class_at:
            self.stride = int(shelf["class"]["stride"])
            self.first_place = int(value["first_place"])
            self.free = lib.words(int(value["free"].address), length(value["free"]))
            self.bits = 8 * lib.word

    def is_free(self, n):
        n = (n - self.first_place) % self.objs
        return bool(self.free[n // self.bits] >> n % self.bits & 1)

    def objects(self):
        return ((self.first + n * self.stride, self.is_free(n)) for n in range(self.objs))

    def around(self, address):
        """(first byte, is it free) of the object that an address is in; or None."""
        if not self.class_at:
            return None
        n, rest = divmod(address - self.first, self.stride)
        return (address - rest, self.is_free(n)) if 0 <= n < self.objs else None


class Library:
    """One libpool: a program and its plugins may have one each."""

    def __init__(self, objfile):
        self.objfile = objfile
        self.name = objfile.filename
        areas = self.symbol("plat_areas").type.target().target()
        local = areas["local"].type.target()
        pool = local["pool"].type.target()
        chunk = self.symbol("pool_chunk_root").type.target().target().target()
        slab = chunk["slab"].type.target()
        report = objfile.lookup_global_symbol("pool_report").symtab.static_block()
        self.types = {
            "fault": gdb.lookup_type("enum pool_fault", report),
            "area": areas, "local": local, "pool": pool, "slab": slab,
            "cluster": pool["spare"].type.target(),
            "class": slab["shelf"].type.target()["class"].type.target(),
            "reg": gdb.lookup_type("struct pool_reg", self.static("pools", "registry.c")[1]),
        }
        self.word = areas.pointer().sizeof
        self.ones = (1 << 8 * self.word) - 1
        big = "big endian" in gdb.execute("show endian", to_string=True)
        self.order = ">" if big else "<"
        self.flags = self.read_flags()
        self.threads = {t.ptid[1]: t.num for t in gdb.selected_inferior().threads()}
        self.kept_pools = None
        self.slabs = {}

    def symbol(self, name):
        found = self.objfile.lookup_global_symbol(name)
        if not found:
            raise gdb.GdbError(f"{self.name}: {name} is not in its debug information")
        return found.value()

    def static(self, name, path):
        """A static variable of a file, and that file's block."""
        for found in gdb.lookup_static_symbols(name):
            of = found.symtab.objfile
            if (of.owner or of) == self.objfile and found.symtab.filename.endswith(path):
                return found.value(), found.symtab.static_block()
        raise gdb.GdbError(f"{self.name}: {name} of {path} is not in its debug information")

    def at(self, address, name):
        return gdb.Value(address).cast(self.types[name].pointer()).dereference()

    def words(self, address, n):
        if not n:
            return []
        data = gdb.selected_inferior().read_memory(address, n * self.word)
        kind = {4: "I", 8: "Q"}[self.word]
        return list(struct.unpack(f"{self.order}{n}{kind}", bytes(data)))

    def rows(self, name, key):
        """The rows of a table of the library, up to the one whose @key is NULL."""
        table, i = self.symbol(name), 0
        row = table.address.cast(table.type.target().pointer())
        while int(row[i][key]):
            yield row[i]
            i += 1

    def read_flags(self):
        return {row["word"].string(): int(row["flag"])
                for row in self.rows("pool_option_table", "word")}

    def numbers(self, *columns):
        """Names of numbers that the library's own table shows always, or seldom."""
        return [row["name"].string() for row in self.rows("pool_dump_columns", "name")
                if str(row["column"])[len("POOL_DUMP_"):].lower() in columns]

    def entries(self, head, name, member, what, say):
        """The structs on a list; say() is told where the list is broken."""
        start = before = int(head.address)
        offset = [f.bitpos for f in self.types[name].fields() if f.name == member][0] // 8
        node, seen = int(head["next"]), set()
        # A part of zeros was never set up.
        while node and node != start:
            try:
                after, back = self.words(node, 2)
            except gdb.MemoryError:
                say(f"{what}: an entry at {hex(node)}, which cannot be read")
                return
            if back != before or node in seen:
                say(f"{what}: the entry at {hex(node)} points back to {hex(back)}, not to "
                    f"{hex(before)}")
            if node in seen:
                return
            seen.add(node)
            yield self.at(node - offset, name)
            before, node = node, after

    def chain(self, head, what, say):
        """The clusters that are linked by "next"."""
        c, seen = int(head), set()
        while c and c != BUSY:
            if c in seen:
                say(f"{what}: the list is a circle at {hex(c)}")
                return
            seen.add(c)
            try:
                after = int(self.at(c, "cluster")["next"])
            except gdb.MemoryError:
                say(f"{what}: a cluster at {hex(c)}, which cannot be read")
                return
            yield self.at(c, "cluster")
            c = after

    def areas(self):
        table = self.symbol("plat_areas")
        for i in range(int(self.symbol("plat_area_count"))):
            if table[i]:  # a child of fork() has not those of dead threads
                yield table[i].dereference()

    def thread_of(self, area):
        tid = int(area["thread"])
        if tid in self.threads:
            return f"thread {self.threads[tid]}"
        return f"area {int(area['number'])}" + ("" if tid else ", of no thread")

    def inside(self):
        """The numbers of the threads that were stopped inside a call of this library."""
        path = self.objfile.lookup_global_symbol("libpool_version").symtab.fullname()
        ours = tuple(path[:-len("user/main.c")] + folder for folder in ("common/", "user/"))
        selected, found = gdb.selected_thread(), []
        frame = gdb.selected_frame() if selected else None
        try:
            for thread in gdb.selected_inferior().threads():
                thread.switch()
                if any(path.startswith(ours) for path in frame_files()):
                    found.append(thread.num)
        finally:
            if selected:
                selected.switch()
                frame.select()
        return sorted(found)

    def pools(self):
        if self.kept_pools is None:
            self.kept_pools = []
            head = self.static("pools", "registry.c")[0]
            for v in self.entries(head, "pool", "by_registry", "the list of pools", warn):
                self.kept_pools.append(Pool(self, v))
        return self.kept_pools

    def pools_of_class(self, class_at):
        return [pool for pool in self.pools() if pool.class_at == class_at]

    def slab_of(self, address):
        """The slab that an address is in, as pool_arena_slab() finds it; or None."""
        if address >> SLAB_SHIFT not in self.slabs:
            self.slabs[address >> SLAB_SHIFT] = self.find_slab(address)
        return self.slabs[address >> SLAB_SHIFT]

    def find_slab(self, address):
        roots = self.symbol("pool_chunk_root")
        bits = LEAF_BITS[self.word]
        n = address >> CHUNK_SHIFT
        if n >> bits >= length(roots) or not int(roots[n >> bits]):
            return None
        chunk = roots[n >> bits][n & (1 << bits) - 1]
        if not int(chunk):
            return None
        slabs = chunk.dereference()["slab"]
        return Slab(self, slabs[address >> SLAB_SHIFT & length(slabs) - 1])

    def slab_objects(self, class_at):
        """All objects of a class that the slabs have handed out."""
        roots = self.symbol("pool_chunk_root")
        pointer = roots.type.target().target()
        for leaf in filter(None, self.words(int(roots.address), length(roots))):
            for at in set(self.words(leaf, 1 << LEAF_BITS[self.word])) - {0}:
                chunk = gdb.Value(at).cast(pointer).dereference()
                for i in range(int(chunk["carved"])):
                    slab = Slab(self, chunk["slab"][i])
                    if slab.class_at == class_at:
                        yield from (obj for obj, free in slab.objects() if not free)

    def bin_caller(self, number):
        """The caller of a bin of the profile; the first two are of all that found none."""
        table = self.static("table", "debug/profile.c")[0]
        return int(table[number]["caller"]) if number > 1 and int(table) else 0


