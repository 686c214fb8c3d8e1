"""The functions, classes and expressions of a package's sources, by their places."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Final


class Part(str, Enum):
    """The part of a model that a function belongs to, by the base classes of its class.

    Bases are followed by name through the files of the package, to a class with a telling name:
    `…Distribution`, `…Loss`, `Module`, `Layer`. A loss counts as one before it counts as a
    layer, since losses are modules. For a function in no such class, its own name or that of its
    module or folder decides.
    """

    LOSS = "loss"
    LAYER = "layer"
    DISTRIBUTION = "distribution"
    OTHER = "other"


_BY_BASE: Final = (
    (Part.DISTRIBUTION, re.compile(r"Distribution|ExponentialFamily|Bijector|Likelihood$")),
    (Part.LOSS, re.compile(r"Loss(es)?$|Loss[A-Z_]|Criterion|Divergence")),
    (Part.LAYER, re.compile(r"^(Module|Layer|LightningModule|Kernel|.*Layer)$")),
)
_BY_NAME: Final = (
    (Part.LOSS, re.compile(r"loss|criteri|divergence|cross_?entropy", re.IGNORECASE)),
    (Part.DISTRIBUTION, re.compile(r"distribution|bijector|likelihood", re.IGNORECASE)),
    (Part.LAYER, re.compile(r"(^|[/_.])(layers?|nn|modules?|activations?|attention)([/_.]|$)")),
)

_SIGNS: Final[Mapping[str, type[ast.operator]]] = {
    "add": ast.Add,
    "sub": ast.Sub,
    "mul": ast.Mult,
    "multiply": ast.Mult,
    "div": ast.Div,
    "truediv": ast.Div,
    "true_divide": ast.Div,
    "divide": ast.Div,
    "realdiv": ast.Div,
    "pow": ast.Pow,
    "power": ast.Pow,
    "matmul": ast.MatMult,
    "floordiv": ast.FloorDiv,
    "floor_divide": ast.FloorDiv,
    "mod": ast.Mod,
    "remainder": ast.Mod,
}


def plain(operation: str) -> str:
    """Return a name without its form: `truediv` for `__itruediv__`, `log` for `log_`."""
    name = operation.strip("_")
    return name[1:] if name[:1] in ("i", "r") and name[1:] in _SIGNS else name


Place = tuple[int, int]
"""Row and column, both 1-based, in characters."""


@dataclass(frozen=True, slots=True)
class Region:
    """The text from `start` to `end`, which is excluded."""

    start: Place
    end: Place

    def contains(self, other: Region) -> bool:
        return self.start <= other.start and other.end <= self.end

    def has_row(self, row: int) -> bool:
        return self.start[0] <= row <= self.end[0]


class File:
    """One source file; a text that is not Python has neither functions nor expressions."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        try:
            self._tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            self._tree = ast.Module([], [])

    @cached_property
    def _starting(self) -> Mapping[Place, list[ast.expr | ast.stmt]]:
        found: dict[Place, list[ast.expr | ast.stmt]] = {}
        for node in ast.walk(self._tree):
            if isinstance(node, ast.expr | ast.AugAssign):
                found.setdefault(self._region(node).start, []).append(node)
        return found

    @cached_property
    def _functions(self) -> tuple[tuple[Region, str], ...]:
        return tuple(self._named(self._tree, ""))

    @cached_property
    def classes(self) -> Mapping[str, tuple[str, ...]]:
        """The last names of the bases of each class."""
        return {
            node.name: tuple(filter(None, map(_last_name, node.bases)))
            for node in ast.walk(self._tree)
            if isinstance(node, ast.ClassDef)
        }

    def function_at(self, row: int) -> str:
        """Return the innermost function around a row, by the qualified name of its code object."""
        inner = [name for region, name in self._functions if region.has_row(row)]
        return inner[-1] if inner else "<module>"

    def expression(self, row: int, column: int, operation: str) -> Region | None:
        """Return the region of the expression at a place that most likely computes an operation."""
        found = self._starting.get((row, column), [])
        sign = _SIGNS.get(plain(operation))
        signed = [
            node
            for node in found
            if isinstance(node, ast.BinOp | ast.AugAssign)
            and sign is not None
            and isinstance(node.op, sign)
        ]
        calls = [node for node in found if isinstance(node, ast.Call)]
        named = [node for node in calls if plain(_last_name(node.func)) == plain(operation)]
        for nodes in (signed, named, calls, found):
            if nodes:
                return min(map(self._region, nodes), key=lambda region: region.end)
        return None

    def _region(self, node: ast.expr | ast.stmt) -> Region:
        end_row = node.end_lineno or node.lineno
        end = self._column(end_row, node.end_col_offset or 0)
        return Region((node.lineno, self._column(node.lineno, node.col_offset)), (end_row, end))

    def _column(self, row: int, offset: int) -> int:
        """Convert an offset of CPython, from 0 and in bytes."""
        line = self._lines[row - 1] if row <= len(self._lines) else ""
        if line.isascii():
            return offset + 1
        return len(line.encode()[:offset].decode(errors="replace")) + 1

    def _named(self, node: ast.AST, prefix: str) -> Iterator[tuple[Region, str]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                name = prefix + child.name
                yield self._region(child), name
                yield from self._named(child, f"{name}.<locals>.")
            elif isinstance(child, ast.ClassDef):
                yield from self._named(child, f"{prefix}{child.name}.")
            else:
                yield from self._named(child, prefix)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    return node.id if isinstance(node, ast.Name) else ""


class Sources:
    """The files of a package, below the folder that contains the package."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, File] = {}

    def file(self, name: str) -> File:
        """Return a file by its path relative to the folder, with `/`; empty if it is missing."""
        if name not in self._files:
            path = self._folder / name
            text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
            self._files[name] = File(text)
        return self._files[name]

    def part(self, file: str, function: str) -> Part:
        """Return the part of a model that a function belongs to."""
        owners = [part for part in function.split(".") if part != "<locals>"][:-1]
        for owner in owners:
            names = self._ancestry(owner)
            for part, pattern in _BY_BASE:
                if any(pattern.search(name) for name in names):
                    return part
        for text in (function, file):
            for part, pattern in _BY_NAME:
                if pattern.search(text):
                    return part
        return Part.OTHER

    def _ancestry(self, name: str) -> set[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting += self._bases.get(each, ())
        return found

    @cached_property
    def _bases(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for path in sorted(self._folder.rglob("*.py")):
            name = path.relative_to(self._folder).as_posix()
            for owner, bases in self.file(name).classes.items():
                found[owner] = (*found.get(owner, ()), *bases)
        return found
