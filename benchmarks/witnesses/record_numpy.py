"""Record where NumPy programs leave the finite numbers: only values.

NumPy itself reports each division by 0, overflow and invalid operation (`numpy.seterrcall`), in the
frame that calls it. What the program silences (`with np.errstate(divide="ignore")`) is known to its
author, and not recorded. An origin does not count either

- - inside an argument of `where`, `clip` or another function that replaces numbers;
- - if an operand that can be read from the frame is not finite already;
- - in a call of a test whose result is finite (it is passed to `take_gradients`).
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from .events import Event, Sink, frames
from .sites import Site, Sites
from .witness import Effect

_REPLACING = frozenset(
    ("where", "select", "nan_to_num", "clip", "minimum", "maximum", "fmin", "fmax", "nanmean")
)
_READABLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load, ast.Slice, ast.UnaryOp)
_READABLE_OPERATORS = (ast.USub, ast.UAdd, ast.Tuple)


class NumPyRecorder:
    """`with NumPyRecorder(roots, sink): program()`."""

    def __init__(self, roots: Sequence[Path], sink: Sink) -> None:
        self._sites = Sites(roots)
        self._sink = sink
        self._told: set[Event] = set()
        self._pending: list[Event] = []
        self._stack = ExitStack()

    def __enter__(self) -> NumPyRecorder:
        self._stack.enter_context(
            np.errstate(divide="call", over="call", invalid="call", call=self._reported)
        )
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()
        self._count()

    def enter_call(self, frame: FrameType) -> None:
        """Record the start of a call whose result will be passed on."""
        self._count()

    def take_gradients(self, result: object) -> None:
        """Count what was seen in the call, unless its result is finite."""
        numbers = [
            leaf
            for leaf in _leaves(result)
            if isinstance(leaf, (np.ndarray, np.generic, float))
            and np.asarray(leaf).dtype.kind in "fc"
        ]
        if numbers and all(np.isfinite(leaf).all() for leaf in numbers):
            self._pending.clear()
        self._count()

    def _reported(self, kind: str, flag: int) -> None:
        caller = sys._getframe(1)
        site = self._sites.of_stack(caller)
        if site is None:
            return
        frame = next((each for each in frames(caller) if id(each) == site.frame), None)
        if frame is None or _is_replaced(frame.f_code.co_filename, site):
            return
        if any(not _is_finite(operand) for operand in _operands(frame, site)):
            return
        position = site.position
        event = Event(
            position.file,
            position.line,
            position.column,
            position.function,
            site.spelled or kind.split()[0],
            Effect.VALUE,
        )
        if event not in self._told:
            self._pending.append(event)

    def _count(self) -> None:
        for event in self._pending:
            if event not in self._told:
                self._told.add(event)
                self._sink(event)
        self._pending.clear()


Recorder = NumPyRecorder


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, (list, tuple)):
        for part in tree:
            yield from _leaves(part)
    elif isinstance(tree, dict):
        for part in tree.values():
            yield from _leaves(part)
    else:
        yield tree


def _is_finite(operand: Any) -> bool:
    try:
        return bool(np.isfinite(operand).all())
    except TypeError:
        return True


def _operands(frame: FrameType, site: Site) -> Iterator[Any]:
    """Yield the operands of a site's operation that can be read without computing anything."""
    expression = _at(frame.f_code.co_filename, site.position.line, site.position.column)
    match expression:
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.AugAssign(target=target, value=value):
            parts = [target, value]
        case ast.Call(args=arguments):
            parts = arguments
        case _:
            return
    for part in parts:
        if all(isinstance(node, (*_READABLE, *_READABLE_OPERATORS)) for node in ast.walk(part)):
            text = ast.unparse(part)
            try:
                yield eval(text, frame.f_globals, dict(frame.f_locals))
            except Exception:  # a name that is not bound yet
                continue


def _is_replaced(file: str, site: Site) -> bool:
    """Whether an expression around the site replaces non-finite numbers."""
    inner = _at(file, site.position.line, site.position.column)
    outer = _parents(file).get(inner) if inner is not None else None
    while isinstance(outer, ast.expr):
        match outer:
            case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
                if name in _REPLACING:
                    return True
        outer = _parents(file).get(outer)
    return False


def _at(file: str, line: int, column: int) -> ast.AST | None:
    """Return the outermost operation that starts at a place; a method call starts at its object."""
    return _expressions(file).get((line, column))


@functools.lru_cache(maxsize=64)
def _expressions(file: str) -> dict[tuple[int, int], ast.AST]:
    found: dict[tuple[int, int], ast.AST] = {}
    text = Path(file).read_text(encoding="utf-8").splitlines()
    for node in _parents(file):
        if isinstance(node, (ast.BinOp, ast.Call, ast.AugAssign)):
            before = text[node.lineno - 1].encode()[: node.col_offset]
            found.setdefault((node.lineno, len(before.decode()) + 1), node)
    return found


@functools.lru_cache(maxsize=64)
def _parents(file: str) -> dict[ast.AST, ast.AST]:
    tree = ast.parse(Path(file).read_bytes())
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
