"""The operations of a program that can be the origin of a NaN, ranked."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from mllint_nan.findings import Confidence, Finding, Fix, Hazard
from mllint_nan.flow.state import Scope
from mllint_nan.ir.ops import CATALOGUE
from mllint_nan.ir.term import Term
from mllint_nan.linter import Prepared, finding_of, lint_bytes, prepare, select_rules
from mllint_nan.project import placed
from mllint_nan.project_files import unchanging
from mllint_nan.results import Linted
from mllint_nan.rulebook.audit import Audit
from mllint_nan.screening import needs_analysis
from mllint_nan.settings import Settings
from mllint_nan.suspects.evidence import Candidate, evidence_of, score
from mllint_nan.suspects.narrowing import BOOST, Narrowing, Relation
from mllint_nan.suspects.program import SCRIPT, Program, Step, Unit
from mllint_nan.suspects.relevance import NOT_REACHED, reason_to_leave_out
from mllint_nan.suspects.report import Report
from mllint_nan.suspects.symptoms import shown_as
from mllint_nan.syntax.decoding import NoPython, SourceError, UnsupportedError
from mllint_nan.syntax.reading import read
from mllint_nan.tracing import Step as Link
from mllint_nan.tracing import steps_of
from mllint_nan.training import Training

_CHAIN_LONGEST: Final = 4
_CHAIN_DEEPEST: Final = 2
_QUOTIENTS: Final = ("div", "mod", "floordiv")
_UNPROVED: Final = "; not proved safe"
"""The start of the reason at the end of a message; it is reported as evidence already."""
_FILE: Final = re.compile(r"^(\S+\.(?:py|ipynb))(?::|$)")


@dataclass(frozen=True, slots=True)
class Suspect:
    """An operation that can be the origin, with all that is reported about it."""

    path: str
    unit: str
    """The function, method or class that contains it; empty at the top level."""
    finding: Finding
    score: float
    """The log-odds that it is the origin."""
    evidence: tuple[str, ...]
    """The names of the evidence."""
    reasons: tuple[str, ...]
    """The evidence in words."""
    chain: tuple[str, ...]
    """What its operand is computed from, the nearest first, with their possible values."""
    way: tuple[str, ...]
    """The path to it from the entry, or from what is differentiated."""
    like: tuple[int, ...] = ()
    """Further rows of the same unit with the same message."""
    cured: tuple[tuple[int, str], ...] = ()
    """What else the same fix repairs: rows, and the codes of their rules."""
    shows: str = ""
    """How it shows in the training loop."""
    is_of_values: bool = True
    """Whether its value can break too, if the finding is about its gradient."""


@dataclass(frozen=True, slots=True)
class Suspects:
    """All suspects, the likeliest first, and the number of operations left out for each reason."""

    program: Program
    ranked: tuple[Suspect, ...]
    left_out: tuple[tuple[str, int], ...]
    unread: tuple[tuple[str, str], ...]
    """Files that could not be read, and why."""

    @property
    def count(self) -> int:
        return sum(1 + len(one.like) for one in self.ranked)


SettingsOf = Callable[[str], Settings]
"""The function that returns the settings for a file."""


@unchanging()
def suspects_of(
    program: Program, settings_of: SettingsOf, report: Report | None = None
) -> Suspects:
    """Find the possible origins in a program, starting at its entry, given a report."""
    seen_at = report.made_in(program.files) if report is not None else None
    found: list[Suspect] = []
    left_out: Counter[str] = Counter()
    unread: list[tuple[str, str]] = []
    for file in program.files:
        settings = replace(settings_of(file), min_confidence=Confidence.POSSIBLE, verifier=None)
        settings = placed(settings, file)
        try:
            with open(file, "rb") as opened:
                data = opened.read()
            text = read(data, file).text
            data = text.encode("utf-8", "replace")
            if not needs_analysis(data, settings.operations, settings.project):
                continue
            prepared = prepare(text.encode("utf-8"), file, settings)
        except SourceError as error:
            unread.append((file, f"{error.row}:{error.column}: {error.message}"))
            continue
        except (NoPython, UnsupportedError, RecursionError, OSError) as error:
            unread.append((file, str(error)))
            continue
        narrowing = Narrowing(report, seen_at, file, prepared) if report is not None else None
        for candidate, unit in _candidates(prepared, file, settings, program, left_out):
            suspect = _suspect(candidate, file, unit, program)
            if narrowing is not None:
                suspect = _narrowed(suspect, narrowing.relations(candidate, unit))
            found.append(suspect)
    found.sort(key=lambda one: -one.score)
    return Suspects(program, tuple(_joined(found)), tuple(left_out.items()), tuple(unread))


def with_fixes(ranked: Iterable[Suspect], settings_of: SettingsOf) -> Iterator[Suspect]:
    """Yield the suspects with their fixes; what one fix repairs is reported once."""
    offered: dict[str, dict[tuple[object, str], Fix | None]] = {}
    kept: list[Suspect] = []
    first: dict[tuple[object, ...], int] = {}
    for one in ranked:
        if one.path not in offered:
            offered[one.path] = _offered(one.path, settings_of(one.path))
        finding = one.finding
        fix = offered[one.path].get((finding.span, finding.code), finding.fix)
        place = (one.path, fix.edits) if fix is not None else (len(kept),)
        if place in first:
            known = kept[first[place]]
            told = (finding.start.row, finding.code)
            kept[first[place]] = replace(known, cured=(*known.cured, told))
        else:
            first[place] = len(kept)
            kept.append(replace(one, finding=replace(finding, fix=fix)))
    yield from kept


def _offered(path: str, settings: Settings) -> dict[tuple[object, str], Fix | None]:
    """The fixes for all findings of a file, by place and code."""
    settings = replace(settings, min_confidence=Confidence.POSSIBLE, verifier=None)
    with open(path, "rb") as file:
        outcome = lint_bytes(file.read(), path, placed(settings, path))
    if not isinstance(outcome, Linted):
        return {}
    findings = (*outcome.findings, *outcome.suppressed)
    return {(finding.span, finding.code): finding.fix for finding in findings}


def _candidates(
    prepared: Prepared, file: str, settings: Settings, program: Program, left_out: Counter[str]
) -> Iterator[tuple[Candidate, Unit]]:
    """Yield the verdicts of a file in units that the program reaches, and where they matter."""
    judge = prepared.judge
    codes = frozenset(rule.code for rule in select_rules(settings))
    for verdict in (*judge.verdicts(codes), *Audit(judge).verdicts(codes)):
        if verdict.rule.code not in codes or verdict.case.hazard not in (
            Hazard.VALUE,
            Hazard.GRADIENT,
        ):
            continue
        scope = verdict.occurrence.scope
        unit = _unit_of(program, file, scope)
        if unit is None:
            left_out[NOT_REACHED] += 1
            continue
        training = judge.analysis.trained(scope.definition)
        candidate = Candidate(verdict, prepared, training)
        reason = reason_to_leave_out(candidate) if program.differentiates else None
        if reason is not None:
            left_out[reason] += 1
            continue
        yield candidate, unit


def _unit_of(program: Program, file: str, scope: Scope) -> Unit | None:
    """The unit of the program that a scope belongs to, if the program reaches it."""
    name = scope.definition
    units = (Unit(file, name),) if name else (Unit(file, SCRIPT), Unit(file, ""))
    if not (program.differentiates or program.entry.function):
        return units[0]  # the training code is not visible, and may call anything
    return next((unit for unit in units if unit in program.reached), None)


def _suspect(candidate: Candidate, file: str, unit: Unit, program: Program) -> Suspect:
    evidence = evidence_of(candidate)
    trained = candidate.training
    is_trained = trained.training is Training.THROUGH and _is_in(trained.path, program)
    way = trained.path if is_trained else _way(program, unit)
    prepared = candidate.prepared
    finding = finding_of(prepared.source, prepared.judge, candidate.verdict)
    return Suspect(
        path=file,
        unit=unit.name,
        finding=replace(finding, message=finding.message.partition(_UNPROVED)[0]),
        score=score(candidate, evidence),
        evidence=tuple(one.name for one in evidence),
        reasons=tuple(one.text for one in evidence),
        chain=tuple(_chain(candidate)),
        way=way,
        shows=shown_as(candidate),
        is_of_values=_breaks_values(candidate),
    )


def _breaks_values(candidate: Candidate) -> bool:
    """Whether its value can break too, as for a power whose exponent training makes negative."""
    verdict, judge = candidate.verdict, candidate.prepared.judge
    return verdict.case.hazard is Hazard.VALUE or any(
        one.case.hazard is Hazard.VALUE and one.confidence is not None
        for one in Audit(judge).evaluations(verdict.occurrence, judge.rules)
    )


def _narrowed(suspect: Suspect, relations: Iterable[Relation]) -> Suspect:
    """Return the suspect with the evidence from a report, which is listed first."""
    found = tuple(relations)
    return replace(
        suspect,
        score=suspect.score + sum(BOOST[one] for one in found),
        evidence=(*(one.name.lower() for one in found), *suspect.evidence),
        reasons=(*(one.value for one in found), *suspect.reasons),
    )


def _is_in(path: Iterable[str], program: Program) -> bool:
    """Whether all files of a path are in this program: a project may contain several programs."""
    names = {os.path.basename(file) for file in program.files}
    return all(file in names for step in path for file in _FILE.findall(step))


def _way(program: Program, unit: Unit) -> tuple[str, ...]:
    steps = program.way(unit)
    return (*map(_shown, steps), "here") if steps else ()


def _shown(step: Step) -> str:
    place = os.path.basename(step.unit.file)
    name = step.unit.name if step.unit.name != SCRIPT else ""
    at = f":{step.row}" if step.row else ""
    return f"{place}{at} ({name})" if name else f"{place}{at}"


def _chain(candidate: Candidate) -> Iterator[str]:
    """Yield a few lines about the operands."""
    facts = candidate.verdict.occurrence.state.facts
    steps = (
        step
        for operand in _at_fault(candidate.verdict.reported)
        for step in steps_of(candidate.prepared, operand, facts)
        if step.depth <= _CHAIN_DEEPEST
    )
    told = dict.fromkeys(filter(None, map(_link, steps)))
    yield from islice(told, _CHAIN_LONGEST)


def _at_fault(term: Term) -> tuple[Term, ...]:
    """The operands whose values matter: only the divisor of a quotient."""
    return term.operands[1:] if term.operation.name in _QUOTIENTS else term.operands


def _link(step: Link) -> str:
    """A term as written, its possible values, and why no more is known about it."""
    text = step.text
    if step.row is None and not text.isidentifier():
        text = text.partition(" = ")[0]  # without a text of its own, only its name
        if not text.isidentifier():
            return ""
    place = f"line {step.row}: " if step.row is not None else ""
    is_computed = step.operation.partition(" ")[0] in CATALOGUE or step.operation == "attribute"
    origin = "" if is_computed else f" ({step.operation})"
    return f"{place}{text} is {step.values}{origin}"


def _joined(ranked: list[Suspect]) -> Iterator[Suspect]:
    """Merge the suspects of a unit that differ only in their rows."""
    first: dict[tuple[str, str, str, str, float], int] = {}
    kept: list[Suspect] = []
    for one in ranked:
        place = (one.path, one.unit, one.finding.code, one.finding.message, one.score)
        if place in first:
            known = kept[first[place]]
            row = one.finding.start.row
            if row != known.finding.start.row and row not in known.like:
                kept[first[place]] = replace(known, like=(*known.like, row))
        else:
            first[place] = len(kept)
            kept.append(one)
    yield from kept
