"""Drive packages on each kind of input, and keep what the recorders report.

    python -m benchmarks.witnesses HOME [--package P]... [--kinds K...] [--jobs N] [--seconds N]
    python -m benchmarks.witnesses show PACKAGE TEST --kind K [--home HOME]
    python -m benchmarks.witnesses show PACKAGE TARGET --driver calls --kind K [--only ARGUMENT]

HOME has the packages in `sources/NAME`, may have an environment `venv`, and gets `events`; units
with results are not run again. `--seconds` is the time for a package, and `--file-seconds` that
for a test file on one kind. `show` runs one test and prints the lines where something arises.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from . import calls
from .kinds import KINDS, TENFOLD_RATE
from .packages import Package, read_packages
from .units import Unit, command, environment, python_of, run_unit, zygote_of
from .zygote import Zygote

_BAR: Final = 30
DRIVERS: Final = ("tests", "scripts", "calls")


class Progress:
    """A line on the terminal that shows the progress of a package."""

    def __init__(self, name: str, total: int) -> None:
        self._name = name
        self._total = total
        self._done = 0
        self._lock = threading.Lock()

    def step(self, unit: Unit, ended: str) -> None:
        """Record that one more unit has ended."""
        with self._lock:
            self._done += 1
            filled = _BAR * self._done // self._total
            bar = "#" * filled + "." * (_BAR - filled)
            text = (
                f"{self._name} [{bar}] {self._done}/{self._total} {unit.name} {unit.kind} {ended}"
            )
            if sys.stderr.isatty():
                print(f"\r\x1b[K{text[:150]}", end="", file=sys.stderr, flush=True)
            else:
                print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def units(package: Package, home: Path, driver: str, kinds: Sequence[str] | None) -> Iterator[Unit]:
    """Yield the units kind by kind: if the time is short, all files are run on the first kinds."""
    names = package.test_files(home) if driver == "tests" else list(package.scripts)
    all_kinds = [kind.name for kind in KINDS] if driver == "tests" else ["as-is", TENFOLD_RATE]
    for kind in kinds or all_kinds:
        for name in names:
            yield Unit(package, driver, name, kind)


def drive(package: Package, options: argparse.Namespace) -> None:
    """Run the units of a package that are not done yet, within its time."""
    home: Path = options.home
    waiting = [
        unit
        for unit in units(package, home, options.driver, options.kinds)
        if not unit.is_done(home)
    ]
    if not waiting:
        return
    progress = Progress(package.name, len(waiting))
    until = time.monotonic() + options.seconds

    with tempfile.TemporaryDirectory(prefix="witness-") as scratch, ExitStack() as stack:
        free: SimpleQueue[Zygote] = SimpleQueue()
        for _ in range(options.jobs):
            zygote = zygote_of(package, home, scratch)
            stack.callback(zygote.close)
            free.put(zygote)

        def run(unit: Unit) -> None:
            left = until - time.monotonic()
            if left <= 0:
                return
            zygote = free.get()
            try:
                limits = (options.file_seconds, options.test_seconds)
                progress.step(unit, run_unit(unit, home, zygote, limits, left))
            finally:
                free.put(zygote)

        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(run, waiting))


def show(arguments: Sequence[str]) -> int:
    """Run a test again, and print each event on a line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.witnesses show")
    parser.add_argument("package")
    parser.add_argument("test")
    parser.add_argument("--kind", default="as-is")
    parser.add_argument("--home", type=Path, default=Path())
    parser.add_argument("--driver", choices=DRIVERS, default="tests")
    options = parser.parse_args(arguments)
    home = options.home.resolve()
    unit = Unit(read_packages()[options.package], options.driver, options.test, options.kind)
    with tempfile.TemporaryDirectory(prefix="witness-") as scratch:
        lines = Path(scratch, "lines")
        module, *words = command(unit, home, lines, 120.0)
        done = subprocess.run(
            [python_of(home), "-m", module.partition(":")[0], *words],
            cwd=unit.package.source(home),
            env=environment(unit.package, home, scratch),
            stdout=sys.stderr,
        )
        for line in lines.read_text().splitlines() if lines.exists() else ():
            entry = json.loads(line)
            if "event" in entry:
                event = entry["event"]
                where = f"{event['file']}:{event['line']}:{event['column']}"
                print(f"{where}: {event['operation']} ({event['effect']}) in {event['function']}")
    return done.returncode


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    if arguments[:1] == ["show"]:
        if "calls" in arguments:
            return calls.show_again(arguments[1:])
        return show(arguments[1:])
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.witnesses",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [kind.name for kind in KINDS]
    parser.add_argument("home", type=Path)
    parser.add_argument("--package", action="append")
    parser.add_argument("--driver", choices=DRIVERS, default="tests")
    parser.add_argument("--kinds", nargs="+", choices=[*names, TENFOLD_RATE])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--file-seconds", type=float, default=300.0)
    parser.add_argument("--test-seconds", type=float, default=20.0)
    options = parser.parse_args(arguments)
    options.home = options.home.resolve()
    packages = read_packages()
    for name in options.package or packages:
        if packages[name].source(options.home).is_dir():
            if options.driver == "calls":
                calls.drive_package(packages[name], options.home, options.seconds)
                continue
            drive(packages[name], options)
        else:
            print(f"{name}: no source in {packages[name].source(options.home)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
