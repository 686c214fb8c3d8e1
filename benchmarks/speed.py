"""Compare the time of this tool with that of others, on the same files in one run.

    python benchmarks/speed.py HOME [--packages NAME...] [--lines N] [--runs N] [--write]
        [--compiled PYTHON] [--earlier PYTHON] [--without TOOL...] [--jobs N]

HOME gets a virtual environment for each tool and the packages, both from PyPI, unless they exist
already. The tools take turns on the same files, so that other load on the machine affects all of
them; a ratio is the median of the ratios of the turns. `--lines 10000` takes as many files of a
package, at equal distances, as have about that many lines. `--compiled` is an interpreter that
has the compiled build, which is measured beside the source, and `--earlier` one that has an
earlier revision. `--write` puts the tables into `speed.md`.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path
from typing import Final

PACKAGES: Final[Mapping[str, str]] = {
    "timm": "1.0.31",
    "keras": "",
    "transformers": "",
    "tensorflow-probability": "",
}
PEERS: Final[Mapping[str, tuple[str, ...]]] = {
    "torchfix": ("torchfix==0.7.0",),
    "flake8": ("flake8",),
    "ruff": ("ruff",),
    "pylint": ("pylint",),
}
_OPTIONS: Final = ("-m", "mllint_nan", "--isolated", "--no-respect-gitignore", "-q")
OURS: Final = (sys.executable, *_OPTIONS)
TABLES: Final = ("<!-- Written by speed.py --write -->", "<!-- Until here -->")
_PYLINT_FILES: Final = 6
_ROOT: Final = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Usage:
    """What a command used; `megabytes` is the peak of its largest process."""

    wall: float
    processor: float
    megabytes: float


def measure(command: Sequence[str]) -> Usage:
    """Run a command to its end, whatever it finds; child processes count.

    Our own source is that of this checkout; its byte code is cached, as for an installed
    package.
    """
    is_ours = tuple(command[:3]) == OURS[:3]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT) if is_ours else ""}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=said, stderr=said, env=environment, cwd="/")
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        output = said.read()
        # With findings, the status is 1 (pylint adds up bits), and so it is after a crash.
        is_usual = process.returncode in (0, 1) or "pylint" in command[0]
        if not is_usual or b"Traceback (most recent call last)" in output:
            raise SystemExit(f"{command[:4]} ends with {process.returncode}: {output[-500:]!r}")
    return Usage(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def in_turns(commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, list[Usage]]:
    """Run each command this many times, in turn."""
    taken: dict[str, list[Usage]] = {name: [] for name in commands}
    for turn in range(runs):
        for name, command in commands.items():
            print(f"  {turn + 1}/{runs} {name}", file=sys.stderr, flush=True)
            taken[name].append(measure(command))
    return taken


def prepare(home: Path, packages: Sequence[str]) -> None:
    """Install the tools and packages that are missing."""
    for tool, wanted in PEERS.items():
        if not (home / tool).exists():
            subprocess.run([sys.executable, "-m", "venv", home / tool], check=True)
            pip = home / tool / "bin" / "pip"
            subprocess.run([pip, "install", "-q", *wanted], check=True)
    for name in packages:
        place = home / "packages" / name
        if not place.exists():
            version = f"=={PACKAGES[name]}" if PACKAGES.get(name) else ""
            install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps"]
            subprocess.run([*install, "--target", str(place), f"{name}{version}"], check=True)


def peers(home: Path, files: Sequence[str], options: argparse.Namespace) -> dict[str, list[str]]:
    """Return the commands of the other tools, with default settings."""
    ruff = [str(home / "ruff/bin/ruff"), "check", "--isolated", "--no-cache", "-q"]
    flake8 = [str(home / "flake8/bin/flake8"), "--isolated"]
    if options.jobs:
        flake8 += ["--jobs", str(options.jobs)]
    all_of_them = {
        "TorchFix": [str(home / "torchfix/bin/torchfix"), *files],
        "flake8": [*flake8, *files],
        "ruff": [*ruff, *files],
    }
    return {name: all_of_them[name] for name in all_of_them if name not in options.without}


def compared(home: Path, name: str, options: argparse.Namespace) -> Iterator[str]:
    """Yield the rows of the tables for one package."""
    wanted, runs = options.lines, options.runs
    place = home / "packages" / name
    jobs = ["--jobs", str(options.jobs)] if options.jobs else []
    found = sorted(place.rglob("*.py"))
    every = max(1, _lines(found) // wanted) if wanted else 1
    found = found[::every]
    lines = _lines(found)
    files = [str(place)] if every == 1 else [str(path) for path in found]
    part = "" if every == 1 else f", one file in {every}"
    with tempfile.TemporaryDirectory() as scratch:
        warm = [*OURS, "--cache-dir", f"{scratch}/cache", *files]
        measure(warm)
        commands = {"mllint-nan, cold": [*OURS, *jobs, "--no-cache", *files]}
        for build in ("compiled", "earlier"):
            if python := getattr(options, build):
                command = [python, *_OPTIONS, *jobs, "--no-cache", *files]
                commands[f"mllint-nan, {build}, cold"] = command
        commands |= {"mllint-nan, warm": warm, **peers(home, files, options)}
        taken = in_turns(commands, runs)
        one_file = [*_one_file(_middling(found), f"{scratch}/cache", runs)]
    yield f"### {name} {_version_of(place)}: {len(found)} files, {lines:,} lines{part}\n"
    yield from _table(taken, lines)
    yield from one_file
    if "pylint" in options.without:
        return
    sample = [str(path) for path in found[:: max(1, len(found) // _PYLINT_FILES)]]
    lines = _lines(map(Path, sample))
    pylint = [str(home / "pylint/bin/pylint"), "--rcfile=/dev/null", "-j", "0", *sample]
    taken = in_turns({"mllint-nan, cold": [*OURS, "--no-cache", *sample], "pylint": pylint}, 1)
    yield f"\nAgainst pylint, {len(sample)} of these files, {lines:,} lines:\n"
    yield from _table(taken, lines)
    yield ""


def _one_file(path: Path, cache: str, runs: int) -> Iterator[str]:
    """Yield the time that a pre-commit hook takes, after a run of all files filled the cache."""
    text = path.read_bytes()
    command = [*OURS, "--cache-dir", cache, str(path)]
    taken: dict[str, list[Usage]] = {"unchanged": [], "changed": []}
    measure(command)
    try:
        for turn in range(runs):
            taken["unchanged"].append(measure(command))
            path.write_bytes(text + b"# %d\n" % turn)
            taken["changed"].append(measure(command))
            path.write_bytes(text)
    finally:
        path.write_bytes(text)
    yield f"\nOne file, `{path.name}`, {_lines([path]):,} lines, after a run that was kept:\n"
    yield "| File | Wall, s | Processor, s |"
    yield "| --- | --- | --- |"
    for name, usages in taken.items():
        yield f"| {name} | {_seconds(usages, 'wall')} | {_seconds(usages, 'processor')} |"


def _middling(paths: Sequence[Path]) -> Path:
    """Return the file of median size among those that name torch, TensorFlow, JAX or Keras."""
    named = (b"import torch", b"import tensorflow", b"import jax", b"from keras")
    some = [path for path in paths if any(word in path.read_bytes() for word in named)]
    return sorted(some or paths, key=lambda path: path.stat().st_size)[len(some or paths) // 2]


def _seconds(usages: Iterable[Usage], which: str) -> str:
    return f"{statistics.median(getattr(one, which) for one in usages):.2f}"


def _lines(paths: Iterable[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


def _table(taken: Mapping[str, Sequence[Usage]], lines: int) -> Iterator[str]:
    ours = next(iter(taken.values()))
    yield "| Tool | Wall, s | Processor, s | Peak, MB | Lines/s | Wall / ours | Processor / ours |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, usages in taken.items():
        wall = statistics.median(one.wall for one in usages)
        processor = statistics.median(one.processor for one in usages)
        peak = max(one.megabytes for one in usages)
        pairs = list(zip(usages, ours, strict=True))
        by_wall = statistics.median(one.wall / own.wall for one, own in pairs)
        by_processor = statistics.median(one.processor / own.processor for one, own in pairs)
        yield (
            f"| {name} | {wall:.2f} | {processor:.2f} | {peak:.0f} | {lines / wall:,.0f} "
            f"| {by_wall:.2f} | {by_processor:.2f} |"
        )


def started(home: Path, runs: int, compiled: str | None) -> Iterator[str]:
    """Yield the rows for the start-up time of every run."""
    source = next((home / "packages").rglob("attention.py"), None)
    with tempfile.TemporaryDirectory() as scratch:
        changed = Path(scratch, "changed.py")
        shutil.copy(source if source is not None else __file__, changed)
        commands = {
            "`python -c pass`": [sys.executable, "-c", "pass"],
            '`python -c "import libcst"`': [sys.executable, "-c", "import libcst"],
            "`mllint-nan --version`": [*OURS[:3], "--version"],
            "`mllint-nan` on one changed file": [*OURS, "--no-cache", str(changed)],
        }
        if compiled:
            command = [compiled, *_OPTIONS, "--no-cache", str(changed)]
            commands["`mllint-nan`, compiled, on one changed file"] = command
        taken = in_turns(commands, runs)
    yield "### Start\n"
    yield "| Command | Wall, s | Processor, s |"
    yield "| --- | --- | --- |"
    for name, usages in taken.items():
        wall = statistics.median(one.wall for one in usages)
        yield f"| {name} | {wall:.3f} | {statistics.median(one.processor for one in usages):.3f} |"
    yield ""


def _version_of(place: Path) -> str:
    found = next(place.glob("*.dist-info"), None)
    return found.name.removesuffix(".dist-info").rpartition("-")[2] if found is not None else ""


def surroundings(home: Path) -> Iterator[str]:
    """Yield date, machine and versions."""
    today = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    load = os.getloadavg()[0]
    yield f"{today}, {_processor()}, {os.cpu_count()} cores, load {load:.1f} before it began,"
    versions = [f"CPython {platform.python_version()}"]
    for tool in PEERS:
        python = home / tool / "bin" / "python"
        code = f"from importlib.metadata import version; print(version({tool!r}))"
        said = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
        versions.append(f"{tool} {said.stdout.strip()}")
    yield f"{', '.join(versions)}.\n"


def _processor() -> str:
    try:
        rows = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((row.partition(": ")[2] for row in rows if row.startswith("model name")), "")


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare with other tools.")
    parser.add_argument("home", type=lambda text: Path(text).resolve())
    parser.add_argument("--packages", nargs="+", default=list(PACKAGES))
    parser.add_argument("--lines", type=int, default=0, help="of each package; 0 is all")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--jobs", type=int, default=0, help="processes of each; 0 is its own choice"
    )
    parser.add_argument("--compiled", metavar="PYTHON", help="with the compiled build installed")
    parser.add_argument("--earlier", metavar="PYTHON", help="with an earlier revision installed")
    parser.add_argument("--without", nargs="+", default=[], metavar="TOOL")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    prepare(options.home, options.packages)
    begun = started(options.home, 5 * options.runs, options.compiled)
    every = (compared(options.home, name, options) for name in options.packages)
    rows = []
    for row in chain(surroundings(options.home), begun, *every):
        print(row, flush=True)
        rows.append(row)
    tables = "\n".join(rows)
    if options.write:
        report = Path(__file__).with_suffix(".md")
        before, _, rest = report.read_text().partition(TABLES[0])
        after = rest.partition(TABLES[1])[2]
        report.write_text(f"{before}{TABLES[0]}\n\n{tables}\n{TABLES[1]}{after}")


if __name__ == "__main__":
    main()
