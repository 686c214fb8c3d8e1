"""Count the generated programs for which silence is wrong, and show them.

    python -m benchmarks.soundness [--kind values|gradients|jax|numpy] [--programs N] [--first SEED]

Exit status: 1 if the tool is silent about something that an execution refutes.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from benchmarks.soundness.executed import KINDS, Outcome, judged

_SHOWN_MOST = 10


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soundness", description=__doc__)
    parser.add_argument("--kind", choices=tuple(KINDS), default="values")
    parser.add_argument("--programs", type=int, default=20_000, help="how many are made up")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    options = parser.parse_args()
    kind = KINDS[options.kind]
    counts = Counter[Outcome]()
    for seed in range(options.first, options.first + options.programs):
        outcome = judged(kind, seed)
        counts[outcome] += 1
        if outcome is Outcome.WRONG and counts[outcome] <= _SHOWN_MOST:
            print(f"# program {seed}: nothing is said of what breaks\n{kind.program(seed).text}")
        done = seed - options.first + 1
        if sys.stderr.isatty() and done % 100 == 0:
            print(f"\r{done:,} of {options.programs:,}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    for outcome in Outcome:
        print(f"{counts[outcome]:8,}  {outcome.value}")
    return int(counts[Outcome.WRONG] > 0)


if __name__ == "__main__":
    sys.exit(main())
