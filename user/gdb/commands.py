# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The commands: "help pool" lists them."""

import gdb


def libraries():
    """All of this version that the program has."""
    if not gdb.selected_inferior().pid:
        raise gdb.GdbError("pool: the program does not run, and there is no core file")
    found, other = [], []
    for objfile in gdb.objfiles():
        version = None if objfile.owner else objfile.lookup_global_symbol("libpool_version")
        if version and version.value().string() == VERSION:
            found.append(Library(objfile))
        elif version:
            other.append(f"{objfile.filename} has {version.value().string()}")
    if other:
        warn(f"these commands are for libpool {VERSION}; " + ", ".join(other))
    if not found:
        raise gdb.GdbError("pool: " + ("no libpool of this version" if other else
                           "no debug information of libpool: install libpool0-dbgsym, or "
                           "build it with -g and do not strip it"))
    return found


def named(arg):
    """The pools of a name, or the pool that an expression points to; "": all."""
    pools = [pool for lib in libraries() for pool in lib.pools()]
    if not arg:
        return pools
    found = [pool for pool in pools if arg in (pool.name, pool.v["name"].string())]
    if not found:
        try:
            at = int(gdb.parse_and_eval(arg))
        except gdb.error:
            at = 0
        found = [pool for pool in pools if pool.head_at == at]
    if not found:
        raise gdb.GdbError(f'pool: there is no pool "{arg}"; "pool list" names them')
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


def known(pool):
    """The objects in use of a pool, or an error that says why they are not known."""
    objs, whole = pool.used_objects()
    if objs is not None:
        return objs, whole
    sharers = [p.name for p in pool.lib.pools_of_class(pool.class_at)]
    why = ("its objects are of malloc()" if not pool.class_at else
           f"its slabs have objects of other pools, too: {', '.join(sharers)}")
    raise gdb.GdbError(f'pool: which objects of "{pool.name}" are in use is not known: {why}. '
                       f"The option caller keeps them: LIBPOOL_OPTIONS=caller")


class Command(gdb.Command):
    """Errors of the memory that is read are errors of the command, without a traceback."""

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_DATA)

    def invoke(self, arg, from_tty):
        try:
            self.run(arg.strip())
        except (gdb.error, ArithmeticError, LookupError, ValueError, struct.error) as e:
            raise gdb.GdbError(f"pool: the pools cannot be read: {e}") from e


class Prefix(gdb.Command):
    """Look into the pools of libpool, in a program or in its core file.

Nothing is written, and no function of the program is called."""

    def __init__(self):
        super().__init__("pool", gdb.COMMAND_DATA, prefix=True)


class List(Command):
    """All pools, and how many objects each has: pool list"""

    name = "pool list"
    def run(self, arg):
        for lib in libraries():
            columns = lib.numbers("always") + ["parked"]
            print(f"{lib.name}: libpool {VERSION}")
            print(f"{'pool':<{WIDTH}}{'size':>8}" +
                  "".join(f"{name:>11}" for name in columns) + "  options")
            for pool in lib.pools():
                sums = pool.sums()
                print(f"{pool.name:<{WIDTH}}{pool.size:>8}" +
                      "".join(f"{sums[name]:>11}" for name in columns) +
                      f"  {pool.options()}")


class Show(Command):
    """One pool, with what each thread and each bucket has: pool show NAME

In the place of a name may be an expression, which is a pointer to a pool."""

    name = "pool show"

    def run(self, arg):
        for pool in named(arg):
            self.head(pool)
            for area, local in pool.locals():
                self.part(pool, area, local)
            for i, b in pool.buckets():
                if int(b["objs"]):
                    print(f"  bucket {i}: {int(b['objs'])} objects")

    def head(self, pool):
        v, sums = pool.v, pool.sums()
        print(f'pool "{pool.name}" at {hex(pool.head_at)}: size {pool.size}, align {int(v["align"])}, '
              f"options {pool.options()}")
        for reg in pool.lib.entries(v["regs"], "reg", "list", "its registrations", warn):
            if reg["vacated"]:
                continue
            print(f"  created at {reg['file'].string()}:{int(reg['line'])}, size "
                  f"{int(reg['size'])}")
        print("  " + ", ".join(f"{name} {n}" for name, n in sums.items()))
        members = {field.name for field in v.type.fields()}
        print("  " + ", ".join(f"{name} {int(v[name])}" for name in pool.lib.numbers("seldom")
                               if name in members and name not in sums))
        for kind in pool.lib.types["fault"].fields():
            if kind.name != "POOL_FAULT_KINDS" and int(v["faults"][kind.enumval]):
                print(f"  {kind.name}: {int(v['faults'][kind.enumval])}")

    def part(self, pool, area, local):
        hot, parked = local["hot"], int(local["parked"]["count"])
        if int(local["pool"]) != pool.at and not parked:
            return
        clusters = pool.lib.entries(local["by_pool"], "cluster", "by_pool", "", ignore)
        print(f"  {pool.lib.thread_of(area)}: {int(hot['n'])} of {int(hot['slots'])} hot, "
              f"{int(local['clustered'])} in {len(list(clusters))} clusters, {parked} parked")


class Owner(Command):
    """Which object is at an address, and where it is: pool owner ADDRESS"""

    name = "pool owner"

    def run(self, arg):
        at = int(gdb.parse_and_eval(arg))
        found = [text for lib in libraries() for text in self.find(lib, at)]
        print("\n".join(found or [f"{hex(at)}: unknown"]))

    def find(self, lib, at):
        for pool in lib.pools():
            for obj, where in pool.free_objects(ignore):
                obj &= ~SEAL_BITS
                if obj <= at < obj + pool.size:
                    yield self.text(pool, at, obj, f"free, {where}")
                    return
        for pool in lib.pools():
            for obj, state in pool.table().state.items():
                if obj <= at < obj + pool.size:
                    caller = pool.callers(obj)[0]
                    yield self.text(pool, at, obj, {
                        USED: "allocated" + (f" by {place_of(caller)}" if caller else ""),
                        FREE: "free, on its way between two places",
                        BAD: "in quarantine"}[state & 3])
                    return
        yield from self.in_slab(lib, at)
        yield from self.in_kept(lib, at)

    @staticmethod
    def text(pool, at, obj, what):
        more = f" + {at - obj}" if at != obj else ""
        return f'{hex(obj)}{more}: object of pool "{pool.name}", size {pool.size}: {what}'

    @staticmethod
    def in_slab(lib, at):
        slab = lib.slab_of(at)
        if not slab:
            return
        around = slab.around(at)
        if not around:
            yield f"{hex(at)}: in no object: an empty slab, or the rest of one"
            return
        pools = [p for p in lib.pools_of_class(slab.class_at) if not p.table().whole]
        names = " or ".join(f'"{pool.name}"' for pool in pools) or "that is gone"
        if around[1]:
            names = " or ".join(f'"{p.name}"' for p in lib.pools_of_class(slab.class_at))
            yield f"{hex(around[0])}: given back to its slab, which is for pool {names}"
        else:
            more = f" + {at - around[0]}" if at != around[0] else ""
            yield f"{hex(around[0])}{more}: object of pool {names}: allocated"

    @staticmethod
    def in_kept(lib, at):
        """Was it an object with pages of its own?  guard.c keeps its addresses."""
        kept = lib.static("kept", "user/guard.c")[0]
        first = int(lib.static("first", "user/guard.c")[0])
        count = int(lib.static("count", "user/guard.c")[0])
        for i in range(count):
            span = kept[(first + i) % length(kept)]
            if 0 <= at - int(span["at"]) < int(span["bytes"]):
                yield f"{hex(at)}: an object that the option uaf has unmapped when it was freed"


class Objects(Command):
    """The objects in use of a pool, where that can be known: pool objects NAME"""

    name = "pool objects"

    def run(self, arg):
        if not arg:
            raise gdb.GdbError("pool: pool objects NAME")
        for pool in named(arg):
            objs, whole = known(pool)
            for obj in sorted(objs):
                caller = pool.callers(obj)[0]
                print(hex(obj) + (f"  {place_of(caller)}" if caller else ""))
            print(f'{len(objs)} objects of pool "{pool.name}" are in use' +
                  ("" if whole else ", and some that no check has seen"))


class Leaks(Command):
    """The objects in use by the code that allocated them: pool leaks [NAME]

For pools with the option caller or memstats."""

    name = "pool leaks"

    def run(self, arg):
        pools = [pool for pool in named(arg) if pool.has("caller") or pool.has("memstats")]
        if not pools:
            raise gdb.GdbError("pool: no pool keeps its callers: LIBPOOL_OPTIONS=caller, or "
                               "memstats")
        sites = {}
        for pool in pools:
            for obj in known(pool)[0]:
                key = pool.name, pool.size, pool.callers(obj)[0]
                sites[key] = sites.get(key, 0) + 1
        print(f"{'objects':>10}{'bytes':>12}  {'pool':<{WIDTH}}allocated by")
        for (name, size, caller), n in sorted(sites.items(), key=lambda s: -s[1] * s[0][1]):
            print(f"{n:>10}{n * size:>12}  {name:<{WIDTH}}{place_of(caller)}")


class CheckAll(Command):
    """Walk all lists and counts, and say what does not agree: pool check

Sets $pool_problems to the number of problems."""

    name = "pool check"

    def run(self, arg):
        problems, pools, notes = 0, 0, 0
        for lib in libraries():
            check = Check(lib)
            check.run()
            problems += check.problems
            notes += check.notes
            pools += len(lib.pools())
        gdb.set_convenience_variable("pool_problems", problems)
        print(f"{pools} pools, {problems} problems" + (f", {notes} notes" if notes else ""))


Prefix()
for command in List, Show, Owner, Objects, Leaks, CheckAll:
    command()
