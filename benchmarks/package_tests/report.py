"""Scores of packages, and the tables that show them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.package_tests.rewrites import Rewrite

_TESTS_MOST = 3


@dataclass(frozen=True, slots=True)
class Culprit:
    """Rewrites that suffice to fail tests; none if no part of the fixes fails them again."""

    rewrites: tuple[Rewrite, ...]
    labels: tuple[str, ...]
    tests: tuple[str, ...]
    error: str

    @staticmethod
    def of(content: dict[str, Any]) -> Culprit:
        rewrites = tuple(Rewrite(**one) for one in content.pop("rewrites"))
        labels, tests = tuple(content.pop("labels")), tuple(content.pop("tests"))
        return Culprit(rewrites, labels, tests, **content)


@dataclass(frozen=True, slots=True)
class Score:
    """A package in a mode: of the `passed` tests before, `ran` concern a rewrite and ran again."""

    package: str
    version: str
    mode: str
    rewrites: int
    tests: int
    passed: int
    ran: int
    late: int
    culprits: tuple[Culprit, ...]

    @property
    def failed(self) -> int:
        return sum(len(one.tests) for one in self.culprits)

    def dumps(self) -> str:
        return json.dumps(asdict(self), indent=1)

    @staticmethod
    def loads(text: str) -> Score:
        content = json.loads(text)
        return Score(culprits=tuple(map(Culprit.of, content.pop("culprits"))), **content)


def tables(scores: Sequence[Score], revision: str) -> Iterator[str]:
    """Yield a row for each package and mode, then each new failure with its cause."""
    yield f"Revision {revision}.\n"
    yield (
        "| Package | Mode | Rewrites | Tests run before | Passed | Run again | No time "
        "| New failures |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for one in scores:
        yield (
            f"| {one.package} {one.version} | {one.mode} | {one.rewrites} | {one.tests} "
            f"| {one.passed} | {one.ran} | {one.late} | {one.failed} |"
        )
    for mode in dict.fromkeys(one.mode for one in scores):
        alike = [one for one in scores if one.mode == mode]
        failed = sum(one.failed for one in alike)
        concerned = sum(1 for one in alike if one.failed)
        yield f"\n{mode}: {failed} new failures, in {concerned} of {len(alike)} packages"
    for one in scores:
        for culprit in one.culprits:
            yield from _culprit(one, culprit)


def _culprit(score: Score, culprit: Culprit) -> Iterator[str]:
    places = ", ".join(f"`{one.path}:{one.row}`" for one in culprit.rewrites) or "not found"
    labels = f" ({', '.join(culprit.labels)})" if culprit.labels else ""
    yield f"\n### {score.package}, {score.mode}: {places}{labels}\n"
    if culprit.rewrites:
        yield "```diff"
        yield from (one.diff() for one in culprit.rewrites)
        yield "```\n"
    error = " ".join(culprit.error.split())[:200]
    yield f"{len(culprit.tests)} failed: `{error}`\n"
    yield from _listed(culprit.tests)


def _listed(tests: Iterable[str]) -> Iterator[str]:
    shown = list(tests)
    for test in shown[:_TESTS_MOST]:
        yield f"- `{test}`"
    if len(shown) > _TESTS_MOST:
        yield f"- and {len(shown) - _TESTS_MOST} more"
