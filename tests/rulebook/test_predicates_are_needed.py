"""Each predicate is needed: the program that `needed.toml` names is misjudged without it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Final

import pytest
import tomli

from benchmarks.predicates import Replayed, Use, settings_of
from mllint_nan.linter import prepare
from mllint_nan.rulebook.predicates import PREDICATES
from mllint_nan.rulebook.rule import Condition
from tests.fixture_files import ROOT

NEEDED: Final[dict[str, str]] = tomli.loads(
    (ROOT / "tests" / "rulebook" / "needed.toml").read_text(encoding="utf-8")
)


def test_a_program_is_named_for_every_predicate() -> None:
    assert NEEDED.keys() == PREDICATES.keys()


@pytest.mark.parametrize("name", sorted(PREDICATES))
def test_a_program_is_misjudged_without_the_predicate(name: str) -> None:
    filename, _, what = NEEDED[name].partition(" ")
    replayed = _replayed(filename)

    def is_off(condition: Condition, use: Use) -> bool:
        return condition.predicate == name

    assert _said(replayed.findings, what) != _said(replayed.without(is_off), what)


@cache
def _replayed(filename: str) -> Replayed:
    path = ROOT / filename
    return Replayed(prepare(path.read_bytes(), filename, settings_of(path)))


def _said(findings: dict[tuple[int, str], str], what: str) -> Counter[str]:
    """What is said by one rule, wherever in the file."""
    return Counter(said for (_, code), said in findings.items() if code == what)
