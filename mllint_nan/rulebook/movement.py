"""What visibly moves the operand of a match, and so makes a shape certain that itself is the flaw.

If a rule asks for no evidence, its shape is the flaw; the confidence then depends on what goes in.
A range that keeps the operand away has silenced the rule before anything here is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cache
from typing import Final, NamedTuple

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Hazard
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.names import TENSORS
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    SEQUENCE,
    VARIABLE,
    Term,
    behind_views,
    peel,
    walk,
)
from mllint_nan.rulebook.pattern import Pattern
from mllint_nan.rulebook.predicates import Context, framework_of
from mllint_nan.rulebook.predicates.context import is_self, passed_for
from mllint_nan.rulebook.predicates.differentiation import (
    is_differentiated_in_sight,
    is_learned,
    shows_training,
)
from mllint_nan.rulebook.predicates.exponents import meant_range
from mllint_nan.rulebook.predicates.gradients import gradient_may_flow
from mllint_nan.rulebook.predicates.overflow import EXP_OVERFLOWS, can_overflow
from mllint_nan.rulebook.predicates.parameters import is_relative, is_unbounded_output
from mllint_nan.rulebook.predicates.read_arrays import is_table_read
from mllint_nan.rulebook.rule import Case

_LINEAR: Final = frozenset(("add", "sub", "mul", "div", "neg", "sum", "mean", "where"))
_GROWS: Final = frozenset(
    (
        *("add", "sub", "mul", "neg", "matmul", "dot", "einsum", "mean", "sum", "cumsum"),
        *("square", "abs", "relu", "softplus", "sqrt", "exp", "prod", "cumprod"),
        *("max", "min", "maximum", "minimum", "element", "collect", "stack", "concat"),
    )
)
"""Operations whose result is large where some operand is, unless a range shows otherwise."""
_PRODUCTS: Final = re.compile(r"^call (\S+\.)?(einsum|matmul|tensordot)$")
_LOGARITHMS: Final = frozenset(("log", "log2", "log10"))
_AS_ARRAY: Final = re.compile(r"^call (to_numpy|astype|copy)$")
_PARTS_MOST: Final = 48
_CALLS_DEEPEST: Final = 3


class Movement(IntEnum):
    """How far an operand visibly moves towards the point where a shape breaks."""

    UNKNOWN = 0
    """Nothing says what goes in."""
    PASSED = 1
    """An argument of the function goes in as it is passed, or the point is attained."""
    FREE = 2
    """Training or data moves it to any number."""


class Moved(NamedTuple):
    """How an operand is moved, and by what, in words."""

    movement: Movement
    by: str


UNMOVED: Final = Moved(Movement.UNKNOWN, "")


def movement_of(case: Case, context: Context) -> Moved:
    """The strongest movement of the operands of a match, and its cause.

    For a gradient flaw, it is at most PASSED unless something is visibly trained through an
    operand.
    """
    found = max((_moved(context, one) for one in operands_of(case, context)), default=UNMOVED)
    is_shown = case.hazard is not Hazard.GRADIENT or any(
        shows_training(context, one) for one in operands_of(case, context)
    )
    return found if is_shown else min(found, Moved(Movement.PASSED, found.by))


def operands_of(case: Case, context: Context) -> list[Term]:
    """The innermost operands that the functions of a shape are applied to.

    Factors and divisors alone, such as a mask or a label, are left out: they do not break it.
    """
    names = frozenset[str]().union(*map(_arguments, case.patterns))
    found = context.found.terms
    terms = {peel(term).key: term for name in names if (term := found.get(name)) is not None}
    return [
        term
        for key, term in terms.items()
        if peel(term).operation is not CONSTANT
        and not any(part.key != key and part.key in terms for part in walk(peel(term)))
    ]


@cache
def _arguments(pattern: Pattern) -> frozenset[str]:
    """The variables below a function, not only below arithmetic."""
    found, pending = set[str](), [(pattern.term, False)]
    while pending:
        term, is_below = pending.pop()
        operation = term.operation
        if operation is VARIABLE and is_below:
            found.add(str(term.detail))
        is_function = operation.kind not in ("pattern", "view") and operation.name not in _LINEAR
        pending.extend((part, is_below or is_function) for part in term.operands)
    return frozenset(found)


def _moved(context: Context, operand: Term) -> Moved:
    if is_unbounded_output(context, operand):
        return Moved(Movement.FREE, "it is the output of a layer, bounded only by the weights")
    found = UNMOVED
    for source in _sources(context, operand, _CALLS_DEEPEST):
        found = max(found, _of_source(context, source))
        if found.movement is Movement.FREE:
            return found
    if found is UNMOVED and _is_attained(context, operand):
        return Moved(Movement.PASSED, "its bound lies beyond the point where it breaks")
    return found


def _is_attained(context: Context, operand: Term) -> bool:
    """Whether an exponential overflows at its operand's bound, as for a cosine over a temperature.

    Or whether the operand of a logarithm is 0 where something saturates.
    """
    term = context.occurrence.term
    if term.operation.name in _LOGARITHMS and 0.0 in context.value(term.operands[0]).attained:
        return True
    limit = EXP_OVERFLOWS[dtype_of(context.occurrence.term)]
    return can_overflow(context, operand) is Truth.YES or (
        limit < meant_range(context, operand).hi < FORMATS["float64"].max
    )


def _of_source(context: Context, source: Term) -> Moved:
    if any(map(is_table_read, _handed_on(source))):
        return Moved(Movement.FREE, "it is read from a file")
    in_tensors = framework_of(context.occurrence.term, context.analysis) in TENSORS
    if in_tensors and (is_learned(context, source) or _is_of_model(source)):
        return Moved(Movement.FREE, "it is computed by something that is trained")
    is_passed = source.operation is INPUT and not is_self(source)
    if is_passed and in_tensors and is_differentiated_in_sight(context):
        return Moved(Movement.FREE, "visible code trains through it")
    if in_tensors and gradient_may_flow(context, source) is Truth.YES:
        return Moved(Movement.PASSED, "something may be trained through it")
    is_filled = source.operation is SEQUENCE  # elsewhere, like a list of batches
    if (is_passed or is_filled) and (in_tensors or context.occurrence.call is None):
        return Moved(Movement.PASSED, "it is an argument, used as passed")
    return UNMOVED


def _handed_on(source: Term) -> Iterator[Term]:
    """Yield a call's result, and the table that an array was taken from."""
    yield source
    while source.operands and (
        source.operation is ATTRIBUTE or _AS_ARRAY.search(str(source.detail)) is not None
    ):
        source = behind_views(source.operands[0])
        yield source


def _is_of_model(source: Term) -> bool:
    """Whether a term is what an instance of a capitalised class returns when called: `net(x)`."""
    if source.operation is not OPAQUE or source.detail != "call" or not source.operands:
        return False
    made = peel(source.operands[0])
    name = str(made.detail).removeprefix("call ").rpartition(".")[2]
    return made.operation is OPAQUE and name[:1].isupper()


def _sources(context: Context, operand: Term, depth: int) -> Iterator[Term]:
    """Yield what a term grows with: parameters, attributes, and the results of unknown calls."""
    pending, seen = [operand], set[int]()
    while pending and len(seen) < _PARTS_MOST:
        inner = behind_views(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        name = inner.operation.name
        is_product = inner.operation is OPAQUE and _PRODUCTS.search(str(inner.detail))
        if name == "mul":
            pending.extend(_factors(context, inner))
        elif inner.operation is CHOICE or name in _GROWS or is_product:
            pending.extend(inner.operands)
        elif name == "where":
            pending.extend(inner.operands[1:])
        elif name == "div":
            if not is_relative(inner):
                pending.append(inner.operands[0])
        elif inner.operation is OPAQUE and str(inner.detail).startswith("part "):
            pending.append(inner.operands[0])
        elif inner.operation is SEQUENCE:
            pending.extend(inner.operands)
            if not inner.operands:
                yield inner
        elif inner.operation in (INPUT, ATTRIBUTE, OPAQUE):
            yield inner
            if inner.operation is INPUT and depth > 0:
                for given in passed_for(context, inner):
                    yield from _sources(context, given, depth - 1)


def _factors(context: Context, product: Term) -> Sequence[Term]:
    """The factors that a product grows with; an attribute beside them is only a scale."""
    others = [part for part in product.operands if not _is_set(context, part)]
    return others or product.operands


def _is_set(context: Context, term: Term) -> bool:
    """Whether a term is computed only from untrained attributes of objects and from constants."""
    inner = behind_views(term)
    if inner.operation is ATTRIBUTE:
        is_of_object = is_self(inner.operands[0]) or peel(inner.operands[0]).operation is OPAQUE
        return is_of_object and not is_learned(context, inner)
    if inner.operation in (INPUT, OPAQUE, CHOICE):
        return False
    return all(_is_set(context, part) for part in inner.operands)
