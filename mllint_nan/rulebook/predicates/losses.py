"""Questions about what a loss is given: probabilities, or what is still to become one."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.clamps import filled_with
from mllint_nan.frameworks import registry
from mllint_nan.ir.term import CONSTANT, OPAQUE, SEQUENCE, Term, behind_views, peel, walk
from mllint_nan.rulebook.predicates.context import Context, known, predicate, through_views

_LINEAR: Final = re.compile(r"^call keras\.layers\.(Dense|Conv[123]D|Convolution[123]D)$")
_OPTIONS: Final = re.compile(r"(^|[ .])(regularizers|initializers|constraints)\.")
_SELECTING: Final = frozenset(("subscript", "gather", "element", "boolean_mask"))
_NO_ACTIVATIONS: Final = (None, "linear")


@predicate
def is_raw_output(context: Context, x: Term) -> Truth:
    """x comes out of a dense or convolutional layer of Keras that has no activation."""
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
def is_reconstruction(context: Context, p: Term, y: Term) -> Truth:
    """The target y is what p was computed from: an autoencoder, not a classifier."""
    target = set[int]()
    for part in through_views(y):
        if part.operation is not CONSTANT:
            target.add(part.key)
        if part.operation.name in _SELECTING:
            break  # another entry may be the label
    return known(any(part.key in target for part in walk(p)))


@predicate
def is_filled_with(context: Context, y: Term, number: float) -> Truth:
    """All elements of y are this number."""
    return known(filled_with(y) == number)
