"""The chain behind one line, as an indented list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mllint_nan.reporting.text import PLAIN, Style
from mllint_nan.tracing import Answer, Judgement, Trace


def traced(place: str, traces: Iterable[Trace], style: Style = PLAIN) -> str:
    """Every operation of the line with its chain, and below it what each rule answered."""
    lines = [style.bold(place)]
    for trace in traces:
        lines += ["", *_chain(trace, style)]
        lines += [f"  {said}" for said in (trace.call, trace.training) if said]
        lines += [f"  where {fact}" for fact in trace.facts]
        for judgement in sorted(trace.judgements, key=_is_quiet):
            lines += ["", *_judgement(judgement, style)]
        if not trace.judgements:
            lines.append("  no rule asks about this operation")
    if len(lines) == 1:
        lines.append("no operation that the tool knows starts on this line")
    return "\n".join(lines) + "\n"


def _is_quiet(judgement: Judgement) -> bool:
    return judgement.confidence is None


def _chain(trace: Trace, style: Style) -> Iterator[str]:
    for step in trace.steps:
        place = f"line {step.row}: " if step.row is not None and step.depth else ""
        indent = "  " * (step.depth + 1)
        yield f"{indent}{place}{style.bold(step.text)}"
        dtype = f"; {step.dtype}" if step.dtype else ""
        yield f"{indent}  {step.operation}: {step.values}{dtype}"


def _described(answer: Answer) -> str:
    """An answer, and what it rests on where it silences: a no is said of what cannot happen."""
    silences = answer.truth == {"unless": "yes", "when": "no"}[answer.kind]
    if not silences:
        return answer.truth
    if answer.is_proof:
        return f"{answer.truth}, by proof"
    return "no sign of it" if answer.kind == "when" else f"{answer.truth}, by evidence"


def _judgement(judgement: Judgement, style: Style) -> Iterator[str]:
    """All answers where the rule speaks; where it stays quiet, those that silence it."""
    outcome = str(judgement.confidence) if judgement.confidence is not None else "quiet"
    is_quiet = judgement.confidence is None
    audit = " (audit)" if judgement.is_audit else ""
    proved = ", proved safe" if judgement.is_audit and is_quiet else ""
    yield f"  {style.red(judgement.code)} {judgement.name}{audit}: {style.bold(outcome)}{proved}"
    silencing = {"unless": ("yes",), "when": ("no",)}
    shown = [
        answer
        for answer in judgement.answers
        if not is_quiet or answer.truth in silencing[answer.kind]
    ]
    for answer in shown:
        yield f"    {answer.kind:<6} {answer.condition}: {style.bold(_described(answer))}"
        if answer.decides:
            yield f"           {answer.question}"
    for cap in judgement.caps:
        yield f"    by its name: {cap}" if is_quiet else f"    no more than {outcome}: {cap}"
    if judgement.moved_by:
        yield f"    {outcome}: its shape is the flaw, and its operand moves: {judgement.moved_by}"
    asked = " ".join(answer.condition for answer in shown)
    for name, text in judgement.terms:
        if re.search(rf"\b{name}\b(?!\()", asked):
            yield f"    where  {name} is {text}"
