"""Analyses of fixtures and cases, each made once in a process: most tests ask for the same.

An analysis follows from the text, its name and the settings alone, which the tests of the linter
itself hold; a test that exchanges parts of the linter calls it directly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import pytest

from mllint_nan.fixing.repair import Repairer
from mllint_nan.linter import (
    Fixed,
    LintResult,
    Prepared,
    Settings,
    analysis,
    evaluation,
    fix_bytes,
    fixing,
    lint_bytes,
    prepare,
)


@cache
def linted(data: bytes, filename: str, settings: Settings) -> LintResult:
    """What `lint_bytes` says of a file."""
    with _remembering():
        return lint_bytes(data, filename, settings)


@cache
def fixed(data: bytes, filename: str, settings: Settings) -> Fixed:
    """What `fix_bytes` makes of a file."""
    with _remembering():
        return fix_bytes(data, filename, settings)


def prepared(data: bytes, filename: str, settings: Settings) -> Prepared:
    """What `prepare` makes of a file."""
    with _remembering():
        return prepare(data, filename, settings)


@contextmanager
def without_fixes(*, is_likely_found: bool = False) -> Iterator[None]:
    """Where findings alone are asked for: a fix makes none another, or surer.

    What rests on one still asks whether there is a safe one. Where something is likely found,
    nothing but time is lost without the look whether it is so.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Repairer, "chosen", lambda *_: None)
        if is_likely_found:
            patch.setattr(analysis, "without_findings", lambda *_: None)
        yield


@contextmanager
def _remembering() -> Iterator[None]:
    """The steps of a repair are analyses of texts, which other repairs go through as well.

    They are asked again, so that nothing of them is let go. What is reported is read from the tree
    with places at once, which serves all who ask: that the other one, which users' files are read
    from first, tells the same of each file is what `test_first_pass.py` asserts.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analysis, "let_go", lambda judge: None)
        patch.setattr(analysis, "_found", _found)
        for name, step in _STEPS.items():
            patch.setattr(analysis, name, step)
        for module in (analysis, evaluation, fixing):
            patch.setattr(module, "evaluated", _evaluated)
        yield


def _once(step: Callable[..., Any]) -> Callable[..., Any]:
    known: dict[tuple[str, str, Settings], Any] = {}

    def once(text: str, filename: str, settings: Settings, **hints: bool) -> Any:
        """Hints say what is likely, not what is answered."""
        asked = text, filename, replace(settings, unsafe_fixes=False)
        if asked not in known:
            if step is _FINDINGS_IN:
                hints["is_likely_found"] = True
            known[asked] = step(*asked, **hints)
        return known[asked]

    return once


def _common(settings: Settings) -> Settings:
    """Whatever is reported and applied of them in the end, all rules are asked in the same way."""
    return replace(settings, unsafe_fixes=False, min_confidence=Settings().min_confidence)


@lru_cache(maxsize=16)
def _evaluated_at(text: str, filename: str, settings: Settings) -> Prepared:
    return _EVALUATED(text, filename, settings)


def _evaluated(
    text: str, filename: str, settings: Settings, are_calls_idle: bool = False
) -> Prepared:
    """That no call tells anything is a hint, too: one evaluation serves all who ask."""
    return _evaluated_at(text, filename, _common(settings))


@lru_cache(maxsize=16)
def _found_at(text: str, filename: str, settings: Settings) -> Any:
    return _FOUND(text, filename, settings)


def _found(text: str, filename: str, settings: Settings) -> Any:
    """For those who count, which leave out what an audit adds."""
    return _found_at(text, filename, _common(settings))


_EVALUATED = evaluation.evaluated
_FOUND = analysis._found
_FINDINGS_IN = analysis.findings_in
_STEPS = {name: _once(getattr(analysis, name)) for name in ("findings_in", "count")}
"""None of them depends on which fixes are applied in the end."""
