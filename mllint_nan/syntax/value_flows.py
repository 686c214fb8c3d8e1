"""The edges of one function, class body or module, read statement by statement.

A variable stands for everything that is assigned to it; it is resolved once, after the body.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mllint_nan.frameworks.differentiation import (
    BACKWARD,
    DIFFERENTIATES,
    FITS,
    HOOKS,
    LOSSES,
    METRICS,
)
from mllint_nan.frameworks.members import TENSOR_MEMBERS
from mllint_nan.syntax.modes import ends_training, evaluates
from mllint_nan.syntax.traversal import (
    BLOCKS,
    children,
    defaults_of,
    name_called,
    names_in,
)
from mllint_nan.syntax.value_flow_calls import (
    GETS,
    LOOKS,
    NUMBERS,
    OF_CONTAINERS,
    OF_LIBRARIES,
    PLAIN,
    ROUNDS,
    STARTS,
    UNTRACED,
    UPDATES,
    WITHOUT_GRADIENTS,
    WITHOUT_NUMBERS,
    cuts,
    decorator_names,
    functions_given,
    is_false,
    is_fetched,
    is_pair,
    is_unpacking,
    may_be_looked_up,
    method_called,
    prepares,
)
from mllint_nan.syntax.value_flow_closures import (
    OF_FUNCTIONS,
    STEPPED,
    Dependence,
    Function,
)
from mllint_nan.syntax.value_flow_conditions import Held
from mllint_nan.syntax.value_flow_definitions import Definitions
from mllint_nan.syntax.value_flow_edges import (
    AS_FUNCTION,
    CLOSED_OVER,
    DIFFERENTIATED,
    OPEN,
)
from mllint_nan.syntax.value_flow_variables import Nodes
from mllint_nan.training import FIRST, REST

_COLLECTS: Final = frozenset(("append", "extend", "add", "insert", "update", "put"))


class Body(Definitions):
    """One function, class body or module: what its variables are made of, and where they go."""

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Read the statements, and add their edges."""
        self._body = body
        self.block(body)
        self.settle()

    # Statements

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node)
            case ast.ClassDef():
                self.class_(node)
            case ast.Return(ast.Tuple([first, _, *_] as values) as several) if (
                self.returned == self.path and is_unpacking(several)
            ):
                self.end(f"{self.path}{FIRST}", first)
                for value in values[1:]:
                    self.end(f"{self.path}{REST}", value)
            case ast.Return(value) if value is not None:
                self.end(self.returned, value)
            case ast.Assign(targets, value):
                made = self.nodes(value)
                self.begin_anew(node)
                for target in targets:
                    self.assign_of(target, value, made)
            case ast.AnnAssign(target, _, value) | ast.AugAssign(target, _, value) if value:
                self.assign(target, self.nodes(value), node.lineno)
            case ast.Expr(value):
                self.alone(value)
            case ast.For(target, iterated) | ast.AsyncFor(target, iterated):
                self.assign(target, self.nodes(iterated), node.lineno)
                self.blocks(node)
            case ast.With(items) | ast.AsyncWith(items):
                self.with_(node, items)
            case ast.If(test, body, orelse):
                self.nodes(test)
                known = zip(evaluates(node), self.held_within(node), strict=True)
                for block, (is_cut, held) in zip((body, orelse), known, strict=True):
                    self.block(block, is_cut, held)
            case _:
                self.parts(node)
                self.blocks(node)

    @property
    def returned(self) -> str:
        """The node of its result."""
        function = self.name.rpartition(".")[2]
        return DIFFERENTIATED if self.owner and function in HOOKS else self.path

    def block(
        self, body: Sequence[ast.stmt], is_cut: bool = False, held: Held = frozenset()
    ) -> None:
        """Read statements in order; behind one that ends a module's training, gradients are cut."""
        outer, around = self.is_cut, self.held
        self.held = around | held
        self.is_cut = outer or is_cut
        for statement in body:
            self.statement(statement)
            self.is_cut = self.is_cut or ends_training(statement)
        self.is_cut, self.held = outer, around

    def blocks(self, node: ast.AST) -> None:
        for name in BLOCKS[node.__class__]:
            for child in getattr(node, name):
                if isinstance(child, ast.stmt):
                    self.block(getattr(node, name))
                    break
                self.block(child.body)  # of an exception handler or a case

    def with_(self, node: ast.With | ast.AsyncWith, items: list[ast.withitem]) -> None:
        outer = self.is_cut
        for item in items:
            entered = self.nodes(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, entered, node.lineno)
            self.is_cut = self.is_cut or name_called(item.context_expr) in WITHOUT_GRADIENTS
        self.block(node.body)
        self.is_cut = outer

    def alone(self, value: ast.expr) -> None:
        """Read an expression whose value is not kept."""
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
            if name == "setattr" and isinstance(value.func, ast.Name) and len(value.args) == 3:
                self.assign(value.args[0], self.nodes(value.args[2]), value.lineno)
                return
            given = self.nodes(value)
            is_local = isinstance(value.func, ast.Name) and (
                self._variables.get(value.func.id, value.func.id) in self.made
            )
            is_seen = name in LOOKS or name in DIFFERENTIATES or self.path_of(value.func)
            if not is_seen and not is_local and not self.is_cut:
                own = {(f".{name}", value.func.lineno)}  # the result of the call is dropped
                self.sinks.append((OPEN, given - own, value.lineno))
            return
        self.nodes(value)

    def end(self, target: str, value: ast.expr) -> None:
        """Let a value flow to `target`, unless gradients are cut."""
        nodes = self.nodes(value)
        if not self.is_cut:
            self.sinks.append((target, nodes, value.lineno))

    def assign_of(self, target: ast.expr, value: ast.expr, made: Nodes) -> None:
        """Assign to one target: each of several variables may get a part of the value."""
        if self.gives_places(value) and is_pair(target):
            self.assign(target.elts[0], made, target.lineno)
            self.assign(target.elts[1], frozenset(), target.lineno)
        elif is_unpacking(target) and isinstance(value, ast.Call):
            self.unpack(target, value, made)
        else:
            self.assign(target, made, target.lineno)

    def assign(self, target: ast.expr, made: Nodes, row: int) -> None:
        if self.is_cut:
            made = frozenset()
        match target:
            case ast.Name(name):
                if self.is_module or (name not in self.locals and name in self.own):
                    self.sinks.append((f"{self.found.module}.{name}", made, row))
                if self.is_class:
                    self.sinks.append((f"{self.path}.{name}", made, row))
                self.make_of(name, made)
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

    def unpack(self, target: ast.Tuple, call: ast.Call, made: Nodes) -> None:
        """`loss, scores = evaluate(x)`: assign to each variable its part of the call's result."""
        callee = self.nodes(call.func) if isinstance(call.func, (ast.Name, ast.Attribute)) else made
        given = frozenset() if callee is made else made & callee
        for position, element in enumerate(target.elts):
            part = FIRST if position == 0 else REST
            self.assign(element, (made - given) | self.part_of(given, part), call.lineno)

    # Expressions

    def nodes(self, node: ast.expr) -> Nodes:
        """The variables and nodes whose values flow into an expression."""
        read = _READ_OFTEN.get(node.__class__)
        return self.rare(node) if read is None else read(self, node)

    def nothing(self, node: ast.expr) -> Nodes:
        return frozenset()

    def name_read(self, node: ast.Name) -> Nodes:
        return self.name_node(node.id, node.lineno)

    def parts(self, node: ast.AST) -> Nodes:
        """The nodes of the expressions directly in a node."""
        found: frozenset[tuple[str, int]] = frozenset()
        for child in children(node):
            if isinstance(child, ast.expr):
                found |= self.nodes(child)
        return found

    def rare(self, node: ast.expr) -> Nodes:
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
                for name, default in defaults_of(arguments):
                    self.make_of(name, self.nodes(default))
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
    ) -> Nodes:
        found: frozenset[tuple[str, int]] = frozenset()
        for generator in node.generators:
            iterated = self.nodes(generator.iter)
            found |= iterated
            self.locals.update(names_in(generator.target))
            self.assign(generator.target, iterated, node.lineno)
        parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        return found.union(*map(self.nodes, parts))

    def attribute(self, node: ast.Attribute) -> Nodes:
        path = self.path_of(node)
        if path:
            held = self.nodes(node.value) if node.attr in OF_CONTAINERS else frozenset()
            return held | self.noted(path, node.lineno)
        if node.attr in ("data", "shape", "ndim", "dtype", "device", "grad", "indices"):
            self.nodes(node.value)
            return frozenset()
        return self.nodes(node.value) | self.noted(f".{node.attr}", node.lineno)

    def call(self, node: ast.Call) -> Nodes:
        match node:
            case ast.Call(ast.Name("getattr"), [ast.expr() as base, ast.expr() as name, *others]):
                defaults = frozenset[tuple[str, int]]().union(*map(self.nodes, others))
                return defaults | self.looked_up(node, base, name)
        return self.call_of(node)

    def looked_up(self, node: ast.Call, base: ast.expr, name: ast.expr) -> Nodes:
        """What `getattr(base, name)` may be: of an object's own methods, all that may be meant."""
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            return self.nodes(ast.copy_location(ast.Attribute(base, name.value, ast.Load()), node))
        found = self.nodes(base) | self.nodes(name)
        if self.owner and isinstance(base, ast.Name) and base.id == "self":
            for method in self.found.methods.get(self.owner, ()):
                if may_be_looked_up(name, method):
                    found |= self.noted(f"{self.found.module}.{self.owner}.{method}", node.lineno)
        return found

    def call_of(self, node: ast.Call) -> Nodes:
        name, path = name_called(node), self.path_of(node.func)
        callee = self.nodes(node.func)
        if name in GETS and path and node.args and isinstance(node.func, ast.Attribute):
            callee |= self.nodes(node.func.value)  # of a dictionary; a queue needs no key
        nodes = self.nodes_of_function if name in OF_FUNCTIONS else self.nodes
        arguments = [nodes(one) for one in node.args]
        keywords = {one.arg: self.nodes(one.value) for one in node.keywords}
        learned = [made for keyword, made in keywords.items() if keyword not in METRICS]
        given = self.passed_on(name, path, arguments, frozenset().union(*arguments, *learned))
        if not self.is_cut:
            self.handed_on(node, name, path, callee, arguments, keywords)
        if self.ends(node):
            return frozenset()
        if name in STEPPED and node.args:
            derived = self.derived(node.args[0])
            given = derived if derived is not None else given
        return callee | given

    def ends(self, node: ast.Call) -> bool:
        """Whether no gradient passes through a call."""
        name = name_called(node)
        is_number = name in NUMBERS or (name in PLAIN and isinstance(node.func, ast.Name))
        is_start = name in STARTS or name in UPDATES
        if is_number or is_start or prepares(node, self.path_of) or is_fetched(node, name):
            return True
        path = self.path_of(node.func)
        if path.startswith(WITHOUT_NUMBERS) or (name in ROUNDS and path.startswith(ROUNDS[name])):
            return True
        return self.is_of_library(node) and cuts(node, name)

    def differentiated(self, first: ast.expr, call: ast.expr, row: int) -> None:
        """Record what a transformation differentiates of the function that is passed to it."""
        keywords = call.keywords if isinstance(call, ast.Call) else []
        has_more = any(one.arg == "has_aux" and not is_false(one.value) for one in keywords)
        derived, nodes = self.derived(first, has_more), self.nodes_of_function(first)
        if derived is None:
            function = self.part_of(nodes, FIRST) if has_more else nodes
            self.sinks.append((AS_FUNCTION, function, row))
        else:
            self.sinks += [(CLOSED_OVER, nodes, row), (DIFFERENTIATED, derived, row)]

    def nodes_of_function(self, node: ast.expr) -> Nodes:
        """The nodes of a differentiated function; no gradient reaches what a lambda closes over."""
        before = self._derived
        if isinstance(node, ast.Lambda):
            self._derived = self.dependence()
            self._derived.of(node)
        found, self._derived = self.nodes(node), before
        return found

    def derived(self, function: ast.expr, is_first_alone: bool = False) -> Nodes | None:
        """What an inner function or a lambda makes of its parameters; `None` for anything else."""
        outer = self._variables
        found: tuple[Function, dict[str, str]] | None = None
        if isinstance(function, ast.Lambda):
            found = function, outer
        elif isinstance(function, ast.Name):
            found = self._inner.get(function.id)
        if found is None:
            return None
        inner, self._variables = found
        if not isinstance(inner, ast.Lambda) and decorator_names(inner) & WITHOUT_GRADIENTS:
            self._variables = outer
            return frozenset()
        nodes = self.dependence().of(inner, is_first_alone)
        self._variables = outer
        return nodes

    def dependence(self) -> Dependence:
        def is_variable(name: str) -> bool:
            return name in self.locals and name not in self._functions

        return Dependence(self.nodes, is_variable, self.ends, self.part_of)

    def handed_on(
        self,
        node: ast.Call,
        name: str,
        path: str,
        callee: Nodes,
        arguments: list[Nodes],
        keywords: Mapping[str | None, Nodes],
    ) -> None:
        """Add the edges of a call: into the callee's parameters, or to a gradient."""
        row = node.lineno
        if name in BACKWARD:
            self.sinks.append((DIFFERENTIATED, callee.union(*arguments), row))
        elif name in FITS:
            self.sinks.append((DIFFERENTIATED, callee | keywords.get("model", frozenset()), row))
        elif name in OF_FUNCTIONS and isinstance(node.func, ast.Name) and not path:
            pass  # a variable: `grad = jax.grad(f)`
        elif isinstance(node.func, ast.Call) and name in OF_FUNCTIONS:
            # No gradient flows back beyond the arguments of the result of `jax.grad`.
            for parameter, function in functions_given(node, node.func, self.path_of):
                self.sinks.append((parameter, self.nodes(function), row))
        elif name in DIFFERENTIATES and not path.startswith(UNTRACED):
            arguments_first = arguments[0] if arguments else frozenset()
            if arguments and name in OF_FUNCTIONS and not path.startswith("torch.autograd."):
                self.differentiated(node.args[0], node, row)
                arguments_first = frozenset()
            named = [keywords[one] for one in ("fun", "outputs", "loss", "ys") if one in keywords]
            self.sinks.append((self.taken_by(name, path), arguments_first.union(*named), row))
        elif name == "compile" and len(arguments) > 1:
            self.sinks.append((DIFFERENTIATED, arguments[1], row))
        owner = f"{self.found.module}.{self.owner}" if self.owner else ""
        target = path or method_called(node.func, owner)
        is_transformed = name in OF_FUNCTIONS and path.startswith(OF_LIBRARIES)
        if is_transformed or path.startswith(UNTRACED):
            target = ""  # the edges of the function are added above, if there are any
        if self._derived is not None:  # no gradient flows to any other argument
            arguments = [self._derived.given(one) for one in node.args]
            keywords = {one.arg: self._derived.given(one.value) for one in node.keywords}
        for keyword, made in keywords.items():
            if keyword in LOSSES and not path.startswith(UNTRACED):
                self.sinks.append((DIFFERENTIATED, made, row))
            if target and keyword:
                self.sinks.append((f"{target}({keyword})", made, row))
        for position, made in enumerate(arguments if target else ()):
            self.sinks.append((f"{target}({position})", made, row))


_OF_PARTS: Final = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Tuple, ast.List, ast.JoinedStr)
_READ_OFTEN: Final[Mapping[type[ast.expr], Callable[[Body, Any], Nodes]]] = {
    ast.Constant: Body.nothing,
    ast.Name: Body.name_read,
    ast.Attribute: Body.attribute,
    ast.Call: Body.call,
    **dict.fromkeys(_OF_PARTS, Body.parts),
}
