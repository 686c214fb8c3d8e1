"""A cache of names of other files that mean the same to every file that follows them.

The value that a module binds to a name is evaluated once and kept with the module, together with
what it depends on: the modules that were looked up on the way, and how much of each budget it
took. Another file uses it only if it finds the same modules and has as much left of each budget,
so the result is the same as without the cache.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mllint_nan.ir.term import CONSTANT, QUALIFIED, Term

if TYPE_CHECKING:
    from collections.abc import Callable

    from mllint_nan.flow.modules import Module
    from mllint_nan.ir.canonical import Builder
    from mllint_nan.ir.ops import Operation


@dataclass(slots=True)
class Followed:
    """The modules and files through which a name was followed."""

    modules: set[str] = field(default_factory=set)
    """The qualified names of the modules that were looked up, found or not."""
    files: set[str] = field(default_factory=set)
    """The files in which a name was found."""
    hops: int = 0
    """How long the chain of files was."""
    is_open: bool = False
    """Whether it led back to itself, reached a limit, or depends on the file that asks."""

    def rest_on(self, other: Followed) -> None:
        self.modules |= other.modules
        self.files |= other.files
        self.hops = max(self.hops, other.hops)
        self.is_open = self.is_open or other.is_open


UNDERWAY: Final = Followed(is_open=True)
"""Stands for a name that is still being followed: where it leads is not known."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The value of a name, from which a term can be made anew, and what it depends on."""

    operation: Operation | None
    """`None` if the value is unknown."""
    detail: Any
    modules: tuple[tuple[str, object, str], ...]
    """The modules looked up: the qualified name, the version of the text, and the file."""
    files: frozenset[str]
    hops: int
    statements: int
    """How many statements were evaluated for calls."""
    stars: int
    """How many modules that are imported by `import *` were searched."""

    def term(self, build: Builder) -> Term | None:
        if self.operation is None:
            return None
        if self.operation is CONSTANT:
            return build.constant(self.detail)
        return build.leaf(self.operation, self.detail)

    def holds(self, module: Callable[[str], Module | None], home: str) -> bool:
        """Whether the same modules are found, and none of them is the file `home`."""
        for name, version, file in self.modules:
            found = module(name)
            if (found.version if found is not None else None) is not version:
                return False
            if file and file == home:
                return False
        return True


def is_settled_by(found: Term | None) -> bool:
    """Whether a value is the same term for every file that follows the name."""
    if found is None:
        return True
    return found.operation in (CONSTANT, QUALIFIED) and not found.operands and not found.settings
