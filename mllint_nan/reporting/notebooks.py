"""Positions of a notebook's findings: by cell, or for other programs by line of the file.

The analysis gives positions in the program that the cells form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from mllint_nan.findings import Edit, Finding, Position, Span
from mllint_nan.project import Checked
from mllint_nan.reporting import rows
from mllint_nan.results import Linted, Unparsable
from mllint_nan.syntax.decoding import NoPython, SourceError
from mllint_nan.syntax.notebooks import Cell, Notebook, is_notebook


@dataclass(frozen=True, slots=True)
class InCell:
    """A finding at its position in a cell, without the edits that its fix makes in other cells."""

    path: str
    """The path of the notebook, with the number of the cell."""
    finding: Finding
    source: str
    """The text of the whole cell."""


def notebook_of(data: bytes, path: str) -> Notebook | None:
    """The notebook in a file, if the file is a readable notebook."""
    if not is_notebook(path):
        return None
    try:
        return Notebook.of(data)
    except (SourceError, NoPython):
        return None


def by_cell(checked: Checked, notebook: Notebook) -> Iterator[InCell]:
    """The findings as shown to people, each in its cell."""
    yield from in_cells(checked.findings, checked.path, notebook)


def in_cells(findings: Iterable[Finding], path: str, notebook: Notebook) -> Iterator[InCell]:
    """These findings of a notebook, each at its position."""
    for finding in findings:
        cell = notebook.cell_at(finding.start)
        if cell is not None:
            place = f"{path}:cell {cell.number}"
            yield InCell(place, _in_cell(finding, cell, notebook), cell.source)


def in_file(checked: Checked, notebook: Notebook) -> Checked:
    """The result with positions in the file on disk, and without fixes, which cannot edit it."""
    match checked.outcome:
        case Linted() as found:
            return replace(checked, outcome=_linted_in_file(found, notebook))
        case Unparsable(_, _, read) as unparsable:
            first, *others = _in_file(unparsable.errors, notebook)
            outcome = Unparsable(first, tuple(others), _linted_in_file(read, notebook))
            return replace(checked, outcome=outcome)
        case _:
            return checked


def _linted_in_file(found: Linted, notebook: Notebook) -> Linted:
    return replace(
        found,
        findings=_in_file(found.findings, notebook),
        suppressed=_in_file(found.suppressed, notebook),
        known=_in_file(found.known, notebook),
    )


def diff(path: str, before: Notebook, after: Notebook) -> str:
    """A diff for each cell that differs."""
    return "".join(
        rows.diff(f"{path}:cell {old.number}", old.source, new.source)
        for old, new in zip(before.cells, after.cells, strict=True)
        if old.source != new.source
    )


def _in_file(findings: tuple[Finding, ...], notebook: Notebook) -> tuple[Finding, ...]:
    return tuple(_moved(finding, notebook) for finding in findings)


def _moved(finding: Finding, notebook: Notebook) -> Finding:
    cell = notebook.cell_at(finding.start)
    if cell is None:
        return finding
    place = cell.position(finding.start)
    return replace(
        finding,
        start=notebook.in_document(cell, place),
        end=notebook.in_document(cell, cell.position(finding.end)),
        message=f"cell {cell.number}, line {place.row}: {finding.message}",
        fix=None,
    )


def _in_cell(finding: Finding, cell: Cell, notebook: Notebook) -> Finding:
    fix = finding.fix
    if fix is not None:
        edits = tuple(
            _edit_in(cell, edit) for edit in fix.edits if notebook.cell_at(edit.start) is cell
        )
        fix = replace(fix, edits=edits)
    start, end = cell.position(finding.start), cell.position(finding.end)
    return replace(finding, start=start, end=end, fix=fix)


def _edit_in(cell: Cell, edit: Edit) -> Edit:
    start, end = cell.position(edit.start), cell.position(edit.end)
    lines = rows.split(cell.source)
    span = Span(_offset(lines, start), _offset(lines, end))
    return Edit(span, edit.content, start, end)


def _offset(lines: list[str], place: Position) -> int:
    return sum(map(len, lines[: place.row - 1])) + place.column - 1
