"""The suspects of a program: for people, for programs, and as an issue that can be posted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from mllint_nan.findings import Applicability
from mllint_nan.reporting import json, rows, text
from mllint_nan.reporting.notebooks import in_cells, notebook_of
from mllint_nan.reporting.paths import posix, shown
from mllint_nan.suspects.candidates import Suspect, Suspects
from mllint_nan.suspects.narrowing import Relation
from mllint_nan.suspects.program import Program
from mllint_nan.suspects.report import Report
from mllint_nan.syntax.reading import text_of

SHOWN_MOST: Final = 12
"""The most suspects on a screen: instead of reading more, people search."""
NO_EVIDENCE: Final = "no evidence for it, but nothing rules it out"
_ROWS_AROUND: Final = 2
_PLACELESS: Final = "--from: the report does not say which line produced the number"
_RELATIONS: Final = frozenset(one.name.lower() for one in Relation)

Bytes = Callable[[str], bytes]
"""Gives the bytes of a file."""


def full(suspects: Suspects, top: Sequence[Suspect], read: Bytes, style: text.Style,
         width: int | None) -> str:  # fmt: skip
    """A screen: each suspect in its code, the likeliest first."""
    lines = []
    for rank, one in enumerate(top, 1):
        told = framed(one, read, style, width, tuple(_notes(one)))
        lines.append(f"{style.bold(f'{rank}.')} {told}")
    lines.append(text.wrapped(summary(suspects, len(top)), width))
    return "\n".join(lines) + "\n"


def framed(
    one: Suspect,
    read: Bytes,
    style: text.Style,
    width: int | None,
    notes: Sequence[tuple[str, str]],
) -> str:
    """A suspect in its code."""
    place, finding, source = _in_place(one, read)
    bare = replace(finding, witness=None, hazard=None)
    return text.full(bare, place, source, Applicability.SAFE, style, width, notes)


def concise(suspects: Suspects, top: Sequence[Suspect], read: Bytes) -> str:
    """One line each, with its rank."""
    lines = []
    for rank, one in enumerate(top, 1):
        place, finding, _ = _in_place(one, read)
        told = text.concise(replace(finding, hazard=None), place, Applicability.SAFE)
        lines.append(f"{rank}. {told}")
    return "".join(f"{line}\n" for line in (*lines, summary(suspects, len(top))))


def _in_place(one: Suspect, read: Bytes) -> tuple[str, Any, str]:
    """The path, the finding and the source as shown: for a notebook, those of a cell."""
    data = read(one.path)
    notebook = notebook_of(data, one.path)
    if notebook is not None:
        for cell in in_cells([one.finding], one.path, notebook):
            return cell.path, cell.finding, cell.source
    return one.path, one.finding, text_of(data, one.path)


def _notes(one: Suspect) -> Iterator[tuple[str, str]]:
    finding = one.finding
    if finding.witness:
        yield "breaks on", finding.witness
    yield "shows as", one.shows
    way = f" ({' → '.join(one.way)})" if len(one.way) > 1 else ""
    yield "why", ("; ".join(one.reasons) or NO_EVIDENCE) + way
    for link in one.chain:
        yield "where", link
    if one.like:
        numbers = ", ".join(map(str, one.like))
        yield "also", f"line{'s' if len(one.like) > 1 else ''} {numbers}"
    if one.cured:
        told = dict.fromkeys(f"{code} in line {row}" for row, code in one.cured)
        yield "also", f"{', '.join(told)}, which the same fix repairs"


def summary(suspects: Suspects, count: int) -> str:
    """How many are shown, and how many were left out and why."""
    whole, entry = len(suspects.ranked), shown_entry(suspects)
    if not whole:
        files = len(suspects.program.files)
        head = (
            f"No suspects from {entry}: nothing in the {files} file{'s' if files > 1 else ''} that "
            "it reaches can turn finite numbers into NaN. Other causes are the data, a step size "
            "that is too large, and packages (--follow PACKAGE reads one)"
        )
    else:
        head = f"{count} of {whole} suspects from {entry}" if count < whole else (
            f"{whole} suspect{'s' if whole > 1 else ''} from {entry}"
        )  # fmt: skip
    left = "; ".join(f"{number} left out that {why}" for why, number in suspects.left_out)
    more = "--output-format json lists all" if count < whole else ""
    return "; ".join(filter(None, (head, more, left, _begins_anywhere(suspects.program))))


def _begins_anywhere(program: Program) -> str:
    """A note that all functions of a script count as called, as it calls none of its own."""
    if not program.is_open:
        return ""
    file = shown(program.entry.file)
    return f"it calls none of its own functions, so all of them count; {file}::NAME starts at one"


def shown_entry(suspects: Suspects) -> str:
    entry = suspects.program.entry
    return f"{shown(entry.file)}::{entry.function}" if entry.function else shown(entry.file)


def document(ranked: Sequence[Suspect], read: Bytes) -> str:
    """The suspects as JSON: findings in their usual shape, each with its rank and its evidence."""
    return json.dumps(entries(ranked, read)) + "\n"


def entries(ranked: Sequence[Suspect], read: Bytes) -> list[dict[str, Any]]:
    """The suspects as plain values for JSON."""
    return [{**entry(one, read), "rank": rank} for rank, one in enumerate(ranked, 1)]


def entry(one: Suspect, read: Bytes) -> dict[str, Any]:
    """A finding in JSON, with what makes it a suspect."""
    return {
        **json.entry(one.path, one.finding, notebook_of(read(one.path), one.path)),
        "chain": list(one.chain),
        "evidence": list(one.evidence),
        "like": list(one.like),
        "path": list(one.way),
        "score": round(one.score, 3),
        "shows_as": one.shows,
        "unit": one.unit,
    }


def markdown(suspects: Suspects, top: Sequence[Suspect], read: Bytes) -> str:
    """A text for an issue, which reads well without colours."""
    lines = [f"### Where the NaN of `{shown_entry(suspects)}` can come from", ""]
    for rank, one in enumerate(top, 1):
        place, finding, source = _in_place(one, read)
        at = f"{posix(place) if place == one.path else place}:{finding.start.row}"
        lines += [f"{rank}. `{at}` **{finding.code}**: {finding.message}", ""]
        lines += ["   ```python", *(f"   {row}" for row in _around(source, finding)), "   ```", ""]
        lines += [f"   - *{title}*: {_escaped(said)}" for title, said in _notes(one)]
        if finding.fix is not None:
            lines.append(f"   - *instead*: {_escaped(finding.fix.message)}")
        lines.append("")
    return "\n".join((*lines, summary(suspects, len(top)))) + "\n"


def _around(source: str, finding: Any) -> Iterator[str]:
    first, last = finding.start.row, finding.end.row
    listed = islice(rows.split(source), max(first - _ROWS_AROUND, 1) - 1, last + _ROWS_AROUND - 1)
    yield from (row.rstrip("\r\n") for row in listed)


def _escaped(said: str) -> str:
    return said.replace("*", r"\*").replace("_", r"\_").replace("<", "&lt;")


def unread(suspects: Suspects) -> Iterator[str]:
    """Yield a line for each file of the program that could not be read."""
    for path, reason in suspects.unread:
        place = shown(path)
        yield f"{place}:{reason}" if reason[:1].isdigit() else f"{place}: {reason}"


def by_file(suspects: Suspects) -> list[Suspect]:
    """Suspects in the order of the program, for a program that trains nothing."""
    files = {path: index for index, path in enumerate(suspects.program.files)}
    return sorted(suspects.ranked, key=lambda one: (files[one.path], one.finding.start))


def untrained(suspects: Suspects) -> str:
    names = ", ".join(os.path.basename(path) for path in suspects.program.files[:3])
    return (
        f"{shown_entry(suspects)}: no code that was read takes gradients or fits a model "
        f"(read: {names}); all operations that can become NaN are listed by file"
    )


def unused(report: Report, suspects: Suspects) -> Iterator[str]:
    """Yield a line if a report does not match the program, or only in part."""
    program = suspects.program
    if report.is_empty:
        yield "--from: ignored, as no traceback, operation or parameter can be read in it"
    elif report.frames and report.innermost_in(program.files) is None:
        last = report.frames[-1]
        entry = shown(program.entry.file)
        yield (
            f"--from: none of its frames is in code that {entry} reaches (the last: "
            f"{last.file}:{last.row}); is this the entry of that run, in the same version?"
        )
    elif report.made_in(program.files) is None:
        yield from _used_without_place(report, suspects)


def _used_without_place(report: Report, suspects: Suspects) -> Iterator[str]:
    """Yield a line on how a report was used that names an operation but no place."""
    told = {name for one in suspects.ranked for name in one.evidence}
    if _RELATIONS.isdisjoint(told):
        what = ", ".join(sorted(report.operations)) or ", ".join(report.parameters)
        yield f"{_PLACELESS}, and no suspect is of the kind that it names ({what}); ignored"
    elif report.operations and Relation.NAMED.name.lower() in told:
        what = ", ".join(sorted(report.operations))
        yield f"{_PLACELESS}; every {what} comes first (a forward trace would name the line)"
