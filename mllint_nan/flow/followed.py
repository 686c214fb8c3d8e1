"""Names of other files that mean the same to every file that follows them.

What a module binds a name to is evaluated once and kept with the module, with what it rests on:
the modules that were asked for on the way, and the bounds that it came near to. Another file takes
it only if it finds the same modules and has as much left of each bound, so that it cannot tell
whether a name was followed for it or before.
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
    """What a name was followed through."""

    modules: set[str] = field(default_factory=set)
    """The qualified names that were asked for."""
    files: set[str] = field(default_factory=set)
    """Those in which a name was found."""
    hops: int = 0
    """How many files lay one behind the other."""
    is_open: bool = False
    """Whether it led back to itself, came to a bound, or depends on who asks."""

    def rest_on(self, other: Followed) -> None:
        self.modules |= other.modules
        self.files |= other.files
        self.hops = max(self.hops, other.hops)
        self.is_open = self.is_open or other.is_open


UNDERWAY: Final = Followed(is_open=True)
"""What a name that is still being followed leads to is unknown."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What a name stands for, of which no term needs to be kept, and what that rests on."""

    operation: Operation | None
    """None of what is unknown."""
    detail: Any
    modules: tuple[tuple[str, object, str], ...]
    """By qualified name: the version of its text, and its file."""
    files: frozenset[str]
    hops: int
    statements: int
    """How many were evaluated for calls."""
    stars: int
    """In how many modules the name was looked for that are imported as a whole."""

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
    """Whether a value is the same term for everybody."""
    if found is None:
        return True
    return found.operation in (CONSTANT, QUALIFIED) and not found.operands and not found.settings
