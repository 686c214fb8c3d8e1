"""Scan unpacked packages with every rule, and try every fix on a copy.

    python benchmarks/scan_packages.py [--fix-copies] DIR [DIR...]

The directories are only read. Exit status: 1 if a file failed, or if a fix broke one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mllint_nan.config.resolve import Configurations
from mllint_nan.files import Discovery, discover
from mllint_nan.findings import Confidence
from mllint_nan.project import Checked, Request, check_file, check_paths, write_fixed
from mllint_nan.results import Failed, Linted, Skipped, Unparsable
from mllint_nan.settings import Settings

PROCESSES: Final = 2
EVERYTHING: Final = Settings(min_confidence=Confidence.POSSIBLE, unsafe_fixes=True)


@dataclass(frozen=True, slots=True)
class Measured(Checked):
    """The outcome of a file, and its cost."""

    lines: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Scan:
    """The outcome of one package; a file whose process died has no lines and no seconds."""

    directory: str
    files: tuple[Checked, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        return tuple(
            f"{file.path}: {file.outcome.reason}"
            for file in self.files
            if isinstance(file.outcome, Failed)
        )

    def report(self) -> str:
        measured = [file for file in self.files if isinstance(file, Measured)]
        lines = sum(file.lines for file in measured)
        findings = [
            finding
            for file in self.files
            if isinstance(file.outcome, Linted)
            for finding in file.outcome.findings
        ]
        counts = Counter((finding.code, finding.confidence) for finding in findings)
        outcomes = Counter(type(file.outcome) for file in self.files)
        rate = 1000 * len(findings) / max(lines, 1)
        kinds = (Linted, Skipped, Unparsable, Failed)
        ends = ", ".join(f"{outcomes[kind]} {kind.__name__.lower()}" for kind in kinds)
        rows = [
            self.directory,
            f"  files     {len(self.files)}: {ends}",
            f"  lines     {lines}",
            f"  findings  {len(findings)}, {rate:.2f} per thousand lines",
        ]
        rows += [
            f"            {code} {confidence!s:8} {count}"
            for (code, confidence), count in sorted(counts.items())
        ]
        if measured:
            slowest = max(measured, key=lambda file: file.seconds)
            total = sum(file.seconds for file in measured)
            rows.append(f"  seconds   {total:.1f} of processor time")
            rows.append(f"  slowest   {slowest.seconds:.2f} s, {slowest.path}")
        rows += [f"  failed    {failure}" for failure in self.failures]
        return "\n".join(rows)


@dataclass(frozen=True, slots=True)
class FixAttempt:
    """The effect of all fixes on a copy of one package."""

    fixes: int
    files: int
    failed: tuple[str, ...]
    broken: tuple[str, ...]
    unstable: tuple[str, ...]

    @property
    def is_good(self) -> bool:
        return not (self.failed or self.broken or self.unstable)

    def report(self) -> str:
        rows = [f"  fixes     {self.fixes} in {self.files} files"]
        if not self.broken:
            rows.append("            every fixed file compiles as it did before")
        if not self.unstable:
            rows.append("            a second run changes nothing")
        rows += [f"  failed    {place}" for place in self.failed]
        rows += [f"  broken    {place}" for place in self.broken]
        rows += [f"  unstable  {place}" for place in self.unstable]
        return "\n".join(rows)


def measure(path: str, request: Request) -> Checked:
    """Check one file, and measure the CPU time."""
    start = time.process_time()
    checked = check_file(path, request)
    seconds = time.process_time() - start
    try:
        lines = len(Path(path).read_bytes().splitlines())
    except OSError:  # the outcome reports that
        lines = 0
    return Measured(path, checked.outcome, checked.applied, b"", b"", lines, seconds)


def _files(directory: str) -> Discovery:
    """Return a package's files, ignoring configuration and `.gitignore`."""
    return discover([directory], Configurations({"respect-gitignore": False}, is_isolated=True))


def scan(directory: str) -> Scan:
    discovery = _files(directory)
    request = Request(EVERYTHING)
    unread = tuple(Checked(path, Failed(reason)) for path, reason in discovery.failures)
    checked = check_paths(discovery.files, request, PROCESSES, measure)
    return Scan(directory, (*unread, *checked))


def try_fixes(directory: str) -> FixAttempt:
    """Fix a copy of a package, as `--fix --unsafe-fixes --min-confidence possible` does, twice."""
    fixes = files = 0
    failed: list[str] = []
    broken: list[str] = []
    with tempfile.TemporaryDirectory() as home:
        copies = _copied(directory, home)
        for checked in _fixed(copies):
            written = write_fixed(checked) if checked.is_changed else checked
            name = os.path.relpath(checked.path, home)
            if isinstance(written.outcome, Failed):
                failed.append(f"{name}: {written.outcome.reason}")
            elif written.is_changed:
                fixes += len(written.applied)
                files += 1
                error = _compile_error(written.after)
                if error and not _compile_error(written.before):
                    broken.append(f"{name}: {error}")
        unstable = [os.path.relpath(file.path, home) for file in _fixed(copies) if file.is_changed]
    return FixAttempt(fixes, files, tuple(failed), tuple(broken), tuple(unstable))


def _copied(directory: str, home: str) -> list[str]:
    """Copy the package's Python files below `home`, and return the copies."""
    top = os.path.join(home, Path(directory).resolve().name)
    copies = []
    for path in _files(directory).files:
        copy = os.path.join(top, os.path.relpath(path, directory))
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copyfile(path, copy)
        copies.append(copy)
    return copies


def _fixed(files: Sequence[str]) -> Iterator[Checked]:
    return check_paths(files, Request(EVERYTHING, fix=True), PROCESSES)


def _compile_error(data: bytes) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(data, "<copy>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return f"{type(error).__name__}: {error}"
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Scan unpacked packages with every rule.")
    parser.add_argument("directories", nargs="+", metavar="DIR")
    parser.add_argument(
        "--fix-copies", action="store_true", help="also try every fix on a temporary copy"
    )
    options = parser.parse_args(arguments)
    is_good = True
    for directory in options.directories:
        scanned = scan(directory)
        print(scanned.report(), flush=True)
        is_good &= not scanned.failures
        if options.fix_copies:
            attempt = try_fixes(directory)
            print(attempt.report(), flush=True)
            is_good &= attempt.is_good
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
