#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Compares a dashboard of Grafana with a Prometheus text that the library has printed.

	grafana.py DASHBOARD <TEXT

Each metric that the dashboard names is in the text, with the labels that the query selects or
groups by, and with the values of labels that it compares.  Prometheus adds "instance".
"""

import json
import re
import sys

METRIC = re.compile(r"\b(libpool_\w+)(?:\{([^}]*)\})?")
SELECTOR = re.compile(r'(\w+)(=~|=)"([^"]*)"')
GROUPED = re.compile(r"\b(?:by|on) \(([^)]*)\)")
ADDED = {"instance"}


def samples(text):
    """Per metric the values of each label."""
    found = {}
    for line in text:
        match = METRIC.match(line)
        if match:
            labels = found.setdefault(match.group(1), {})
            for name, _, value in SELECTOR.findall(match.group(2) or ""):
                labels.setdefault(name, set()).add(value)
    return found


def wrong(query, printed):
    """What a query names and the text does not have."""
    labels = set(ADDED)
    for metric, selectors in METRIC.findall(query):
        if metric not in printed:
            yield f"no metric {metric}"
            continue
        labels |= set(printed[metric])
        for name, how, value in SELECTOR.findall(selectors):
            if name not in set(printed[metric]) | ADDED:
                yield f"{metric} has no label {name}"
            elif not value.startswith("$") and how and not any(
                    re.fullmatch(value, has) for has in printed[metric][name]):
                yield f"{metric} has no {name}={value}"
    for group in GROUPED.findall(query):
        for name in group.replace(",", " ").split():
            if name not in labels:
                yield f"no metric of the query has the label {name}"


def main(path):
    dashboard = json.load(open(path, encoding="utf-8"))
    printed = samples(sys.stdin)
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    # "label_values(METRIC, LABEL)" looks the label up, as a group does.
    queries += [re.sub(r"label_values\((.*), (\w+)\)", r"\1 by (\2)", variable["definition"])
                for variable in dashboard["templating"]["list"] if "definition" in variable]
    faults = [f"{fault}: {query}" for query in queries for fault in wrong(query, printed)]
    if len({panel["id"] for panel in dashboard["panels"]}) != len(dashboard["panels"]):
        faults.append("two panels have one id")
    print(*faults, sep="\n")
    print(len(printed), "metrics,", len(queries), "queries")
    return bool(faults) or len(queries) < 10


sys.exit(main(sys.argv[1]))
