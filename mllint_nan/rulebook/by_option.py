"""Operations on values that depend on the path: as sure as on the least sure path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from mllint_nan.findings import Confidence
from mllint_nan.flow.containers import ANY_KEY, ELEMENT, is_none
from mllint_nan.flow.state import Occurrence
from mllint_nan.ir.term import CHOICE, Term, peel
from mllint_nan.rulebook.verdict import Verdict

_PATHS: Final = frozenset(("branch", "conditional", "return", ANY_KEY, ELEMENT))
_OPTIONS_MOST: Final = 4


Tried = Callable[[Occurrence], Verdict | None]
"""Judges an operation by one form that a rule reports."""


def on_every_path(
    known: Verdict | None,
    occurrence: Occurrence,
    paths: Iterable[Sequence[Occurrence]],
    tried: Tried,
    others: Iterable[Tried] = (),
) -> Verdict | None:
    """The known verdict, raised if evidence on each path to some operand breaks the operation.

    `paths` are those of `paths_to`; `tried` judges the operation on one of them. On some of several
    paths, it may have one of the other forms that the rule reports.
    """
    if known is not None and known.confidence > Confidence.POSSIBLE:
        return known
    forms = list[Tried]()
    for options in paths:
        verdicts = [_evident(option, (tried,)) for option in options]
        if any(verdicts):
            forms += others  # of which most operations need none
            verdicts = [
                one or _evident(option, forms)
                for one, option in zip(verdicts, options, strict=True)
            ]
        found = [one for one in verdicts if one is not None]
        if found and len(found) == len(options):
            least = min(found, key=lambda one: one.sureness)
            return _raised(known, least, occurrence, tuple(options))
    return known


def _evident(option: Occurrence, forms: Sequence[Tried]) -> Verdict | None:
    """The first verdict on one path that rests on evidence."""
    verdicts = (tried(option) for tried in forms)
    return next((one for one in verdicts if one is not None and _is_evident(one)), None)


def paths_to(occurrence: Occurrence) -> list[list[Occurrence]]:
    """For each operand that depends on the path, the operation on each of its values."""
    found = []
    for place, operand in enumerate(occurrence.term.operands):
        inner = peel(operand)
        if inner.operation is not CHOICE or inner.detail not in _PATHS:
            continue
        if len(inner.operands) > _OPTIONS_MOST:
            continue
        options = enumerate(inner.operands)
        found.append([on_path(occurrence, place, *one) for one in options if not is_none(one[1])])
    return found


def on_path(occurrence: Occurrence, place: int, number: int, option: Term) -> Occurrence:
    """The operation with one option as operand; it keeps its key, by which its uses are found."""
    term, state = occurrence.term, occurrence.state
    operands = (*term.operands[:place], option, *term.operands[place + 1 :])
    part = term.copy(operands)
    facts = peel(term.operands[place]).facts
    there = state.with_facts((*state.facts, *facts[number])) if facts else state
    return Occurrence(part, there, occurrence.scope, occurrence.call)


def _is_evident(verdict: Verdict) -> bool:
    return verdict.confidence > Confidence.POSSIBLE and not verdict.rests_on_fix


def _raised(
    known: Verdict | None, least: Verdict, occurrence: Occurrence, options: tuple[Occurrence, ...]
) -> Verdict:
    """The least sure verdict, restated for the operation as written."""
    if known is None or known.case is not least.case:
        return replace(least, occurrence=occurrence, found=least.found.by_choice(), paths=options)
    return replace(
        known,
        confidence=least.confidence,
        why=least.why,
        lacks_evidence=False,
        rests_on_fix=False,
        paths=options,
    )
