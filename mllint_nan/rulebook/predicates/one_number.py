"""Losses, recognised by what they return: one number for all elements, to be made small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.ir.program import CALLED_BY_NAME
from mllint_nan.ir.term import CHOICE, SEQUENCE, Term, behind_views, walk
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.context import Context, made_from, passes_through

_CALLED_NO_LOSS: Final = names("called_no_loss")
_TOTALS: Final = frozenset(("sum", "mean"))
_ARITHMETIC: Final = frozenset(
    ("add", "sub", "mul", "div", "neg", "abs", "square", "sqrt", "log", "exp", "clip", "maximum")
)
_DEEPEST: Final = 8
_LOGARITHMS: Final = ("log", "log2", "log10")
_WEIGHED: Final = passes_through(*_LOGARITHMS, "neg", "add", "sub", "mul", "where")


def is_loss(analysis: Analysis, scope: Scope) -> bool:
    """Whether a scope is in a function, or in an object that is called, which returns one number.

    Also in a function that returns a mean or a sum, as an argument says. Of such an object, all
    public methods, and those that calling it runs, are part of the loss.
    """
    method = ""
    for outer in scope.enclosing():
        if outer.kind == "function":
            if _offers_totals(outer) or _is_total_loss(outer):
                return True
            method = outer.name
        elif outer.kind == "class" and _gives_one_number(analysis, outer):
            return not method.startswith("_") or method in CALLED_BY_NAME
    return False


def _is_total_loss(function: Scope) -> bool:
    """Whether a function returns one number, and its name does not say that this is no loss."""
    gives_number = any(map(_is_number, function.returned))
    return gives_number and not _CALLED_NO_LOSS.search(function.name)


def gives_mean(function: Scope) -> bool:
    """Whether a function returns one number that is computed from a mean, whatever its name."""
    return any(
        _is_number(one) and any(part.operation.name == "mean" for part in walk(one))
        for one in function.returned
    )


def _gives_one_number(analysis: Analysis, owner: Scope) -> bool:
    """Whether calling an object of a class returns one number."""
    called = [one for one in analysis.called_by_object.get(owner.name, ()) if one.parent is owner]
    return any(_is_number(one) for scope in called for one in scope.returned)


def _is_number(term: Term, depth: int = _DEEPEST) -> bool:
    """Whether a term is a sum or mean of all elements, or is computed from one."""
    inner = behind_views(term)
    if depth == 0:
        return False
    if inner.operation is SEQUENCE:  # the loss, and what is shown beside it
        return bool(inner.operands) and _is_number(inner.operands[0], depth - 1)
    if inner.operation.name in _TOTALS:
        return "axis" not in inner.settings
    if inner.operation is CHOICE or inner.operation.name in _ARITHMETIC:
        return any(_is_number(one, depth - 1) for one in inner.operands)
    return False


def _offers_totals(function: Scope) -> bool:
    """Whether a function returns the mean of something or its sum, as an argument says."""
    given = list(_totals(function.returned))
    summed = {key for name, key in given if name == "sum"}
    return any(name == "mean" and key in summed for name, key in given)


def _totals(returned: tuple[Term, ...]) -> Iterator[tuple[str, int]]:
    """Yield the totals that a function returns, each with the key of what is added up."""
    for term in returned:
        inner = behind_views(term)
        if inner.operation is CHOICE:
            yield from _totals(inner.operands)
        elif inner.operation.name in _TOTALS and "axis" not in inner.settings:
            yield inner.operation.name, behind_views(inner.operands[0]).key


def is_surprise(context: Context, p: Term) -> bool:
    """Whether the logarithm of p is negated and added up, weighted or not: a cross entropy."""
    made = [one for _, one in made_from(context, p, _WEIGHED)]
    logarithms = [one for one in made if one.operation.name in _LOGARITHMS]
    totals = [one for one in made if one.operation.name in _TOTALS]
    if not logarithms or not totals:
        return False
    consumers = context.analysis.consumers
    after = [one for total in totals for one in consumers.get(total.key, ())]
    return any(one.operation.name in ("neg", "sub") for one in (*made, *after))
