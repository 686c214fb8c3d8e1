"""Predicates about the arguments of losses: probabilities, or what still has to become one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.frameworks import registry
from mllint_nan.ir.term import (
    CHOICE,
    CONSTANT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import Context, known, predicate, tells, through_views
from mllint_nan.rulebook.predicates.members import Role
from mllint_nan.rulebook.predicates.nonfinite import is_masked

_LINEAR: Final = re.compile(r"^call keras\.layers\.(Dense|Conv[123]D|Convolution[123]D)$")
_OPTIONS: Final = re.compile(r"(^|[ .])(regularizers|initializers|constraints)\.")
_SELECTING: Final = frozenset(("subscript", "gather", "element", "boolean_mask"))
_IGNORED: Final = -100
"""The label that PyTorch ignores by default."""
_DISTRIBUTIONS: Final = frozenset(("softmax", "one_hot", "sigmoid", "argmax", "argmin", "arange"))
"""Operations whose results are no labels to ignore."""
_NO_ACTIVATIONS: Final = (None, "linear")


@tells(Role.RAW_OUTPUT)
def is_raw_output(context: Context, x: Term) -> Truth:
    """x is the output of a Keras dense or convolutional layer without an activation."""
    inner = behind_views(x)
    if inner.operation is not OPAQUE or not inner.operands:
        return Truth.NO
    layer = peel(inner.operands[0])
    if layer.operation is not OPAQUE:
        return Truth.NO
    what, _, path = str(layer.detail).rpartition(" ")
    if not _LINEAR.search(f"{what} {registry.canonical_path(path)}"):
        return Truth.NO
    # The callee comes first, then the number of units or filters, which may be anything.
    return known(not any(map(_may_be_activation, layer.operands[2:])))


def _may_be_activation(argument: Term) -> bool:
    inner = peel(argument)
    if inner.operation is SEQUENCE:
        return any(map(_may_be_activation, inner.operands))
    if inner.operation is CONSTANT:
        return (
            isinstance(inner.detail, str)
            and inner.detail not in _NO_ACTIVATIONS
            and bool(registry.functions(f"keras.activations.{inner.detail}"))
        )
    return not (inner.operation is OPAQUE and _OPTIONS.search(str(inner.detail)))


@predicate
def may_all_be_ignored(context: Context, y: Term, i: Term | None) -> Truth:
    """All labels y may be the ignored one: YES where the code sets some of them to it.

    NO where y cannot contain it, is no class at all, or was tested for other labels before.
    """
    ignored = _IGNORED if i is None else number_of(i)
    inner = behind_views(y)
    if inner.operation.name in _DISTRIBUTIONS or _is_asked(context, y):
        return Truth.NO
    if ignored is not None and context.value(y).can_be(float(ignored)) is Truth.NO:
        return Truth.NO
    return known(_is_set(inner, ignored)).or_(Truth.UNKNOWN)


def _is_asked(context: Context, y: Term) -> bool:
    """Whether a condition on the path tests the labels, or the mask that hides some of them."""
    parts = {part.key for part in walk(y) if part.operation not in (CONSTANT, QUALIFIED)}
    return any(
        (part.key in parts and part.operation.kind != "leaf") or part.key in _masks_of(y)
        for fact in context.facts
        for part in walk(fact.test)
    )


def _masks_of(y: Term) -> set[int]:
    inner = behind_views(y)
    if inner.operation.name == "where":
        return {peel(inner.operands[0]).key}
    is_update = inner.operation is OPAQUE and inner.detail == "update"
    return {peel(inner.operands[2]).key} if is_update and len(inner.operands) > 2 else set()


def _is_set(labels: Term, ignored: float | None) -> bool:
    """Whether some of the labels are set to the ignored one."""
    if labels.operation is CHOICE:
        return any(_is_set(behind_views(one), ignored) for one in labels.operands)
    is_update = labels.operation is OPAQUE and labels.detail == "update"
    if not is_update and labels.operation.name != "where":
        return False
    numbers = [number_of(one) for one in labels.operands]
    return ignored in numbers and ignored is not None


@tells(Role.MASKED_LOGITS)
def has_masked_logits(context: Context, x: Term) -> Truth:
    """Some of the logits x are -inf: YES where a visible mask makes them so."""
    return is_masked(context, x).or_(Truth.UNKNOWN)


@predicate
def is_reconstruction(context: Context, p: Term, y: Term) -> Truth:
    """The target y is also the data that p is computed from: an autoencoder, not a classifier.

    Of the arguments of a model, only the first is its data, and no mask, index or condition.
    """
    target = set[int]()
    for part in through_views(y):
        if part.operation is not CONSTANT:
            target.add(part.key)
        if part.operation.name in _SELECTING:
            break  # another entry may be the label
    return known(any(part.key in target for part in _data_of(p)))


def _data_of(p: Term) -> Iterator[Term]:
    """Yield what a value is computed from, except what only tells a model or a choice how."""
    pending, seen = [peel(p)], set[int]()
    while pending:
        term = pending.pop()
        if term.key in seen:
            continue
        seen.add(term.key)
        yield term
        pending += map(peel, _data_operands(term))


def _data_operands(term: Term) -> Sequence[Term]:
    """The operands that are data, and the callee of an unknown call, which may be their method."""
    if term.operation.name == "where":
        return term.operands[1:]
    if term.operation.name in _SELECTING:
        return term.operands[:1]
    called = str(term.detail).partition("call ")[2] if term.operation is OPAQUE else ""
    if called and registry.framework_of(called) is None:
        return term.operands[:2]
    return (*term.operands, *term.settings.values())
