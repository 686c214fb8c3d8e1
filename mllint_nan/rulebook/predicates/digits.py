"""Predicates about cancellation: numbers so close that their difference has few digits."""

from __future__ import annotations

from math import inf
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import INPUT, Term, behind_views, peel, walk
from mllint_nan.rulebook.predicates.context import Context, known, proof, tells
from mllint_nan.rulebook.predicates.members import Form, Use

_FACTORS_MOST: Final = 4


@tells(Form.INT)
def is_annotated_whole(context: Context, x: Term) -> Truth:
    """x is a parameter annotated as `int`."""
    inner = behind_views(x)
    annotation = context.oracle.numbers.annotation(inner) if inner.operation is INPUT else None
    return known(isinstance(annotation, ir.Name) and annotation.name == "int")


@proof
def are_apart(context: Context, a: Term, b: Term) -> Truth:
    """One of a and b is at least twice as large as the other in magnitude."""
    (least_a, most_a), (least_b, most_b) = (_magnitudes(context.value(part)) for part in (a, b))
    return Truth.YES if least_a >= 2 * most_b or least_b >= 2 * most_a else Truth.UNKNOWN


def _magnitudes(value: Value) -> tuple[float, float]:
    """The least and the greatest magnitude; a value that may be NaN can have any."""
    if value.nan or value.is_bottom:
        return 0.0, inf
    least = max(value.lo, -value.hi, 0.0)
    return least, max(abs(value.lo), abs(value.hi))


@tells(Use.ELU)
def is_half_of_elu(context: Context, y: Term, x: Term) -> Truth:
    """A `where` chooses between y and x itself: y is one half of an activation such as ELU."""
    found = {peel(y).key}
    for _ in range(_FACTORS_MOST):
        consumers = [t for key in found for t in context.analysis.consumers.get(key, ())]
        if any(_chooses(each, x) for each in consumers):
            return Truth.YES
        found = {each.key for each in consumers if each.operation.name in ("mul", "neg")}
    return Truth.NO


def _chooses(term: Term, x: Term) -> bool:
    """Whether a term is a `where`, one branch of which is a part of x, up to factors."""
    if term.operation.name != "where":
        return False
    kept = {part.key for part in walk(x)}
    return any(_plain(branch).key in kept for branch in term.operands[1:])


def _plain(branch: Term) -> Term:
    """A branch without its factors: the largest operand of each product."""
    inner = behind_views(branch)
    while inner.operation.name == "mul":
        inner = behind_views(max(inner.operands, key=lambda part: sum(1 for _ in walk(part))))
    return inner
