"""The variables of one function, class body or module, and what they are ultimately made of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mllint_nan.frameworks.differentiation import OF_VALUES
from mllint_nan.syntax.traversal import Stores, captured_in, name_called
from mllint_nan.syntax.value_flow_calls import ASSIGNS, OF_LIBRARIES, RANKS
from mllint_nan.syntax.value_flow_closures import Dependence, Function
from mllint_nan.syntax.value_flow_conditions import (
    NOTHING_HELD,
    Held,
    exclude_each_other,
    flags_of,
    held_in,
)
from mllint_nan.syntax.value_flow_edges import (
    DIFFERENTIATED,
    DROPPED,
    MAY_DIFFERENTIATE,
    ValueFlows,
)

_OF_OPTIMIZERS: Final = ("tensorflow", "keras", "tf_keras", "jax")
"""Frameworks in which methods of optimizers and tapes differentiate their argument."""
_BINDINGS_MOST: Final = 4_000
"""The most bindings of one function; with more, nothing is known about it."""
_UNRECORDED: Final = re.compile(r"^torch\.(no_grad|inference_mode)$")
_HOLDING: Final = "|"
Nodes = frozenset[tuple[str, int]]
"""Variables and nodes, with the rows at which they are named."""


class Variables:
    """Variables with what they are made of, and the nodes that are named with them."""

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
        """The name within the module, such as `Trainer.step`; empty for the module itself."""
        self.own = own
        """The names that the module binds at its top level."""
        self.owner = owner
        """The class whose `self` is visible."""
        self.is_module = False
        self.is_cut = False
        """Whether no gradient passes through the code that is being read."""
        self.made: dict[str, list[Nodes]] = {}
        """By variable: everything that it is made of."""
        self.sinks: list[tuple[str, Nodes, int]] = []
        self.held: Held = NOTHING_HELD
        """What holds where it is read; some names of variables end in its number."""
        self._holding: list[Held] = []
        self._flags: frozenset[str] | None = None
        self._set_where: dict[tuple[str, int], Held] = {}
        """By variable and the number of something that it is made of: what holds there."""
        self.named: dict[tuple[str, int], None] = {}
        """Every node that is named in it, with its row."""
        self._locals: set[str] = set(parameters)
        self._locals_given = tuple(self._locals)
        self._variables: dict[str, str] = {}  # by name, if several variables have it
        self._inner: dict[str, tuple[Function, dict[str, str]]] = {}
        """By name: the functions in it, with their variables."""
        self._body: Sequence[ast.stmt] = ()  # in which inner functions may be differentiated
        self._transformed: frozenset[str] | None = None
        self._captured: frozenset[str] | None = None
        """The names that functions in it read."""
        self._outermost = frozenset[int]()
        """The identities of its own statements, without those in blocks."""
        self._functions = frozenset[str]()
        """The names of the functions in it."""
        self._derived: Dependence | None = None
        """In a differentiated inner function: what depends on its parameters."""
        self._unread: Sequence[ast.stmt] = ()
        """Statements whose names become local once the locals are needed."""
        for one in self._locals.difference(("self", "cls") if owner else ()):
            self.made[one] = [frozenset(((f"{self.path}({one})", 0),))]
        self.defaults: Mapping[str, Nodes] = {}
        """By parameter: the nodes that its default is made of."""

    def give_defaults(self, defaults: Mapping[str, Nodes]) -> None:
        """Let the defaults of parameters flow wherever these do: no call passes a default."""
        self.defaults = defaults
        for name, nodes in defaults.items():
            self.made.setdefault(name, []).append(nodes)
            self.named.update(dict.fromkeys(nodes))

    def kept_defaults(self, defaults: Mapping[str, Nodes], function: str) -> dict[str, Nodes]:
        """The defaults that a function's text names; others flow into its parameters from here."""
        kept: dict[str, Nodes] = {}
        for name, nodes in defaults.items():
            own = frozenset(one for one in nodes if one[0].startswith("$"))
            for _, row in own:
                self.sinks.append((f"{function}({name})", own, row))
            kept[name] = nodes - own
            for one in kept[name]:
                self.named.pop(one, None)
        return kept

    @property
    def locals(self) -> set[str]:
        if self._unread:
            self._locals |= self.stores.within(self._unread)
            self._unread = ()
        return self._locals

    @property
    def path(self) -> str:
        return f"{self.found.module}.{self.name}" if self.name else self.found.module

    def held_within(self, node: ast.If) -> tuple[Held, Held]:
        """What holds in both branches of an `if`; nothing is known of a module's or a class's."""
        if self.is_module or self.is_class:
            return NOTHING_HELD, NOTHING_HELD
        if self._flags is None:
            self._flags = flags_of(self._body, self._locals_given)
        return held_in(node, self._flags)

    def make_of(self, name: str, made: Nodes) -> None:
        """Add to what the variable of a name is made of."""
        variable = self._variables.get(name, name)
        parts = self.made.setdefault(variable, [])
        if self.held:
            self._set_where[variable, len(parts)] = self.held
        parts.append(made)

    def variable_of(self, name: str) -> str:
        """The node of the variable of a name, where it is read."""
        variable = f"${self._variables.get(name, name)}"
        if not self.held:
            return variable
        if self.held not in self._holding:
            self._holding.append(self.held)
        return f"{variable}{_HOLDING}{self._holding.index(self.held)}"

    def taken_by(self, name: str, path: str) -> str:
        """The target of what is passed to a call that differentiates its argument, by its name.

        PyTorch has no such methods: there, a method of the project itself may only be called so.
        """
        known = {one.partition(".")[0] for one in (*self.found.imports.values(), *self.found.stars)}
        is_of_torch = "torch" in known and known.isdisjoint(_OF_OPTIMIZERS)
        hands_on = self.name.rpartition(".")[2] == name
        if path or name not in OF_VALUES or not is_of_torch or hands_on:
            return DIFFERENTIATED
        return f"{MAY_DIFFERENTIATE}{name})"

    def settle(self) -> None:
        """Add edges to where values end, from what the variables in them are made of."""
        if sum(map(len, self.made.values())) > _BINDINGS_MOST:
            return
        reached: set[tuple[str, int]] = set()
        known: dict[Nodes, list[tuple[str, int]]] = {}
        for target, nodes, row in self.sinks:
            sources = known.get(nodes)
            if sources is None:
                sources = known[nodes] = self.sources(nodes)
            for source, at in sources:
                if source != target:
                    self.found.add(source, target, at or row)
            if "(" not in target:  # else it may belong to a function that is not visible
                reached.update(one for one in sources if one[0] != target)
        for source, at in self.named:
            if (source, at) not in reached and not source.startswith("$"):
                self.found.add(source, DROPPED, at)

    def sources(self, nodes: Nodes) -> list[tuple[str, int]]:
        """The nodes that variables are made of, transitively."""
        pending, seen = list(nodes), set(nodes)
        found = []
        while pending:
            node = pending.pop()
            if not node[0].startswith("$"):
                found.append(node)
                continue
            variable, _, number = node[0][1:].partition(_HOLDING)
            held = self._holding[int(number)] if number else NOTHING_HELD
            for place, inner in enumerate(self.made.get(variable, ())):
                where = self._set_where.get((variable, place), NOTHING_HELD)
                if not exclude_each_other(held, where):
                    pending += inner - seen
                    seen |= inner
        return found

    def begin_anew(self, node: ast.Assign) -> None:
        """Make new variables of the names that a statement directly in the function's body assigns.

        Names that a nested function reads stay, as it may be called at any time.
        """
        if self.is_module or self.is_class or len(node.targets) > 1:
            return
        if self._captured is None:
            self._captured = frozenset(captured_in(self._body))
            self._outermost = frozenset(map(id, self._body))
        if id(node) not in self._outermost:
            return
        target = node.targets[0]
        elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else (target,)
        names = [one.id for one in elements if isinstance(one, ast.Name)]
        anew = {name: f"{name}@{node.lineno}" for name in names if name not in self._captured}
        self._variables = {**self._variables, **anew}

    @property
    def is_class(self) -> bool:
        return bool(self.owner) and self.name == self.owner

    def name_node(self, name: str, row: int) -> Nodes:
        if name in self.locals or (self.is_module and name in self.made):
            return frozenset(((self.variable_of(name), row),))
        path = self.qualified(name)
        return self.noted(path, row) if path else frozenset()

    def noted(self, path: str, row: int) -> Nodes:
        self.named[path, row] = None
        return frozenset(((path, row),))

    def part_of(self, nodes: Nodes, part: str) -> Nodes:
        """The nodes restricted to the first, or the rest, of their values; variables stay whole."""
        found: set[tuple[str, int]] = set()
        for node, row in nodes:
            if node.startswith("$") or "(" in node:
                found.add((node, row))
                continue
            self.named.pop((node, row), None)
            self.named[f"{node}{part}", row] = None
            found.add((f"{node}{part}", row))
        return frozenset(found)

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
        """Whether it is a name from another module, perhaps of a library."""
        name = node.id if isinstance(node, ast.Name) else ""
        return bool(name) and name not in self.found.imports and name not in self.own

    def decorators_of(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    ) -> tuple[str, ...]:
        called = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
        return tuple(filter(None, map(self.path_of, called)))

    def passed_on(self, name: str, path: str, arguments: list[Nodes], given: Nodes) -> Nodes:
        """What of its arguments a call passes on, if its function records gradients.

        What is written into a variable has no gradient. A function, and no method, is passed the
        variable first.
        """
        called = self.found.definitions.get(path.removeprefix(f"{self.found.module}."))
        if called is not None and any(map(_UNRECORDED.search, called.decorators)):
            return frozenset()
        roots = {one.partition(".")[0] for one in self.found.imports.values()}
        if name not in ASSIGNS or "tensorflow" not in roots:
            return given
        return arguments[0] if path and arguments else frozenset()

    def is_of_library(self, node: ast.Call) -> bool:
        """Whether it calls a method of some value, or a function of a framework."""
        path = self.path_of(node.func)
        return path.startswith(OF_LIBRARIES) if path else isinstance(node.func, ast.Attribute)

    def gives_places(self, node: ast.expr) -> bool:
        """Whether the second of two results of a call are indices: `values, places = x.topk(3)`."""
        is_ranking = isinstance(node, ast.Call) and name_called(node) in RANKS
        return is_ranking and isinstance(node, ast.Call) and self.is_of_library(node)
