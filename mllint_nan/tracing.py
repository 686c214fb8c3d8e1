"""The chain behind one line: each term, its range, its origin, and what the rules said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mllint_nan.domains.value import Value
from mllint_nan.findings import Confidence
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    FUNCTION,
    INPUT,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    Fact,
    Term,
    peel,
)
from mllint_nan.linter import Prepared, prepare, select_rules
from mllint_nan.rulebook.judge import Trial
from mllint_nan.settings import Settings
from mllint_nan.syntax.decoding import SourceError, UnsupportedError

_DEEPEST: Final = 12
_TEXT_LONGEST: Final = 60


class Unreadable(Exception):
    """There is nothing to trace: the file cannot be analysed."""


@dataclass(frozen=True, slots=True)
class Step:
    """One term: how it is written and where, what it computes, and the values it can take.

    `depth` counts from the operation on the line; `row` is None where the term has no text.
    """

    depth: int
    text: str
    operation: str
    values: str
    row: int | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a condition of a rule came out as: yes, unknown or no."""

    kind: str
    condition: str
    truth: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """A rule that matches: its answers, and the confidence, None if it stays quiet."""

    code: str
    name: str
    message: str
    answers: tuple[Answer, ...]
    confidence: Confidence | None


@dataclass(frozen=True, slots=True)
class Trace:
    """An operation that starts on the line, with the chain of its operands."""

    steps: tuple[Step, ...]
    facts: tuple[str, ...]
    judgements: tuple[Judgement, ...]


def trace_row(data: bytes, filename: str, row: int, settings: Settings) -> tuple[Trace, ...]:
    """The outermost operations that start on a line (1-based), and those that a rule matches.

    Raises Unreadable if the file is not Python or cannot be analysed.
    """
    try:
        prepared = prepare(data, filename, settings)
    except SourceError as error:
        raise Unreadable(f"{error.row}:{error.column}: {error.message}") from None
    except (UnsupportedError, RecursionError) as error:
        raise Unreadable(f" {error}") from None
    judge = prepared.judge
    found = [
        occurrence
        for occurrence in judge.analysis.occurrences
        if _row(prepared, occurrence.term) == row
    ]
    spans = {id(place.term): prepared.source.span(place.term.site) for place in found}
    rules = select_rules(settings)
    judged = {
        id(place.term): tuple(_judgement(trial) for trial in judge.trials(place, rules))
        for place in found
    }
    return tuple(
        Trace(
            tuple(_steps(prepared, place.term, place.state.facts, 0, set())),
            tuple(_fact(prepared, fact) for fact in place.state.facts),
            judged[id(place.term)],
        )
        for place in found
        if judged[id(place.term)]
        or not any(
            other != spans[id(place.term)] and other.contains(spans[id(place.term)])
            for other in spans.values()
        )
    )


def _judgement(trial: Trial) -> Judgement:
    answers = tuple(
        Answer(kind, condition.text, truth.value) for kind, condition, truth in trial.answers
    )
    rule = trial.rule
    return Judgement(rule.code, rule.name, trial.case.message, answers, trial.confidence)


def _steps(
    prepared: Prepared, term: Term, facts: tuple[Fact, ...], depth: int, seen: set[int]
) -> Iterator[Step]:
    inner = peel(term)
    name = f"{term.detail} = " if term.operation is REFERENCE and term.detail is not None else ""
    value = prepared.judge.oracle.value(inner, facts)
    yield Step(
        depth,
        name + _text(prepared, inner),
        _operation(inner),
        describe(value),
        _row(prepared, inner),
    )
    if inner.key in seen or depth >= _DEEPEST or inner.operation in (CONSTANT, QUALIFIED):
        return
    seen.add(inner.key)
    passed = prepared.judge.analysis.passed(inner) if inner.operation is INPUT else []
    for argument, known in passed:
        yield from _steps(prepared, argument, known, depth + 1, seen)
    for operand in inner.operands:
        if peel(operand).operation not in (CONSTANT, QUALIFIED, FUNCTION):
            yield from _steps(prepared, operand, facts, depth + 1, seen)


def _operation(term: Term) -> str:
    if term.operation in (OPAQUE, INPUT, ATTRIBUTE):
        return {"opaque": "not understood", "input": "from outside"}.get(
            term.operation.name, term.operation.name
        )
    framework = f" ({term.framework})" if term.framework else ""
    return f"{term.operation.name}{framework}"


def _text(prepared: Prepared, term: Term) -> str:
    source = prepared.source
    text = ""
    if source.knows(term.site):
        text = " ".join(source.slice(source.span(term.site)).split())
    text = text or str(term.detail if term.operation.kind == "leaf" else repr(term))
    return text if len(text) <= _TEXT_LONGEST else f"{text[: _TEXT_LONGEST - 1]}…"


def _row(prepared: Prepared, term: Term) -> int | None:
    if not prepared.source.knows(term.site):
        return None
    return prepared.source.lines.position(prepared.source.span(term.site).start).row


def _fact(prepared: Prepared, fact: Fact) -> str:
    text = _text(prepared, peel(fact.test))
    return text if fact.holds else f"not ({text})"


def describe(value: Value) -> str:
    """`[0, inf], reaches 0, may be NaN`: an abstract value in words."""
    if value.is_bottom:
        return "never computed"
    parts = [f"[{value.lo:g}, {value.hi:g}]"]
    if value.attained and not value.is_constant:
        parts.append("reaches " + ", ".join(f"{point:g}" for point in sorted(value.attained)))
    if value.nan:
        parts.append("may be NaN")
    if value.integer:
        parts.append("whole numbers")
    return ", ".join(parts)
