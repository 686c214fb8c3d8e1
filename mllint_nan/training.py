"""What a project does with the gradients of what it defines, as a plain value."""

from __future__ import annotations

import sys
from enum import Enum
from typing import Final, NamedTuple

FIRST: Final = "^"
"""Behind the name of a function: the first of several values that it gives."""
REST: Final = "&"
"""Behind one: the others."""


class Training(Enum):
    """What a project does with the gradients of a definition."""

    THROUGH = "through"
    """Something is trained through it."""
    BESIDE = "beside"
    """Its uses are in sight, and nothing is trained through any of them."""
    ELSEWHERE = "elsewhere"
    """Not all of its uses are in sight; programs are, and no way leads from a gradient to it."""
    UNKNOWN = "unknown"
    """Not all of its uses are in sight."""


class TrainingUse(NamedTuple):
    """What a project does with a definition, and the way on which it does."""

    training: Training
    path: tuple[str, ...]
    """From where a gradient is taken, or a value ends, down to the definition.

    Of what is trained elsewhere, the program that trains, or runs.
    """


class Unrun(NamedTuple):
    """Why nothing in sight runs a definition."""

    name: str
    """The name that was looked for, its own or that of its class; empty if it may be run."""
    program: str
    """One of those that run the project."""


RUN: Final = Unrun("", "")
"""It may be run."""
NOWHERE: Final = "."
"""Of data that no call gives: what is set nowhere to what is trained."""
NOT_IN_SIGHT: Final = TrainingUse(Training.UNKNOWN, ())


def trained_out_of_sight(name: str) -> TrainingUse:
    """What is known of a file that belongs to no project."""
    return NOT_IN_SIGHT


def run_out_of_sight(name: str) -> Unrun:
    """The same."""
    return RUN


class Reach(NamedTuple):
    """What answers rest on: they stand while no changed file is, or comes, within reach."""

    files: frozenset[str]
    """Those that were read."""
    nodes: frozenset[str]
    """Those whose names were looked for in all files."""
    seldom: frozenset[str]
    """Those among them that are methods which few files name."""
    methods: frozenset[str]
    """The names whose definitions were, in whatever class."""
    modules: frozenset[str]
    """Those that were looked for, found or not."""
    words: frozenset[str]
    """The words that were looked for in all files."""
    programs: frozenset[str]
    """Those that run the project, each named by an answer that something is trained elsewhere."""
    least: int
    """How many files at least name each of those methods that many do."""
    is_idle: bool
    """Whether some answer rests on it that no other file is a program."""

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
        """The same once so many files have changed that do not come near it."""
        return self._replace(least=self.least - number)


_NONE: Final = frozenset[str]()
NO_REACH: Final = Reach(_NONE, _NONE, _NONE, _NONE, _NONE, _NONE, _NONE, sys.maxsize, is_idle=False)
"""That of no answer at all."""
