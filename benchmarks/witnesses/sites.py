"""The expression of an examined package that an operation belongs to.

A `Site` is one evaluation of one expression: while its frame is at its instruction, whatever
runs deeper in the stack (a function of the framework, another package) works for that
expression.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

from .events import Position, frames, is_test

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.USub: "neg",
}


@dataclass(frozen=True, slots=True)
class Site:
    """An expression being evaluated; `frame` is the `id` of its frame, 0 if unknown."""

    position: Position
    spelled: str | None
    """The function or operator that the expression names: `log`, `div`."""
    frame: int
    instruction: int

    @property
    def is_running(self) -> bool:
        """Whether the expression is still being evaluated."""
        return any(
            id(frame) == self.frame and frame.f_lasti == self.instruction
            for frame in frames(sys._getframe(1))
        )


class Sites:
    """Finds sites below the folders of the examined packages."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = [root.resolve() for root in roots]
        self._known: dict[str, Path | None] = {}

    def of_stack(self, frame: FrameType | None, until: str | None = None) -> Site | None:
        """Return the innermost site of a stack, up to a function called `until`."""
        for inner in frames(frame):
            root = self._root_of(inner.f_code.co_filename)
            if root is not None:
                line = inner.f_lineno or 0
                return _site(inner.f_code, inner.f_lasti, line, root, id(inner))
            if until is not None and inner.f_code.co_name == until:
                return None
        return None

    def of_codes(self, codes: Sequence[CodeType], instructions: Sequence[int]) -> Site | None:
        """Return the innermost site of a recorded stack, which is ordered from the innermost."""
        for code, instruction in zip(codes, instructions, strict=True):
            root = self._root_of(code.co_filename)
            if root is not None:
                return _site(code, instruction, 0, root, 0)
        return None

    def _root_of(self, filename: str) -> Path | None:
        if filename not in self._known:
            self._known[filename] = self._find_root(filename)
        return self._known[filename]

    def _find_root(self, filename: str) -> Path | None:
        if filename.startswith("<") or is_test(filename):
            return None
        path = Path(filename).resolve()
        return next((root for root in self._roots if path == root or root in path.parents), None)


def _site(code: CodeType, instruction: int, line: int, root: Path, frame: int) -> Site:
    start, column, spelled = _expression(code, instruction)
    file = Path(code.co_filename).resolve().relative_to(root.parent).as_posix()
    function = getattr(code, "co_qualname", code.co_name)
    position = Position(file, start or line, column, function)
    return Site(position, spelled, frame, instruction)


@functools.lru_cache(maxsize=4096)
def _expression(code: CodeType, instruction: int) -> tuple[int, int, str | None]:
    """Return line, column (1-based) and name of an instruction's expression; 0 if unknown.

    CPython counts columns from 0 and in UTF-8 bytes.
    """
    if sys.version_info < (3, 11):
        return _line_of(code, instruction), 0, None
    extent = next(islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    first, last, begin, end = extent
    if first is None or last is None or begin is None or end is None:
        return first or 0, 0, None
    lines = _lines(code.co_filename)
    if not 0 < first <= last <= len(lines):
        return first, begin + 1, None
    column = len(lines[first - 1][:begin].decode("utf-8", "replace")) + 1
    text = lines[first - 1 : last]
    text[-1] = text[-1][:end]
    text[0] = text[0][begin:]
    return first, column, spelled_in(b"\n".join(text).decode("utf-8", "replace"))


def _line_of(code: CodeType, instruction: int) -> int:
    for begin, end, line in code.co_lines():
        if begin <= instruction < end:
            return line or 0
    return 0


def spelled_in(source: str) -> str | None:
    """Return the outermost function or operator that an expression names.

    >>> spelled_in("jnp.linalg.norm(x)"), spelled_in("x / y"), spelled_in("f(x)(y)")
    ('norm', 'div', None)
    """
    tree = _parsed(source)
    match tree:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator):
            return _OPERATORS.get(type(operator))
        case ast.AugAssign(op=operator):
            return _OPERATORS.get(type(operator))
    return None


def _parsed(source: str) -> ast.AST | None:
    for text in (f"({source}\n)", source):
        try:
            statement = ast.parse(text).body[0]
        except (SyntaxError, ValueError, IndexError):
            continue
        return statement.value if isinstance(statement, ast.Expr) else statement
    return None


@functools.lru_cache(maxsize=256)
def _lines(filename: str) -> list[bytes]:
    try:
        return Path(filename).read_bytes().splitlines()
    except OSError:
        return []
