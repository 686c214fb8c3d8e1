"""How a function's result depends on its parameters, for what differentiates the function.

A value that the function closes over carries no derivative; a function that it closes over does, if
it is called with something that depends on the parameters.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from mllint_nan.frameworks.differentiation import OTHER_TRANSFORMS, TRANSFORMS
from mllint_nan.syntax.traversal import children, name_called, names_in
from mllint_nan.syntax.value_flow_calls import WITHOUT_GRADIENTS, decorator_names, is_unpacking
from mllint_nan.training import FIRST, REST

OF_FUNCTIONS: Final = TRANSFORMS | OTHER_TRANSFORMS
"""Calls that differentiate a function that is passed to them."""
STEPPED: Final = frozenset(("value_and_grad", "filter_value_and_grad"))
"""Such calls whose gradients update parameters, and are not differentiated again."""
_PASSES: Final = 3
"""The most passes over a function's statements, as loop-carried values are known late."""
_Nodes = frozenset[tuple[str, int]]
_NONE: Final[_Nodes] = frozenset()
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def transformed_in(body: Iterable[ast.AST]) -> frozenset[str]:
    """The names of functions that are passed to calls that differentiate functions."""
    calls = (one for part in body for one in ast.walk(part) if isinstance(one, ast.Call))
    return frozenset(
        one.args[0].id
        for one in calls
        if one.args and isinstance(one.args[0], ast.Name) and name_called(one) in OF_FUNCTIONS
    )


def functions_in(body: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names of all functions that are defined there."""
    for part in body:
        for one in ast.walk(part):
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield one.name


class Dependence:
    """Which variables of a function depend on its parameters, and through which nodes."""

    def __init__(
        self,
        outer: Callable[[ast.expr], _Nodes],
        is_variable: Callable[[str], bool],
        ends: Callable[[ast.Call], bool],
        part_of: Callable[[_Nodes, str], _Nodes],
    ) -> None:
        """`outer` returns the nodes of an expression in the scope around the function.

        `is_variable` tells which names are variables there, and no functions; `ends`, through which
        calls no gradient passes. `part_of` restricts nodes to one part of their values.
        """
        self._outer = outer
        self._part_of = part_of
        self._ends = ends
        self._is_variable = is_variable
        self._made: dict[str, _Nodes] = {}
        self._is_first_alone = False

    def of(self, function: Function, is_first_alone: bool = False) -> _Nodes:
        """The nodes that the function's result depends on, or only the first of several results."""
        self._is_first_alone = is_first_alone
        self._made = {}
        return self._result(function, self._made)

    def given(self, value: ast.expr) -> _Nodes:
        """The nodes that an expression in that function depends on."""
        return self.nodes(value, self._made)

    def _result(self, function: Function, made: dict[str, _Nodes]) -> _Nodes:
        made.update(dict.fromkeys(_parameters(function), _NONE))
        if isinstance(function, ast.Lambda):
            return self.nodes(function.body, made)
        statements = list(_statements(function))
        for _ in range(_PASSES):
            before = dict(made)
            for statement in statements:
                self.statement(statement, made)
            if made == before:
                break
        found = _NONE
        for one in statements:
            if isinstance(one, ast.Return) and one.value is not None:
                found |= self.nodes(self._returned(one.value, made), made)
        return found

    def _returned(self, value: ast.expr, made: dict[str, _Nodes]) -> ast.expr:
        is_first_alone = self._is_first_alone and made is self._made
        if is_first_alone and isinstance(value, ast.Tuple) and value.elts:
            return value.elts[0]
        return value

    def statement(self, node: ast.stmt, made: dict[str, _Nodes]) -> None:
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                if self.depends(node, made):
                    is_cut = bool(decorator_names(node) & WITHOUT_GRADIENTS)
                    made[name] = _NONE if is_cut else self._result(node, dict(made))
            case ast.Assign(targets, value):
                for target in targets:
                    self.assign(target, value, made)
            case ast.AugAssign(target, _, value):
                self.assign(target, value, made)
            case ast.AnnAssign(target, _, value) if value is not None:
                self.assign(target, value, made)
            case ast.For(target, iterated) | ast.AsyncFor(target, iterated):
                self.assign(target, iterated, made)
            case ast.With(items) | ast.AsyncWith(items):
                for item in items:
                    if item.optional_vars is not None:
                        self.assign(item.optional_vars, item.context_expr, made)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name()) as method) as call):
                for value in (*call.args, *(keyword.value for keyword in call.keywords)):
                    self.assign(method.value, value, made)  # its content may have changed

    def assign(self, target: ast.expr, value: ast.expr, made: dict[str, _Nodes]) -> None:
        if not self.depends(value, made):
            return
        nodes = self.nodes(value, made)
        if isinstance(value, ast.Call) and is_unpacking(target):
            callee = frozenset() if self.depends(value.func, made) else self._outer(value.func)
            for place, element in enumerate(target.elts):
                part = self._part_of(callee & nodes, REST if place else FIRST)
                self._bind(element, (nodes - callee) | part, made)
        else:
            self._bind(target, nodes, made)

    def _bind(self, target: ast.expr, nodes: _Nodes, made: dict[str, _Nodes]) -> None:
        inner = target
        while isinstance(inner, (ast.Subscript, ast.Attribute, ast.Starred)):
            inner = inner.value
        for name in names_in(inner):
            made[name] = made.get(name, _NONE) | nodes

    def depends(self, node: ast.AST, made: dict[str, _Nodes]) -> bool:
        return any(isinstance(one, ast.Name) and one.id in made for one in ast.walk(node))

    def nodes(self, node: ast.expr, made: dict[str, _Nodes]) -> _Nodes:
        """The nodes that an expression is made of, if it depends on the parameters."""
        if not self.depends(node, made):
            return _NONE
        match node:
            case ast.Name(name):
                return made[name]
            case ast.Compare() | ast.Attribute(_, "shape" | "dtype" | "ndim" | "device"):
                return _NONE
            case ast.IfExp(_, body, orelse):
                return self.nodes(body, made) | self.nodes(orelse, made)
            case ast.Lambda():
                return self._result(node, dict(made))
            case ast.Call():
                return self.call(node, made)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                inner = dict(made)
                for generator in node.generators:
                    self.assign(generator.target, generator.iter, inner)
                return self.parts(node, inner)
            case _:
                return self.parts(node, made)

    def parts(self, node: ast.AST, made: dict[str, _Nodes]) -> _Nodes:
        found = _NONE
        for child in children(node):
            if isinstance(child, ast.expr):
                found |= self.nodes(child, made)
            else:
                found |= self.parts(child, made)
        return found

    def call(self, node: ast.Call, made: dict[str, _Nodes]) -> _Nodes:
        if self._ends(node):
            return _NONE
        if not self.depends(node.func, made):
            found = self._outer(node.func)
        else:
            found = self.nodes(node.func, made)
            if isinstance(node.func, ast.Attribute):  # a method, perhaps of a visible class
                found |= {(f".{node.func.attr}", node.lineno)}
        for value in (*node.args, *(keyword.value for keyword in node.keywords)):
            if self.depends(value, made):
                found |= self.nodes(value, made)
            elif not self._is_value(value):
                found |= self._outer(value)
        return found

    def _is_value(self, node: ast.expr) -> bool:
        """Whether it is a variable or a part of one, and no function to call with other values."""
        while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            node = node.value
        if isinstance(node, ast.Name):
            return self._is_variable(node.id)
        return not isinstance(node, (ast.Call, ast.Lambda))


def _parameters(function: Function) -> Iterator[str]:
    given = function.args
    yield from (one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs))
    yield from (one.arg for one in (given.vararg, given.kwarg) if one is not None)


def _statements(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.stmt]:
    """Yield its own statements, in order, without those of functions in it."""
    pending: list[ast.AST] = function.body[::-1]  # type: ignore[assignment]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            pending += [*ast.iter_child_nodes(node)][::-1]
