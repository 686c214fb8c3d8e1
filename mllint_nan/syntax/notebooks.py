"""Jupyter notebooks: the code cells as one program, and back into the file.

Only the lines of changed cells are written anew; everything else stays byte for byte.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from mllint_nan.findings import Position, Span
from mllint_nan.syntax.decoding import NoPython, SourceError
from mllint_nan.syntax.escapes import escape, has_cell_magic, is_python, restore

_SUFFIX: Final = ".ipynb"

_BLANK = re.compile(r"[ \t\r\n]*")
_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)
_decode = json.JSONDecoder(strict=False).raw_decode


def is_notebook(filename: str) -> bool:
    return filename.endswith(_SUFFIX)


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell; `number` counts all cells of the notebook from 1."""

    number: int
    source: str
    value: Span
    """The place of its source's JSON in the file."""
    first_row: int
    """The row of the program on which it begins."""
    exchanged: Mapping[str, str]

    def position(self, place: Position) -> Position:
        """A place of the program, relative to the first row of the cell."""
        rows = self.source.count("\n") + 1
        return Position(min(max(place.row - self.first_row + 1, 1), rows), place.column)


@dataclass(frozen=True)
class Notebook:
    """A notebook's code; like `Decoded`, it turns a changed text into a file."""

    document: str
    cells: tuple[Cell, ...]
    text: str
    divider: str
    bom: bytes = b""
    encoding: str = "utf-8"

    @classmethod
    def of(cls, data: bytes) -> Notebook:
        """Raises `SourceError` if this is no notebook, `NoPython` if it is not one of Python."""
        bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        document = _decoded(data[len(bom) :])
        return cls._of(document, list(_sources(document)), bom)

    @classmethod
    def of_cells(cls, cells: Iterable[tuple[int, str]]) -> Notebook:
        """The code cells, each with its number, of a notebook that is open in an editor."""
        return cls._of("", [(number, source, Span(0, 0)) for number, source in cells], b"")

    @classmethod
    def _of(cls, document: str, sources: Sequence[tuple[int, str, Span]], bom: bytes) -> Notebook:
        mark = "# notebook"
        while any(mark in source for _, source, _ in sources):
            mark += "-"
        divider, row = f"{mark} cell", 1
        cells, parts = [], []
        for number, source, value in sources:
            if not is_python(source):
                continue
            escaped = escape(source, f"{mark} escape ")
            cells.append(Cell(number, source, value, row + 1, escaped.exchanged))
            parts.append(f"{divider}\n{escaped.text}\n")
            row += len(re.findall(r"\r\n|\r|\n", parts[-1]))
        text = "".join(parts)
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise SourceError("a cell contains half a surrogate pair, as no text can")
        return cls(document, tuple(cells), text, divider, bom)

    def encode(self, text: str) -> bytes:
        """The file with the cells of a changed text."""
        changes = [
            (cell.value, self._rewritten(cell, source))
            for cell, source in zip(self.cells, self.sources(text), strict=True)
            if source != cell.source
        ]
        document = self.document
        for span, value in reversed(changes):
            document = document[: span.start] + value + document[span.end :]
        return self.bom + document.encode(self.encoding)

    def cell_at(self, place: Position) -> Cell | None:
        """The cell in which a place of the program lies; None if there is no cell."""
        before = [cell for cell in self.cells if cell.first_row - 1 <= place.row]
        return before[-1] if before else next(iter(self.cells), None)

    def in_document(self, cell: Cell, place: Position) -> Position:
        """The place in the file of a place in a cell."""
        rows = _ROW.findall(cell.source) or [""]
        index = sum(map(len, rows[: place.row - 1])) + place.column - 1
        offset = cell.value.start
        for start, end in _literals(self.document, cell.value):
            for character in _CHARACTER.finditer(self.document, start + 1, end - 1):
                offset = character.start()
                if index == 0:
                    return self._position(offset)
                index -= 1
            offset = end - 1
        return self._position(offset)

    def _position(self, offset: int) -> Position:
        row = self.document.count("\n", 0, offset) + 1
        return Position(row, offset - self.document.rfind("\n", 0, offset))

    def sources(self, text: str) -> Iterator[str]:
        """Yield the cells of a changed text; the text above the first cell is added to it."""
        above, *parts = text.split(f"{self.divider}\n")
        for cell, part in zip(self.cells, parts, strict=True):
            source = restore(part, cell.exchanged)
            if not source.endswith("\n"):
                raise ValueError("a cell has lost its end")
            if above:
                source = _with_above(source, above)
            yield source[:-1]
            above = ""

    def _rewritten(self, cell: Cell, source: str) -> str:
        """The JSON of a new source, in the form of the old one; equal rows are kept as they are."""
        old = self.document[cell.value.start : cell.value.end]
        if not old.startswith("["):
            return self._dumped(source)
        literals = list(_literals(self.document, cell.value))
        kept = {
            json.loads(self.document[start:end], strict=False): self.document[start:end]
            for start, end in literals
        }
        elements = [kept.get(row) or self._dumped(row) for row in _ROW.findall(source)]
        head = self.document[cell.value.start : literals[0][0]]
        tail = self.document[literals[-1][1] : cell.value.end]
        joint = "," + (head[1:] or " ")
        if len(literals) > 1:
            joint = self.document[literals[0][1] : literals[1][0]]
        return head + joint.join(elements) + tail

    def _dumped(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=self._is_ascii)

    @cached_property
    def _is_ascii(self) -> bool:
        """Whether the file writes non-ASCII characters as escapes."""
        return self.document.isascii() and "\\u" in self.document


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        message = f"byte 0x{data[error.start]:02x} is not valid utf-8, as all notebooks are"
        raise SourceError(message, row, column) from None


def _sources(document: str) -> Iterator[tuple[int, str, Span]]:
    """Yield the number, text and place of the source of every code cell."""
    try:
        notebook = json.loads(document, strict=False)
    except json.JSONDecodeError as error:
        raise SourceError(f"not a notebook: {error.msg}", error.lineno, error.colno) from None
    if not isinstance(notebook, dict):
        raise SourceError("not a notebook: it is not a JSON object")
    if "worksheets" in notebook:
        raise NoPython("a notebook in a format older than 4")
    if not isinstance(notebook.get("cells"), list):
        raise SourceError("not a notebook: it has no cells")
    if "python" not in (_language(notebook) or "python"):
        raise NoPython("a notebook in a language other than Python")
    start = _BLANK.match(document).end()  # type: ignore[union-attr]
    cells = dict(_members(document, start))["cells"]
    for number, span in enumerate(_elements(document, cells), 1):
        cell = notebook["cells"][number - 1]
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise SourceError(f"not a notebook: the source of cell {number} is not text")
        if source:
            yield number, source, dict(_members(document, span.start))["source"]


def _language(notebook: Mapping[str, Any]) -> str | None:
    match notebook.get("metadata"):
        case {"language_info": {"name": str(name)}}:
            return name.lower()
        case {"kernelspec": {"language": str(name)}}:
            return name.lower()
        case _:
            return None


def _members(document: str, start: int) -> Iterator[tuple[str, Span]]:
    """Yield the keys of the object that starts there, each with the place of its value."""
    offset = _skip(document, start + 1)
    while document[offset] != "}":
        if document[offset] == ",":
            offset = _skip(document, offset + 1)
        key, offset = _decode(document, offset)
        value = _skip(document, _skip(document, offset) + 1)
        _, end = _decode(document, value)
        yield key, Span(value, end)
        offset = _skip(document, end)


def _elements(document: str, array: Span) -> Iterator[Span]:
    offset = _skip(document, array.start + 1)
    while document[offset] != "]":
        if document[offset] == ",":
            offset = _skip(document, offset + 1)
        _, end = _decode(document, offset)
        yield Span(offset, end)
        offset = _skip(document, end)


def _skip(document: str, offset: int) -> int:
    return _BLANK.match(document, offset).end()  # type: ignore[union-attr]


def _literals(document: str, value: Span) -> list[tuple[int, int]]:
    """The beginning and end of each string of a source, with the quotation marks."""
    if document[value.start] == '"':
        return [(value.start, value.end)]
    return [(span.start, span.end) for span in _elements(document, value)]


def _with_above(source: str, above: str) -> str:
    """A cell below new lines; a cell magic stays the first line."""
    if not has_cell_magic(source):
        return above + source
    end = re.search(r"%%[^\r\n]*(?:\r\n|\r|\n)", source)
    assert end is not None
    return source[: end.end()] + above + source[end.end() :]
