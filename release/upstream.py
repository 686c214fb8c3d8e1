"""Run public packages' own tests after the safe fixes, and refuse the release if one fails.

    python -m release.upstream HOME [--list FILE] [--packages FILE] [--tool CHECKOUT]

This runs `benchmarks/upstream.py` for a few packages, within the limits of `upstream.toml`. The
release is refused if a test that passed before fails after a safe fix, if no test of a package
passes before, or if no test of the run enters code that was fixed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tomli

from benchmarks.package_tests.fixing import Tool
from benchmarks.package_tests.report import Culprit, Score
from benchmarks.package_tests.running import Limits, Runner
from benchmarks.package_tests.sources import LIST, Package, environment, packages
from benchmarks.upstream import PackageRun, tried
from release.refusal import ROOT, Refused, guarded

LIMITS: Final = Path(__file__).with_suffix(".toml")
_MODE: Final = "safe"


@dataclass(frozen=True, slots=True)
class Entry:
    """A package to be tried, its limit in seconds, and where to clone its source from, if so."""

    package: Package
    seconds: float
    clone: str = ""
    revision: str = ""

    def fetch(self, home: Path) -> None:
        """Clone the source if necessary; raises `Refused` if it cannot be cloned."""
        place = home / "checkouts" / self.package.name
        if not self.clone or place.is_dir():
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        command = ["git", "clone", "--quiet", "--depth", "1", "--branch", self.revision]
        done = subprocess.run(
            [*command, self.clone, str(place)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise Refused(f"{self.clone} at {self.revision} cannot be cloned: {done.stderr}")


def entries(limits: Path, listing: Path) -> list[Entry]:
    """Return what is to be tried; raises `Refused` for a package that is not in `listing`."""
    with limits.open("rb") as file:
        wanted = tomli.load(file)["packages"]
    known = {package.name: package for package in packages(listing)}
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        raise Refused(f"{limits.name} names {unknown[0]}, which {listing.name} does not have")
    return [Entry(known[name], **entry) for name, entry in wanted.items()]


def judged(scores: Iterable[Score]) -> Iterator[str]:
    """Yield a line for each package; raises `Refused` at the first that blocks the release."""
    reached = 0
    for score in scores:
        if score.failed:
            raise Refused(_broken(score, score.culprits[0]))
        if not score.passed:
            raise Refused(f"{score.package} {score.version}: no test passes before the fixes")
        reached += score.ran
        late = f", {score.late} not for want of time" if score.late else ""
        yield (
            f"{score.package} {score.version}: {score.rewrites} safe rewrites, "
            f"{score.ran} of {score.passed} tests ran again{late}, none fails"
        )
    if not reached:
        raise Refused("no test of any package entered what the safe fixes changed")


def _broken(score: Score, culprit: Culprit) -> str:
    """Describe what broke, where, and by which rule."""
    places = ", ".join(f"{one.path}:{one.row}" for one in culprit.rewrites) or "the fixes together"
    labels = f" ({', '.join(culprit.labels)})" if culprit.labels else ""
    error = culprit.error.partition("\n")[0][:200]
    return (
        f"{score.package} {score.version}: {score.failed} tests fail after safe fixes, "
        f"{culprit.tests[0]} by {places}{labels}: {error}"
    )


def trials(chosen: Iterable[Entry], home: Path, tool: Tool) -> Iterator[Score]:
    revision = tool.revision()
    for entry in chosen:
        entry.fetch(home)
        runner = Runner(environment(home), home, Limits(), entry.package.first)
        package_run = PackageRun(entry.package, home, tool, revision, entry.seconds, runner)
        yield from tried(package_run, [_MODE])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="release.upstream", description="Run packages' tests after the safe fixes."
    )
    parser.add_argument("home", type=lambda text: Path(text).resolve())
    parser.add_argument("--list", type=Path, default=LIMITS, help="packages and their seconds")
    parser.add_argument("--packages", type=Path, default=LIST, help="where their tests are")
    parser.add_argument("--tool", type=Path, default=ROOT, help="a checkout of the project")
    options = parser.parse_args(arguments)
    options.home.mkdir(parents=True, exist_ok=True)

    def step() -> None:
        tool = Tool(options.tool.resolve())
        chosen = entries(options.list, options.packages)
        for line in judged(trials(chosen, options.home, tool)):
            print(line, flush=True)

    return guarded(step)


if __name__ == "__main__":
    sys.exit(main())
