"""Loss functions with a reduction of their own."""

from __future__ import annotations

from collections.abc import Mapping
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
from mllint_nan.domains.value import Value

_WEIGHTS: Final = frozenset(("weight", "pos_weight"))


def _loss(labels: int, allowed: Interval) -> Row:
    """≥ 0 for labels in `allowed`, without weights; NaN for infinite logits, and of no element"""

    def row(call: Call) -> Value:
        fits = call.operands[labels].interval.leq(allowed) and not call.settings.keys() & _WEIGHTS
        interval = NON_NEGATIVE if fits else intervals.TOP
        return made(call, interval, nan=True, free=False)

    return row


def _nll_loss(call: Call) -> Value:
    """-log p of the label, 0 where it is ignored"""
    if "weight" in call.settings:
        return made(call, intervals.TOP, nan=True, free=False)
    picked = neg_row(call.on(call.x))
    ignored = picked.interval.join(intervals.point(0.0))
    known = call.settings.get("reduction") in ("none", "mean")
    interval = ignored if known else sum_bounds(ignored)
    return made(call, slack(interval), nan=True, free=False)


def _error(errors: Row) -> Row:
    """An even function of x - y, reduced; 0 where they coincide"""

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
    """Below |x| and its square times any positive number, and 0 at 0"""
    return replace(even(abs, bottom=ZERO)(call), interval=NON_NEGATIVE)


ROWS: Final[Mapping[str, Row]] = {
    "softmax_cross_entropy": _loss(0, NON_NEGATIVE),
    "sigmoid_cross_entropy": _loss(0, UNIT),
    "cross_entropy": _loss(1, NON_NEGATIVE),
    "nll_loss": _nll_loss,
    "binary_cross_entropy": _loss(1, UNIT),
    "binary_cross_entropy_with_logits": _loss(1, UNIT),
    "mse": _error(even(reals.square, bottom=ZERO)),
    "l1": _error(even(abs, bottom=ZERO)),
    "smooth_l1": _error(_smooth),
}
