"""The chain behind one line, as an indented list: reported or undecided operations first."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator

from mllint_nan.reporting.text import PLAIN, Style
from mllint_nan.tracing import Answer, Explained, Judgement, Trace
from mllint_nan.verdict_reasons import Decision

_SILENCING = {"unless": ("yes",), "when": ("no",)}
_Met = tuple[str, int | None, str]
_LINE = re.compile(r"\bline (\d+)")


def explained(
    place: str,
    line: Explained,
    style: Style = PLAIN,
    *,
    is_whole: bool = False,
    rows: Callable[[int], str] = "line {}".format,
) -> str:
    """What is reported on the line, then every operation with its chain and the answers of rules.

    A rule that stays quiet gets one line, unless `is_whole`. `rows` gives the name of a row.
    """
    lines = [style.bold(place)]
    lines += [_decided(one, style, rows) for one in _in_order(line.decisions)]
    if line.traces and all(one.against for one in line.decisions):
        lines.insert(1, "  nothing is reported here")
    above: set[_Met] = set()
    for trace in sorted(line.traces, key=_is_silent):
        met = set() if is_whole else above
        lines += ["", *_chain(trace, style, rows, met), *_answered(trace, style, is_whole, rows)]
    if not line.traces:
        lines.append("no known operation starts on this line")
    return "\n".join(lines) + "\n"


def _in_order(decisions: Iterable[Decision]) -> list[Decision]:
    """The reported verdicts, then those that are not reported."""
    return sorted(decisions, key=lambda one: bool(one.against))


def _decided(decision: Decision, style: Style, rows: Callable[[int], str]) -> str:
    """One line: the verdict that is reported, or why it is not."""
    audit = " (audit)" if decision.is_audit else ""
    who = f"{style.red(decision.code)} {decision.name}{audit}, {decision.confidence}"
    if not decision.against:
        return f"  reported: {who}, at column {decision.place.column}"
    return f"  not reported: {who}: {_renamed(decision.against, rows)}"


def _renamed(said: str, rows: Callable[[int], str]) -> str:
    return _LINE.sub(lambda found: rows(int(found[1])), said)


def _is_silent(trace: Trace) -> bool:
    return all(map(_is_quiet, trace.judgements))


def _is_quiet(judgement: Judgement) -> bool:
    return judgement.confidence is None


def _answered(
    trace: Trace, style: Style, is_whole: bool, rows: Callable[[int], str]
) -> Iterator[str]:
    yield from (f"  {_renamed(said, rows)}" for said in (trace.call, trace.training) if said)
    yield from (f"  where {_renamed(fact, rows)}" for fact in trace.facts)
    for judgement in sorted(trace.judgements, key=_is_quiet):
        if is_whole or not _is_quiet(judgement):
            yield from ("", *_judgement(judgement, style))
    quiet = list(_folded(trace, style))
    if quiet and not is_whole:
        yield from ("", *quiet)
    if not trace.judgements:
        yield "  no rule covers this operation"


def _folded(trace: Trace, style: Style) -> Iterator[str]:
    """A line for each rule that stays quiet, and one for all that lack evidence."""
    open_codes = {one.code for one in trace.judgements if not _is_quiet(one)}
    proofs = {f"{one.code} {one.name}": one for one in trace.judgements if one.is_audit}
    quiet: dict[str, list[Judgement]] = {}
    for one in trace.judgements:
        if _is_quiet(one) and (one.is_audit or one.code not in open_codes):
            quiet.setdefault(f"{one.code} {one.name}", []).append(one)
    unsigned = []
    for rule, several in quiet.items():
        told = list(dict.fromkeys(filter(None, map(_told, several))))
        if not told:
            unsigned.append(rule)
            continue
        audit = " (audit)" if all(one.is_audit for one in several) else ""
        safe = ", proved safe" if rule in proofs and _is_quiet(proofs[rule]) else ""
        more = f"; {len(told) - 1} more" if len(told) > 1 else ""
        yield f"  {style.red(rule)}{audit}: {style.bold('quiet')}{safe}: {told[0]}{more}"
    if unsigned:
        yield f"  {style.bold('quiet')}, for lack of evidence: {', '.join(unsigned)}"
    if unsigned or quiet:
        yield "  (--verbose shows every condition)"


def _told(judgement: Judgement) -> str:
    """The first answer that silences a rule and is more than a lack of evidence."""
    for one in _silencing(judgement):
        described = _described(one)
        if described != "no sign of it":
            names = dict(judgement.terms)
            where = [
                f"{name} is {text}"
                for name, text in names.items()
                if re.search(rf"\b{name}\b(?!\()", one.condition)
            ]
            return f"{one.condition}: {described}" + (
                f", where {', '.join(where)}" if where else ""
            )
    return next(iter(judgement.caps), "")


def _silencing(judgement: Judgement) -> list[Answer]:
    return [one for one in judgement.answers if one.truth in _SILENCING[one.kind]]


def _chain(
    trace: Trace, style: Style, rows: Callable[[int], str], above: set[_Met]
) -> Iterator[str]:
    """The operation and its operands, down to those that an earlier operation has shown."""
    known, below = set(above), math.inf
    for index, step in enumerate(trace.steps):
        if step.depth > below:
            continue
        met = (step.text, step.row, step.operation)
        has_parts = any(one.depth > step.depth for one in trace.steps[index + 1 : index + 2])
        is_known = has_parts and met in known
        below = step.depth if is_known else math.inf
        above.add(met)
        place = f"{rows(step.row)}: " if step.row is not None and step.depth else ""
        indent = "  " * (step.depth + 1)
        yield f"{indent}{place}{style.bold(step.text)}"
        dtype = f"; {step.dtype}" if step.dtype else ""
        parts = "; its operands are shown above" if is_known else ""
        yield f"{indent}  {step.operation}: {step.values}{dtype}{parts}"


def _described(answer: Answer) -> str:
    """An answer, and what it rests on if it silences: `no` means that it cannot happen."""
    if answer.truth not in _SILENCING[answer.kind]:
        return answer.truth
    if answer.is_proof:
        return f"{answer.truth}, by proof"
    return "no sign of it" if answer.kind == "when" else f"{answer.truth}, by evidence"


def _judgement(judgement: Judgement, style: Style) -> Iterator[str]:
    """All answers if the rule reports; the silencing ones if it stays quiet."""
    outcome = str(judgement.confidence) if judgement.confidence is not None else "quiet"
    is_quiet = _is_quiet(judgement)
    audit = " (audit)" if judgement.is_audit else ""
    proved = ", proved safe" if judgement.is_audit and is_quiet else ""
    yield f"  {style.red(judgement.code)} {judgement.name}{audit}: {style.bold(outcome)}{proved}"
    shown = _silencing(judgement) if is_quiet else list(judgement.answers)
    for answer in shown:
        yield f"    {answer.kind:<6} {answer.condition}: {style.bold(_described(answer))}"
        if answer.decides:
            yield f"           {answer.question}"
    for cap in judgement.caps:
        yield f"    by its name: {cap}" if is_quiet else f"    no more than {outcome}: {cap}"
    if judgement.moved_by:
        moved = "the pattern is the flaw, and its operand moves freely"
        yield f"    {outcome}: {moved}: {judgement.moved_by}"
    asked = " ".join(answer.condition for answer in shown)
    for name, text in judgement.terms:
        if re.search(rf"\b{name}\b(?!\()", asked):
            yield f"    where  {name} is {text}"
