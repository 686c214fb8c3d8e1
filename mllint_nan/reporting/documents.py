"""Formats that are one document: nothing is printed before the last file is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mllint_nan.project import Checked
from mllint_nan.reporting.notebooks import in_file, notebook_of

if TYPE_CHECKING:
    from mllint_nan.rulebook.rule import Rule


@dataclass(frozen=True, slots=True)
class Document:
    """What each file adds to a document, given its text, and how the parts are joined."""

    entries: Callable[[Checked, str], Sequence[Any]]
    finished: Callable[[Sequence[Any]], str]
    knows_cells: bool = False
    """Whether findings of a notebook are given by cell; otherwise by line of its file."""
    collected: list[Any] = field(default_factory=list)

    def add(self, checked: Checked) -> None:
        from mllint_nan.syntax.reading import text_of

        text = text_of(checked.after, checked.path)
        notebook = None if self.knows_cells else notebook_of(checked.after, checked.path)
        if notebook is not None:
            checked, text = in_file(checked, notebook), notebook.document
        self.collected.extend(self.entries(checked, text))

    def end(self) -> str:
        return self.finished(self.collected)


def document_for(
    format: str, rules: Callable[[], Sequence[Rule]], handbook: str = ""
) -> Document | None:
    """The document of a format; `None` for the formats that are printed file by file."""
    match format:
        case "json" | "json-lines":
            from mllint_nan.reporting import json

            return Document(json.entries, json.document if format == "json" else json.lines, True)
        case "sarif":
            from mllint_nan.reporting import sarif

            address = handbook or sarif.homepage()
            return Document(
                sarif.entries, lambda entries: sarif.document(entries, rules(), address)
            )
        case "github":
            from mllint_nan.reporting import github

            return Document(github.entries, github.document)
        case "gitlab":
            from mllint_nan.reporting import gitlab

            return Document(gitlab.entries, gitlab.document)
        case "junit":
            from mllint_nan.reporting import junit

            return Document(junit.entries, junit.document)
        case "rdjson":
            from mllint_nan.reporting import rdjson

            return Document(rdjson.entries, rdjson.document)
        case _:
            return None
