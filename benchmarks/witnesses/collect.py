"""Merge the results of the drivers into the table.

python -m benchmarks.witnesses.collect HOME benchmarks/witnesses.tsv [--package P]...
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from . import calls
from .events import Event
from .kinds import grade_of
from .packages import Package, read_packages
from .units import read_lines
from .witness import Witness, mildest, write_table


def witnesses(package: Package, home: Path) -> Iterator[Witness]:
    """Yield the witnesses from the drivers of a package."""
    yield from calls.witnesses(package, home)
    for driver in ("tests", "scripts"):
        folder = home / "events" / package.name / driver
        for path in sorted(folder.glob("*.jsonl")):
            kind = path.name.removesuffix(".jsonl").rpartition(".")[2]
            for entry in read_lines(path):
                if "event" in entry:
                    yield _witness(package, driver, kind, entry)


def _witness(package: Package, driver: str, kind: str, entry: dict[str, Any]) -> Witness:
    event = Event.from_entry(entry["event"])
    test = entry["test"]
    command = "python -m benchmarks.witnesses show"
    which = "" if driver == "tests" else f" --driver {driver}"
    return event.witness(
        (package.name, package.version, entry.get("framework", package.frameworks[0])),
        (kind, grade_of(kind)),
        driver,
        f"{command} {package.name} {shlex.quote(test)} --kind {kind}{which}",
    )


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.witnesses.collect")
    parser.add_argument("home", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--package", action="append")
    options = parser.parse_args(arguments)
    packages = read_packages()
    found = mildest(
        witness
        for name in options.package or packages
        for witness in witnesses(packages[name], options.home)
    )
    write_table(options.table, found)
    counts = Counter((one.package, one.grade.value) for one in found)
    for (package, grade), count in sorted(counts.items()):
        print(f"{package:30} {grade:10} {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
