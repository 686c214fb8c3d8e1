"""Findings for people: one line each, or with the code, the witness and the proposed fix."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from mllint_nan.findings import Applicability, Edit, Finding, Fix, Position, Proof
from mllint_nan.reporting import rows
from mllint_nan.reporting.paths import shown

WIDTH: Final = 88
"""The most columns of prose, unless the terminal is narrower."""
_ROWS_SHOWN_OF_A_FINDING: Final = 6
_INDENTED: Final = "    "


@dataclass(frozen=True, slots=True)
class Style:
    """Whether output carries colours; without them every method returns its argument."""

    is_coloured: bool = False

    def bold(self, text: str) -> str:
        return self._wrap("1", text)

    def red(self, text: str) -> str:
        return self._wrap("1;31", text)

    def green(self, text: str) -> str:
        return self._wrap("32", text)

    def blue(self, text: str) -> str:
        return self._wrap("34", text)

    def removed(self, text: str) -> str:
        return self._wrap("31", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self.is_coloured else text


PLAIN = Style()


def concise(finding: Finding, path: str, weakest: Applicability, style: Style = PLAIN) -> str:
    """`path:row:column: CODE [*] message (witness) [confidence]`; `[*]` is what `--fix` repairs."""
    witness = f" ({finding.witness})" if finding.witness else ""
    confidence = f" [{finding.confidence}]" if is_claim(finding) else ""
    proof = f" [{finding.proof.summary}]" if finding.proof else ""
    head = _head(finding, path, weakest, style)
    return f"{head} {finding.message}{witness}{confidence}{proof}"


def full(
    finding: Finding,
    path: str,
    text: str,
    weakest: Applicability,
    style: Style = PLAIN,
    width: int | None = None,
    notes: Iterable[tuple[str, str]] = (),
) -> str:
    """The finding in its code; `text` is the text of the file, without it the code is left out.

    With a `width`, no line is longer, except those of a program that is meant to be copied.
    `notes` are further remarks, each with its title.
    """
    head = _head(finding, path, weakest, style)
    lines = [*_wrapped(head, len(_head(finding, path, weakest, PLAIN)), finding.message, width)]
    lines += frame(finding.start, finding.end, rows.split(text), style, width)
    if finding.witness:
        lines += note("witness", finding.witness, style, width)
    if is_claim(finding):
        lines += note("confidence", str(finding.confidence), style, width)
    for title, said in notes:
        lines += note(title, said, style, width)
    if finding.fix:
        lines += _proposal(finding.fix, text, style, width)
    elif finding.unfixed:
        lines += note("no fix", finding.unfixed, style, width)
    if finding.proof:
        lines += _executed(finding.proof, style, width)
    return "\n".join(lines) + "\n"


def is_claim(finding: Finding) -> bool:
    """Whether a finding is about values and gradients, not a remark of the tool on the file."""
    return finding.hazard is not None


def wrapped(text: str, width: int | None) -> str:
    """Prose wrapped to the width of a terminal, if there is one."""
    return "\n".join(_wrapped("", 0, text, width)).lstrip(" ")


def _head(finding: Finding, path: str, weakest: Applicability, style: Style) -> str:
    place = f"{finding.start.row}:{finding.start.column}:"
    mark = style.green(" [*]") if is_fixable(finding, weakest) else ""
    return f"{style.bold(shown(path))}:{place} {style.red(finding.code)}{mark}"


def note(title: str, text: str, style: Style, width: int | None) -> list[str]:
    """A further remark on a finding, below its code."""
    head = f"  {style.blue('=')} {style.bold(title)}:"
    return _wrapped(head, len(f"  = {title}:"), text, width)


def _wrapped(head: str, taken: int, text: str, width: int | None) -> list[str]:
    """The text after a head of `taken` columns, wrapped to the width."""
    if width is None:
        return [f"{head} {text}"]
    first, *others = textwrap.wrap(
        text,
        width,
        initial_indent=" " * (taken + 1),
        subsequent_indent=_INDENTED,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [head + first[taken:], *others]


def is_fixable(finding: Finding, weakest: Applicability) -> bool:
    """Whether `--fix` applies the finding's fix, if at least `weakest` is allowed."""
    return finding.fix is not None and finding.fix.applicability >= weakest


def frame(
    begin: Position, stop: Position, lines: list[str], style: Style, width: int | None
) -> Iterator[str]:
    """The rows of a place, marked, with one row before and one after."""
    first, last = begin.row, stop.row
    if last > first and stop.column == 1:
        last -= 1
    if not 1 <= first <= last <= len(lines):
        return
    gutter = len(str(last + 1))
    bar = style.blue("|")
    yield f"{'':{gutter}} {bar}"
    for row in range(max(first - 1, 1), min(last + 1, len(lines)) + 1):
        if first + _ROWS_SHOWN_OF_A_FINDING <= row < last:
            if row == first + _ROWS_SHOWN_OF_A_FINDING:
                yield style.blue("...")
            continue
        line = lines[row - 1]
        start = begin.column - 1 if row == first else len(line) - len(line.lstrip())
        end = stop.column - 1 if row == last else len(line.rstrip())
        printed = rows.Row.of(line, start, end, _room(width, gutter + len(" | ")))
        yield f"{style.blue(f'{row:>{gutter}}')} {bar} {printed.text}".rstrip()
        if first <= row <= last:
            yield f"{'':{gutter}} {bar} {style.red(printed.marker)}"
    yield f"{'':{gutter}} {bar}"


def _room(width: int | None, taken: int) -> int:
    """Columns for a row of code, after those already taken."""
    return rows.WIDEST if width is None else width - taken


def _proposal(fix: Fix, text: str, style: Style, width: int | None) -> Iterator[str]:
    kind = {
        Applicability.SAFE: "fix",
        Applicability.UNSAFE: "fix with --unsafe-fixes",
        Applicability.DISPLAY_ONLY: f"by hand ({fix.reason})" if fix.reason else "by hand",
    }[fix.applicability]
    yield from note(kind, fix.message, style, width)
    lines = rows.split(text)
    for group in _by_rows(fix.edits):
        first, last = group[0].start.row, max(edit.end.row for edit in group)
        before = lines[first - 1 : last]
        after = rows.split(_spliced("".join(before), len("".join(lines[: first - 1])), group))
        for change in islice(difflib.unified_diff(before, after, n=0), 2, None):
            if change[0] in "-+":
                colour = style.removed if change[0] == "-" else style.green
                start = group[0].start.column - 1
                row = rows.Row.of(change[1:], start, start, _room(width, len(_INDENTED) + 2))
                yield colour(f"{_INDENTED}{change[0]} {row.text}".rstrip())


def _executed(proof: Proof, style: Style, width: int | None) -> Iterator[str]:
    yield from note("executed", proof.summary, style, width)
    program = proof.counterexample or proof.witness or ""
    yield from (f"{_INDENTED}{row}".rstrip() for row in program.splitlines())


def _by_rows(edits: tuple[Edit, ...]) -> list[list[Edit]]:
    """The edits in order, those that share a row in one group."""
    groups: list[list[Edit]] = []
    for edit in sorted(edits):
        if groups and edit.start.row <= max(other.end.row for other in groups[-1]):
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return groups


def _spliced(text: str, offset: int, edits: list[Edit]) -> str:
    """`text`, which starts at `offset` in its file, after the sorted `edits`."""
    for edit in reversed(edits):
        text = text[: edit.span.start - offset] + edit.content + text[edit.span.end - offset :]
    return text
