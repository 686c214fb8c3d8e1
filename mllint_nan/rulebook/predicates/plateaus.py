"""Questions about where a function is flat in its format, so that its derivative is exactly 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, log, sqrt
from typing import Final

from mllint_nan.domains.dtype import FORMATS, Format
from mllint_nan.domains.interval import Interval
from mllint_nan.domains.truth import Truth
from mllint_nan.flow.formats import dtype_of
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import Term, number_of, peel
from mllint_nan.rulebook.predicates.context import Context, tells
from mllint_nan.rulebook.predicates.members import Zero

_LOG_2: Final = log(2.0)


@tells(Zero.SLOPE, is_proof=True)
def is_flat(context: Context, result: Term) -> Truth:
    """The derivative of the result rounds to 0 for some operand: NO where its range excludes that.

    `sigmoid` is 1 in float32 from 17.4 on, `tanh` from 9.1 on, and their derivatives, computed from
    these values, are 0. Those of `exp` and `erf` underflow; subnormal numbers count as 0.
    """
    term = peel(result)
    operand = term.operands[0]
    if context.kind(operand) is Kind.NUMBER:
        return Truth.NO
    value, form = context.value(operand), FORMATS[dtype_of(term)]
    if term.operation.name == "softmax":
        spread = value.hi - value.lo
        return Truth.NO if spread < _rounds_to_one(form) else Truth.UNKNOWN
    steep = _within(term) if term.operation.name == "clip" else _STEEP[term.operation.name](form)
    return Truth.NO if value.interval.leq(steep) else Truth.UNKNOWN


def _within(clip: Term) -> Interval:
    """Between the bounds of a clip; nowhere if a bound is not a number."""
    least, most = clip.settings.get("min"), clip.settings.get("max")
    low = -inf if least is None else number_of(least)
    high = inf if most is None else number_of(most)
    return Interval(inf if low is None else float(low), -inf if high is None else float(high))


def _rounds_to_one(form: Format) -> float:
    """Where 1 / (1 + exp(-x)) rounds to 1: exp(-x) is half of the distance below 1."""
    return (form.precision + 1) * _LOG_2


def _of_sigmoid(form: Format) -> Interval:
    return Interval(log(form.tiny), _rounds_to_one(form))


def _of_tanh(form: Format) -> Interval:
    end = (_rounds_to_one(form) + _LOG_2) / 2.0
    return Interval(-end, end)


def _of_exp(form: Format) -> Interval:
    return Interval(log(form.tiny), inf)


def _of_erf(form: Format) -> Interval:
    end = sqrt(-log(form.tiny))
    return Interval(-end, end)


def _of_ndtr(form: Format) -> Interval:
    end = sqrt(-2.0 * log(form.tiny))
    return Interval(-end, end)


_STEEP: Final[Mapping[str, Callable[[Format], Interval]]] = {
    "sigmoid": _of_sigmoid,
    "tanh": _of_tanh,
    "exp": _of_exp,
    "erf": _of_erf,
    "ndtr": _of_ndtr,
}
"""By operation: the operands at which its derivative is not 0."""
