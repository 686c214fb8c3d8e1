"""Selections by a score that each example has for itself: all or none of them may pass.

A loss, a probability or a distance that is computed for each example from a model's output lies on
either side of a threshold, whatever the other examples have. That does not hold for a score that
is compared with others, as by a rank, a maximum or a mean over the batch.
"""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.value import Value
from mllint_nan.flow.masks import is_slice, keeps_all
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    INPUT,
    OPAQUE,
    SEQUENCE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import Context, is_self, stored_in
from mllint_nan.rulebook.predicates.differentiation import shows_training
from mllint_nan.rulebook.predicates.gradients import no_gradient_flows

_DEEPEST: Final = 16
_OF_ONE: Final = frozenset(
    (
        *("neg", "abs", "square", "sqrt", "exp", "exp2", "log", "log1p", "expm1", "clip"),
        *("sigmoid", "log_sigmoid", "relu", "softplus", "tanh", "logit", "leaky_relu"),
    )
)
_OF_TWO: Final = frozenset(
    (
        *("add", "sub", "mul", "div", "maximum", "minimum", "cosine_similarity", "distance"),
        *("softmax_cross_entropy", "sigmoid_cross_entropy"),
    )
)
_LOSSES: Final = frozenset(
    (
        *("cross_entropy", "nll_loss", "binary_cross_entropy", "mse", "l1", "smooth_l1"),
        *("binary_cross_entropy_with_logits", "categorical_cross_entropy"),
    )
)
_ALONG: Final = frozenset(("sum", "mean", "norm", "max", "min"))
_SHARES: Final = frozenset(("softmax", "log_softmax"))
_RECTIFIERS: Final = frozenset(("relu", "clip", "maximum"))
_ARRANGES: Final = frozenset(
    ("squeeze", "detach", "cast", "identity", "reshape", "flatten", "transpose", "diagonal")
)
_OUTLIERS: Final = 10.0
"""A bound from here on leaves out what is exceptional, of a score that has no bound itself."""
_HALF: Final = 0.5
"""The largest of n shares is at least 1 / n, and n may be 2."""


def is_by_own_score(context: Context, selected: Term, mask: Term) -> bool:
    """Whether a mask compares such a score with a threshold, where something is trained."""
    return (
        _may_be_false(context, mask, True)
        and not no_gradient_flows(context, selected)
        and shows_training(context, selected)
    )


def _may_be_false(context: Context, mask: Term, wanted: bool) -> bool:
    """Whether no element of a mask, or of its complement, may be true."""
    inner = behind_views(mask)
    name = inner.operation.name
    if name == "logical_not":
        return _may_be_false(context, inner.operands[0], not wanted)
    if name == ("logical_and" if wanted else "logical_or"):
        return any(_may_be_false(context, one, wanted) for one in inner.operands)
    if name not in ("gt", "ge"):
        return False
    greater, less = inner.operands
    includes = (name == "ge") is wanted
    return _passes(context, greater, less, is_above=wanted, includes=includes) or _passes(
        context, less, greater, is_above=not wanted, includes=includes
    )


def _passes(
    context: Context, score: Term, threshold: Term, *, is_above: bool, includes: bool
) -> bool:
    """Whether all scores may lie on the wrong side of a threshold, and some on the right side.

    `includes`: the threshold itself is on the right side.
    """
    inner = peel(score)
    if not _is_own(inner, _DEEPEST) or _is_plain(inner):
        return False
    number = number_of(threshold)
    if number is None:
        return _is_setting(context, threshold)
    if _is_peak(inner) and number < _HALF:
        return False
    value: Value = context.value(score)
    if number == value.lo and is_above:  # `hinge > 0`
        return not includes and any(part.operation.name in _RECTIFIERS for part in walk(score))
    is_outlier = not is_above and value.hi > _OUTLIERS and number >= _OUTLIERS
    return value.lo < number < value.hi and not is_outlier


def _is_setting(context: Context, threshold: Term) -> bool:
    """Whether a threshold is a number that somebody chooses, not one that the scores determine."""
    inner = peel(threshold)
    if inner.operation is INPUT:
        return any(number_of(default) is not None for default in inner.operands)
    if inner.operation is not ATTRIBUTE or not is_self(inner.operands[0]):
        return False
    stored = [peel(one) for one in stored_in(context, str(inner.detail))]
    return bool(stored) and all(one.operation in (INPUT, CONSTANT) for one in stored)


def _is_plain(score: Term) -> bool:
    """Whether a score comes in as it is: other questions judge what is made elsewhere."""
    return _is_leaf(behind_views(score))


def _is_peak(score: Term) -> bool:
    """Whether a score is the largest share of a softmax."""
    inner = behind_views(score)
    return inner.operation.name == "max" and any(
        behind_views(one).operation.name == "softmax" for one in inner.operands
    )


def _is_own(term: Term, depth: int, *, is_masked: bool = False) -> bool:
    """Whether each element is computed from one example, and from others by nothing at all.

    Or from a pair of them, if a mask may leave out those of an example with itself.
    """
    inner = peel(term)
    name, operands = inner.operation.name, inner.operands
    if depth <= 0:
        return False
    if _is_leaf(inner):
        return True
    if name in _LOSSES:
        return _keeps_elements(inner) and _is_own(operands[0], depth - 1, is_masked=is_masked)
    if name in _ARRANGES:
        return _is_own(operands[0], depth - 1, is_masked=is_masked)
    if name in ("gather", "subscript"):
        return _takes_one(inner, depth, is_masked=is_masked)
    if name in _ALONG:
        return _is_along(inner) and _is_own(_reduced(inner), depth - 1, is_masked=is_masked)
    if name in _OF_ONE:
        return _is_own(operands[0], depth - 1, is_masked=is_masked)
    if name == "where":
        options = [one for one in operands[1:] if behind_views(one).operation is not CONSTANT]
        return all(_is_own(one, depth - 1, is_masked=is_masked) for one in options)
    if name == "distance" or (name == "matmul" and is_masked):  # of each example to all
        return all(_is_own(one, depth - 1, is_masked=is_masked) for one in operands)
    if inner.operation.kind == "comparison":  # which examples are paired
        return True
    if name in _OF_TWO:
        parts = [one for one in operands if number_of(one) is None]
        is_masked = is_masked or (name == "mul" and any(map(_is_of_comparisons, parts)))
        are_apart = is_masked or _are_apart(parts)
        return are_apart and all(_is_own(one, depth - 1, is_masked=is_masked) for one in parts)
    return False


def _is_leaf(inner: Term) -> bool:
    """Whether a term is a parameter or the output of a called model, and of no array method."""
    if inner.operation is INPUT:
        return True
    if inner.operation is not OPAQUE or not str(inner.detail).startswith("call"):
        return False
    callee = peel(inner.operands[0]) if inner.operands else inner
    if callee.operation is INPUT:
        return is_self(callee) or inner.detail == f"call {callee.detail}"
    return callee.operation is ATTRIBUTE and is_self(callee.operands[0])


def _keeps_elements(loss: Term) -> bool:
    reduction = loss.settings.get("reduction")
    return reduction is not None and constant_of(reduction) in ("none", None)


def _is_of_comparisons(factor: Term) -> bool:
    """Whether a factor selects pairs: a product of comparisons and their complements."""
    inner = behind_views(factor)
    if inner.operation.name in ("mul", "sub", "logical_and", "logical_not", "bitwise_and"):
        return any(map(_is_of_comparisons, inner.operands))
    return inner.operation.kind == "comparison"


def _takes_one(view: Term, depth: int, *, is_masked: bool) -> bool:
    """Whether a view takes parts of own scores; of shares that add up to 1, one for each row."""
    source = peel(view.operands[0])
    if source.operation.name not in _SHARES:
        return _is_own(source, depth - 1, is_masked=is_masked)
    if view.operation.name == "subscript":
        index = peel(view.operands[1])
        last = index.operands[-1] if index.operation is SEQUENCE and index.operands[1:] else None
        if last is None or keeps_all(last) or is_slice(last):
            return False
    return _is_own(source.operands[0], depth - 1, is_masked=is_masked)


def _reduced(reduction: Term) -> Term:
    """What is reduced; of a softmax along the same axis, what the softmax is made of."""
    inner = behind_views(reduction.operands[0])
    if inner.operation.name != "softmax":
        return reduction.operands[0]
    axes = {number_of(one.settings.get("axis")) for one in (inner, reduction)}
    is_same = len(axes) == 1 or axes == {1, -1}
    return inner.operands[0] if is_same else inner


def _is_along(reduction: Term) -> bool:
    """Whether a reduction is along an axis that is not the first, which it removes."""
    axis = number_of(reduction.settings.get("axis"))
    is_kept = constant_of(reduction.settings.get("keepdims")) is True
    return axis is not None and axis != 0 and not is_kept


def _are_apart(parts: list[Term]) -> bool:
    """Whether no two of these are views of the same: `x[:, None] - x` is 0 on its diagonal."""
    return len({behind_views(part).key for part in parts}) == len(parts)
