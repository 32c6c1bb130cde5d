# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Commands of gdb that look into the pools of a program or of its core file.

The commands only read memory and call no function, so they work on a core file.  All types and
addresses come from the debug information of libpool.  Another version is refused, because this
file knows how the structs of its own version belong together.

gdb loads the script by itself: Documentation/debugging.rst.
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
GIVEN, USED, FREE, BAD = range(4)

# The head of a bucket that is being changed.
BUSY = 1

# slab.h; LEAF_BITS by the bytes of a word
CHUNK_SHIFT = 21
SLAB_SHIFT = 16
LEAF_BITS = {4: 11, 8: 14}


def error(text):
    return gdb.GdbError(f"pool: {text}")


def length(array):
    return array.type.range()[1] + 1


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
        self.checked = any(map(self.has, CHECKED))
        self.whole = self.checked and bool(value["object_table"]["whole"])
        self.kept_states = None

    def has(self, option):
        return bool(self.word & self.lib.flags[option])

    def title(self):
        return f'"{self.name}", size {self.size}'

    def options(self):
        return ",".join(n for n, f in self.lib.flags.items() if self.word & f) or "-"

    def states(self):
        """The state of each object that a checked pool knows: object_table.c."""
        if self.kept_states is None:
            segments = self.v["object_table"]["segment"]
            self.kept_states = {}
            for i in range(length(segments)) if self.checked else ():
                for at in self.lib.words(int(segments[i]), 1 << i if int(segments[i]) else 0):
                    slots = self.lib.words(at, PIECE_WINDOWS * (1 + 2 * self.lib.word) if at else 0)
                    for key, state in zip(slots[PIECE_WINDOWS::2], slots[PIECE_WINDOWS + 1::2]):
                        obj = key ^ self.lib.ones if key & 2 else key
                        if obj and state // GEN == self.word // GEN:
                            self.kept_states[obj] = state
        return self.kept_states

    def caller(self, obj):
        """The code that allocated an object; 0: not known.  Behind it, as pool_layout_of() says."""
        if not self.has("caller"):
            # The bins of the profile; the first two are of all callers that found none.
            table, n = self.lib.profile, self.states().get(obj, 0) >> 4 & 0xfff
            return int(table[n]["caller"]) if n > 1 and int(table) else 0
        behind = -(-self.size // self.lib.word) + (self.has("tag") or self.has("uaf"))
        return self.lib.words(obj + behind * self.lib.word, 1)[0]

    def locals(self):
        """(area, its part of this pool) of all threads that have one."""
        if self.v["cached"]:
            for area in self.lib.areas():
                at = (int(area.address) + int(self.v["own"]["hot"])) & self.lib.ones
                yield area, self.lib.at(at, "local")

    def buckets(self):
        # A flexible array: its length is elsewhere.
        first = self.v["bucket"][0].address
        return [(first + i).dereference() for i in range(int(self.v["buckets"]))]

    def sums(self):
        """The numbers of stats.c."""
        s = {"allocated": int(self.v["allocated"]) & (self.lib.ones >> 1), "cached": 0,
             "shared": sum(int(b["objs"]) for b in self.buckets()),
             "parked": int(self.v["parked"]["count"])}
        for _, local in self.locals():
            s["cached"] += sum(map(int, (local["moving"], local["clustered"], local["hot"]["n"])))
            s["parked"] += int(local["parked"]["count"])
        s["used"] = s["allocated"] - s["cached"] - s["shared"]
        return s

    def free_objects(self):
        """(object, where it is) of each free object."""
        lib, link = self.lib, int(self.v["link"])
        lists = [(self.v["parked"], "parked")]
        for area, local in self.locals():
            thread = lib.thread_of(area)
            lists.append((local["parked"], f"parked by {thread}"))
            if int(local["pool"]) == self.at:
                for i, obj in enumerate(lib.first_of(local["slot"], local["hot"]["n"])):
                    yield obj, f"in the hot array of {thread}, slot {i}"
                where = f"in a cluster of {thread}"
                yield from self.clusters(lib.listed(local["by_pool"], "cluster", "by_pool", where),
                                         where)
        for parked, where in lists:
            yield from ((obj, where) for obj in lib.linked(int(parked["head"]), 0, link, where))
        for i, b in enumerate(self.buckets()):
            where = f"in the shared pool, bucket {i}"
            if int(b["head"]) != BUSY:
                chain = lib.linked(int(b["head"]), 0, lib.offset("cluster", "next"), where)
                yield from self.clusters(chain, where)

    def clusters(self, addresses, where):
        for at in addresses:
            c = self.lib.at(at, "cluster")
            yield from ((obj & ~SEAL_BITS, where) for obj in self.lib.first_of(c["obj"], c["n"]))


class Library:
    """One libpool: a program and its plugins may have one each."""

    def __init__(self, objfile):
        self.objfile = objfile
        self.name = objfile.filename
        areas = self.symbol("plat_areas").type.target().target()
        local = areas["local"].type.target()
        pool = local["pool"].type.target()
        self.types = {"area": areas, "local": local, "pool": pool,
                      "cluster": pool["spare"].type.target()}
        self.word = areas.pointer().sizeof
        self.ones = (1 << 8 * self.word) - 1
        big = "big endian" in gdb.execute("show endian", to_string=True)
        self.format = (">" if big else "<") + "%d" + {4: "I", 8: "Q"}[self.word]
        self.flags = {row["word"].string(): int(row["flag"])
                      for row in self.rows("pool_option_table", "word")}
        self.profile = self.symbol("table", "debug/profile.c")
        self.threads = {t.ptid[1]: t.num for t in gdb.selected_inferior().threads()}
        self.pools = [Pool(self, self.at(at, "pool")) for at in self.listed(
            self.symbol("pools", "registry.c"), "pool", "by_registry", "of pools")]

    def symbol(self, name, path=""):
        """A variable of the library; @path: the end of the file in which it is static."""
        found = [self.objfile.lookup_global_symbol(name)] if not path else [
            symbol for symbol in gdb.lookup_static_symbols(name)
            if symbol.symtab.filename.endswith(path) and
            (symbol.symtab.objfile.owner or symbol.symtab.objfile) == self.objfile]
        if not any(found):
            raise error(f"{name} is not in the debug information of {self.name}")
        return found[0].value()

    def at(self, address, name):
        return gdb.Value(address).cast(self.types[name].pointer()).dereference()

    def offset(self, name, member):
        return [f.bitpos for f in self.types[name].fields() if f.name == member][0] // 8

    def words(self, at, n):
        """The @n words at an address."""
        data = gdb.selected_inferior().read_memory(at, n * self.word) if n else b""
        return list(struct.unpack(self.format % n, bytes(data)))

    def first_of(self, slots, n):
        """The first words of an array; a count that is too large is cut."""
        return self.words(int(slots.address), min(int(n), length(slots)))

    def linked(self, first, end, link, where):
        """The addresses of a list up to @end, whose entries have the next address at @link.

        A list that a stray write has damaged ends with a warning."""
        seen = set()
        while first != end:
            at = first & ~SEAL_BITS
            try:
                after = self.words(at + link, 1)[0]
            except gdb.MemoryError:
                print(f"pool: the list {where} has {hex(at)}, which cannot be read")
                return
            if at in seen:
                print(f"pool: the list {where} is a circle at {hex(at)}")
                return
            seen.add(at)
            yield at
            first = after

    def listed(self, head, name, member, where):
        """The addresses of the structs on a list; a head of zeros was never set up."""
        first, end = int(head["next"]), int(head.address)
        offset = self.offset(name, member)
        return (at - offset for at in self.linked(first or end, end, 0, where))

    def rows(self, name, key):
        """The rows of a table of the library, up to the one whose @key is NULL."""
        table = self.symbol(name)
        row = table.address.cast(table.type.target().pointer())
        while int(row[key]):
            yield row.dereference()
            row += 1

    def areas(self):
        # A child of fork() has not those of dead threads.
        table, n = self.symbol("plat_areas"), int(self.symbol("plat_area_count"))
        return (table[i].dereference() for i in range(n) if table[i])

    def thread_of(self, area):
        tid = int(area["thread"])
        if tid in self.threads:
            return f"thread {self.threads[tid]}"
        return f"area {int(area['number'])}" + ("" if tid else ", of no thread")

    def pools_of_class(self, class_at):
        return [pool for pool in self.pools if pool.class_at == class_at]

    def chunks(self):
        """(address >> CHUNK_SHIFT, the chunk there) of all memory of slabs."""
        roots = self.symbol("pool_chunk_root")
        pointer = roots.type.target().target()
        bits = LEAF_BITS[self.word]
        for i, leaf in enumerate(self.first_of(roots, length(roots))):
            for j, at in enumerate(self.words(leaf, 1 << bits) if leaf else ()):
                if at:
                    yield i << bits | j, gdb.Value(at).cast(pointer).dereference()

    def slab_of(self, address):
        """What slab() says of an address, whose slab pool_arena_slab() finds; None: it has none."""
        chunk = dict(self.chunks()).get(address >> CHUNK_SHIFT)
        if chunk is None:
            return None
        return self.slab(chunk["slab"][address >> SLAB_SHIFT & length(chunk["slab"]) - 1])

    def slabs(self):
        for chunk in {int(chunk.address): chunk for _, chunk in self.chunks()}.values():
            yield from (self.slab(chunk["slab"][i]) for i in range(int(chunk["carved"])))

    def slab(self, v):
        """(class, stride, (object, is it free)...) of a slab: slab.h; class 0: it has none."""
        of = v["shelf"]["class"] if int(v["shelf"]) else 0
        if not int(of):
            return 0, 0, []
        stride, first, objs, place = map(int, (of["stride"], v["first"], v["objs"],
                                               v["first_place"]))
        free = self.first_of(v["free"], length(v["free"]))
        bits = sum(word << 8 * self.word * i for i, word in enumerate(free))
        return int(of), stride, [(first + n * stride, bits >> (n - place) % objs & 1)
                                 for n in range(objs)]


def libraries():
    """All of this version that the program has."""
    if not gdb.selected_inferior().pid:
        raise error("the program does not run, and there is no core file")
    symbols = [(objfile, objfile.lookup_global_symbol("libpool_version"))
               for objfile in gdb.objfiles() if not objfile.owner]
    versions = {objfile: symbol.value().string() for objfile, symbol in symbols if symbol}
    if not versions:
        raise error("no debug information of libpool: install libpool0-dbgsym, or build it with "
                    "-g and do not strip it")
    other = [f"{objfile.filename} has {v}" for objfile, v in versions.items() if v != VERSION]
    if other:
        print(f"pool: these commands are for libpool {VERSION}; " + ", ".join(other))
    if len(other) == len(versions):
        raise error("no libpool of this version")
    return [Library(objfile) for objfile, v in versions.items() if v == VERSION]


def named(arg):
    """The pools of a name, or the pool that an expression points to; "": all."""
    pools = [pool for lib in libraries() for pool in lib.pools]
    found = [pool for pool in pools if arg in ("", pool.name, pool.v["name"].string())]
    if not found:
        try:
            at = int(gdb.parse_and_eval(arg))
        except gdb.error:
            at = 0
        found = [pool for pool in pools if pool.head_at == at]
    if not found:
        raise error(f'there is no pool "{arg}"; "pool list" names them')
    return found


def place_of(pc):
    """The code that returns to an address: functions, file and line, as far as known."""
    if not pc:
        return "code that is not known"
    # The call itself is before the address that it returns to.
    block, names = gdb.block_for_pc(pc - 1), []
    while block and not block.is_static:
        if block.function:
            names.append(block.function)
        block = block.superblock
    # An inline function is in the one that called it; those of pool.h say nothing.
    ours = [f for f in names if not f.name.startswith(("pool_", "__pool_", "pool::"))]
    if not ours:
        text = gdb.execute(f"info symbol {pc - 1}", to_string=True)
        return hex(pc) if text.startswith("No symbol") else text.split(" in section")[0]
    line = f":{gdb.find_pc_line(pc - 1).line}" if ours[0] == names[0] else ""
    return " in ".join(f.name for f in ours) + f" at {ours[0].symtab.filename}{line}"


def by(pool, obj, word):
    """The code that allocated an object, behind a word; "" if it is not known."""
    caller = pool.caller(obj)
    return f"{word} {place_of(caller)}" if caller else ""


def used(pool):
    """The objects in use of a pool, or an error that says why they are not known."""
    if pool.checked:
        return [obj for obj, state in pool.states().items() if state & 3 == USED]
    sharers = [p.name for p in pool.lib.pools_of_class(pool.class_at)]
    if pool.class_at and len(sharers) == 1:
        free = {obj for obj, _ in pool.free_objects()}
        return [obj for class_at, _, objs in pool.lib.slabs() if class_at == pool.class_at
                for obj, is_free in objs if not is_free and obj not in free]
    why = (f"its slabs have objects of other pools, too: {', '.join(sharers)}" if pool.class_at
           else "its objects are of malloc()")
    raise error(f'which objects of "{pool.name}" are in use is not known: {why}. '
                "The option caller keeps them: LIBPOOL_OPTIONS=caller")


class Command(gdb.Command):
    """Errors of the memory that is read are errors of the command, without a traceback."""

    def __init__(self):
        super().__init__(f"pool {type(self).__name__.lower()}", gdb.COMMAND_DATA)

    def invoke(self, arg, from_tty):
        try:
            self.run(arg.strip())
        except (gdb.error, ArithmeticError, LookupError, ValueError, struct.error) as e:
            raise error(f"the pools cannot be read: {e}") from e


class Prefix(gdb.Command):
    """Look into the pools of libpool, in a program or in its core file.

Nothing is written, and no function of the program is called."""

    def __init__(self):
        super().__init__("pool", gdb.COMMAND_DATA, prefix=True)


class List(Command):
    """All pools, and how many objects each has: pool list"""

    def run(self, arg):
        for lib in libraries():
            columns = [row["name"].string() for row in lib.rows("pool_dump_columns", "name")
                       if str(row["column"]) == "POOL_DUMP_ALWAYS"] + ["parked"]
            print(f"{lib.name}: libpool {VERSION}")
            self.row("pool", "size", columns, "options")
            for pool in lib.pools:
                sums = pool.sums()
                self.row(pool.name, pool.size, (sums.get(c, "-") for c in columns), pool.options())

    @staticmethod
    def row(name, size, numbers, options):
        print(f"{name:<14}{size:>8}" + "".join(f"{n:>11}" for n in numbers) + f"  {options}")


class Owner(Command):
    """Which object is at an address, and where it is: pool owner ADDRESS"""

    def run(self, arg):
        at = int(gdb.parse_and_eval(arg))
        found = [text for lib in libraries() for text in self.find(lib, at)]
        print("\n".join(found or [f"{hex(at)}: unknown"]))

    def find(self, lib, at):
        """The first that knows the address: lists, tables of objects, slabs, unmapped objects."""
        for pool in lib.pools:
            for obj, where in pool.free_objects():
                if obj <= at < obj + pool.size:
                    return [self.text(at, obj, pool.title(), f"free, {where}")]
        for pool in lib.pools:
            for obj, state in pool.states().items():
                if obj <= at < obj + pool.size:
                    return [self.text(at, obj, pool.title(), {
                        USED: "allocated" + by(pool, obj, " by"), BAD: "in quarantine",
                        FREE: "free, on its way between two places",
                        GIVEN: "of the backend, to which it was freed past the pool"}[state & 3])]
        return [*self.in_slab(lib, at), *self.in_kept(lib, at)]

    @staticmethod
    def text(at, obj, pool, where):
        return f"{hex(obj)}{f' + {at - obj}' if at != obj else ''}: object of pool {pool}: {where}"

    def in_slab(self, lib, at):
        slab = lib.slab_of(at)
        class_at, stride, objs = slab or (0, 0, [])
        for obj, free in objs:
            if obj <= at < obj + stride:
                names = " or ".join(f'"{p.name}"' for p in lib.pools_of_class(class_at)
                                    if free or not p.whole) or "that is gone"
                return [f"{hex(obj)}: given back to its slab, which is for pool {names}" if free
                        else self.text(at, obj, names, "allocated")]
        return [f"{hex(at)}: in no object: an empty slab, or the rest of one"] if slab else []

    @staticmethod
    def in_kept(lib, at):
        """Was it an object with pages of its own?  guard.c keeps its addresses."""
        kept, first, count = (lib.symbol(name, "user/guard.c") for name in
                              ("kept", "first", "count"))
        for i in range(int(count)):
            span = kept[(int(first) + i) % length(kept)]
            if 0 <= at - int(span["at"]) < int(span["bytes"]):
                yield f"{hex(at)}: an object that the option uaf has unmapped when it was freed"


class Objects(Command):
    """The objects in use of a pool, where that can be known: pool objects NAME"""

    def run(self, arg):
        if not arg:
            raise error("pool objects NAME")
        for pool in named(arg):
            objs = used(pool)
            for obj in sorted(objs):
                print(hex(obj) + by(pool, obj, " "))
            print(f'{len(objs)} objects of pool "{pool.name}" are in use' +
                  ("" if pool.whole or not pool.checked else
                   ", and some that no check has seen"))


class Leaks(Command):
    """The objects in use by the code that allocated them: pool leaks [NAME]

For pools with the option caller or memstats."""

    def run(self, arg):
        pools = [pool for pool in named(arg) if pool.has("caller") or pool.has("memstats")]
        if not pools:
            raise error("no pool keeps its callers: LIBPOOL_OPTIONS=caller, or memstats")
        sites = {}
        for pool in pools:
            for obj in used(pool):
                key = pool.name, pool.size, pool.caller(obj)
                sites[key] = sites.get(key, 0) + 1
        print(f"{'objects':>10}{'bytes':>12}  pool          allocated by")
        for (name, size, caller), n in sorted(sites.items(), key=lambda s: -s[1] * s[0][1]):
            print(f"{n:>10}{n * size:>12}  {name:<14}{place_of(caller)}")


Prefix()
for command in List, Owner, Objects, Leaks:
    command()
