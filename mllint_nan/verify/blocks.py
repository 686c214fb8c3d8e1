"""The statements of a text at given places, and what its imports bind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mllint_nan.findings import Span
from mllint_nan.verify.in_place import targets
from mllint_nan.verify.variables import Uncuttable


@dataclass(frozen=True, slots=True)
class Block:
    """Statements of one block of the program, in order, and what its imports bind."""

    statements: tuple[ast.stmt, ...]
    modules: Mapping[str, tuple[str, str]]
    """By name: the qualified path, and the statement that binds it."""


def block_of(text: str, places: Iterable[Span]) -> Block:
    """Return the statements at the places, and later ones that write into what these assign."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise Uncuttable("the statements cannot be read") from error
    modules = dict(_modules(tree))
    offsets = _Offsets(text)
    spans = list(places)
    found: dict[int, tuple[ast.stmt, list[ast.stmt]]] = {}
    for block in _blocks(tree):
        for statement in block:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                continue
            extent = offsets.head(statement)
            if any(_meet(extent, span) for span in spans):
                found[id(statement)] = (statement, block)
    if not found:
        return Block((), modules)
    chosen = [statement for statement, _ in found.values()]
    if not targets(chosen) and not any(_assigned(one) for one in chosen):
        return Block(tuple(chosen), modules)
    chosen += _later(chosen, [block for _, block in found.values()])
    written = targets(chosen)
    if written and len({id(block) for _, block in found.values()}) > 1:
        raise Uncuttable("the statements that write are in several blocks")
    chosen.sort(key=lambda statement: (statement.lineno, statement.col_offset))
    return Block(tuple(chosen), modules)


def _later(chosen: Sequence[ast.stmt], blocks: Iterable[list[ast.stmt]]) -> list[ast.stmt]:
    """Later statements of the block that write into a variable assigned by `chosen`."""
    names = {name for statement in chosen for name in _assigned(statement)}
    last = max(statement.lineno for statement in chosen)
    return [
        statement
        for block in {id(block): block for block in blocks}.values()
        for statement in block
        if statement.lineno > last
        and not isinstance(statement, _COMPOUND)
        and names & {re.match(r"\w*", target).group() for target in targets([statement])}  # type: ignore[union-attr]
    ]


_COMPOUND: Final = (
    *(ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match),
    *(ast.AsyncFor, ast.AsyncWith, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
)


def _assigned(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.Assign(targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(ast.Name(name)):
            yield name


def _meet(extent: Span, span: Span) -> bool:
    return extent.start <= span.start and span.end <= extent.end


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _modules(tree: ast.Module) -> Iterator[tuple[str, tuple[str, str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                path = alias.name if alias.asname else alias.name.partition(".")[0]
                said = f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
                yield alias.asname or path, (path, said)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                said = f"from {node.module} import {alias.name}"
                said += f" as {alias.asname}" if alias.asname else ""
                yield alias.asname or alias.name, (f"{node.module}.{alias.name}", said)


class _Offsets:
    """Converts positions of Python's parser, which counts bytes, to offsets in characters."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines(keepends=True) if "\f" not in text else text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def of(self, row: int, column: int) -> int:
        line = self._lines[row - 1] if row <= len(self._lines) else ""
        return self._starts[row - 1] + len(line.encode()[:column].decode(errors="ignore"))

    def head(self, statement: ast.stmt) -> Span:
        """Return the span of a statement without the blocks in it."""
        start = self.of(statement.lineno, statement.col_offset)
        body = getattr(statement, "body", None)
        if isinstance(statement, _COMPOUND) and body:
            return Span(start, self.of(body[0].lineno, body[0].col_offset))
        assert statement.end_lineno is not None and statement.end_col_offset is not None
        return Span(start, self.of(statement.end_lineno, statement.end_col_offset))
