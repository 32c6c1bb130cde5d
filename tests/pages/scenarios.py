#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Counts the scenarios of tests/proof/schedule/ that no mutant shows to find anything.

Fails if there are more than MOST, or if a scenario names a mutant that there is not;
mutants.sh finds those that no scenario names.
"""

import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "lib"))
from mutate import mutants  # pylint: disable=wrong-import-position

FOLDER = TESTS / "proof/schedule"

# A change may lower this number, not raise it.
MOST = 0

SCENARIO = re.compile(r'^\tSCENARIO\((\w+),\s*"([^"]*)"', re.M)

# If there are fewer, then the pattern does not find them.
LEAST = 50


def main():
    """Prints the scenarios without a mutant, and what is wrong."""
    text = "".join(path.read_text(encoding="utf-8")
                   for path in sorted(FOLDER.glob("scenario_*.c")))
    found = SCENARIO.findall(text)
    have = mutants(FOLDER)
    bare = [name for name, kills in found if not kills]
    wrong = [f"{name}: there is no mutant {mutant}" for name, kills in found
             for mutant in kills.split() if mutant not in have]
    if len(bare) > MOST:
        wrong.append(f"more than {MOST} scenarios have no mutant")
    print("\n".join(bare + wrong))
    print(f"{len(found)} scenarios, {len(bare)} without a mutant; at most {MOST} may be")
    return 1 if wrong or len(found) < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
