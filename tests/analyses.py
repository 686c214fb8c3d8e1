"""Analyses of fixtures and cases, each made once in a process: most tests ask for the same.

An analysis follows from the text, its name and the settings alone, which the tests of the linter
itself hold; a test that exchanges parts of the linter calls it directly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

import pytest

from mllint_nan.findings import Applicability, Confidence, Finding, Hazard
from mllint_nan.fixing.repair import Chosen, Repairer
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
    reports,
)
from mllint_nan.rulebook.rule import Repair, Rule
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.verify.cut import Cut, cut
from mllint_nan.verify.variables import Uncuttable


class Text(NamedTuple):
    """A text whose findings were asked for."""

    text: str
    filename: str
    settings: Settings


class Offered(NamedTuple):
    """A fix that can be applied, as `--verify` would execute it, or why it cannot be."""

    rule: Rule
    hazard: Hazard
    framework: str
    repair: Repair
    is_safe: bool
    cut: Cut | Uncuttable


@cache
def linted(data: bytes, filename: str, settings: Settings) -> LintResult:
    """What `lint_bytes` says of a file."""
    with _remembering(), _noting_texts(data, filename, settings):
        return lint_bytes(data, filename, settings)


def offered(data: bytes, filename: str, settings: Settings) -> Iterator[Offered]:
    """The fixes that `lint_bytes` offers, also of what shows after another one."""
    linted(data, filename, settings)
    for text in _texts_of[data, filename, settings]:
        yield from _offered_in[text]


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
        patch.setattr(analysis, "ask_for_fixes", _ask_for_fixes)
        patch.setattr(reports, "_repaired", _repaired)
        for name, step in _STEPS.items():
            patch.setattr(analysis, name, step)
        for module in (analysis, evaluation, fixing):
            patch.setattr(module, "evaluated", _evaluated)
        yield


_texts_of: dict[tuple[bytes, str, Settings], dict[Text, None]] = {}
_offered_in: dict[Text, list[Offered]] = {}
_asked: list[Text] = []
"""In the analysis that is made now, in their order."""


@contextmanager
def _noting_texts(data: bytes, filename: str, settings: Settings) -> Iterator[None]:
    _asked.clear()
    yield
    _texts_of[data, filename, settings] = dict.fromkeys(_asked)


def _once(step: Callable[..., Any]) -> Callable[..., Any]:
    known: dict[Text, Any] = {}

    def once(text: str, filename: str, settings: Settings, **hints: bool) -> Any:
        """Hints say what is likely, not what is answered."""
        asked = Text(text, filename, replace(settings, unsafe_fixes=False))
        if step is _FINDINGS_IN:
            hints["is_likely_found"] = True
            _asked.append(asked)
            _offered_in.setdefault(asked, [])
        if asked not in known:
            known[asked] = step(*asked, **hints)
        return known[asked]

    return once


def _repaired(
    finding: Finding, verdict: Verdict, repairer: Repairer, settings: Settings
) -> Finding:
    """Its fix is cut out at once: what it is cut out of takes a hundred times the memory."""
    repaired = _REPAIRED(finding, verdict, repairer, settings)
    if repaired.audited or settings.min_confidence > Confidence.POSSIBLE:
        return repaired
    chosen = repairer.chosen(verdict)
    if chosen is not None and chosen.fix.applicability is not Applicability.DISPLAY_ONLY:
        is_safe = chosen.fix.applicability is Applicability.SAFE
        try:
            parts: Cut | Uncuttable = cut(verdict, chosen, repairer.judge)
        except Uncuttable as reason:
            parts = reason
        _offered_in[_asked[-1]].append(
            Offered(
                verdict.rule, verdict.case.hazard, verdict.framework, chosen.repair, is_safe, parts
            )
        )
    return repaired


@lru_cache(maxsize=16)
def _repairer_of(prepared: Prepared, settings: Settings) -> Repairer:
    repairer = _ASK_FOR_FIXES(prepared, settings)
    chosen, known = repairer.chosen, {}

    def once(verdict: Verdict) -> Chosen | None:
        if id(verdict) not in known:
            known[id(verdict)] = verdict, chosen(verdict)
        return known[id(verdict)][1]

    repairer.chosen = once
    return repairer


def _ask_for_fixes(prepared: Prepared, settings: Settings) -> Repairer:
    """What can be written does not depend on how sure a finding has to be."""
    repairer = _repairer_of(prepared, _common(settings))
    prepared.judge.is_repaired = repairer.is_safe
    return repairer


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
_ASK_FOR_FIXES = evaluation.ask_for_fixes
_REPAIRED = reports._repaired
_FOUND = analysis._found
_FINDINGS_IN = analysis.findings_in
_STEPS = {name: _once(getattr(analysis, name)) for name in ("findings_in", "count")}
"""None of them depends on which fixes are applied in the end."""
