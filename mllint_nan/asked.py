"""What was asked of a project while one of its files was linted, as the cache keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict

from mllint_nan.training import Reach


class Asked(TypedDict):
    """What was asked of a project while one of its files was linted.

    `modules` maps the name of each module to its state when it was first asked for. `callers` is
    the state of the files that call any of the names in `named`. `through` has what was asked by
    way of other files. `trained` and `unrun` map the names of definitions to answers; `reach` is
    what these answers depend on, or None if that is unknown. `stored` maps attributes, each with
    the classes whose objects have it, to the state of the files that set them. `surroundings` is
    the state of the project's files that are not Python, if they were asked for, and `project` the
    state of the whole project at that time.
    """

    modules: Mapping[str, str]
    named: Sequence[str]
    callers: str
    through: Mapping[str, Asked]
    trained: Mapping[str, Sequence[str]]
    unrun: Mapping[str, Sequence[str]]
    stored: Mapping[str, str]
    surroundings: str
    reach: Sequence[Any] | None
    project: str


NOTHING_ASKED: Final = Asked(
    modules={},
    named=(),
    callers="",
    through={},
    trained={},
    unrun={},
    stored={},
    surroundings="",
    reach=None,
    project="",
)


def reach_kept(reach: Reach | None) -> list[Any] | None:
    """The reach of answers as JSON has it."""
    if reach is None:
        return None
    *parts, least, is_idle = reach
    return [*map(sorted, parts), least, is_idle]


def reach_of(kept: Sequence[Any]) -> Reach:
    """The reach of answers from what was kept of it."""
    *parts, least, is_idle = kept
    files, nodes, seldom, methods, modules, words, programs = map(frozenset, parts)
    return Reach(files, nodes, seldom, methods, modules, words, programs, least, is_idle)
