"""Explained variance: a quadratic form with the inverse of a covariance matrix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import ATTRIBUTE, OPAQUE, Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import Context, known, tells
from mllint_nan.rulebook.predicates.members import Role

_SOLVES: Final = re.compile(r"(^|[._ ])((cho(lesky)?_|lu_)?solve(_triangular)?|triangular_solve)$")
_INVERTS: Final = re.compile(r"(^|[._ ])(p?inv|pinvh|cholesky_inverse)$")
_TURNS: Final = frozenset(("T", "mT", "H", "mH"))
_PRODUCTS: Final = frozenset(("mul", "matmul", "dot", "einsum"))
_FACTORS_MOST: Final = 12


@tells(Role.UNEXPLAINED)
def is_unexplained(context: Context, v: Term) -> Truth:
    """v is a variance minus kᵀ A⁻¹ k, computed by an inverse, a solution or a triangular factor.

    UNKNOWN where something is added to that variance, which may exceed the rounding error.
    """
    inner = behind_views(v)
    if inner.operation.name != "sub":
        return Truth.NO
    whole, explained = inner.operands
    answer = known(_is_form(explained))
    is_raised = behind_views(whole).operation.name == "add"
    return answer.and_(Truth.UNKNOWN) if is_raised else answer


def _is_form(q: Term) -> bool:
    inner = behind_views(q)
    if inner.operation.name == "sum":
        inner = behind_views(inner.operands[0])
    if inner.operation.name == "square":
        return _is_solution(inner.operands[0])
    factors = list(_factors(inner))
    keys = [factor.key for factor in factors]
    is_paired = len(set(keys)) < len(keys)
    return any(
        (is_paired and (_is_inverse(factor) or _is_solution(factor)))
        or (_is_solution(factor) and not _given(factor).isdisjoint(keys))
        for factor in factors
    )


def _factors(product: Term) -> Iterator[Term]:
    """Yield a product and its factors, elementwise or of matrices, and the factors of these."""
    pending, count = [product], 0
    while pending and count < _FACTORS_MOST:
        count += 1
        inner = _unturned(pending.pop())
        if number_of(inner) is None:
            yield inner
        if inner.operation.name in _PRODUCTS:
            pending.extend(inner.operands[-2:])


def _given(solution: Term) -> set[int]:
    """The keys of the arguments that a system of equations was solved for."""
    return {_unturned(argument).key for argument in _called(solution).operands[1:]}


def _unturned(term: Term) -> Term:
    """A matrix without the attributes and views that transpose it."""
    inner = behind_views(term)
    while inner.operation is ATTRIBUTE and inner.detail in _TURNS:
        inner = behind_views(inner.operands[0])
    return inner


def _is_solution(term: Term) -> bool:
    call = _called(term)
    return call.operation is OPAQUE and _SOLVES.search(str(call.detail)) is not None


def _is_inverse(term: Term) -> bool:
    call = _called(term)
    is_call = call.operation is OPAQUE and _INVERTS.search(str(call.detail)) is not None
    return is_call or call.operation.name == "inv"


def _called(term: Term) -> Term:
    """The call that gives a solution, alone or as one of several results."""
    inner = behind_views(term)
    while inner.operation is OPAQUE and str(inner.detail).startswith("part") and inner.operands:
        inner = behind_views(inner.operands[0])
    return inner
