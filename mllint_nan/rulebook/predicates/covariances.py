"""Covariances, negative where quantities move in opposite directions, and their eigenvalues."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.eigenvalues import eigenvalues
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    SEQUENCE,
    Term,
    behind_views,
    number_of,
    peel,
)
from mllint_nan.rulebook.predicates.context import Context, known, tells
from mllint_nan.rulebook.predicates.members import Role

_DEEPEST: Final = 12
_KEEPS_SIGN: Final = frozenset(("mean", "sum", "stack", "concat", "collect", "element"))


@tells(Role.EIGENVALUE)
def is_eigenvalue(context: Context, x: Term) -> Truth:
    """x is an eigenvalue of a covariance; rounding makes it negative if columns are dependent."""
    spectrum = behind_views(x)
    value = eigenvalues(spectrum) if spectrum.operation is OPAQUE else None
    return known(value is not None and value.lo < 0 and 0.0 in context.value(x).attained)


def is_covariance(context: Context, x: Term, depth: int = _DEEPEST) -> bool:
    """Whether x is a covariance of two different things, scaled, averaged or shifted by numbers."""
    inner = behind_views(x)
    name, operands = inner.operation.name, inner.operands
    if depth == 0 or not operands:
        return False
    if name == "sub" and _is_mean_of_product(inner):
        return True
    if name in ("mean", "sum") and _is_product_of_deviations(operands[0]):
        return True
    if name == "add":
        return _one_varies(context, operands, depth)
    if name == "mul":
        return any(is_covariance(context, part, depth - 1) for part in operands)
    if name == "div":
        return is_covariance(context, operands[0], depth - 1)
    if name in _KEEPS_SIGN or inner.operation in (CHOICE, SEQUENCE) or inner.detail == "grown":
        return any(is_covariance(context, part, depth - 1) for part in operands)
    return False


def _one_varies(context: Context, summands: tuple[Term, ...], depth: int) -> bool:
    """Whether one summand is a covariance, and all others are numbers or settings."""
    varying = [part for part in summands if not _is_setting(context, part)]
    return len(varying) == 1 and is_covariance(context, varying[0], depth - 1)


def _is_setting(context: Context, part: Term) -> bool:
    inner = behind_views(part)
    if number_of(inner) is not None or context.kind(part) is Kind.NUMBER:
        return True
    return inner.operation in (INPUT, ATTRIBUTE) or (
        inner.operation.kind == "elementwise"
        and all(_is_setting(context, operand) for operand in inner.operands)
    )


def _is_mean_of_product(difference: Term) -> bool:
    """Whether a difference is E[x y] - E[x] E[y], with any kind of mean."""
    mean, product = map(behind_views, difference.operands)
    averaged = _averaged(mean)
    if averaged is None or product.operation.name != "mul":
        return False
    both = behind_views(averaged)
    if both.operation.name != "mul":
        return False
    means = [_averaged(behind_views(part)) for part in product.operands]
    if any(part is None for part in means):
        return False
    given = sorted(behind_views(part).key for part in means if part is not None)
    return given == sorted(behind_views(part).key for part in both.operands)


def _averaged(term: Term) -> Term | None:
    """The operand of a mean, or of a call that may be a pooling or a convolution; else `None`."""
    if term.operation.name == "mean":
        return term.operands[0]
    if term.operation is OPAQUE and str(term.detail).startswith("call"):
        return term.operands[1] if len(term.operands) > 1 else None
    return None


def _is_product_of_deviations(term: Term) -> bool:
    """Whether a term is (x - E[x]) (y - E[y])."""
    inner = behind_views(term)
    if inner.operation.name != "mul":
        return False
    return all(map(_is_deviation, inner.operands))


def _is_deviation(term: Term) -> bool:
    inner = behind_views(term)
    if inner.operation.name != "sub":
        return False
    mean = _averaged(behind_views(inner.operands[1]))
    return mean is not None and behind_views(mean).key == peel(behind_views(inner.operands[0])).key
