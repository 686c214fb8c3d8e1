"""What a project does with the gradients of what it defines, as a plain value."""

from __future__ import annotations

import sys
from enum import Enum
from typing import Final, NamedTuple

FIRST: Final = "^"
"""After the name of a function: the first of several values that it returns."""
REST: Final = "&"
"""After the name of a function: the other values."""

WITHIN: Final = "^"
"""Before a parameter: it is read in an inner function of which a gradient is taken."""


class Training(Enum):
    """What a project does with the gradients of a definition."""

    THROUGH = "through"
    """Something is trained through it."""
    BESIDE = "beside"
    """All of its uses are visible, and nothing is trained through any of them."""
    ELSEWHERE = "elsewhere"
    """Not all uses are visible, but programs are, and no path leads from a gradient to it."""
    UNKNOWN = "unknown"
    """Not all of its uses are visible."""


class TrainingUse(NamedTuple):
    """What a project does with a definition, and the path that shows it."""

    training: Training
    path: tuple[str, ...]
    """From where a gradient is taken, or a value ends, down to the definition.

    If the project trains elsewhere, the program that trains, or runs.
    """


class Unrun(NamedTuple):
    """Why nothing visible runs a definition."""

    name: str
    """The name that was searched for, its own or that of its class; empty if it may be run."""
    program: str
    """One of the programs that run the project; empty if none is visible."""
    importer: str = ""
    """If no program is visible: a file that imports other definitions of the same module."""


RUN: Final = Unrun("", "")
"""The definition may be run."""
NOWHERE: Final = "."
"""The place of data that no call passes: a field that is never set to anything trained."""
NOT_IN_SIGHT: Final = TrainingUse(Training.UNKNOWN, ())


def trained_out_of_sight(name: str) -> TrainingUse:
    """The answer for a file that belongs to no project: nothing is known."""
    return NOT_IN_SIGHT


def run_out_of_sight(name: str) -> Unrun:
    """The answer for a file that belongs to no project: it may be run."""
    return RUN


class Reach(NamedTuple):
    """What answers depend on: they hold as long as no changed file is, or comes, within reach."""

    files: frozenset[str]
    """The files that were read."""
    nodes: frozenset[str]
    """The nodes whose names were searched for in all files."""
    seldom: frozenset[str]
    """Those of the nodes that are methods which few files name."""
    methods: frozenset[str]
    """The names of methods that were searched for in all classes."""
    modules: frozenset[str]
    """The modules that were searched for, found or not."""
    words: frozenset[str]
    """The words that were searched for in all files."""
    programs: frozenset[str]
    """The programs that are named by answers that something is trained elsewhere."""
    least: int
    """The least number of files that name a method, among methods that many files name."""
    is_idle: bool
    """Whether some answer depends on there being no other program."""

    def together(self, other: Reach) -> Reach:
        return Reach(
            self.files | other.files,
            self.nodes | other.nodes,
            self.seldom | other.seldom,
            self.methods | other.methods,
            self.modules | other.modules,
            self.words | other.words,
            self.programs | other.programs,
            min(self.least, other.least),
            self.is_idle or other.is_idle,
        )

    def after(self, number: int) -> Reach:
        """The reach after so many files outside of it have changed."""
        return self._replace(least=self.least - number)


_NONE: Final = frozenset[str]()
NO_REACH: Final = Reach(_NONE, _NONE, _NONE, _NONE, _NONE, _NONE, _NONE, sys.maxsize, is_idle=False)
"""The reach of no answer at all."""
