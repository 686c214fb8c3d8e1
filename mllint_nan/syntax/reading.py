"""The program in a file of any kind, from its bytes."""

from __future__ import annotations

from mllint_nan.syntax.decoding import Decoded, NoPython, SourceError, decode
from mllint_nan.syntax.markdown import Markdown, is_markdown
from mllint_nan.syntax.notebooks import Notebook, is_notebook

Readable = Decoded | Notebook | Markdown
"""A file with a program in it."""


def read(data: bytes, filename: str) -> Readable:
    """The program in a file; raises `SourceError`, or `NoPython` if none is expected there."""
    if is_notebook(filename):
        return Notebook.of(data)
    return Markdown.of(data) if is_markdown(filename) else decode(data)


def text_of(data: bytes, filename: str) -> str:
    """The text of an analysed file, for showing parts of it."""
    try:
        return read(data, filename).text
    except (SourceError, NoPython):
        return data.decode("utf-8", "replace")
