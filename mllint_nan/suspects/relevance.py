"""Reasons why an operation cannot be the origin of a NaN that is seen in training."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.findings import Confidence, Hazard
from mllint_nan.flow.oracle import Oracle
from mllint_nan.flow.state import Analysis, Occurrence
from mllint_nan.flow.uses import links_of
from mllint_nan.ir.term import OPAQUE, Term, peel
from mllint_nan.rulebook.predicates.constructed import numbers_given
from mllint_nan.rulebook.predicates.context import is_aside
from mllint_nan.rulebook.predicates.downstream import is_fed_on
from mllint_nan.rulebook.predicates.reached import result_is_used
from mllint_nan.suspects.evidence import Candidate
from mllint_nan.training import Training

NOT_DIFFERENTIATED: Final = "no gradient flows back through"
ONLY_READ: Final = "only produce output"
ONLY_COUNTED: Final = "only produce indices and sizes"
ONLY_PASSED_ON: Final = "only pass on values that are already non-finite"
NOT_REACHED: Final = "the program does not reach"
HARMLESS: Final = "have a harmless exponent in every visible instance"
RAISING: Final = "raise an error instead"

_OF_NEGATIVE: Final = "NAN207"
"""For powers of negative numbers, any fractional exponent gives NaN."""
_FOLLOWED_MOST: Final = 200
_SELECTING: Final = ("subscript", "gather")
_ROUNDS: Final = ("floor", "ceil", "round", "floordiv", "rint", "trunc")
_RANGE: Final = re.compile(r"\brange$")
_TO_WHOLE: Final = re.compile(r"^call ((builtins\.)?(int|range|slice)|.*\.(int|long)|(int|long))$")
"""Calls that raise for non-finite numbers, or convert to a whole number."""
_WHOLE_FORMATS: Final = re.compile(r"\bu?int(8|16|32|64)?\b|\blong\b")


def reason_to_leave_out(candidate: Candidate) -> str | None:
    """The end of a sentence about operations, or None for one that can be the origin."""
    verdict, judge = candidate.verdict, candidate.prepared.judge
    occurrence = _in_general(judge.analysis, verdict.occurrence)
    term = occurrence.term
    if term.operation.kind == "effect" and verdict.confidence is Confidence.POSSIBLE:
        return ONLY_PASSED_ON
    if _raises(judge.analysis, judge.oracle, term, occurrence):
        return RAISING
    if becomes_whole(judge.analysis, term):
        return ONLY_COUNTED
    if _is_harmless(judge.analysis, candidate):
        return HARMLESS
    if verdict.case.hazard is Hazard.GRADIENT:
        is_cut = (
            candidate.training.training is Training.BESIDE
            or is_aside(occurrence)
            or not result_is_used(judge.analysis, term)
        )
        return NOT_DIFFERENTIATED if is_cut else None
    return None if is_fed_on(candidate.context, term) else ONLY_READ


def _is_harmless(analysis: Analysis, candidate: Candidate) -> bool:
    """Whether a power that is singular for some exponents has none of these in any visible object.

    With exponents from 1 on, or whole ones, neither a power of 0 nor its derivative is singular.
    """
    verdict = candidate.verdict
    if verdict.reported.operation.name != "pow" or verdict.confidence > Confidence.POSSIBLE:
        return False
    exponent = peel(verdict.reported.operands[1])
    given = numbers_given(analysis, verdict.occurrence.scope.owner, exponent)
    is_fractional = verdict.rule.code == _OF_NEGATIVE
    return bool(given) and all(
        number >= 0 and (number == int(number) or (number >= 1 and not is_fractional))
        for number in given
    )


def _in_general(analysis: Analysis, occurrence: Occurrence) -> Occurrence:
    """The occurrence outside any followed call: only for it, uses of the result are known."""
    if occurrence.call is None:
        return occurrence
    site = occurrence.term.site
    return next((one for one in analysis.occurrences if one.term.site is site), occurrence)


def _raises(analysis: Analysis, oracle: Oracle, term: Term, occurrence: Occurrence) -> bool:
    """Whether it is a quotient of Python numbers, for which Python raises ZeroDivisionError."""
    return term.operation.name in ("div", "mod", "floordiv") and all(
        oracle.numbers.is_python_number(peel(operand), occurrence.scope)
        or any(_is_counted(analysis, part) for part in _summands(peel(operand)))
        for operand in term.operands
    )


def _summands(term: Term) -> Iterator[Term]:
    yield term
    if term.operation.name in ("add", "sub"):
        yield from map(peel, term.operands)


def _is_counted(analysis: Analysis, term: Term) -> bool:
    """Whether it is an element or a bound of a `range`, and so a Python integer."""
    if term.operation.name == "element":
        return _is_range(peel(term.operands[0]))
    consumers = analysis.consumers.get(term.key, ())
    return any(_is_range(one) for one in consumers) or any(
        one.operation.name in ("add", "sub")
        and any(map(_is_range, analysis.consumers.get(one.key, ())))
        for one in consumers
    )


def _is_range(term: Term) -> bool:
    return term.operation is OPAQUE and bool(_RANGE.search(str(term.detail)))


def becomes_whole(analysis: Analysis, term: Term) -> bool:
    """Whether all visible uses of a result are indices, sizes or counts."""
    links = links_of(analysis)
    pending, seen = [term.key], set[int]()
    is_used = False
    while pending and len(seen) < _FOLLOWED_MOST:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        consumers = analysis.consumers.get(key, ())
        is_index = _is_index(analysis, key)
        joined = () if is_index else links.joined.get(key, ())
        is_used = is_used or is_index
        opaque = [one for one in consumers if one.operation is OPAQUE]
        is_left = not (consumers or joined or is_index)
        if is_left or (key in analysis.escaped and not opaque):
            return False
        pending += [one.key for one in joined]
        for consumer in consumers:
            if _makes_whole(consumer):
                is_used = True
            elif consumer.operation.name in _ROUNDS:
                pending.append(consumer.key)
            else:
                return False
    return is_used


def _is_index(analysis: Analysis, key: int) -> bool:
    """Whether it is in the brackets of a subscript, alone or among others."""
    return any(
        one.key == key
        for occurrence in analysis.occurrences
        if occurrence.term.operation.name in _SELECTING
        for index in occurrence.term.operands[1:]
        for one in (peel(index), *map(peel, peel(index).operands))
    )


def _makes_whole(consumer: Term) -> bool:
    if consumer.operation is OPAQUE:
        return bool(_TO_WHOLE.search(str(consumer.detail)))
    return consumer.operation.name == "cast" and any(
        _WHOLE_FORMATS.search(repr(setting)) for setting in consumer.settings.values()
    )
