"""What one module adds to the value-flow graph of a project: definitions and edges."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from mllint_nan.training import FIRST, REST

if TYPE_CHECKING:
    from mllint_nan.syntax.value_flows import Body

DIFFERENTIATED: Final = "<differentiated>"
"""The end of what gradients are taken of."""
CLOSED_OVER: Final = "<closed over>"
"""The end of what is differentiated as a constant: a value has no gradient from there."""
OPEN: Final = "<open>"
"""The end of what is given to something that is not seen."""
DROPPED: Final = "<dropped>"
"""The end of what is only looked at."""
SUPER: Final = "<super>"
"""Before a method that the bases of a class have: `<super>losses.Dice.__init__(0)`."""
CALLED: Final = frozenset(("__call__", "call", "forward", "__init__", "setup", "build"))
"""The methods that are called by calling or making an object."""


class Edge(NamedTuple):
    """A value of `source` flows into `target` at a row of the module."""

    source: str
    target: str
    row: int
    part: str = ""
    """Which of several values of its source: `FIRST`, `REST`, or all of them."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method or class of a module."""

    name: str
    row: int
    parameters: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    """Of a class: the qualified names of its bases."""
    is_class: bool = False
    decorators: tuple[str, ...] = ()
    """The qualified names of those that are no names of Python itself."""


@dataclass(slots=True)
class ValueFlows:
    """What one module adds to the graph."""

    module: str
    imports: dict[str, str] = field(default_factory=dict)
    """By the name that it has in the module: the qualified name of what is imported."""
    stars: tuple[str, ...] = ()
    """The modules of which all names are imported: `from losses import *`."""
    definitions: dict[str, Definition] = field(default_factory=dict)
    """By name within the module: `dice`, `Trainer`, `Trainer.step`."""
    edges: dict[str, dict[tuple[str, str], Edge]] = field(default_factory=dict)
    """By the last name of a source, without a parameter: the first edge to each of its targets."""
    differentiates: bool = False
    """Whether gradients are taken somewhere in it."""
    later: Callable[[Body, ast.FunctionDef | ast.AsyncFunctionDef], None] | None = None
    """What notes that the body of a function is to be read later."""

    def starred(self, name: str) -> str:
        """What a name is called that the module has from such another one, if from any."""
        return f"{self.module}.{name}" if self.stars and not hasattr(builtins, name) else ""

    def add(self, source: str, target: str, row: int) -> None:
        if target == DIFFERENTIATED:
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
    """A node without the mark of a part of its values, and that mark."""
    part = node[-1:]
    return (node[:-1], part) if part in (FIRST, REST) else (node, "")


def last_name(node: str) -> str:
    """`dice` of `losses.dice` and of `losses.dice(weight)`."""
    return node.partition("(")[0].rpartition(".")[2]
