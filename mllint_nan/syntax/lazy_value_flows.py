"""Where the values of a module's definitions go: one part of the value-flow graph of a project.

The graph is flow-insensitive within a function, as in the field's sparse value-flow analyses: a
variable stands for everything that is assigned to it. Its nodes are qualified names: of
definitions, of the variables of a module (`train.criterion`), of attributes (`model.Net.head`) and
of parameters (`losses.dice(weight)`, or `losses.dice(0)` by position).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard

from mllint_nan.frameworks.differentiation import any_of
from mllint_nan.syntax.decoding import tree_of
from mllint_nan.syntax.symbol_table import tree_of_other
from mllint_nan.syntax.traversal import Stores, bound_by, parameters_of, statements_below
from mllint_nan.syntax.value_flow_calls import GETS, OF_CONTAINERS, looks_up_own
from mllint_nan.syntax.value_flow_definitions import Definitions
from mllint_nan.syntax.value_flow_edges import Edge, ValueFlows, last_name
from mllint_nan.syntax.value_flow_variables import Nodes
from mllint_nan.syntax.value_flows import Body

_ROW_END: Final = re.compile("\n")
_OF_CONTAINER: Final = re.compile(rf"\.({any_of(OF_CONTAINERS)}\b|{any_of(GETS)}\(\s*[^\s)])")


def value_flows(tree: ast.Module, module: str, is_package: bool = False) -> ValueFlows:
    """What a module with this qualified name adds to the graph."""
    found, own = _begun(tree, module, is_package)
    body = Body(found, Stores(), "", own)
    body.is_module = True
    body.run(tree.body)
    return found


@dataclass(frozen=True, slots=True)
class _Unread:
    """A function whose body is read once a name that occurs in it is asked for."""

    name: str
    owner: str
    parameters: tuple[str, ...]
    row: int
    start: int
    end: int
    """Its place in the text, in whole rows."""
    is_cut: bool
    defaults: Mapping[str, Nodes]


class LazyFlows:
    """What a module adds to the graph; its functions are read only when they are needed."""

    def __init__(self, text: str, module: str, is_package: bool = False) -> None:
        """Raises ValueError if the text is not Python."""
        self.module = module
        self._text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
        tree = tree_of_other(self._text)
        if tree is None:
            raise ValueError("not Python")
        self._starts = (0, *(end.end() for end in _ROW_END.finditer(self._text)))
        self._unread: list[_Unread | None] = []
        self._edges: list[dict[str, dict[tuple[str, str], Edge]]] = []
        """The edges of what precedes each function, then of the function; last, of what follows."""
        self._found, own = _begun(tree, module, is_package)
        self._own = own
        self._found.later = self._noted
        body = Body(self._found, Stores(), "", own)
        body.is_module = True
        body.run(tree.body)
        self._found.later = None
        self._edges.append(self._found.edges)
        self.imports = self._found.imports
        self.stars = self._found.stars
        self.definitions = self._found.definitions

    def has(self, name: str) -> bool:
        """Whether others may import a name from it, which may be its own or another module's."""
        return name in self._own or name in self.imports

    def edges(self, name: str, *, of_objects: bool = True) -> Iterator[Edge]:
        """Yield the edges from nodes with this last name, in order.

        Without `of_objects`, edges from attributes of unknown objects, such as `.fit`, may be
        missing.
        """
        words = [name, *(one for one, path in self.imports.items() if last_name(path) == name)]
        for number, edges in enumerate(self._edges):
            place, is_between = divmod(number, 2)
            unread = None if not is_between else self._unread[place]
            if unread is not None and (
                any(self._stands(word, unread, alone=not of_objects) for word in words)
                or self._may_look_up(unread, name)
            ):
                self._edges[number] = edges = self._read(unread)
                self._unread[place] = None
            yield from edges.get(name, {}).values()

    def _may_look_up(self, unread: _Unread, name: str) -> bool:
        """Whether an unread method may get another one of its class by a computed name."""
        if name not in self._found.methods.get(unread.owner, ()):
            return False
        return looks_up_own(self._text[unread.start : unread.end])

    def _stands(self, word: str, unread: _Unread, *, alone: bool) -> bool:
        """Whether a name occurs in an unread function, and not only within a longer one.

        With `alone`, it must not be followed by an attribute, which has a node of its own, unless
        that gives what a container holds.
        """
        ends_chain = alone and not self.stars
        if not word:  # the name of a module itself
            return True
        start = self._text.find(word, unread.start, unread.end)
        while start >= 0:
            end = start + len(word)
            before, after = self._text[start - 1 : start], self._text[end : end + 1]
            is_longer = ends_chain and after == "." and not _OF_CONTAINER.match(self._text, end)
            if not (_continues(before) or _continues(after) or is_longer):
                return True
            start = self._text.find(word, end, unread.end)
        return False

    def _noted(self, body: Definitions, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        first = next(iter(node.decorator_list), node).lineno
        start, end = (
            self._starts[first - 1],
            self._starts[min(node.end_lineno or 0, len(self._starts) - 1)],
        )
        if node.end_lineno == len(self._starts):
            end = len(self._text)
        parameters = tuple(parameters_of(node))
        one = _Unread(
            body.name, body.owner, parameters, first, start, end, body.is_cut, body.defaults
        )
        self._unread.append(one)
        self._edges += (self._found.edges, {})
        self._found.edges = {}

    def _read(self, unread: _Unread) -> dict[str, dict[tuple[str, str], Edge]]:
        found = ValueFlows(self.module, self.imports, self.stars, self.definitions)
        found.methods = self._found.methods
        node = self._node(unread)
        if node is not None:
            stores = Stores()
            body = Body(found, stores, unread.name, self._own, unread.owner, unread.parameters)
            body.locals.update(stores.of(node))
            body.is_cut = unread.is_cut
            body.give_defaults(unread.defaults)
            body.run(node.body)
        return found.edges

    def _node(self, unread: _Unread) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function, parsed anew: trees are large, and few are needed."""
        text = self._text[unread.start : unread.end]
        above = unread.row - 1
        if text[:1].isspace():
            text, above = f"if 1:\n{text}", above - 1
        tree = tree_of("\n" * above + text)
        body = tree.body if tree is not None else []
        if len(body) == 1 and isinstance(body[0], ast.If):
            body = body[0].body
        if len(body) == 1 and _is_same(body[0], unread):
            return body[0]
        tree = tree_of(self._text)
        nodes = statements_below(tree) if tree is not None else ()
        return next((node for node in nodes if _is_same(node, unread)), None)


def _continues(character: str) -> bool:
    """Whether a character, if there is one, continues a name."""
    return character.isalnum() or character == "_"


def _is_same(node: ast.AST, unread: _Unread) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    first = next(iter(node.decorator_list), node).lineno
    return first == unread.row and unread.name.rpartition(".")[2] == node.name


def _begun(tree: ast.Module, module: str, is_package: bool) -> tuple[ValueFlows, set[str]]:
    """What a module imports, and the names that it binds at its top level."""
    found = ValueFlows(module)
    package = module if is_package else module.rpartition(".")[0]
    for node in statements_below(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.imports.update(_imported(node, package))
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            found.stars += (_home(node, package),)
    return found, {name for statement in tree.body for name in bound_by(statement)}


def _imported(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                yield alias.asname, alias.name
            else:
                first = alias.name.partition(".")[0]
                yield first, first
        return
    home = _home(node, package)
    for alias in node.names:
        if alias.name != "*":
            yield alias.asname or alias.name, f"{home}.{alias.name}" if home else alias.name


def _home(node: ast.ImportFrom, package: str) -> str:
    """The module from which names are imported."""
    home = node.module or ""
    if not node.level:
        return home
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - node.level + 1]
    return ".".join((*kept, home) if home else kept)
