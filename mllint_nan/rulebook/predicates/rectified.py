"""Rectifiers that select the gradient: where their result is 0, even NaN is replaced by 0."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.clamps import filled_with, put
from mllint_nan.ir.term import Term, behind_views, number_of, peel
from mllint_nan.rulebook.predicates.carried import carries_gradient
from mllint_nan.rulebook.predicates.context import Context, known, tells
from mllint_nan.rulebook.predicates.members import Guard, Role
from mllint_nan.rulebook.predicates.zero_preserving import pooled

_SELECT: Final = frozenset(("relu", "relu6"))
"""Operations of PyTorch and JAX: those of TensorFlow multiply by a mask, except under XLA."""
_CLIPS: Final = ("torch.nn.functional.hardtanh", "torch.nn.Hardtanh", "jax.lax.clamp")
"""Of the functions that limit their argument, those that select at the limit itself, too."""


@tells(Role.RELU)
def is_rectified(context: Context, x: Term) -> Truth:
    """x is a relu or a sum of relus, whose gradient is selected, not multiplied.

    So it is in PyTorch and JAX; everywhere for `where(x > 0, x, 0)`, and in TensorFlow for
    `maximum(0, x)` in this order. The same holds behind a pool. PyTorch does the same with the
    gradient of a standard deviation. The root of TensorFlow does it, except under XLA, if all uses
    take the root only where it is not 0.
    """
    return known(rectifier_of(context, x) is not None or _is_taken_above_zero(context))


def _is_taken_above_zero(context: Context) -> bool:
    """Whether the match is a root of TensorFlow that only `where(root > 0, root, 0)` uses."""
    root = context.occurrence.term
    uses = context.analysis.consumers.get(root.key, ())
    taken = [one for one in uses if one.operation.name == "where"]
    return (
        root.operation.name == "sqrt"
        and root.framework == "tensorflow"
        and not (root.written is not None and root.written.path.endswith("pow"))
        and root.key not in context.analysis.escaped
        and bool(taken)
        and all(_takes_zero(one) for one in taken)
        and all(one.operation.kind == "comparison" or one in taken for one in uses)
    )


@tells(Guard.RECTIFIER)
def is_taken_back(context: Context, x: Term) -> Truth:
    """A relu replaces the NaN that comes back from x by 0, and no other operand receives it."""
    rectifier = rectifier_of(context, x)
    if rectifier is None:
        return Truth.NO
    root, singular = context.occurrence.term, context.found.terms.get("s")
    if singular is None or _stays_finite(peel(singular)):
        return known(singular is not None)
    path = [peel(term) for term in (*context.found.passed, singular) if term.key != root.key]
    on_path = {term.key for term in (*path, peel(x))}
    others = [
        operand
        for term in path
        for operand in _differentiated(term)
        if peel(operand).key not in on_path
    ]
    return known(all(receives_none(context, one, rectifier) for one in others))


def _stays_finite(singular: Term) -> bool:
    """Whether only the slope is infinite: then 0 times the value is no NaN for other factors."""
    if singular.operation.name == "pow":
        exponent = number_of(singular.operands[1])
        return exponent is not None and exponent > 0
    return singular.operation.name == "sqrt"


def _differentiated(term: Term) -> tuple[Term, ...]:
    """The operands of a term that get a gradient from it."""
    return term.operands[:1] if term.operation.kind in ("view", "reduction") else term.operands


def receives_none(context: Context, other: Term, rectifier: Term) -> bool:
    """Whether NaN that comes back to another operand is harmless: it ends at the same rectifier."""
    if not carries_gradient(context, other):
        return True
    own = rectifier_of(context, other)
    return own is not None and own.key == rectifier.key


def rectifier_of(context: Context, x: Term) -> Term | None:
    """The rectifier that x is, or that it sums up or averages; `None` if there is none."""
    inner = behind_views(x)
    while (given := pooled(context, inner)) is not None:
        inner = behind_views(given)
    while inner.operation.name in ("mul", "sum", "mean") and inner.operands:
        numbers = [operand for operand in inner.operands if number_of(operand) is not None]
        if inner.operation.name == "mul" and not numbers:
            return None
        inner = behind_views(next(o for o in inner.operands if o not in numbers))
    return inner if _selects(inner) else None


def _selects(inner: Term) -> bool:
    name, framework = inner.operation.name, inner.framework
    if name in _SELECT:
        return framework in ("torch", "jax")
    if name == "std":
        return framework == "torch"
    if name == "clip":
        is_so = inner.written is not None and inner.written.path in _CLIPS
        return is_so and number_of(inner.settings.get("min")) == 0
    if name == "maximum":
        return framework == "tensorflow" and filled_with(inner.operands[0]) == 0
    return name == "where" and _takes_zero(inner)


def _takes_zero(where: Term) -> bool:
    """Whether it is `where(x > 0, x, 0)`: where x itself is 0, the constant is selected."""
    found = put(where)
    if found is None or found.number != 0 or not found.is_bound:
        return False
    return (peel(found.fact.test).operation.name == "ge") is found.fact.holds
