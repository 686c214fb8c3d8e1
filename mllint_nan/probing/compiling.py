"""Compile a text with calls that inspect the operands and results of watched operations.

The operations themselves are executed in place: the exceptions that they raise, and the frames
that they see as their caller, are the same as without the probe.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final

NAME: Final = "__mllint_nan__"
"""The name of the probe, among the builtins."""
NO_SUSPECT: Final = -1
_SUSPENDING: Final = (ast.Await, ast.Yield, ast.YieldFrom)
_ARITHMETIC: Final = (
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult, ast.FloorDiv, ast.Mod
)  # fmt: skip
_FOREIGN: Final = (ast.Constant, ast.Lambda, ast.JoinedStr, ast.Starred)
"""Operands that are not numbers made by another operation."""
_WATCHED: Final[dict[str, ast.AST]] = {}
"""The compiled trees, by file name."""


@dataclass(frozen=True)
class Place:
    """A suspected expression: its number, and its place, in UTF-8 columns from 0."""

    number: int
    is_of_values: bool
    """Whether its values can break; otherwise its gradient can, and an infinity may be intended."""
    start: tuple[int, int]
    end: tuple[int, int]


@dataclass(frozen=True)
class Node:
    """A watched expression: a suspect, a part of one, or any other."""

    place: Place
    """The place of the suspect; for other expressions their own, without a number."""
    is_whole: bool
    file: str = ""
    text: str = ""
    """The source text of an expression that is no suspect."""
    is_call: bool = True


def instrumented(
    text: str,
    filename: str,
    places: Sequence[Place],
    nodes: dict[int, Node],
    *,
    is_wide: bool = False,
    keeps: bool = False,
) -> CodeType:
    """Return the code of a text whose suspected expressions, and their parts, are watched.

    `is_wide` watches all other expressions too. `keeps` watches the values that loops assign.
    Watched expressions are added to `nodes`, by number.
    """
    tree = ast.parse(text, filename)
    numbers: dict[int, int] = {}

    def add(node: ast.AST, watched: Node) -> None:
        if id(node) not in numbers:
            numbers[id(node)] = len(nodes)
            nodes[len(nodes)] = watched

    expressions = [node for node in _executed(tree) if isinstance(node, (ast.expr, ast.AugAssign))]
    found = [(_node_at(expressions, place), place) for place in places]
    for node, place in found:
        if node is not None:
            add(node, Node(place, True, filename, is_call=not isinstance(node, ast.BinOp)))
    for node, place in found:
        for part in _made_of(node):
            add(part, Node(place, False, filename, is_call=isinstance(part, ast.Call)))
    if is_wide:
        for node in expressions:
            if _computes(node):
                add(node, _bare(node, filename, text))
    kept = {}
    if keeps:
        for value in _assigned_in_loops(tree):
            kept[id(value)] = len(nodes)
            nodes[len(nodes)] = _bare(value, filename, text)
    tree = _Instrumenter(numbers, kept, frozenset(_imported(tree))).visit(tree)
    _WATCHED[filename] = ast.fix_missing_locations(tree)
    return compile(tree, filename, "exec", dont_inherit=True)


def source_watched(code: CodeType) -> str | None:
    """Return the instrumented source of a function; None if it is not watched."""
    tree = _WATCHED.get(code.co_filename)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
            if first == code.co_firstlineno:
                return ast.unparse(node)
    return None


def _bare(node: ast.expr | ast.AugAssign, filename: str, text: str) -> Node:
    start = (node.lineno, node.col_offset)
    end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    said = ast.get_source_segment(text, node) or ""
    place = Place(NO_SUSPECT, True, start, end)
    return Node(place, True, filename, said, is_call=isinstance(node, ast.Call))


class _Instrumenter(ast.NodeTransformer):
    def __init__(
        self, numbers: Mapping[int, int], kept: Mapping[int, int], imported: frozenset[str]
    ) -> None:
        self._numbers = numbers
        """By the `id` of a node."""
        self._kept = kept
        self._imported = imported

    def visit(self, node: ast.AST) -> Any:
        number, kept = self._numbers.get(id(node)), self._kept.get(id(node))
        is_suspending = number is not None and any(
            isinstance(part, _SUSPENDING) for part in ast.walk(node)
        )
        node = self.generic_visit(node)
        if isinstance(node, ast.AugAssign):
            return node if number is None else self._augmented(node, number)
        if not isinstance(node, ast.expr):
            return node
        made: ast.expr = node
        if number is not None and not _is_super(node):
            count = 0 if is_suspending else self._watch_operands(node, number)
            made = _of_probe("made", number, ast.Constant(count), node)
        if kept is not None:
            made = _of_probe("kept", kept, made)
        return ast.copy_location(made, node) if made is not node else node

    def _watch_operands(self, node: ast.expr, number: int) -> int:
        """Route the operands through the probe; returns their number."""
        count = 0

        def watched(part: ast.expr) -> ast.expr:
            nonlocal count
            if isinstance(part, _FOREIGN) or _is_super(part):
                return part
            count += 1
            return ast.copy_location(_of_probe("operand", number, part), part)

        if isinstance(node, ast.BinOp):
            node.left, node.right = watched(node.left), watched(node.right)
        elif isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute) and not self._is_of_module(function.value):
                function.value = watched(function.value)
            node.args = [watched(part) for part in node.args]
            for keyword in node.keywords:
                if keyword.arg is not None:
                    keyword.value = watched(keyword.value)
        return count

    def _is_of_module(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self._imported

    def _augmented(self, node: ast.AugAssign, number: int) -> Any:
        """Return `x /= y`, followed by a check of `x`."""
        if not isinstance(node.target, ast.Name):
            return node
        node.value = ast.copy_location(_of_probe("operand", number, node.value), node.value)
        name = ast.Name(node.target.id, ast.Load())
        look = ast.Expr(_of_probe("made", number, ast.Constant(1), name))
        return [node, ast.copy_location(look, node)]


def _executed(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes outside of annotations and patterns, where calls are not calls."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "pattern", "type_params"):
                continue
            parts = value if isinstance(value, list) else [value]
            pending += [part for part in parts if isinstance(part, ast.AST)]


def _computes(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return not _is_super(node)
    return isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, _ARITHMETIC)


def _is_super(node: ast.AST) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Name) and function.id == "super"


def _of_probe(method: str, number: int, *args: ast.expr) -> ast.Call:
    function = ast.Attribute(ast.Name(NAME, ast.Load()), method, ast.Load())
    return ast.Call(function, [ast.Constant(number), *args], [])


def _imported(tree: ast.AST) -> Iterator[str]:
    """The names that `import` statements bind to modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname or alias.name).partition(".")[0]


def _assigned_in_loops(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the results of calls and operators that loops assign: a loss is usually among them."""
    for loop in ast.walk(tree):
        if isinstance(loop, (ast.For, ast.While, ast.AsyncFor)):
            for node in ast.walk(loop):
                is_call = isinstance(getattr(node, "value", None), (ast.Call, ast.BinOp))
                if isinstance(node, (ast.Assign, ast.AnnAssign)) and is_call and node.value:
                    yield node.value


def _made_of(node: ast.AST | None) -> Iterator[ast.expr]:
    """The operations within an expression, except in bodies that run at another time."""
    pending = list(ast.iter_child_nodes(node)) if node is not None else []
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Lambda):
            continue
        if isinstance(part, ast.expr) and _computes(part):
            yield part
        pending += ast.iter_child_nodes(part)


def _node_at(
    nodes: Sequence[ast.expr | ast.AugAssign], place: Place
) -> ast.expr | ast.AugAssign | None:
    """The expression at a place, or the largest one within it: parentheses have no node."""
    inside = [
        node
        for node in nodes
        if isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        and place.start <= (node.lineno, node.col_offset)
        and (node.end_lineno or 0, node.end_col_offset or 0) <= place.end
    ]
    if not inside:
        return None
    return max(inside, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0,
                                        -one.lineno, -one.col_offset))  # fmt: skip
