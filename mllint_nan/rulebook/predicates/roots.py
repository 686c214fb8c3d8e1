"""Questions about roots and norms: where their gradient is infinite, and when that matters."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.projections import is_random_projection
from mllint_nan.ir.term import (
    CHOICE,
    INPUT,
    OPAQUE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.carried import FLOWS_DEEPEST, is_of_list
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    made_from,
    passes_through,
    tells,
)
from mllint_nan.rulebook.predicates.gradients import GRADIENTS
from mllint_nan.rulebook.predicates.members import Form, Role, Use
from mllint_nan.rulebook.predicates.selections import is_mask
from mllint_nan.rulebook.predicates.zero_starts import starts_at_zero

_STEPS_TO_PENALTY: Final = passes_through("sub", "relu", "maximum", "clip")
_ADDS_UP: Final = frozenset(("sub", "matmul", "einsum", "mse"))
_DIVISOR_LEAST: Final = 1e-3
"""A divisor that is not below this keeps an epsilon of 1e-6 below a thousandth."""
_FACTORS: Final = re.compile(r"(^|[. ])(inv|pinv|cholesky|qr)$")
_SOLVES: Final = re.compile(r"(^|[. ])(solve_triangular|triangular_solve|cho_solve)$")
_TURNS: Final = frozenset(("T", "mT", "H"))
_FACTORS_DEEPEST: Final = 8
_MAGNIFYING: Final = frozenset(
    ("reciprocal", "rsqrt", "sqrt", "log", "log2", "log10", "sign", "floor", "ceil", "atan2")
)


@tells(Role.DISPLACEMENT)
def is_displacement(context: Context, x: Term) -> Truth:
    """x is a difference, a gradient or a masked product, which can well be the zero vector.

    Or zeros are what a visible call passes for it, or what a parameter is before the first step.
    """
    inner = behind_views(x)
    if context.is_brought(x, 0.0) or starts_at_zero(context, x):
        return Truth.YES
    if inner.operation.name == "gradient":
        return Truth.UNKNOWN if is_random_projection(inner) else Truth.YES
    if inner.operation.name in ("sub", "relu"):
        return Truth.YES
    if inner.operation.name in ("element", "normalize") or is_of_list(x):
        # The gradients of a model, one by one, are clipped or logged, not differentiated.
        return Truth.UNKNOWN
    if inner.operation.name == "mul":
        selects = any(is_mask(context, operand) is Truth.YES for operand in inner.operands)
        is_scaled = any(behind_views(operand).operation.name == "sub" for operand in inner.operands)
        return Truth.YES if selects or is_scaled else Truth.UNKNOWN
    if inner.operation is OPAQUE and GRADIENTS.search(str(inner.detail)):
        return Truth.YES
    if inner.operation is OPAQUE and str(inner.detail).startswith("part") and inner.operands:
        return is_displacement(context, inner.operands[0])
    if inner.operation in (OPAQUE, INPUT) and _is_held_to_length(context):
        return Truth.YES
    value = context.value(inner)
    return Truth.YES if value.lo >= 0 and 0.0 in value.attained else Truth.UNKNOWN


def _is_held_to_length(context: Context) -> bool:
    """Whether the norm minus a number is squared: a penalty on gradients, which can be 0."""
    return any(
        end.operation.name == "square" and _lacks_number(end.operands[0])
        for _, end in made_from(context, context.occurrence.term, _STEPS_TO_PENALTY)
    )


def _lacks_number(term: Term) -> bool:
    inner = behind_views(term)
    if inner.operation.name == "sub":
        return any(number_of(operand) is not None for operand in inner.operands)
    return inner.operation.name in ("relu", "maximum", "clip") and any(
        map(_lacks_number, inner.operands)
    )


@tells(Role.FACTOR)
def is_factor(context: Context, x: Term) -> Truth:
    """x is a matrix without a column of zeros: an inverse, a triangular or orthogonal factor.

    Or one of these divided by another, as by solving a triangular system, or by numbers.
    """
    return known(_is_factor(x, _FACTORS_DEEPEST))


def _is_factor(x: Term, depth: int) -> bool:
    inner = behind_views(x)
    operands, what = inner.operands, str(inner.detail)
    if depth == 0 or not operands:
        return False
    if inner.operation.name in ("div", "neg") or what.startswith("part ") or what in _TURNS:
        return _is_factor(operands[0], depth - 1)
    called = what if inner.operation is OPAQUE else inner.operation.name
    if _SOLVES.search(called):
        return len(operands) > 2 and _is_factor(operands[2], depth - 1)
    return _FACTORS.search(called) is not None


@tells(Form.POWER)
def is_written_as_power(context: Context, s: Term) -> Truth:
    """The root is written as a power, in which TensorFlow multiplies a zero cotangent by inf."""
    written = peel(s).written
    return known(written is None or written.path.endswith("pow"))


@tells(Use.NORMALIZED)
def normalizes(context: Context, x: Term) -> Truth:
    """The root of x divides what x is computed from: at 0 the value itself is 0 / 0."""
    keys = {part.key for part in walk(x)}
    root = context.occurrence.term
    consumers = context.analysis.consumers.get(root.key, ())
    if any(term.operation.name == "div" and term.operands[0].key in keys for term in consumers):
        return Truth.YES
    calls = _calls_that_give(context, root)
    return known(bool(calls) and all(_divides_an_argument(context, call) for call in calls))


def _calls_that_give(context: Context, term: Term) -> list[Term]:
    """The calls of the function that returns `term`, if it returns nothing else."""
    scope = context.occurrence.scope
    if not scope.returned or any(
        part.key != term.key for part in map(behind_views, scope.returned)
    ):
        return []
    calls = context.analysis.calls.get(scope.key, [])
    return calls if len(calls) == len(context.analysis.callers.get(scope.key, ())) else []


def _divides_an_argument(context: Context, call: Term) -> bool:
    arguments = {part.key for argument in call.operands[1:] for part in walk(argument)}
    return any(
        term.operation.name == "div" and term.operands[0].key in arguments
        for term in context.analysis.consumers.get(call.key, ())
    )


@tells(Role.LENGTH)
def is_length(context: Context, x: Term) -> Truth:
    """The root of x is a length, a deviation or the like: x is a sum of several terms.

    The root of a single input element is a function of its own, whose small values may be meant. So
    may those of an area, which are the squares of small lengths.
    """
    inner = behind_views(x)
    if any(map(_is_area, walk(inner))):
        return Truth.UNKNOWN
    if inner.operation is CHOICE:
        return known(all(is_length(context, o) is Truth.YES for o in inner.operands)).or_(
            Truth.UNKNOWN
        )
    if inner.operation.name in ("clip", "maximum", "relu", "abs", "mul", "div"):
        parts = [part for part in inner.operands if number_of(part) is None]
        return is_length(context, parts[0]) if parts else Truth.UNKNOWN
    summands = [part for part in inner.operands if number_of(part) is None]
    is_sum = inner.operation.name == "add" and len(summands) > 1
    is_made_of_many = inner.operation.kind == "reduction" or inner.operation.name in _ADDS_UP
    return known(is_sum or is_made_of_many).or_(Truth.UNKNOWN)


def _is_area(part: Term) -> bool:
    """Whether a part is a cross product, or a difference of products: `a * d - b * c`."""
    if part.operation is OPAQUE:
        return str(part.detail).endswith((".cross", "call cross"))
    return part.operation.name == "sub" and all(map(_is_product, part.operands))


def _is_product(term: Term) -> bool:
    inner = behind_views(term)
    if inner.operation.name == "square":
        return number_of(inner.operands[0]) is None
    factors = [part for part in inner.operands if number_of(part) is None]
    return inner.operation.name == "mul" and len(factors) > 1


@tells(Use.MAGNIFIED)
def is_magnified(context: Context, result: Term) -> Truth:
    """The code may magnify a small absolute change of the result: UNKNOWN or NO, never YES.

    A quotient does if its divisor may be small or is the result itself; so do a logarithm, a sign
    and a comparison with a number.
    """
    pending = [(result, 0)]
    pending += [(call, 0) for call in _calls_that_give(context, result)]
    seen: set[int] = set()
    while pending:
        term, depth = pending.pop()
        if term.key in seen or depth > FLOWS_DEEPEST:
            continue
        seen.add(term.key)
        for consumer in context.analysis.consumers.get(term.key, ()):
            if _magnifies(context, consumer):
                return Truth.UNKNOWN
            if consumer.operation.kind != "comparison":
                pending.append((consumer, depth + 1))
    return Truth.NO


def _magnifies(context: Context, consumer: Term) -> bool:
    name = consumer.operation.name
    if name == "div":
        return context.value(consumer.operands[1]).interval.mignitude < _DIVISOR_LEAST
    if name in ("eq", "ne"):
        return any(number_of(operand) is not None for operand in consumer.operands)
    if name == "pow":
        exponent = number_of(consumer.operands[1])
        return exponent is None or exponent < 1
    return name in _MAGNIFYING


@tells(Use.OWN)
def divides_its_operand(context: Context, x: Term, v: Term) -> Truth:
    """The code divides v by x, its own norm, possibly with a floor or something added."""
    consumers = context.analysis.consumers.get(x.key, ())
    for term in consumers:
        if term.operation.name in ("div", "divide_no_nan") and term.operands[0].key == v.key:
            return Truth.YES
        if term.operation.name in ("add", "maximum", "clip"):
            for outer in context.analysis.consumers.get(term.key, ()):
                if outer.operation.name == "div" and outer.operands[0].key == v.key:
                    return Truth.YES
    return Truth.NO
