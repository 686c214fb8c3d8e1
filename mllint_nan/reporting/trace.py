"""The chain behind one line, as an indented list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mllint_nan.reporting.text import PLAIN, Style
from mllint_nan.tracing import Judgement, Trace


def traced(place: str, traces: Iterable[Trace], style: Style = PLAIN) -> str:
    """Every operation of the line with its chain, and below it what each rule answered."""
    lines = [style.bold(place)]
    for trace in traces:
        lines += ["", *_chain(trace, style)]
        lines += [f"  where {fact}" for fact in trace.facts]
        for judgement in trace.judgements:
            lines += ["", *_judgement(judgement, style)]
    if len(lines) == 1:
        lines.append("no operation that the tool knows starts on this line")
    return "\n".join(lines) + "\n"


def _chain(trace: Trace, style: Style) -> Iterator[str]:
    for step in trace.steps:
        place = f"line {step.row}: " if step.row is not None and step.depth else ""
        indent = "  " * (step.depth + 1)
        yield f"{indent}{place}{style.bold(step.text)}"
        yield f"{indent}  {step.operation}: {step.values}"


def _judgement(judgement: Judgement, style: Style) -> Iterator[str]:
    outcome = str(judgement.confidence) if judgement.confidence is not None else "quiet"
    yield f"  {style.red(judgement.code)} {judgement.name}: {style.bold(outcome)}"
    for answer in judgement.answers:
        yield f"    {answer.kind:<6} {answer.condition}: {answer.truth}"
