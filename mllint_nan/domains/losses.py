"""Loss functions that include a reduction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from mllint_nan.domains import interval as intervals
from mllint_nan.domains import reals
from mllint_nan.domains.arithmetic import neg_row, sub_row
from mllint_nan.domains.bounds import made, slack
from mllint_nan.domains.call import ZERO, Call, Row
from mllint_nan.domains.convex import even
from mllint_nan.domains.interval import NON_NEGATIVE, UNIT, Interval
from mllint_nan.domains.reduction import mean_row, sum_bounds, sum_row
from mllint_nan.domains.value import NOTHING, Value

_ZERO: Final = frozenset((0.0,))
_SATURATED: Final = 2000.0
"""Half as far below 0, an exponential underflows even in double precision."""
_WEIGHTS: Final = frozenset(("weight", "pos_weight"))


def _is_large(logits: Value) -> bool:
    """Whether they are free and of a range so large that a softmax or sigmoid of them is 0 and 1"""
    return logits.free and logits.hi - logits.lo > _SATURATED


def _is_certain(probabilities: Value) -> bool:
    """Whether 0 or 1 is among the probabilities: one class is certain"""
    return not probabilities.attained.isdisjoint((0.0, 1.0))


def _loss(labels: int, allowed: Interval, saturates: Callable[[Value], bool] = _is_large) -> Row:
    """≥ 0 for labels in `allowed`, without weights; NaN for infinite logits, and for no elements

    0 by rounding if saturated scores are right: the loss of each example, not their mean.
    """

    def row(call: Call) -> Value:
        fits = call.operands[labels].interval.leq(allowed) and not call.settings.keys() & _WEIGHTS
        interval = NON_NEGATIVE if fits else intervals.TOP
        is_of_each = call.settings.get("reduction") in (None, "none")
        is_smoothed = bool(call.settings.get("label_smoothing"))
        is_right = is_of_each and not is_smoothed and saturates(call.operands[1 - labels])
        attained = _ZERO if is_right else NOTHING
        return made(call, interval, nan=True, free=False, attained=attained)

    return row


def _nll_loss(call: Call) -> Value:
    """-log p of the label, 0 for an ignored one"""
    if "weight" in call.settings:
        return made(call, intervals.TOP, nan=True, free=False)
    picked = neg_row(call.on(call.x))
    ignored = picked.interval.join(intervals.point(0.0))
    known = call.settings.get("reduction") in ("none", "mean")
    interval = ignored if known else sum_bounds(ignored)
    return made(call, slack(interval), nan=True, free=False)


def _error(errors: Row) -> Row:
    """An even function of x - y, reduced; 0 if they are equal"""

    def row(call: Call) -> Value:
        each = errors(call.on(sub_row(call)))
        match call.settings.get("reduction"):
            case "none" | None:
                return each
            case "mean":
                return mean_row(call.on(each))
            case _:
                return sum_row(call.on(each))

    return row


def _smooth(call: Call) -> Value:
    """Non-negative, and 0 at 0, for any threshold"""
    return replace(even(abs, bottom=ZERO)(call), interval=NON_NEGATIVE)


ROWS: Final[Mapping[str, Row]] = {
    "softmax_cross_entropy": _loss(0, NON_NEGATIVE),
    "sigmoid_cross_entropy": _loss(0, UNIT),
    "cross_entropy": _loss(1, NON_NEGATIVE),
    "nll_loss": _nll_loss,
    "binary_cross_entropy": _loss(1, UNIT, _is_certain),
    "binary_cross_entropy_with_logits": _loss(1, UNIT),
    "mse": _error(even(reals.square, bottom=ZERO)),
    "l1": _error(even(abs, bottom=ZERO)),
    "smooth_l1": _error(_smooth),
}
