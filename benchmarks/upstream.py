"""Run the tests of public packages before and after their code is fixed.

    python -m benchmarks.upstream HOME [--packages NAME...] [--modes MODE...] [--tool CHECKOUT]
        [--seconds N] [--held-out] [--write]

HOME gets the published sources, an environment, and the results, by the revision of the tool;
existing results are kept. `before` runs test files with their calls recorded, those first that
name what a fix changes. After `safe` fixes, `unsafe` ones, and those that `verify` leaves, the
tests run that entered a changed function. For each that passed before and fails now, parts of
the fixes are applied until the rewrite is found that suffices to fail it. `--seconds` is the
time for a package in one mode. `--modes` without any runs only the untouched tests. `--write`
puts the tables into `upstream.md`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.package_tests.affected import affected, batch, function_keys, ranked
from benchmarks.package_tests.culprits import culprits
from benchmarks.package_tests.fixing import MODES, Fixes, Label, Tool, Tree, fixes_of, labels_of
from benchmarks.package_tests.report import Culprit, Score, tables
from benchmarks.package_tests.rewrites import Rewrite, is_of_tests
from benchmarks.package_tests.running import LATE, FileResult, Limits, Outcome, Runner
from benchmarks.package_tests.sources import (
    Package,
    environment,
    install,
    packages,
    source_of,
    test_files,
    version_of,
)

_FILES_MOST: Final = 12
"""How many test files share a process."""
_SHOWN_MOST: Final = 3
_FAR: Final = 1_000_000
TABLES: Final = ("<!-- Written by upstream.py --write -->", "<!-- Until here -->")


@dataclass(frozen=True, slots=True)
class PackageRun:
    """A package under a tool, with a time limit for each mode."""

    package: Package
    home: Path
    tool: Tool
    revision: str
    seconds: float
    runner: Runner

    @property
    def source(self) -> Path:
        return source_of(self.package, self.home)

    def of_tool(self, name: str) -> Path:
        """Return the path of a result file for this revision of the tool."""
        place = self.home / "results" / self.revision / self.package.name / name
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def fixes(self, mode: str) -> Fixes:
        kept = self.of_tool(f"{mode}.fixes.json")
        if not kept.exists():
            self.say(f"{mode}: fixing")
            kept.write_text(
                fixes_of(self.tool, self.source, mode, self._labels(), self.home).dumps()
            )
        return Fixes.loads(kept.read_text())

    def _labels(self) -> Sequence[Label]:
        kept = self.of_tool("labels.json")
        if not kept.exists():
            self.say("linting")
            kept.write_text(json.dumps(labels_of(self.tool, self.source, self.home)))
        return [(path, row, text) for path, row, text in json.loads(kept.read_text())]

    def before(self, fixes: Iterable[Fixes]) -> dict[str, FileResult]:
        """Return the results of the untouched test files, as far as the time allows."""
        rewrites = {rewrite for one in fixes for rewrite in one.rewrites}
        files = ranked(test_files(self.package, self.source), rewrites, self.source)
        missing = [file for file in files if not self._kept(file).exists()]
        if missing:
            for result in self.run("before", missing, with_calls=True):
                if result.tests:
                    self._kept(result.file).parent.mkdir(parents=True, exist_ok=True)
                    self._kept(result.file).write_text(result.dumps())
        kept = {file: self._kept(file) for file in files}
        return {
            file: FileResult.loads(path.read_text()) for file, path in kept.items() if path.exists()
        }

    def _kept(self, file: str) -> Path:
        folder = self.home / "results" / "before" / self.package.name
        return folder / f"{file.replace('/', '__')}.json"

    def run(
        self,
        mode: str,
        files: Iterable[str],
        only: Collection[str] | None = None,
        with_calls: bool = False,
    ) -> Iterator[FileResult]:
        """Yield the results of test files, several in a process, within the time of a mode.

        It ends early if nothing can be run.
        """
        left = self.seconds
        waiting = list(files)
        while waiting and left > 0:
            start = time.monotonic()
            chunk = batch(waiting, _FILES_MOST)
            results = self.runner.run(
                self.tree().place, chunk, left, only, with_calls, self.package.imports
            )
            left -= time.monotonic() - start
            done = [one for one in results.values() if one.tests or one.trouble]
            for result in done:
                self.say(f"{mode}: {_said(result)}")
                waiting.remove(result.file)
                yield result
            if not any(one.tests for one in done):
                break

    def tree(self) -> Tree:
        return Tree.of(self.source, self.home / "trees" / self.package.name)

    def score(self, mode: str, before: Mapping[str, FileResult]) -> Score:
        kept = self.of_tool(f"{mode}.score.json")
        if kept.exists():
            score = Score.loads(kept.read_text())
            if not score.late and score.tests == sum(len(one.tests) for one in before.values()):
                return score
        fixes = self.fixes(mode)
        score = Attempt(self, mode, fixes, before).score()
        kept.write_text(score.dumps())
        return score

    def say(self, text: str) -> None:
        clock = time.strftime("%H:%M:%S")
        print(f"{clock} {self.package.name} {text}", file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A mode's fixes against the tests of a package."""

    package_run: PackageRun
    mode: str
    fixes: Fixes
    before: Mapping[str, FileResult]

    def score(self) -> Score:
        """Fix the package, then its tests too, each time running the tests that are affected."""
        tree = self.package_run.tree()
        code = [path for path in self.fixes.after if not is_of_tests(path)]
        own = [path for path in self.fixes.after if is_of_tests(path)]
        reached = ran = late = 0
        found: list[Culprit] = []
        try:
            for phase, paths, changed in (
                (self.mode, code, code),
                (f"{self.mode} in tests too", own, [*code, *own]),
            ):
                rewrites = [one for one in self.fixes.rewrites if one.path in paths]
                known = {test for one in found for test in one.tests}
                wanted = affected(rewrites, self.before, self.package_run.source, known)
                reached += sum(map(len, wanted.values()))
                tree.put(self.fixes, None, changed)
                failed, done, unreached = self._failures(phase, wanted)
                ran, late = ran + done, late + unreached
                found += self._judged(tree, failed, changed)
        finally:
            tree.restore(self.fixes.after)
        return Score(
            self.package_run.package.name,
            version_of(self.package_run.package, self.package_run.source),
            self.mode,
            len(self.fixes.rewrites),
            sum(len(one.tests) for one in self.before.values()),
            sum(len(one.of("passed")) for one in self.before.values()),
            ran,
            late,
            tuple(found),
        )

    def _failures(
        self, phase: str, wanted: Mapping[str, Collection[str]]
    ) -> tuple[dict[str, Outcome], int, int]:
        """Return the tests that fail now, how many were run, and how many there was no time for."""
        failed: dict[str, Outcome] = {}
        ran = 0
        for result in self._results(phase, wanted):
            reached = wanted[result.file]
            if result.ended == LATE:
                reached = [one.test for one in result.tests if one.test in reached]
            new = _failed([result], reached)
            for test, outcome in list(new.items())[:_SHOWN_MOST]:
                self.package_run.say(f"  {test}: {_first_line(outcome.error)} {outcome.rows[:3]}")
            failed |= new
            ran += len(reached)
        return failed, ran, sum(map(len, wanted.values())) - ran

    def _results(self, phase: str, wanted: Mapping[str, Collection[str]]) -> Iterator[FileResult]:
        """Yield the current results of the files' tests; results for the same tests are kept."""
        waiting: dict[str, Path] = {}
        for file, tests in wanted.items():
            asked = hashlib.sha256("\n".join(sorted(tests)).encode()).hexdigest()[:12]
            kept = self.package_run.of_tool(f"{phase}/{file.replace('/', '__')}.{asked}.json")
            if kept.exists():
                yield FileResult.loads(kept.read_text())
            else:
                waiting[file] = kept
        only = {test for file in waiting for test in wanted[file]}
        for result in self.package_run.run(phase, waiting, only):
            waiting[result.file].write_text(result.dumps())
            yield result

    def _judged(
        self, tree: Tree, failed: Mapping[str, Outcome], paths: Sequence[str]
    ) -> Iterator[Culprit]:
        """Yield the cause of each new failure; tests that also fail without fixes are left out."""
        if not failed:
            return
        still = self._with(tree, None, failed, paths)
        passing = set(still).difference(self._with(tree, (), still, paths))
        fixed = [rewrite for rewrite in self.fixes.rewrites if rewrite.path in paths]
        keys = function_keys(fixed, self.package_run.source)

        def suspects(test: str) -> list[Rewrite]:
            called = self._called(test)
            near = {file: int(row) for file, _, row in map(_parted, reversed(failed[test].rows))}
            found = [one for one, key in keys.items() if key in called]
            return sorted(found, key=lambda one: (abs(near.get(one.path, _FAR) - one.row), one))

        def run(part: Sequence[Rewrite], tests: Collection[str]) -> Collection[str]:
            again = self._with(tree, part, tests, paths)
            return [one for one in again if _kind(again[one]) == _kind(failed[one])]

        order = [test for test in failed if test in passing]
        for part, tests in culprits(order, suspects, run):
            first = failed[tests[0]]
            labels = tuple(label for one in part for label in self.fixes.labels_of(one))
            self.package_run.say(f"{self.mode}: {len(tests)} fail by {part and part[0]}")
            yield Culprit(part, labels, tests, first.error)

    def _called(self, test: str) -> frozenset[str]:
        for result in self.before.values():
            for one in result.tests:
                if one.test == test:
                    return result.called(one)
        return frozenset()

    def _with(
        self,
        tree: Tree,
        part: Sequence[Rewrite] | None,
        tests: Collection[str],
        paths: Sequence[str],
    ) -> dict[str, Outcome]:
        """Return those of the tests that fail with a part of the fixes, or with all."""
        tree.put(self.fixes, part, paths)
        files = [
            file
            for file, result in self.before.items()
            if any(one.test in tests for one in result.tests)
        ]
        found = list(self.package_run.run(f"{self.mode}, again", files, tests))
        return _failed(found, tests)


def _failed(results: Iterable[FileResult], wanted: Iterable[str]) -> dict[str, Outcome]:
    """Return the failed tests, including tests that were not reached or no longer collected."""
    found: dict[str, Outcome] = {}
    lost: dict[str, str] = {}
    for result in results:
        found |= {one.test: one for one in result.tests}
        lost[result.file] = result.trouble or result.ended
    outcomes = [
        found.get(test, Outcome(test, "stopped", error=lost.get(test.partition("::")[0], "")))
        for test in wanted
    ]
    return {one.test: one for one in outcomes if one.outcome in ("failed", "stopped")}


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:200]


def _parted(place: str) -> tuple[str, str, str]:
    return place.rpartition(":")


def _kind(outcome: Outcome) -> str:
    return outcome.error.partition(":")[0].partition("\n")[0][:40]


def _said(result: FileResult) -> str:
    counts = ", ".join(
        f"{len(result.of(kind))} {kind}"
        for kind in ("passed", "failed", "skipped", "stopped")
        if result.of(kind)
    )
    trouble = result.trouble.strip().splitlines()[-1:] if result.trouble else []
    return f"{result.file}: {counts or 'nothing'} in {result.seconds} s {' '.join(trouble)}"


def tried(package_run: PackageRun, modes: Sequence[str]) -> Iterator[Score]:
    """Yield the scores of a package before and after its fixes."""
    install(package_run.package, package_run.home)
    fixes = [package_run.fixes(mode) for mode in modes]
    before = package_run.before(fixes)
    for mode in modes:
        yield package_run.score(mode, before)


def main() -> None:
    parser = argparse.ArgumentParser(description="Run packages' tests before and after fixes.")
    parser.add_argument("home", type=lambda text: Path(text).resolve())
    parser.add_argument("--packages", nargs="+", metavar="NAME")
    parser.add_argument("--modes", nargs="*", choices=list(MODES), default=list(MODES))
    parser.add_argument("--tool", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--held-out", action="store_true", help="these, instead of the others")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.home.mkdir(parents=True, exist_ok=True)
    tool = Tool(options.tool.resolve())
    wanted = [
        package
        for package in packages()
        if (package.name in options.packages if options.packages else True)
        and package.is_held_out == options.held_out
    ]
    scores: list[Score] = []
    for package in wanted:
        runner = Runner(environment(options.home), options.home, Limits(), package.first)
        package_run = PackageRun(
            package, options.home, tool, tool.revision(), options.seconds, runner
        )
        scores += tried(package_run, options.modes)
    text = "\n".join(tables(scores, tool.revision()))
    print(text)
    if options.write:
        report = Path(__file__).with_suffix(".md")
        before, _, rest = report.read_text().partition(TABLES[0])
        after = rest.partition(TABLES[1])[2]
        report.write_text(f"{before}{TABLES[0]}\n\n{text}\n{TABLES[1]}{after}")


if __name__ == "__main__":
    main()
