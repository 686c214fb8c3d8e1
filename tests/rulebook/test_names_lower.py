"""A name lowers a confidence or excuses: without any list of names, nothing is less sure."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from mllint_nan.findings import Confidence, Span
from mllint_nan.flow import named_values
from mllint_nan.linter import Linted, Settings, analysis, lint_bytes
from mllint_nan.syntax import lower, lower_ast, source
from tests.analyses import without_fixes
from tests.fixture_files import ROOT, fixture_files

POSSIBLE: Final = Settings(min_confidence=Confidence.POSSIBLE)
NEVER: Final = re.compile(r"(?!)")
ASKS: Final = re.compile(r"^(\w+): Final = names\(", re.MULTILINE)


class Observed:
    """A list of names that says whether a name of it was found since `begin`."""

    found = False

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern

    @classmethod
    def begin(cls) -> None:
        cls.found = False

    def __getattr__(self, method: str) -> Callable[..., object]:
        ask = getattr(self._pattern, method)

        def asked(*arguments: object) -> object:
            answer = ask(*arguments)
            Observed.found = Observed.found or bool(answer)
            return answer

        return asked


@cache
def _lists() -> tuple[tuple[ModuleType, str, re.Pattern[str]], ...]:
    """The constants that hold the lists of names, in every module that imports them."""
    found = []
    for path in sorted((ROOT / "mllint_nan").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for constant in ASKS.findall(text):
            module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
            pattern = getattr(module, constant)
            found += [
                (other, constant, pattern)
                for other in [*sys.modules.values()]
                if getattr(other, constant, None) is pattern
            ]
    return tuple(found)


def _forget() -> None:
    """Answers about names that were kept."""
    named_values.is_epsilon_name.cache_clear()


def _surest(path: Path) -> dict[Span, Confidence]:
    """By its place: the confidence of the surest finding."""
    data = path.read_bytes()
    with without_fixes(is_likely_found=True):  # most files have something possible
        outcome = lint_bytes(data, str(path), POSSIBLE)
    assert isinstance(outcome, Linted), outcome
    found: dict[Span, Confidence] = {}
    for one in outcome.findings:
        found[one.span] = max(one.confidence, found.get(one.span, one.confidence))
    return found


def _is_as_sure(span: Span, confidence: Confidence, found: Mapping[Span, Confidence]) -> bool:
    """Whether something is found there, or around it, that is as sure."""
    return any(
        other.start <= span.start < other.end and confidence <= surest
        for other, surest in found.items()
    )


def _files() -> dict[str, list[Path]]:
    """Fixtures by rule, and cases by what their names begin with."""
    files = defaultdict[str, list[Path]](list)
    for fixture in fixture_files():
        files[fixture.rule].append(fixture.path)
    for path in sorted((ROOT / "cases").glob("*/*.py")):
        files[f"{path.parent.name} {path.stem.partition('_')[0]}"].append(path)
    return files


FILES: Final = _files()


@pytest.fixture
def nameless(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    for module, name in (
        (source, "Source"),
        (lower, "lower_module"),
        (analysis, "tree_of_own"),
        (lower_ast, "lower_module"),
    ):  # of a text that was read with the names
        monkeypatch.setattr(module, name, lru_cache(1)(getattr(module, name)))
    lists = _lists()
    with monkeypatch.context() as patch:
        for module, constant, pattern in lists:
            patch.setattr(module, constant, pattern)  # to be restored
        yield patch
    _forget()


@pytest.mark.slow
@pytest.mark.parametrize("group", FILES)
def test_without_names_nothing_is_less_sure(group: str, nameless: pytest.MonkeyPatch) -> None:
    """Where no name is found, nothing would be another without any."""
    for path in FILES[group]:
        Observed.begin()
        _replace_lists(Observed)
        before = _surest(path)
        if not Observed.found:
            continue
        _replace_lists(lambda _: NEVER)
        without = _surest(path)
        lost = {
            span: str(confidence)
            for span, confidence in before.items()
            if not _is_as_sure(span, confidence, without)
        }
        assert not lost, path


def _replace_lists(replaced: Callable[[re.Pattern[str]], object]) -> None:
    for module, constant, pattern in _lists():
        setattr(module, constant, replaced(pattern))
    _forget()
