"""What one module adds to the value-flow graph of a project: definitions and edges."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from mllint_nan.training import FIRST, REST

if TYPE_CHECKING:
    from mllint_nan.syntax.value_flow_definitions import Definitions

DIFFERENTIATED: Final = "<differentiated>"
"""The target of values of which gradients are taken."""
AS_FUNCTION: Final = f"{DIFFERENTIATED} as a function"
"""The target of functions that are themselves passed to what differentiates what they return."""
MAY_DIFFERENTIATE: Final = f"{DIFFERENTIATED}("
"""What a target begins with if a method takes the gradients, unless the project itself defines it.

The name of the method follows, and a parenthesis.
"""
CLOSED_OVER: Final = "<closed over>"
"""The target of values that are constants where something is differentiated: no gradient."""
OPEN: Final = "<open>"
"""The target of values that are passed to something that is not visible."""
DROPPED: Final = "<dropped>"
"""The target of values that are only looked at."""
SUPER: Final = "<super>"
"""The prefix of a method in the bases of a class: `<super>losses.Dice.__init__(0)`."""
CALLED: Final = frozenset(("__call__", "call", "forward", "__init__", "setup", "build"))
"""The methods that are run by calling or creating an object."""


class Edge(NamedTuple):
    """A value of `source` flows into `target` at a row of the module."""

    source: str
    target: str
    row: int
    part: str = ""
    """Which of several values of its source: `FIRST`, `REST`, or all of them if empty."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method or class of a module."""

    name: str
    row: int
    parameters: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    """For a class: the qualified names of its bases."""
    is_class: bool = False
    decorators: tuple[str, ...] = ()
    """The qualified names of its decorators, except those that are Python's own."""


@dataclass(slots=True)
class ValueFlows:
    """What one module adds to the graph."""

    module: str
    imports: dict[str, str] = field(default_factory=dict)
    """By the name in the module: the qualified name of what is imported."""
    stars: tuple[str, ...] = ()
    """The modules from which all names are imported: `from losses import *`."""
    definitions: dict[str, Definition] = field(default_factory=dict)
    """By name within the module: `dice`, `Trainer`, `Trainer.step`."""
    edges: dict[str, dict[tuple[str, str], Edge]] = field(default_factory=dict)
    """By the last name of a source, without a parameter: the first edge to each of its targets."""
    methods: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By class of the module: the names of its methods."""
    differentiates: bool = False
    """Whether it takes gradients anywhere."""
    later: Callable[[Definitions, ast.FunctionDef | ast.AsyncFunctionDef], None] | None = None
    """Called to postpone the reading of a function's body."""

    def starred(self, name: str) -> str:
        """The name in this module of something that a starred import may bind; else empty."""
        return f"{self.module}.{name}" if self.stars and not hasattr(builtins, name) else ""

    def add(self, source: str, target: str, row: int) -> None:
        if target.startswith(DIFFERENTIATED):
            self.differentiates = True
        ends = source, target
        source, part = parted(source)
        name = last_name(source)
        edges = self.edges.get(name)
        if edges is None:
            self.edges[name] = {ends: Edge(source, target, row, part)}
        elif ends not in edges:
            edges[ends] = Edge(source, target, row, part)


def parted(node: str) -> tuple[str, str]:
    """A node without the mark for a part of its values, and that mark."""
    part = node[-1:]
    return (node[:-1], part) if part in (FIRST, REST) else (node, "")


def last_name(node: str) -> str:
    """The last name in a node: `dice` for `losses.dice` and `losses.dice(weight)`."""
    return node.partition("(")[0].rpartition(".")[2]
