"""A name lowers a confidence or excuses: without any list of names, nothing is less sure."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from mllint_nan.findings import Confidence, Span
from mllint_nan.fixing.repair import Repairer
from mllint_nan.flow import named_values
from mllint_nan.linter import Linted, Settings, analysis, lint_bytes
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


def _lists() -> Iterator[tuple[ModuleType, str]]:
    """The constants that hold the lists of names, in every module that imports them."""
    for path in sorted((ROOT / "mllint_nan").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not ASKS.search(text):
            continue
        module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for constant in ASKS.findall(text):
            pattern = getattr(module, constant)
            for other in [*sys.modules.values()]:
                if getattr(other, constant, None) is pattern:
                    yield other, constant


def _forget() -> None:
    """Answers about names that were kept."""
    named_values.is_epsilon_name.cache_clear()


def _surest(path: Path) -> dict[Span, Confidence]:
    """By its place: the confidence of the surest finding.

    Its fix, which is not looked for, makes none another: what rests on one asks `is_safe`.
    """
    data = path.read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Repairer, "chosen", lambda *_: None)
        if b"# expect: " in data:  # nothing but time is lost without the look whether it is so
            patch.setattr(analysis, "without_findings", lambda *_: None)
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
    with monkeypatch.context() as patch:
        yield patch
    _forget()


@pytest.mark.slow
@pytest.mark.parametrize("group", FILES)
def test_without_names_nothing_is_less_sure(group: str, nameless: pytest.MonkeyPatch) -> None:
    """Where no name is found, nothing would be another without any."""
    lists = [(module, constant, getattr(module, constant)) for module, constant in _lists()]
    for module, constant, pattern in lists:
        nameless.setattr(module, constant, Observed(pattern))
    before = {}
    for path in FILES[group]:
        Observed.begin()
        _forget()
        found = _surest(path)
        if Observed.found:
            before[path] = found
    for module, constant, _ in lists:
        nameless.setattr(module, constant, NEVER)
    _forget()
    for path, found in before.items():
        without = _surest(path)
        lost = {
            span: str(confidence)
            for span, confidence in found.items()
            if not _is_as_sure(span, confidence, without)
        }
        assert not lost, path
