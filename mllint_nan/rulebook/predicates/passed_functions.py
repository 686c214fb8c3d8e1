"""How functions are passed to others: as a loss, which is minimised, or as a metric."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.frameworks.differentiation import LOSSES, METRICS
from mllint_nan.ir.term import OPAQUE, SEQUENCE, Term
from mllint_nan.rulebook.predicates.context import Context

_HELD_DEEPEST: Final = 3
_HOLDS: Final = frozenset(("dict", "list", "tuple", "set", "update"))
"""Containers that hold a function under a key, or as an element."""


def is_handed_to_train(context: Context, *, of_inner: bool = False) -> Truth:
    """YES if a function around the match is passed as a loss, NO if it only is as metrics.

    `of_inner`: considers only functions within functions, which only visible code calls.
    """
    for outer in context.occurrence.scope.enclosing():
        is_inner = outer.parent is not None and outer.parent.kind == "function"
        if outer.kind != "function" or (of_inner and not is_inner):
            continue
        found = list(_handings(context.analysis, outer))
        if any(keywords & LOSSES for keywords in found):
            return Truth.YES
        uses = len(context.analysis.callers.get(outer.key, ()))
        is_measure = bool(found) and all(one and one <= METRICS for one in found)
        if is_measure and len(found) >= uses:
            return Truth.NO
    return Truth.UNKNOWN


def _handings(analysis: Analysis, function: Scope) -> Iterator[frozenset[str]]:
    """Yield the keywords by which each use passes a function on: none if it calls the function."""
    own = frozenset(analysis.handed_as.get(function.key, ()))
    if own:
        yield own
    for use in analysis.consumers.get(function.key, ()):
        if _holds(use):
            yield frozenset(_names_of(analysis, use, _HELD_DEEPEST))
        elif not own:
            yield frozenset()


def _names_of(analysis: Analysis, holder: Term, depth: int) -> Iterator[str]:
    """Yield the keywords by which a container of a function is passed on."""
    yield from analysis.handed_as.get(holder.key, ())
    for outer in analysis.consumers.get(holder.key, ()) if depth else ():
        if _holds(outer):
            yield from _names_of(analysis, outer, depth - 1)


def _holds(use: Term) -> bool:
    return use.operation is SEQUENCE or (use.operation is OPAQUE and str(use.detail) in _HOLDS)
