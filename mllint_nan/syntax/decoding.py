"""Bytes to text and back: `decode(data).encode(decode(data).text) == data`."""

from __future__ import annotations

import ast
import codecs
import contextlib
import io
import tokenize
import warnings
from dataclasses import dataclass
from typing import Final

WIDE_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
"""How files begin that use two or four bytes per character, which Python does not read."""


class SourceError(Exception):
    """The bytes are not a Python program; `row` and `column` count from 1.

    `is_in_text`: the error is in a text of which other parts can be read.
    """

    def __init__(
        self, message: str, row: int = 1, column: int = 1, *, is_in_text: bool = True
    ) -> None:
        super().__init__(message)
        self.message = message
        self.row = row
        self.column = column
        self.is_in_text = is_in_text


class NoPython(Exception):
    """A file that is not Python and need not be; the message says what it is."""


class UnsupportedError(Exception):
    """The text is Python, but cannot be analysed; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text without its BOM, and what is needed to write it back."""

    text: str
    encoding: str
    bom: bytes

    def encode(self, text: str) -> bytes:
        """The bytes of `text` in the file's own encoding; raises `UnicodeEncodeError`."""
        return self.bom + text.encode(self.encoding)


def decode(data: bytes) -> Decoded:
    """The text of a Python file (PEP 263); raises `SourceError`."""
    if data.startswith(WIDE_MARKS):
        raise SourceError("the file is in UTF-16 or UTF-32; save it in UTF-8", is_in_text=False)
    if b"\0" in data:
        row = data.count(b"\n", 0, data.index(b"\0")) + 1
        message = "the file contains a null byte; is it a binary file?"
        raise SourceError(message, row, is_in_text=False)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        with contextlib.suppress(UnicodeDecodeError):
            data.decode("utf-8")
            raise SourceError(str(error.msg)) from None
        encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
    bom = b""
    if encoding == "utf-8-sig":
        encoding, bom, data = "utf-8", codecs.BOM_UTF8, data[len(codecs.BOM_UTF8) :]
    try:
        text = codecs.decode(data, encoding)
        if not isinstance(text, str):
            raise LookupError
        return Decoded(text, encoding, bom)
    except (LookupError, TypeError, ValueError) as error:
        if not isinstance(error, UnicodeDecodeError):
            raise SourceError(f"{encoding} is not a text encoding; declare the real one") from None
        row = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise SourceError(
            f"byte 0x{data[error.start]:02x} is not valid {encoding}; "
            "save the file in UTF-8 or declare its encoding",
            row,
            column,
        ) from None


def tree_of(text: str) -> ast.Module | None:
    """CPython's own tree, in a tenth of the time of LibCST; `None` if it cannot parse the text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_python(text: str) -> bool:
    """Whether CPython accepts a text, in half of the time that making a tree takes."""
    import symtable

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            symtable.symtable(text, "<text>", "exec")
            return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return tree_of(text) is not None  # symtable also rejects some declarations of names


def depth_of(tree: ast.AST) -> int:
    """The greatest depth to which nodes of a tree are nested."""
    deepest, pending = 0, [(tree, 1)]
    while pending:
        node, depth = pending.pop()
        deepest = max(deepest, depth)
        pending += ((child, depth + 1) for child in ast.iter_child_nodes(node))
    return deepest
