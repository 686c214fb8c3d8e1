"""The chain behind one line: each term, its range, its origin, and the judgements of rules."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value
from mllint_nan.findings import Confidence
from mllint_nan.flow.formats import dtype_of, shown
from mllint_nan.flow.state import Analysis, CallInSight, Occurrence
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
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
from mllint_nan.linter import Prepared, ask_for_fixes, prepare, select_rules
from mllint_nan.project_files import unchanging
from mllint_nan.rulebook.audit import Audit
from mllint_nan.rulebook.descriptions import described
from mllint_nan.rulebook.evaluations import evaluations
from mllint_nan.rulebook.predicates.differentiation import definition_of
from mllint_nan.rulebook.rule import Variable
from mllint_nan.rulebook.verdict import CaseEvaluation
from mllint_nan.settings import Settings
from mllint_nan.syntax.decoding import SourceError, UnsupportedError
from mllint_nan.training import RUN, Training, TrainingUse
from mllint_nan.verdict_reasons import Decision, decisions_on, verdicts_on

_DEEPEST: Final = 12
_TEXT_LONGEST: Final = 60
_SHOWN_WHOLE: Final = (ATTRIBUTE, CONSTANT, QUALIFIED)
_NOT_COMPUTED: Final = {"update": "written into", "dict": "dictionary", "record": "its fields"}
_CHOSEN: Final = {
    "loop": "the value from before the loop, or from an earlier iteration",
    "exit": "the value from before or after the loop",
}


class Unreadable(Exception):
    """The file cannot be analysed, so there is nothing to trace."""


@dataclass(frozen=True, slots=True)
class Step:
    """One term: how it is written and where, what it computes, and the values it can take.

    `depth` counts from the operation on the line; `row` is None where the term has no text;
    `dtype` is empty where the term is no float that something computes.
    """

    depth: int
    text: str
    operation: str
    values: str
    dtype: str
    row: int | None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a condition of a rule: yes, unknown or no.

    A rule is silenced by a proof or by evidence: `is_proof` tells them apart.
    """

    kind: str
    condition: str
    truth: str
    question: str
    decides: bool
    """Whether it silences the rule, or limits its confidence."""
    is_proof: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """A rule that matches: its answers, and the confidence, None if it stays quiet.

    `terms` are what the variables in the answers stand for; `caps` say in words what else limits
    the confidence.
    """

    code: str
    name: str
    message: str
    answers: tuple[Answer, ...]
    terms: tuple[tuple[str, str], ...]
    caps: tuple[str, ...]
    confidence: Confidence | None
    moved_by: str = ""
    """What visibly moves the operand, if that makes the shape certain."""
    is_audit: bool = False
    """Whether it only accepts proofs, as `--min-confidence possible` does for every operation."""


@dataclass(frozen=True, slots=True)
class Trace:
    """An operation that starts on the line, with the chain of its operands."""

    steps: tuple[Step, ...]
    facts: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    training: str = ""
    """How the project uses it in training, in words."""
    call: str = ""
    """The visible call with whose arguments it is traced, in words; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Explained:
    """A line: its operations, and the decisions about the verdicts on them."""

    traces: tuple[Trace, ...]
    decisions: tuple[Decision, ...]


def trace_row(data: bytes, filename: str, row: int, settings: Settings) -> tuple[Trace, ...]:
    """The outermost operations that start on a line (1-based), and those that a rule matches.

    Raises Unreadable if the file is not Python or cannot be analysed.
    """
    return explained_row(data, filename, row, settings).traces


@unchanging()
def explained_row(data: bytes, filename: str, row: int, settings: Settings) -> Explained:
    """As `trace_row`, with decisions; a notebook's rows are those of the program of its cells."""
    try:
        prepared = prepare(data, filename, settings)
    except SourceError as error:
        raise Unreadable(f"{error.row}:{error.column}: {error.message}") from None
    except (UnsupportedError, RecursionError) as error:
        raise Unreadable(f" {error}") from None
    return Explained(traces_in(prepared, row, settings), decisions_on(prepared, row, settings))


@unchanging()
def traces_in(prepared: Prepared, row: int, settings: Settings) -> tuple[Trace, ...]:
    """As `trace_row`, for a file that is already read, so that many lines can be traced."""
    judge = prepared.judge
    ask_for_fixes(prepared, settings)
    found = [
        occurrence
        for occurrence in judge.analysis.occurrences
        if _row(prepared, occurrence.term) == row
    ]
    found += _called(prepared, row)
    found += _reported(prepared, row, found)
    found += [path for verdict in verdicts_on(prepared, row) for path in verdict.paths]
    spans = {id(place.term): prepared.source.span(place.term.site) for place in found}
    rules, audit = select_rules(settings), Audit(judge)
    judged = {
        id(place.term): tuple(
            _judgement(prepared, evaluation)
            for several in (evaluations(judge, place, rules), audit.evaluations(place, rules))
            for evaluation in several
        )
        for place in found
    }
    return tuple(
        Trace(
            tuple(_steps(prepared, place.term, place.state.facts, 0, set())),
            tuple(_fact(prepared, fact) for fact in place.state.facts),
            judged[id(place.term)],
            _use(judge.analysis, definition_of(place.scope)),
            _call(prepared, place.call) if place.call is not None else "",
        )
        for place in found
        if judged[id(place.term)]
        or not any(
            other != spans[id(place.term)] and other.contains(spans[id(place.term)])
            for other in spans.values()
        )
    )


def _called(prepared: Prepared, row: int) -> list[Occurrence]:
    """Operations on the line that are reported because of the arguments of a call."""
    judge = prepared.judge
    verdicts = [one for one in judge.verdicts() if one.call is not None]
    calls = [one.call for one in verdicts]
    sites = {id(one.occurrence.term.site) for one in verdicts}
    return [
        occurrence
        for occurrence in judge.analysis.visited
        if id(occurrence.term.site) in sites
        and occurrence.call in calls
        and _row(prepared, occurrence.term) == row
    ]


def _reported(prepared: Prepared, row: int, found: list[Occurrence]) -> list[Occurrence]:
    """What else is reported on the line: a call that computes nothing, or a part of a match."""
    known = {id(one.term.site) for one in found}
    more: dict[int, Occurrence] = {}
    for verdict in verdicts_on(prepared, row):
        site = id(verdict.occurrence.term.site)
        if site not in known:
            more.setdefault(site, verdict.occurrence)
    return list(more.values())


def _call(prepared: Prepared, call: CallInSight) -> str:
    if call.is_by_defaults:
        return "as called with the defaults of its parameters"
    if call.setting:
        return f"with {call.setting}, which other code or a default sets"
    if call.site is None and call.through:
        return f"as computed for an instance of {call.caller.name}, which defines its own methods"
    if call.site is None and not call.file:
        return f"with the attributes of {call.caller.name} as its other methods leave them"
    by = "" if call.caller.kind == "module" else f" in {call.caller.name}"
    if call.file:
        place = os.path.basename(call.file) + (f":{call.site}" if call.site is not None else "")
        return f"as called{by}: {' → '.join((place, *call.through))} → here"
    row = prepared.source.lines.position(prepared.source.span(call.site).start).row
    return f"as called{by}, line {row}"


def _use(analysis: Analysis, definition: str) -> str:
    """How the project uses a definition, in words."""
    unrun = analysis.unrun(definition) if definition else RUN
    if not unrun.name:
        return _training(analysis.trained(definition))
    searched = f"{unrun.name} was searched for in its code, settings and documents"
    if unrun.importer:
        return f"{unrun.importer} imports other parts of this module, and nothing this: {searched}"
    runs = f"{unrun.program} runs this project, but nothing that it runs refers to this code"
    return f"{runs}: {searched}"


def _training(use: TrainingUse) -> str:
    way = " → ".join(use.path)
    match use.training:
        case Training.THROUGH:
            return f"trained through: {way}"
        case Training.BESIDE:
            return f"nothing in this project trains through it: {way}"
        case Training.ELSEWHERE:
            return f"{way} runs this project, but no visible path leads from a gradient to here"
        case Training.UNKNOWN:
            return ""


def _judgement(prepared: Prepared, evaluation: CaseEvaluation) -> Judgement:
    answers = tuple(
        Answer(
            kind,
            condition.text,
            truth.value,
            described(condition),
            truth is Truth.YES if kind == "unless" else truth is not Truth.YES,
            is_proof,
        )
        for (kind, condition, truth), is_proof in zip(
            evaluation.answers, evaluation.proofs, strict=True
        )
    )
    used = {
        part.name
        for _, condition, _ in evaluation.answers
        for part in condition.arguments
        if isinstance(part, Variable)
    }
    terms = tuple(
        (name, _text(prepared, peel(term)))
        for name, term in evaluation.terms.items()
        if name in used and term is not None
    )
    rule, message = evaluation.rule, evaluation.case.message
    return Judgement(
        rule.code,
        rule.name,
        message,
        answers,
        terms,
        evaluation.caps,
        evaluation.confidence,
        evaluation.moved_by,
        evaluation.audited,
    )


def steps_of(prepared: Prepared, term: Term, facts: tuple[Fact, ...]) -> Iterator[Step]:
    """The term and its operands, and the values that each of them can take."""
    yield from _steps(prepared, term, facts, 0, set())


def _steps(
    prepared: Prepared, term: Term, facts: tuple[Fact, ...], depth: int, seen: set[int]
) -> Iterator[Step]:
    inner = peel(term)
    text = _text(prepared, inner)
    if term.operation is REFERENCE and term.detail is not None and str(term.detail) != text:
        text = f"{term.detail} = {text}"
    value = prepared.judge.oracle.value(inner, facts)
    is_effect = inner.operation.kind == "effect"
    yield Step(
        depth,
        text,
        _operation(prepared, inner),
        "an effect, not a value" if is_effect else describe(value),
        "" if is_effect else _dtype(inner, value),
        _row(prepared, inner),
    )
    if inner.key in seen or depth >= _DEEPEST or inner.operation in _SHOWN_WHOLE:
        return
    if inner.operation is OPAQUE and str(inner.detail).startswith("call "):
        return  # its arguments do not tell its result
    seen.add(inner.key)
    passed = prepared.judge.analysis.passed(inner) if inner.operation is INPUT else []
    for argument, known in passed:
        yield from _steps(prepared, argument, known, depth + 1, seen)
    for operand in inner.operands:
        if peel(operand).operation not in (CONSTANT, QUALIFIED, FUNCTION):
            yield from _steps(prepared, operand, facts, depth + 1, seen)


def _operation(prepared: Prepared, term: Term) -> str:
    if term.operation is INPUT:
        return _origin(prepared, term)
    if term.operation is OPAQUE:
        what = str(term.detail)
        is_part = what.startswith("part ")
        return "one part of" if is_part else _NOT_COMPUTED.get(what, "not understood")
    if term.operation is CHOICE:
        return _CHOSEN.get(str(term.detail), "one of these, depending on the path")
    framework = f" ({term.framework})" if term.framework else ""
    return f"{term.operation.name}{framework}"


def _origin(prepared: Prepared, term: Term) -> str:
    """Whose parameter a name is, and why nothing is known about it."""
    analysis = prepared.judge.analysis
    function, _ = analysis.parameters.get(term.key, (0, ""))
    scope = analysis.functions.get(function)
    if scope is None:
        return "from outside"
    if analysis.passed(term):
        return f"parameter of {scope.name}, whose calls are all visible"
    reason = "not all of whose calls are visible" if scope.is_private else "which any code may call"
    return f"parameter of {scope.name}, {reason}"


def _dtype(term: Term, value: Value) -> str:
    """`float16` where the source shows it, `float32 by default` where nothing does."""
    found = shown(term)
    if found is not None:
        return found
    is_float = term.operation.kind not in ("leaf", "comparison") and not value.integer
    return f"{dtype_of(term)} by default" if is_float else ""


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
    text, row = _text(prepared, peel(fact.test)), _row(prepared, peel(fact.test))
    place = f" (line {row})" if row is not None else ""
    return f"{text}{place}" if fact.holds else f"not ({text}){place}"


def describe(value: Value) -> str:
    """`[0, inf], reaches 0, may be NaN`: an abstract value in words."""
    if value.is_bottom:
        return "never computed"
    is_all = value.lo <= -FORMATS["float32"].max and value.hi >= FORMATS["float32"].max
    parts = ["anything" if is_all else f"[{value.lo:g}, {value.hi:g}]"]
    if value.attained and not value.is_constant:
        parts.append("reaches " + ", ".join(f"{point:g}" for point in sorted(value.attained)))
    if value.nan:
        parts.append("may be NaN")
    if value.integer:
        parts.append("whole numbers")
    return ", ".join(parts)
