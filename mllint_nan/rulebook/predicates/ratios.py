"""Quotients whose dividend and divisor grow with the same exponential: inf / inf is NaN."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import INPUT, Term, behind_views, number_of, peel
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.context import Context, known, name_of, tells
from mllint_nan.rulebook.predicates.errstate import ignored_flags
from mllint_nan.rulebook.predicates.kernels import sign_of
from mllint_nan.rulebook.predicates.members import Infinity
from mllint_nan.rulebook.predicates.ranges import is_bounded_above, is_quadratic_form
from mllint_nan.rulebook.predicates.selected import is_taken_in
from mllint_nan.rulebook.predicates.steps import is_shifted

_EXPONENTIALS: Final = frozenset(("exp", "exp2", "expm1"))
_STAYS_INFINITE: Final = frozenset(
    (
        *("add", "sub", "mul", "neg", "square", "abs", "sqrt", "sum", "mean", "cumsum"),
        *("log", "log1p", "relu", "softplus", "maximum", "max", "matmul", "dot"),
    )
)
"""Operations whose result is infinite or NaN where one of their operands is infinite."""
_KEEPS_ELEMENTS: Final = frozenset(
    (
        *("reshape", "flatten", "transpose", "expand_dims", "squeeze", "broadcast"),
        *("cast", "identity", "detach"),
    )
)
_OWN_RULES: Final = frozenset(("log", "log1p"))
_FLAGS: Final = frozenset(("over", "invalid"))
_TERMS_MOST: Final = 40
_LOGARITHMS: Final = names("logarithm")


@tells(Infinity.TOGETHER)
def overflow_together(context: Context, b: Term, d: Term) -> Truth:
    """b and d are infinite where the same exponential overflows: b / d is then NaN (inf / inf).

    NO where its exponent is bounded or negative, or computed from several values, which may be kept
    in range together; for what is called a logarithm; and if b is one, about which other rules ask.
    UNKNOWN where NumPy is told to ignore it.
    """
    if behind_views(b).operation.name in _OWN_RULES:
        return Truth.NO
    above = {_without_scale(one) for one in _grown(b)}
    shared = [one for one in _grown(d) if _without_scale(one) in above]
    is_found = any(
        _is_any_number(one.operands[0]) and _may_overflow(context, one.operands[0], one, d)
        for one in shared
    )
    is_ignored = ignored_flags(context) >= _FLAGS
    return known(is_found).and_(Truth.UNKNOWN if is_ignored else Truth.YES)


def _grown(term: Term) -> list[Term]:
    """The exponentials of which a term is infinite or NaN where they overflow."""
    found: list[Term] = []
    pending, seen = [term], set[int]()
    while pending and len(seen) < _TERMS_MOST:
        inner = _rearranged(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        name = inner.operation.name
        if name in _EXPONENTIALS:
            found.append(inner)
        elif name in _STAYS_INFINITE:
            pending += inner.operands
        elif name == "div" or (name == "pow" and (number_of(inner.operands[1]) or 0) > 0):
            pending.append(inner.operands[0])
    return found


def _without_scale(exponential: Term) -> tuple[int, tuple[int, ...]]:
    """What identifies an exponent but for positive numbers in it: its sign, and its factors."""
    exponent = _rearranged(exponential.operands[0])
    factors = _factors(exponent)
    return sign_of(exponent), tuple(sorted(f.key for f in factors if number_of(f) is None))


def _rearranged(term: Term) -> Term:
    """The term behind views that keep all elements: different elements overflow apart."""
    inner = peel(term)
    while inner.operation.name in _KEEPS_ELEMENTS:
        inner = peel(inner.operands[0])
    return inner


def _factors(product: Term) -> Iterator[Term]:
    inner = _rearranged(product)
    if inner.operation.name in ("mul", "neg"):
        for operand in inner.operands:
            yield from _factors(operand)
    elif inner.operation.name == "div" and number_of(inner.operands[1]) is not None:
        yield from _factors(inner.operands[0])
    else:
        yield inner


def _may_overflow(context: Context, x: Term, exponential: Term, divisor: Term) -> bool:
    """Whether nothing bounds an exponent, or shows that it is meant to be negative."""
    inner = behind_views(x)
    if any(
        tells_bound(context, x) is Truth.YES
        for tells_bound in (is_bounded_above, is_quadratic_form, is_shifted)
    ):
        return False
    if context.oracle.complex_numbers.holds(x):
        return False
    if is_taken_in(context, context.occurrence.term, x, "(-inf, exp]") is Truth.YES:
        return False
    return sign_of(inner) > 0 or _is_logistic(exponential, divisor)


def _is_logistic(exponential: Term, divisor: Term) -> bool:
    """Whether the divisor is a power of 1 + exp(-x), as in the derivative of a sigmoid."""
    base = behind_views(divisor)
    while base.operation.name in ("square", "pow", "mul"):
        base = behind_views(base.operands[0])
    is_sum = base.operation.name == "add" and any(number_of(one) == 1 for one in base.operands)
    return is_sum and any(behind_views(one).key == exponential.key for one in base.operands)


def _is_any_number(exponent: Term) -> bool:
    """Whether an exponent is an argument, or a multiple: any value can come."""
    factors = list(_factors(exponent))
    numbers = [number for one in factors if (number := number_of(one)) is not None]
    parts = [one for one in factors if number_of(one) is None]
    return (
        len(parts) == 1
        and all(float(number).is_integer() for number in numbers)
        and behind_views(parts[0]).operation is INPUT
        and not any(map(_LOGARITHMS.search, map(name_of, (exponent, parts[0]))))
    )
