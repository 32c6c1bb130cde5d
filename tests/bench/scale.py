#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What many processors would get out of a shared pool, by its number of buckets.

    scale.py FOLDER             model, check and prediction
    scale.py --rst FOLDER       what that came to, into Documentation

The first reads FOLDER/scale.csv, which build/user/scale has measured, plays
scale_model.py, prints tables and writes FOLDER/scale.json; the second makes the
section "scale" of Documentation/performance-figures.rst and scale.svg of that.
"""

import csv
import json
import pathlib
import statistics
import sys

import section
from scale_chart import draw
from scale_model import Machine

BATCH = 832				# scale_run.c
CLUSTER = 32
TRIES = 64
CHECKED = [(t, b) for t in (1, 2, 3, 4, 6, 8) for b in (1, 2, 4, 8)]
CPUS = 16, 64, 256
BUCKETS = 1, 2, 4, 8, 16, 32, 64
FAR = 3					# the assumption: so many times as far
SEEDS = 1, 2
SLICE = 1e5				# see settled()



def rounds_of(file):
    """A dict per round: (what, threads, buckets) -> values."""
    rounds = []
    with open(file, newline="") as source:
        for row in csv.DictReader(source):
            if row["what"] == "round":
                rounds.append({})
            elif rounds:
                key = row["what"], int(row["threads"]), int(row["buckets"])
                rounds[-1].setdefault(key, []).append(float(row["value"]))
    return rounds


def distances(rounds):
    """Rounds by how far the two processors were: near, far; others were moved."""
    fetches = [r["line_fetch", 2, 0] for r in rounds]
    least = min(min(f) for f in fetches)
    near = [r for r, f in zip(rounds, fetches) if max(f) < 1.6 * least]
    far = [r for r, f in zip(rounds, fetches) if min(f) > 2 * least]
    groups = {"near": near, "far": far}
    return {name: group for name, group in groups.items() if group}


class Measured:
    """Medians of a group of rounds."""

    def __init__(self, rounds):
        self.rounds = rounds

    def all(self, what, threads=1, buckets=1):
        return [v for r in self.rounds for v in r[what, threads, buckets]]

    def get(self, what, threads=1, buckets=1):
        return statistics.median(self.all(what, threads, buckets))

    def inputs(self):
        """What scale_model.py wants."""
        own, read = self.get("line_own", 1, 0), self.get("line_own_read", 1, 0)
        burst = round(BATCH * self.get("batch_gets"))
        clusters = BATCH // CLUSTER
        hold = self.get("visit_pair") / 2 - self.get("visit_miss")
        alone = self.get("batch") * BATCH
        backend = self.get("backend_alloc")
        slices = [self.get("slice", t, b) for t, b in CHECKED if t > 2]
        return {
            "read": max(0, self.get("line_read", 2, 0) - read),
            "fetch": max(0, self.get("line_fetch", 2, 0) - own),
            "claim": max(0, self.get("line_claim", 2, 0) - own),
            "sum": self.get("line_sum", 2, 0),
            "moves": self.get("line_again", 2, 0) > 3 * read,
            "hold": hold,
            "burst": burst,
            "local": clusters - burst,
            "ops_per_cluster": BATCH / clusters,
            "apart": (alone / 2 - burst * hold) / clusters,
            "backend_alloc": backend,
            "backend_free": self.get("busy_free"),
            "look": max(1, (self.get("busy_alloc") - backend) / TRIES),
            "slice": statistics.median(slices),
        }


def settled(inputs):
    """
    How much of the time somebody without a processor holds a bucket does not
    depend on how long slices are, but how long one must look does.
    """
    return {**inputs, "slice": min(SLICE, inputs["slice"])}


def rate(inputs, cpus, threads, buckets, **how):
    """Operations per second; the mean of some runs."""
    warm, measured = how.pop("time")
    return statistics.mean(
        Machine(inputs, cpus, threads, buckets, seed=seed, **how)
        .play(warm, measured) for seed in how.pop("seeds", SEEDS))


def million(value):
    return f"{value / 1e6:.1f}" if value < 1e8 else f"{value / 1e6:.0f}"


def check(group, name, processors):
    """Rows of one distance, and the errors of those that are predictions."""
    inputs, rows, errors = settled(group.inputs()), [], []
    for threads, buckets in CHECKED:
        said = rate(inputs, processors, threads, buckets, seeds=(1,),
                    time=(2e6, 1.5e7 if threads > processors else 6e6))
        saw = 1e9 / group.get("batch", threads, buckets)
        error = said / saw - 1
        given = (threads, buckets) == (1, 1)
        if not given:
            errors.append(abs(error))
        rows.append([name, str(threads), str(buckets), million(saw), million(said),
                     "input" if given else f"{100 * error:+.1f} %",
                     f"{group.get('share', threads, buckets):.2f}"])
    return rows, errors


def default_for(cpus):
    """common/life/create.c: pool_buckets_for()"""
    buckets = 1
    while buckets < cpus and buckets < max(BUCKETS):
        buckets *= 2
    return buckets


def enough(rates):
    """The least number of buckets that has 95 % of the most."""
    return next(b for b, r in zip(BUCKETS, rates) if r >= 0.95 * max(rates))


def predict(inputs, distance, *without):
    """Of a pool that has settled: nothing it has is too much."""
    without = {"excess", *without}
    return {cpus: [rate(inputs, cpus, cpus, b, distance=distance, without=without,
                        time=(5e4 * distance, 1e5 * distance)) for b in BUCKETS]
            for cpus in CPUS}


def follow(inputs, distance):
    """With the default, of a pool that gives up what seems to be too much."""
    return {cpus: rate(inputs, cpus, cpus, default_for(cpus), distance=distance,
                       time=(5e4 * distance, 1e5 * distance)) for cpus in CPUS}


def inputs_rows(group, inputs):
    def row(what, ns, how):
        return [what, f"{ns:.2f}" if ns < 100 else f"{ns:.0f}", how]

    hand = group.get("hand_gets", 2, 2), group.get("hand_puts", 2, 2)
    return [
        row("a line is read that another one wrote, ns", inputs["read"],
            "``line_read``"),
        row("... then written, ns", group.get("line_upgrade", 2, 0) -
            group.get("line_own", 1, 0), "``line_upgrade``"),
        row("a line that both have read is written, ns", inputs["claim"],
            "``line_claim``"),
        row("a line is fetched to be written, ns", inputs["fetch"],
            "``line_fetch``"),
        row("one of many that are read at once, ns", inputs["sum"], "``line_sum``"),
        ["does a read take it from its writer?", "yes" if inputs["moves"] else "no",
         "``line_again``"],
        row("a word goes one way, polled, ns", group.get("ping_pong", 2, 0),
            "``ping_pong``"),
        row("an exchange, by two at once, ns", group.get("exchange", 2, 0),
            "``exchange``"),
        row("a bucket is BUSY, ns", inputs["hold"],
            "``visit_pair``, ``visit_miss``"),
        row("need is sampled, alone, ns", group.get("visit_keeps"),
            "``visit_keeps``"),
        row("an operation without visits, ns", group.get("few"), "``few``"),
        row("an operation of a batch, alone, ns", group.get("batch"), "``batch``"),
        row("per half cluster, outside visits, ns", inputs["apart"], "``batch``"),
        ["visits per operation, batch: gets, puts",
         f"{group.get('batch_gets'):.4f}, {group.get('batch_puts'):.4f}",
         "``batch_gets``, ``batch_puts``"],
        ["visits per operation, handed over", f"{hand[0]:.4f}, {hand[1]:.4f}",
         "``hand_gets``, ``hand_puts``"],
        row("an object from the backend, ns", inputs["backend_alloc"],
            "``backend_alloc``"),
        row("an object to the backend, ns", inputs["backend_free"], "``busy_free``"),
        row("one more look at BUSY buckets, ns", inputs["look"], "``busy_alloc``"),
        ["a slice of a shared processor, ms", f"{inputs['slice'] / 1e6:.1f}",
         "``slice``"],
    ]


def prediction_rows(table, name):
    return [[name, str(cpus), *map(million, rates), str(enough(rates)),
             str(default_for(cpus))] for cpus, rates in table.items()]


def sampling_rows(table, free, followed, name):
    rows = []
    for cpus in table:
        at = BUCKETS.index(default_for(cpus))
        rows.append([name, str(cpus), str(BUCKETS[at]), million(table[cpus][at]),
                     million(free[cpus][at]), str(enough(free[cpus])),
                     million(followed[cpus])])
    return rows


def model(folder):
    """All tables, and what the chart is made of."""
    rounds = rounds_of(folder / "scale.csv")
    groups = {name: Measured(group) for name, group in distances(rounds).items()}
    if not groups:
        sys.exit("the processors were moved in each round: measure again")
    rows, errors = [], []
    for name, group in groups.items():
        more, wrong = check(group, name, 2)
        rows += more
        errors += wrong
    name = max(groups, key=lambda n: (len(groups[n].rounds), n == "near"))
    inputs = groups[name].inputs()
    near, far = predict(inputs, 1), predict(inputs, FAR)
    free, far_free = (predict(inputs, d, "sampling") for d in (1, FAR))
    followed, far_followed = (follow(inputs, d) for d in (1, FAR))
    times = ["1 x", f"{FAR} x"]
    return {
        "rounds": len(rounds), "used": name,
        "groups": {n: len(g.rounds) for n, g in groups.items()},
        "error": statistics.median(errors), "worst": max(errors),
        "errors": len(errors),
        "one_way": CLUSTER / inputs["fetch"] * 1e9,
        "inputs": inputs_rows(groups[name], inputs),
        "check": rows,
        "predict": prediction_rows(near, times[0]) +
        prediction_rows(far, times[1]),
        "sampling": sampling_rows(near, free, followed, times[0]) +
        sampling_rows(far, far_free, far_followed, times[1]),
        "chart": {times[0]: near, times[1]: far},
    }


def table(head, rows):
    """A simple table of Documentation, which also reads well as it is."""
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    rule = "  ".join("=" * w for w in widths)
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip()
             for row in [head] + rows]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule, ""])


def title(text):
    return f"{text}\n{'-' * len(text)}\n"


def page(result):
    groups = ", ".join(f"{n} {name}" for name, n in result["groups"].items())
    yield title("Inputs")
    yield (f"Of {result['rounds']} rounds, by how far the two processors were from "
           f"each other:\n{groups}.  These, and the predictions, are of those that "
           f"were {result['used']}.\n")
    yield table(["what", "value", "measured as"], result["inputs"])
    yield title("Check: millions of operations per second")
    yield table(["distance", "threads", "buckets", "measured", "predicted", "error",
                 "share"], result["check"])
    yield (f"Median error of {result['errors']} rows: {100 * result['error']:.1f} %; "
           f"largest: {100 * result['worst']:.1f} %.  Rows with a\nshare below 1 had "
           "to share the processors with other programs.\n")
    yield title("Prediction: millions of operations per second, by buckets")
    yield table(["lines", "CPUs", *map(str, BUCKETS), "95 % at", "default"],
                result["predict"])
    yield title("What sampling costs, with the default number of buckets")
    yield table(["lines", "CPUs", "buckets", "as it is", "without", "95 % at, without",
                 "need followed"], result["sampling"])
    yield (f"Objects that all go one way: at most {million(result['one_way'])} millions "
           "of them per second, whatever the\nnumber of CPUs.\n")


def write(result):
    section.write("scale", "\n".join(page(result)))
    (section.PAGES / "scale.svg").write_text(draw(BUCKETS, result["chart"]))


def main():
    words = sys.argv[1:]
    rst = words[:1] == ["--rst"]
    if len(words) != 1 + rst:
        sys.exit("usage: scale.py [--rst] FOLDER")
    folder = pathlib.Path(words[rst])
    file = folder / "scale.json"
    if rst:
        write(json.loads(file.read_text()))
        return
    result = model(folder)
    file.write_text(json.dumps(result, indent=1))
    print("\n".join(page(result)))


if __name__ == "__main__":
    main()
