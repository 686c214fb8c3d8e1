"""The definitions within one function, class body or module, which have variables of their own."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from mllint_nan.frameworks.differentiation import DIFFERENTIATES
from mllint_nan.syntax.traversal import defaults_of, parameters_of, statements_below
from mllint_nan.syntax.value_flow_calls import (
    WITHOUT_GRADIENTS,
    decorator_name,
    decorator_names,
    names_of_others,
)
from mllint_nan.syntax.value_flow_closures import (
    OF_FUNCTIONS,
    Dependence,
    functions_in,
    transformed_in,
)
from mllint_nan.syntax.value_flow_edges import AS_FUNCTION, CALLED, Definition
from mllint_nan.syntax.value_flow_variables import Nodes, Variables


class Definitions(Variables):
    """Reads the functions and classes that a body defines."""

    def run(self, body: Sequence[ast.stmt]) -> None:
        raise NotImplementedError

    def statement(self, node: ast.stmt) -> None:
        raise NotImplementedError

    def nodes(self, node: ast.expr) -> Nodes:
        raise NotImplementedError

    def differentiated(self, first: ast.expr, call: ast.expr, row: int) -> None:
        raise NotImplementedError

    def dependence(self) -> Dependence:
        raise NotImplementedError

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = decorator_names(node)
        parameters = parameters_of(node)
        defaults = {name: self.nodes(default) for name, default in defaults_of(node.args)}
        if not self.is_module and not self.is_class:
            self.nested(node, node.body, parameters, defaults)
            return
        name = f"{self.name}.{node.name}" if self.name else node.name
        self.found.definitions[name] = Definition(
            name, node.lineno, tuple(parameters), decorators=self.decorators_of(node)
        )
        inner = type(self)(self.found, self.stores, name, self.own, self.owner, parameters)
        inner.is_cut = bool(decorators & WITHOUT_GRADIENTS)
        inner.give_defaults(self.kept_defaults(defaults, inner.path))
        path = inner.path
        if decorators & DIFFERENTIATES:
            self.found.add(path, AS_FUNCTION, node.lineno)
        if self.owner and node.name in CALLED:
            self.found.add(path, f"{self.found.module}.{self.owner}", node.lineno)
        if self.found.later is None:
            inner.locals.update(self.stores.of(node))
            inner.run(node.body)
        else:
            self.found.later(inner, node)

    def nested(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        body: list[ast.stmt],
        parameters: list[str],
        defaults: Mapping[str, Nodes],
    ) -> None:
        """Read a nested function, which is a variable made of what it returns."""
        decorators, outer, before = decorator_names(node), self.is_cut, self._derived
        if self._transformed is None:
            self._transformed = transformed_in(self._body)
            self._functions = frozenset(functions_in(self._body))
        variables = self._variables
        bound = self.stores.of(node).union(parameters) - names_of_others(node)
        self._variables = {**variables, **{name: f"{name}@{node.lineno}" for name in bound}}
        for name, nodes in defaults.items():
            self.make_of(name, nodes)
        if node.name in self._transformed or decorators & OF_FUNCTIONS:
            self._derived = self.dependence()
            self._derived.of(node)
        self.is_cut = outer or bool(decorators & WITHOUT_GRADIENTS)
        self.locals.update((node.name, *parameters))
        below = (inner for statement in body for inner in statements_below(statement))
        ends = [one.value for one in below if isinstance(one, ast.Return) and one.value is not None]
        returned = [self.nodes(value) for value in ends]
        own = variables.get(node.name, node.name)
        self.made.setdefault(own, []).extend([] if self.is_cut else returned)
        self.locals.update(self.stores.of(node))
        for statement in body:
            if not isinstance(statement, ast.Return):
                self.statement(statement)
        self.is_cut, self._derived = outer, before
        self._inner[node.name] = (node, self._variables)
        self._variables = variables
        for decorator in node.decorator_list:
            if decorator_name(decorator) in DIFFERENTIATES:
                named = ast.copy_location(ast.Name(node.name, ast.Load()), node)
                self.differentiated(named, decorator, node.lineno)

    def class_(self, node: ast.ClassDef) -> None:
        if not self.is_module:
            return
        name = node.name
        bases = tuple(filter(None, map(self.path_of, node.bases)))
        self.found.definitions[name] = Definition(
            name, node.lineno, bases=bases, is_class=True, decorators=self.decorators_of(node)
        )
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        methods = tuple(one.name for one in node.body if isinstance(one, functions))
        self.found.methods[name] = methods
        inner = type(self)(self.found, self.stores, name, self.own, name)
        inner._unread = node.body
        inner.run(node.body)
