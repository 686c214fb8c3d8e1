"""What a run of a program showed about its suspects: for people, and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mllint_nan.reporting import json, rows, text
from mllint_nan.reporting.paths import shown
from mllint_nan.reporting.suspects import Bytes, entry, framed
from mllint_nan.suspects.running import Run, Seen
from mllint_nan.syntax.reading import text_of

ISSUES: Final = "https://github.com/mllint-nan/mllint-nan/issues"
_EFFECTS: Final = {"value": "its value", "gradient": "its gradient", "data": "its value"}


def document(outcome: Run, read: Bytes) -> str:
    """The outcome as JSON: the origin, or where a bad number came in, and how much was watched."""
    told = {
        "became": _entry(outcome.became, read),
        "executed": outcome.executed,
        "held": _entry(outcome.held, read),
        "missed": _entry(outcome.missed, read),
        "notes": list(outcome.notes),
        "origin": _entry(outcome.origin, read),
        "passed": _entry(outcome.passed, read),
        "status": outcome.status,
        "watched": outcome.watched,
    }
    return json.dumps(told) + "\n"


def _entry(one: Seen | None, read: Bytes) -> dict[str, Any] | None:
    if one is None:
        return None
    place = {
        "effect": one.effect,
        "execution": one.execution,
        "inside": one.inside,
        "operands": list(one.operands),
        "result": one.result,
        "step": one.step,
    }
    if one.suspect is not None:
        return {**entry(one.suspect, read), **place}
    at = {"row": one.start.row, "column": one.start.column}
    return {**place, "filename": one.path, "location": at, "text": one.text}


def full(outcome: Run, read: Bytes, style: text.Style, width: int | None) -> str:
    """What a run showed, for people."""
    told = "".join(f"{text.wrapped(f'Note: {note}', width)}\n" for note in outcome.notes)
    if outcome.origin is not None:
        return _of_origin(outcome.origin, read, style, width) + told
    count = f"{outcome.executed} of {outcome.watched} suspects were executed"
    if not outcome.is_bad:
        said = (
            f"The program ended with status {outcome.status}: {count}, "
            "and all their results were finite."
        )
        return f"{text.wrapped(said, width)}\n{told}"
    return _of_miss(outcome, count, read, style, width) + told


def of_origin(one: Seen, read: Bytes) -> str:
    """An origin, in plain text."""
    return _of_origin(one, read, text.PLAIN, None)


def _of_origin(one: Seen, read: Bytes, style: text.Style, width: int | None) -> str:
    head = style.bold("The first non-finite number was produced here:")
    if one.suspect is None:
        return f"{head}\n\n{_of_place(one, read, style, width)}"
    notes = (*_notes(one), ("breaks on", one.suspect.finding.witness or ""))
    return f"{head}\n\n{framed(one.suspect, read, style, width, notes)}"


def _of_miss(outcome: Run, count: str, read: Bytes, style: text.Style, width: int | None) -> str:
    """The text if no suspect is the origin: what further runs showed, and what to do about it."""
    came = outcome.passed or outcome.held
    assert came is not None
    head = f"No suspect is the origin ({count})."
    missed = outcome.missed
    if missed is None:
        said = (
            f"{head} A non-finite number came to {_at(came)} from elsewhere, and the "
            "further runs did not reproduce it: seed the program, and run it again."
        )
        return text.wrapped(said, width) + "\n"
    where = "came in with the data" if missed.effect == "data" else "was produced"
    how = f"{head} With every line watched, the first non-finite number {where} here:"
    lines = [text.wrapped(how, width), "", _of_place(missed, read, style, width).rstrip()]
    if outcome.became is not None:
        said = f"{_at(outcome.became)}, `{' '.join(outcome.became.text.split())}`"
        lines += text.note("NaN at", said, style, width)
    call = (
        "The tool missed this: it should be among the suspects. Please report it with these "
        f"lines: {ISSUES}"
    )
    if missed.effect == "data":
        call = "If the data itself is not finite, no line is wrong: check what is read there."
    return "\n".join([*lines, "", text.wrapped(call, width)]) + "\n"


def _of_place(one: Seen, read: Bytes, style: text.Style, width: int | None) -> str:
    """A place that is no suspect, in its code."""
    lines = [_head(one, style)]
    if one.path:
        lines += text.frame(one.start, one.end, _rows(one.path, read), style, width)
    for title, said in _notes(one):
        lines += text.note(title, said, style, width)
    return "\n".join(lines) + "\n"


def _head(one: Seen, style: text.Style) -> str:
    if not one.path:
        return style.bold(one.text or one.inside)
    return f"{style.bold(shown(one.path))}:{one.start.row}:{one.start.column}:"


def _rows(path: str, read: Bytes) -> list[str]:
    try:
        return rows.split(text_of(read(path), path))
    except OSError:  # of a program that was never in a file
        return []


def _notes(one: Seen) -> Iterator[tuple[str, str]]:
    step = f", in step {one.step}" if one.step else ""
    effect = _EFFECTS.get(one.effect, one.effect)
    yield "seen", f"{effect}, at execution {one.execution}{step}: {one.result}"
    for operand in one.operands:
        yield "of", operand
    if one.inside:
        yield "by", one.inside


def _at(one: Seen) -> str:
    if one.suspect is not None:
        return f"{shown(one.suspect.path)}:{one.suspect.finding.start.row}"
    return f"{shown(one.path)}:{one.start.row}" if one.path else one.text
