"""Questions about exponents outside of training: what is subtracted, and how small they are.

In float64, an exponential overflows at 709 and rounds to 1 at 1e-16. The logarithms of scientific
code seldom get there, and how the code is written shows why.
"""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import Context, framework_of, known, tells
from mllint_nan.rulebook.predicates.members import Role

_UNTRAINED: Final = ("numpy", "math")
_DIFFERENCES: Final = re.compile(r"^call numpy\.(diff|ediff1d)$")
_LOGARITHMS: Final = frozenset(("log", "log2", "log10", "log1p"))
_LEAST: Final = 1e-3
"""Numerators and factors from here on do not make a quotient small by themselves."""
_DEEPEST: Final = 6


@tells(Role.SHIFTED)
def is_shifted(context: Context, x: Term) -> Truth:
    """The last element of another sequence is subtracted from x, in code that trains nothing.

    A softmax is the same without it; as it is a running total, it keeps the exponent in range.
    """
    if framework_of(context.occurrence.term, context.analysis) not in _UNTRAINED:
        return Truth.NO
    return known(_is_shifted(x, _DEEPEST))


def _is_shifted(x: Term, depth: int) -> bool:
    inner = behind_views(x)
    if depth == 0:
        return False
    if inner.operation is CHOICE:
        return bool(inner.operands) and all(_is_shifted(one, depth - 1) for one in inner.operands)
    if inner.operation.name == "add":
        return any(_is_shifted(one, depth - 1) for one in inner.operands)
    if inner.operation.name != "sub":
        return False
    left, right = inner.operands
    return _is_last_of_other(right, left) or _is_shifted(left, depth - 1)


def _is_last_of_other(term: Term, shifted: Term) -> bool:
    """Whether this is `total[-1]`, and nothing that it is subtracted from contains `total`."""
    inner = peel(term)
    if inner.operation.name != "subscript" or number_of(inner.operands[1]) != -1:
        return False
    sequence = peel(inner.operands[0])
    while sequence.operation.kind == "view" and not _is_named(sequence):
        sequence = peel(sequence.operands[0])
    return all(part.key != sequence.key for part in walk(shifted))


def _is_named(term: Term) -> bool:
    """Whether a term is one of several named arrays, not a part of one: `results["logz"]`."""
    return term.operation.name == "subscript" and isinstance(constant_of(term.operands[1]), str)


@tells(Role.COARSE)
def is_coarse(context: Context, x: Term) -> Truth:
    """x is a difference that is 0, or at least one rounding step of its operands.

    NumPy's numbers near 1 are 1e-16 apart, and the exponential of anything closer to 0 rounds to 1.
    The same holds for a logarithm, and for the reciprocal of a number that somebody sets. In any
    framework, it holds for twice the logarithm of a coefficient a, if the logarithm of sqrt(1 - a²)
    is computed: the steps of a schedule are coarse.
    """
    if _is_of_complement(context, x):
        return Truth.YES
    if framework_of(context.occurrence.term, context.analysis) not in _UNTRAINED:
        return Truth.NO
    return known(_is_coarse(x, _DEEPEST))


def _is_of_complement(context: Context, x: Term) -> bool:
    """Whether the match is only used in `0.5 * log(1 - exp(2 * x))`."""
    doubled = behind_views(x)
    if doubled.operation.name != "mul" or 2 not in map(number_of, doubled.operands):
        return False
    made = context.analysis.consumers.get(context.occurrence.term.key, ())
    return bool(made) and all(
        (one.operation.name == "mul" and 0.5 in map(number_of, one.operands))
        or (one.operation.name == "div" and number_of(one.operands[1]) == 2)
        for one in made
    )


def _is_coarse(x: Term, depth: int) -> bool:
    inner = behind_views(x)
    name = inner.operation.name
    if depth == 0:
        return False
    if inner.operation is CHOICE:
        return bool(inner.operands) and all(_is_coarse(one, depth - 1) for one in inner.operands)
    if name == "sub" or name in _LOGARITHMS:
        return True
    if inner.operation is OPAQUE:
        return _DIFFERENCES.search(str(inner.detail)) is not None
    if name == "neg":
        return _is_coarse(inner.operands[0], depth - 1)
    if name == "mul":
        others = [one for one in inner.operands if not _is_plain(one)]
        return len(others) == 1 and _is_coarse(others[0], depth - 1)
    if name == "div":
        above, below = inner.operands
        return (
            _is_given(below)
            if _is_plain(above)
            else _is_plain(below) and _is_coarse(above, depth - 1)
        )
    return False


def _is_given(term: Term) -> bool:
    """Whether a term is set by somebody: an argument, an attribute, or one of several."""
    inner = behind_views(term)
    if inner.operation is CHOICE:
        return all(behind_views(one).operation in (INPUT, ATTRIBUTE) for one in inner.operands)
    return inner.operation in (INPUT, ATTRIBUTE)


def _is_plain(term: Term) -> bool:
    number = number_of(term)
    return number is not None and _LEAST <= abs(number) <= 1.0 / _LEAST
