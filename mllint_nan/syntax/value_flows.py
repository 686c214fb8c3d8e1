"""The edges of one function, class body or module, read statement by statement.

A variable stands for all that is assigned to it; it is resolved once, at the end of the body.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeGuard

from mllint_nan.frameworks.differentiation import BACKWARD, DIFFERENTIATES, FITS
from mllint_nan.frameworks.members import TENSOR_MEMBERS
from mllint_nan.syntax.traversal import (
    BLOCKS,
    Stores,
    children,
    name_called,
    names_in,
    parameters_of,
    statements_below,
)
from mllint_nan.syntax.value_flow_calls import (
    HOOKS,
    LOOKS,
    LOSSES,
    NUMBERS,
    OF_LIBRARIES,
    PLAIN,
    PREPARES,
    RANKS,
    UNTRACED,
    WITHOUT_GRADIENTS,
    cuts,
    decorator_names,
    first_called,
    is_fetched,
)
from mllint_nan.syntax.value_flow_edges import (
    CALLED,
    DIFFERENTIATED,
    DROPPED,
    OPEN,
    Definition,
    ValueFlows,
)

_COLLECTS: Final = frozenset(("append", "extend", "add", "insert", "update", "put"))
_BINDINGS_MOST: Final = 4_000
"""Of one function; of more, nothing is known."""
_Nodes = frozenset[tuple[str, int]]
"""Variables and nodes with the rows at which they are named."""


class Body:
    """One function, class body or module: what its variables are made of, and where they go."""

    def __init__(
        self,
        found: ValueFlows,
        stores: Stores,
        name: str,
        own: set[str],
        owner: str = "",
        parameters: Iterable[str] = (),
    ) -> None:
        self.found = found
        self.stores = stores
        self.name = name
        """Within the module: `Trainer.step`; empty for the module itself."""
        self.own = own
        """What the module binds at its top level."""
        self.owner = owner
        """The class whose `self` is seen."""
        self.is_module = False
        self.is_cut = False
        """Whether no gradient passes through what is being read."""
        self.made: dict[str, list[_Nodes]] = {}
        """By variable: all that it is made of."""
        self.sinks: list[tuple[str, _Nodes, int]] = []
        self.named: dict[tuple[str, int], None] = {}
        """Every node that is named in it, with its row."""
        self._locals: set[str] = set(parameters)
        self._unread: Sequence[ast.stmt] = ()
        """Statements whose names are local, too, once any is asked for."""
        for parameter in parameters:
            if not (owner and parameter in ("self", "cls")):
                self.made[parameter] = [frozenset(((f"{self.path}({parameter})", 0),))]

    @property
    def locals(self) -> set[str]:
        if self._unread:
            self._locals |= self.stores.within(self._unread)
            self._unread = ()
        return self._locals

    @property
    def path(self) -> str:
        return f"{self.found.module}.{self.name}" if self.name else self.found.module

    def run(self, body: Iterable[ast.stmt]) -> None:
        """Read the statements, and add the edges that they make."""
        for statement in body:
            self.statement(statement)
        self.settle()

    def settle(self) -> None:
        """Follow the variables from where values end back to what they are made of."""
        if sum(map(len, self.made.values())) > _BINDINGS_MOST:
            return
        reached: set[tuple[str, int]] = set()
        known: dict[_Nodes, list[tuple[str, int]]] = {}
        for target, nodes, row in self.sinks:
            sources = known.get(nodes)
            if sources is None:
                sources = known[nodes] = self.sources(nodes)
            for source, at in sources:
                if source != target:
                    self.found.add(source, target, at or row)
            if "(" not in target:  # it may be of a function that is not seen
                reached.update(one for one in sources if one[0] != target)
        for source, at in self.named:
            if (source, at) not in reached and not source.startswith("$"):
                self.found.add(source, DROPPED, at)

    def sources(self, nodes: _Nodes) -> list[tuple[str, int]]:
        """The nodes that variables are made of, however far back."""
        pending, seen = list(nodes), set(nodes)
        found = []
        while pending:
            node = pending.pop()
            if not node[0].startswith("$"):
                found.append(node)
                continue
            for inner in self.made.get(node[0][1:], ()):
                pending += inner - seen
                seen |= inner
        return found

    # Statements

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node)
            case ast.ClassDef():
                self.class_(node)
            case ast.Return(value) if value is not None:
                self.end(self.returned, value)
            case ast.Assign(targets, value):
                made = self.nodes(value)
                for target in targets:
                    if self.gives_places(value) and _is_pair(target):
                        self.assign(target.elts[0], made, node.lineno)
                        self.assign(target.elts[1], frozenset(), node.lineno)
                    else:
                        self.assign(target, made, node.lineno)
            case ast.AnnAssign(target, _, value) if value is not None:
                self.assign(target, self.nodes(value), node.lineno)
            case ast.AugAssign(target, _, value):
                self.assign(target, self.nodes(value), node.lineno)
            case ast.Expr(value):
                self.alone(value)
            case ast.For(target, iterated) | ast.AsyncFor(target, iterated):
                self.assign(target, self.nodes(iterated), node.lineno)
                self.blocks(node)
            case ast.With(items) | ast.AsyncWith(items):
                self.with_(node, items)
            case ast.If(test) | ast.While(test):
                self.nodes(test)
                self.blocks(node)
            case ast.Assert(test):
                self.nodes(test)
            case _:
                self.parts(node)
                self.blocks(node)

    @property
    def returned(self) -> str:
        """The node of what it gives."""
        function = self.name.rpartition(".")[2]
        return DIFFERENTIATED if self.owner and function in HOOKS else self.path

    def blocks(self, node: ast.AST) -> None:
        for name in BLOCKS[node.__class__]:
            for child in getattr(node, name):
                if isinstance(child, ast.stmt):
                    self.statement(child)
                else:  # a handler of exceptions, a case
                    for inner in child.body:
                        self.statement(inner)

    def with_(self, node: ast.With | ast.AsyncWith, items: list[ast.withitem]) -> None:
        outer = self.is_cut
        for item in items:
            entered = self.nodes(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, entered, node.lineno)
            self.is_cut = self.is_cut or name_called(item.context_expr) in WITHOUT_GRADIENTS
        for statement in node.body:
            self.statement(statement)
        self.is_cut = outer

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = decorator_names(node)
        parameters = parameters_of(node)
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.nodes(default)
        if not self.is_module and not self.is_class:
            self.nested(node, node.body, parameters)
            return
        name = f"{self.name}.{node.name}" if self.name else node.name
        self.found.definitions[name] = Definition(
            name, node.lineno, tuple(parameters), decorators=self.decorators_of(node)
        )
        inner = Body(self.found, self.stores, name, self.own, self.owner, parameters)
        inner.is_cut = bool(decorators & WITHOUT_GRADIENTS)
        path = f"{self.found.module}.{name}"
        if decorators & DIFFERENTIATES:
            self.found.add(path, DIFFERENTIATED, node.lineno)
        if self.owner and node.name in CALLED:
            self.found.add(path, f"{self.found.module}.{self.owner}", node.lineno)
        if self.found.later is None:
            inner.locals.update(self.stores.of(node))
            inner.run(node.body)
        else:
            self.found.later(inner, node)

    @property
    def is_class(self) -> bool:
        return bool(self.owner) and self.name == self.owner

    def nested(self, node: ast.AST, body: list[ast.stmt], parameters: list[str]) -> None:
        """A function within a function is a variable that is made of what it returns."""
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        decorators, outer = decorator_names(node), self.is_cut
        self.is_cut = outer or bool(decorators & WITHOUT_GRADIENTS)
        self.locals.update((node.name, *parameters))
        below = (inner for statement in body for inner in statements_below(statement))
        ends = [one.value for one in below if isinstance(one, ast.Return) and one.value is not None]
        returned = [self.nodes(value) for value in ends]
        self.made.setdefault(node.name, []).extend([] if self.is_cut else returned)
        self.locals.update(self.stores.of(node))
        for statement in body:
            if not isinstance(statement, ast.Return):
                self.statement(statement)
        self.is_cut = outer
        if decorators & DIFFERENTIATES:
            self.sinks.append((DIFFERENTIATED, frozenset(((f"${node.name}", 0),)), node.lineno))

    def class_(self, node: ast.ClassDef) -> None:
        if not self.is_module:
            return
        name = node.name
        bases = tuple(filter(None, map(self.path_of, node.bases)))
        self.found.definitions[name] = Definition(
            name, node.lineno, bases=bases, is_class=True, decorators=self.decorators_of(node)
        )
        inner = Body(self.found, self.stores, name, self.own, name)
        inner._unread = node.body
        inner.run(node.body)

    def decorators_of(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    ) -> tuple[str, ...]:
        called = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
        return tuple(filter(None, map(self.path_of, called)))

    def alone(self, value: ast.expr) -> None:
        """An expression of which nothing is kept."""
        if isinstance(value, (ast.Yield, ast.YieldFrom, ast.Await)):
            if value.value is not None:
                self.end(self.returned, value.value)
            return
        if isinstance(value, ast.Call):
            name = name_called(value)
            arguments = [*value.args, *(keyword.value for keyword in value.keywords)]
            receiver = value.func.value if isinstance(value.func, ast.Attribute) else None
            is_written = name in _COLLECTS or (name.endswith("_") and name in TENSOR_MEMBERS)
            if is_written and receiver is not None:
                made = frozenset().union(*map(self.nodes, arguments)) if arguments else frozenset()
                self.assign(receiver, made, value.lineno)
                return
            given = self.nodes(value)
            is_local = isinstance(value.func, ast.Name) and value.func.id in self.made
            is_seen = name in LOOKS or name in DIFFERENTIATES or self.path_of(value.func)
            if not is_seen and not is_local and not self.is_cut:
                own = {(f".{name}", value.func.lineno)}  # what the call gives is dropped
                self.sinks.append((OPEN, given - own, value.lineno))
            return
        self.nodes(value)

    def end(self, target: str, value: ast.expr) -> None:
        """The value ends there, unless no gradient passes."""
        nodes = self.nodes(value)
        if not self.is_cut:
            self.sinks.append((target, nodes, value.lineno))

    def assign(self, target: ast.expr, made: _Nodes, row: int) -> None:
        if self.is_cut:
            made = frozenset()
        match target:
            case ast.Name(name):
                if self.is_module or (name not in self.locals and name in self.own):
                    self.sinks.append((f"{self.found.module}.{name}", made, row))
                if self.is_class:
                    self.sinks.append((f"{self.path}.{name}", made, row))
                self.made.setdefault(name, []).append(made)
            case ast.Tuple(elements) | ast.List(elements):
                for element in elements:
                    self.assign(element, made, row)
            case ast.Starred(value) | ast.Subscript(value):
                self.assign(value, made, row)
            case ast.Attribute(ast.Name("self"), attribute) if self.owner:
                node = f"{self.found.module}.{self.owner}.{attribute}"
                self.sinks.append((node, made, row))
            case ast.Attribute(value) | ast.Call(ast.Attribute(value)):
                self.assign(value, made, row)
            case _:
                self.sinks.append((OPEN, made, row))

    # Expressions

    def nodes(self, node: ast.expr) -> _Nodes:
        """The variables and nodes whose values go into an expression."""
        read = _READ_OFTEN.get(node.__class__)
        return self.rare(node) if read is None else read(self, node)

    def nothing(self, node: ast.expr) -> _Nodes:
        return frozenset()

    def name_read(self, node: ast.Name) -> _Nodes:
        return self.name_node(node.id, node.lineno)

    def parts(self, node: ast.AST) -> _Nodes:
        """What goes into the expressions directly in a node."""
        found: frozenset[tuple[str, int]] = frozenset()
        for child in children(node):
            if isinstance(child, ast.expr):
                found |= self.nodes(child)
        return found

    def rare(self, node: ast.expr) -> _Nodes:
        match node:
            case ast.Compare():
                for part in (node.left, *node.comparators):
                    self.nodes(part)
                return frozenset()
            case ast.Subscript(value, ast.Constant(1)) if self.gives_places(value):
                self.nodes(value)
                return frozenset()
            case ast.Lambda(arguments, body):
                self.locals.update(one.arg for one in arguments.args)
                return self.nodes(body)
            case ast.NamedExpr(target, value):
                made = self.nodes(value)
                self.assign(target, made, node.lineno)
                return made
            case ast.IfExp(test, body, orelse):
                self.nodes(test)
                return self.nodes(body) | self.nodes(orelse)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self.comprehension(node)
            case _:
                return self.parts(node)

    def comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> _Nodes:
        found: frozenset[tuple[str, int]] = frozenset()
        for generator in node.generators:
            iterated = self.nodes(generator.iter)
            found |= iterated
            self.locals.update(names_in(generator.target))
            self.assign(generator.target, iterated, node.lineno)
        parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        return found.union(*map(self.nodes, parts))

    def name_node(self, name: str, row: int) -> _Nodes:
        if name in self.locals or (self.is_module and name in self.made):
            return frozenset(((f"${name}", row),))
        path = self.qualified(name)
        return self.noted(path, row) if path else frozenset()

    def noted(self, path: str, row: int) -> _Nodes:
        self.named[path, row] = None
        return frozenset(((path, row),))

    def qualified(self, name: str) -> str:
        if name in self.found.imports:
            return self.found.imports[name]
        return f"{self.found.module}.{name}" if name in self.own else self.found.starred(name)

    def path_of(self, node: ast.expr) -> str:
        """The qualified name of a dotted chain, else an empty string."""
        match node:
            case ast.Name(name):
                return "" if name in self.locals else self.qualified(name)
            case ast.Attribute(ast.Name("self"), attribute) if self.owner:
                return f"{self.found.module}.{self.owner}.{attribute}"
            case ast.Attribute(value, attribute):
                base = "" if self.is_starred(value) else self.path_of(value)
                return f"{base}.{attribute}" if base else ""
            case ast.Subscript(value):
                return self.path_of(value)
            case _:
                return ""

    def is_starred(self, node: ast.expr) -> bool:
        """A name of another module's, which may be that of a library."""
        name = node.id if isinstance(node, ast.Name) else ""
        return bool(name) and name not in self.found.imports and name not in self.own

    def attribute(self, node: ast.Attribute) -> _Nodes:
        path = self.path_of(node)
        if path:
            return self.noted(path, node.lineno)
        if node.attr in ("data", "shape", "ndim", "dtype", "device", "grad", "indices"):
            self.nodes(node.value)
            return frozenset()
        return self.nodes(node.value) | self.noted(f".{node.attr}", node.lineno)

    def call(self, node: ast.Call) -> _Nodes:
        name, path = name_called(node), self.path_of(node.func)
        callee = self.nodes(node.func)
        arguments = [self.nodes(one) for one in node.args]
        keywords = {one.arg: self.nodes(one.value) for one in node.keywords}
        given = frozenset().union(*arguments, *keywords.values())
        if not self.is_cut:
            self.handed_on(node, name, path, callee, arguments, keywords)
        is_number = name in NUMBERS or (name in PLAIN and isinstance(node.func, ast.Name))
        if is_number or self.prepares(node) or is_fetched(node, name):
            return frozenset()
        if path.startswith(UNTRACED) or (self.is_of_library(node) and cuts(node, name)):
            return frozenset()
        return callee | given

    def prepares(self, node: ast.Call) -> bool:
        """Whether it is one of the calls in a row that make a data set."""
        if any(keyword.arg == "num_parallel_calls" for keyword in node.keywords):
            return True
        return self.path_of(first_called(node)).startswith(PREPARES)

    def is_of_library(self, node: ast.Call) -> bool:
        """Whether it is a method of some value, or a function of a framework."""
        path = self.path_of(node.func)
        return path.startswith(OF_LIBRARIES) if path else isinstance(node.func, ast.Attribute)

    def gives_places(self, node: ast.expr) -> bool:
        """Whether the second of two that a call gives are places: `values, places = x.topk(3)`."""
        is_ranking = isinstance(node, ast.Call) and name_called(node) in RANKS
        return is_ranking and isinstance(node, ast.Call) and self.is_of_library(node)

    def handed_on(
        self,
        node: ast.Call,
        name: str,
        path: str,
        callee: _Nodes,
        arguments: list[_Nodes],
        keywords: Mapping[str | None, _Nodes],
    ) -> None:
        """The edges of a call: into the parameters of what is called, or to a gradient."""
        row = node.lineno
        if name in BACKWARD:
            self.sinks.append((DIFFERENTIATED, callee.union(*arguments), row))
        elif name in FITS:
            self.sinks.append((DIFFERENTIATED, callee | keywords.get("model", frozenset()), row))
        elif name in DIFFERENTIATES and not path.startswith(UNTRACED):
            first = arguments[0] if arguments else frozenset()
            named = [keywords[one] for one in ("fun", "outputs", "loss", "ys") if one in keywords]
            self.sinks.append((DIFFERENTIATED, first.union(*named), row))
        elif name == "compile" and len(arguments) > 1:
            self.sinks.append((DIFFERENTIATED, arguments[1], row))
        target = path or (f".{name}" if isinstance(node.func, ast.Attribute) else "")
        for keyword, made in keywords.items():
            if keyword in LOSSES and not path.startswith(UNTRACED):
                self.sinks.append((DIFFERENTIATED, made, row))
            if target and keyword:
                self.sinks.append((f"{target}({keyword})", made, row))
        for position, made in enumerate(arguments if target else ()):
            self.sinks.append((f"{target}({position})", made, row))


_READ_OFTEN: Final[Mapping[type[ast.expr], Callable[[Body, Any], _Nodes]]] = {
    ast.Constant: Body.nothing,
    ast.Name: Body.name_read,
    ast.Attribute: Body.attribute,
    ast.Call: Body.call,
    **dict.fromkeys(
        (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Tuple, ast.List, ast.JoinedStr),
        Body.parts,
    ),
}


def _is_pair(target: ast.expr) -> TypeGuard[ast.Tuple]:
    return isinstance(target, ast.Tuple) and len(target.elts) == 2
