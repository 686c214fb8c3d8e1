"""The float operations on abstract values: v ∈ γ(a) ⇒ f(v) ∈ γ(f#(a)), rounding included.

Bounds are rounded to the dtype. Those of correctly rounded operations are exact; the others are
moved outwards by a few ulps, except where libraries agree (exp(0) is 1). Subnormal bounds reach
0 where frameworks flush. A tensor is assumed to have an element; zeros have either sign.
An operation without a row, or given an operand that is missing, yields ⊤.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import inf, nan
from types import MappingProxyType
from typing import Final

from mllint_nan.domains import interval as intervals
from mllint_nan.domains.dtype import (
    FORMATS,
    INTEGERS,
    Format,
    canonical_name,
    is_float,
    is_integer,
    promote,
    round_to,
    step,
)
from mllint_nan.domains.interval import NON_NEGATIVE, UNIT, Interval
from mllint_nan.domains.value import BOTTOM, NOTHING, TOP, Value, constant, free
from mllint_nan.ir.ops import REQUIRED, Operation

ULPS: Final = 4  # error of a library function
TAIL: Final = 2048  # of a Gaussian tail: the argument is squared
COUNT: Final = 2.0**48  # no tensor has more elements
SIGNED_UNIT: Final = Interval(-1.0, 1.0)
BOTH: Final = frozenset({0.0, 1.0})
ZERO: Final = frozenset({0.0})

# The first operand chooses or describes, its format does not matter.
_FIRST_IS_NO_TERM: Final = frozenset({"where", "einsum"})

Real = Callable[[float], float]
Row = Callable[["Call"], Value]


@dataclass(frozen=True, slots=True)
class Call:
    """An operation about to be abstracted: its operands, settings and the format it computes in."""

    operands: tuple[Value, ...]
    settings: Mapping[str, object]
    dtype: str

    @property
    def form(self) -> Format:
        """The numbers of `dtype`."""
        return FORMATS[self.dtype]

    @property
    def x(self) -> Value:
        """The first operand."""
        return self.operands[0]

    @property
    def y(self) -> Value:
        """The second operand."""
        return self.operands[1]

    @property
    def nan(self) -> bool:
        """Some operand may be NaN."""
        return any(value.nan for value in self.operands)

    @property
    def free(self) -> bool:
        """The operands range over all of their intervals, independently, as far as is shown."""
        values = self.operands
        return any(value.free for value in values) and all(map(_admits_all, values))

    def round(self, number: float) -> float:
        """`number` as a member of the format; NaN stays"""
        return round_to(number, self.dtype)

    def on(self, *operands: Value) -> Call:
        """The same call with other operands."""
        return Call(operands, self.settings, self.dtype)

    def hull(self, value: Value) -> Interval:
        """γ of `value`, whether or not it was rounded to the format before the operation"""
        lo, hi = value.lo, value.hi
        if lo > hi:
            return value.interval
        if value.free:
            largest = self.form.max
            lo = max(lo, -largest) if lo > -inf else lo
            hi = min(hi, largest) if hi < inf else hi
        return Interval(min(lo, self.round(lo)), max(hi, self.round(hi)))

    def setting(self, name: str) -> Value | None:
        """A setting as an abstract value: None if absent, ⊤ if it is not a number."""
        match self.settings.get(name):
            case None:
                return None
            case Value() as value:
                return value
            case bool() | int() | float() as number:
                return constant(_float(number))
            case _:
                return TOP


def transfer(
    operation: Operation,
    operands: Sequence[Value],
    settings: Mapping[str, object],
    dtype: str = "float32",
) -> Value:
    """f#: the value of `operation`, computed in `dtype` unless the operands show another"""
    row = TRANSFER.get(operation.name)
    if row is None or len(operands) < operation.operands:
        return TOP
    if any(value.is_bottom for value in operands):
        return BOTTOM
    shown = _shown(operands[1:] if operation.name in _FIRST_IS_NO_TERM else operands, dtype)
    call = Call(tuple(operands), {**operation.defaults, **settings}, shown or dtype)
    if any(call.settings[name] is REQUIRED for name in operation.defaults):
        return TOP
    value = row(call)
    if shown is not None and value.dtype is None:
        return replace(value, dtype=shown)
    return value


def _shown(operands: Iterable[Value], dtype: str) -> str | None:
    """The format of the result; None if no operand shows one. A bare constant adapts."""
    shown: str | None = None
    unknown = False
    for value in operands:
        if is_float(value.dtype):
            shown = value.dtype if shown is None else promote(shown, value.dtype)
        elif value.dtype is None and not value.is_constant:
            unknown = True
    return promote(shown, dtype) if shown is not None and unknown else shown


# Reals on extended floats: a limit at ±inf, NaN outside the domain, never an exception.


def _float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def _total(function: Real, *, overflow: float = inf, outside: float = nan) -> Real:
    """`function` of the standard library with values in place of its exceptions"""

    def total(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return overflow if x > 0 else math.copysign(overflow, function(-1.0))
        except ValueError:
            return outside

    return total


def _logarithm(function: Real, pole: float = 0.0) -> Real:
    return lambda x: -inf if x == pole else nan if x < pole else function(x)


_exp = _total(math.exp)
_log = _logarithm(math.log)
_log1p = _logarithm(math.log1p, -1.0)
_sinh = _total(math.sinh)
_cosh = _total(math.cosh)


def _exp2(x: float) -> float:
    return _total(lambda power: 2.0**power)(x)


def _square(x: float) -> float:
    return x * x


def _cbrt(x: float) -> float:
    if x == 0.0 or math.isinf(x):
        return x
    root = abs(x) ** (1 / 3)
    return math.copysign(root - (root - abs(x) / root / root) / 3.0, x)  # Newton's last digits


def _sqrt(x: float) -> float:
    return math.sqrt(x) if x >= 0.0 else nan


def _rsqrt(x: float) -> float:
    return inf if x == 0.0 else 1.0 / _sqrt(x)


def _acosh(x: float) -> float:
    return math.acosh(x) if x >= 1.0 else nan


def _atanh(x: float) -> float:
    return math.copysign(inf, x) if abs(x) == 1.0 else math.atanh(x) if abs(x) < 1.0 else nan


def _asin(x: float) -> float:
    return math.asin(x) if abs(x) <= 1.0 else nan


def _acos(x: float) -> float:
    return math.acos(x) if abs(x) <= 1.0 else nan


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0.0 else _exp(x) / (1.0 + _exp(x))


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _log_sigmoid(x: float) -> float:
    return -_softplus(-x)


def _logit(x: float) -> float:
    return _log(x) - _log1p(-x) if 0.0 <= x <= 1.0 else nan


def _ndtr(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def _log_ndtr(x: float) -> float:
    if x > -35.0:
        return math.log1p(-0.5 * math.erfc(x / math.sqrt(2.0))) if x > 0.0 else _log(_ndtr(x))
    return -x * x / 2.0 - _log(-x) - 0.5 * math.log(math.tau)  # relative error below 2e-6


def _elu(x: float) -> float:
    return x if x > 0.0 else math.expm1(x)


def _sign(x: float) -> float:
    return float((x > 0.0) - (x < 0.0))


def _integral(function: Callable[[float], float]) -> Real:
    """floor, ceil, round: the infinities stay"""
    return lambda x: x if math.isinf(x) else float(function(x))


def _logaddexp(x: float, y: float) -> float:
    larger = max(x, y)
    return larger if math.isinf(larger) else larger + math.log1p(math.exp(-abs(x - y)))


def _times(x: float, y: float) -> float:
    """x · y; 0 · inf, which is a NaN, adds no number"""
    return 0.0 if x == 0.0 or y == 0.0 else x * y


def _quotient(x: float, y: float) -> float:
    if y != 0.0:
        return x / y
    return math.copysign(inf, x) if x else nan


def _power(x: float, y: float) -> float:
    try:
        result = x**y
    except ZeroDivisionError:
        return inf
    except OverflowError:
        return -inf if x < 0.0 and y % 2.0 == 1.0 else inf
    return nan if isinstance(result, complex) else result


# Bounds.


def _is_landmark(x: float, y: float) -> bool:
    """f(x) = y is so plain that every library gets it right"""
    return (math.isinf(x) or x in (-1.0, 0.0, 1.0)) and (math.isinf(y) or 2.0 * y == int(2.0 * y))


def _outward(call: Call, lo: float, hi: float, ulps: int = ULPS) -> Interval:
    """[lo, hi], rounded and moved outwards by `ulps`"""
    return Interval(
        step(call.round(lo), call.dtype, -ulps),
        step(call.round(hi), call.dtype, ulps),
    )


def _slack(interval: Interval, factor: float = 2.0**-6) -> Interval:
    """Room for accumulated rounding; 0, ±inf and powers of two are reached exactly"""

    def is_exact(bound: float) -> bool:
        return math.isinf(bound) or abs(math.frexp(bound)[0]) in (0.0, 0.5)

    lo, hi = interval.lo, interval.hi
    return Interval(
        lo if is_exact(lo) else lo - abs(lo) * factor,
        hi if is_exact(hi) else hi + abs(hi) * factor,
    )


def _flushed(interval: Interval, dtype: str) -> Interval:
    """A subnormal bound may be 0: TensorFlow and JAX flush, but not in float16"""
    if dtype == "float16":
        return interval
    tiny = FORMATS[dtype].tiny
    lo = 0.0 if 0.0 < interval.lo < tiny else interval.lo
    hi = 0.0 if -tiny < interval.hi < 0.0 else interval.hi
    return Interval(lo, hi)


def _made(
    call: Call,
    interval: Interval,
    *,
    nan: bool | None = None,
    attained: frozenset[float] = NOTHING,
    together: frozenset[float] | None = None,
    integer: bool = False,
    free: bool | None = None,
    dtype: str | None = None,
) -> Value:
    """A `Value` of consistent parts: evidence within the interval, no zero with a sign"""
    interval = _flushed(interval, call.dtype)
    kept = frozenset(point + 0.0 for point in attained if interval.contains(point))
    return Value(
        interval,
        call.nan if nan is None else nan,
        kept,
        integer,
        dtype,
        call.free if free is None else free,
        NOTHING if together is None else kept - together,
    )


def _admits_all(value: Value) -> bool:
    return value.free or value.is_constant


def _saturates(value: Value) -> bool:
    """Far ends of its range are reached: a free input, or a value of which nothing is known"""
    return value.free or value.interval == intervals.TOP


def _vanishes(value: Value) -> bool:
    """A free input is 0 somewhere, unless its range excludes that"""
    return value.free and value.interval.contains(0.0)


def _image(function: Real, points: frozenset[float]) -> frozenset[float]:
    """f[points] without NaN"""
    return frozenset(y for y in map(function, points) if not math.isnan(y))


# Functions of one operand.


def monotone(
    function: Real,
    *,
    on: Interval = intervals.TOP,
    within: Interval = intervals.TOP,
    decreasing: bool = False,
    ulps: int = ULPS,
    saturates: frozenset[float] = NOTHING,
    integer: bool = False,
    free: bool | None = None,
) -> Row:
    """f#([a, b]) = [f(a), f(b)] ∩ within; NaN outside `on`; `saturates` are reached far out"""

    def row(call: Call) -> Value:
        x = call.x
        whole = call.hull(x)
        domain = whole.meet(on)
        may_be_nan = x.nan or not whole.leq(on)
        if domain.is_empty:
            return _made(call, intervals.BOTTOM, nan=may_be_nan)

        def rounded(point: float) -> float:
            return call.round(function(point))

        ends = (domain.hi, domain.lo) if decreasing else (domain.lo, domain.hi)
        interval = _ends(call, function, ends, ulps).meet(within)
        far = _image(rounded, frozenset(ends)) & saturates if _saturates(x) else NOTHING
        attained, together = _images(rounded, x)
        return _made(
            call,
            interval,
            nan=may_be_nan,
            attained=attained | far,
            together=together | far,
            integer=integer,
            free=free,
        )

    return row


def _ends(call: Call, function: Real, ends: tuple[float, float], ulps: int) -> Interval:
    """[f(ends[0]), f(ends[1])], each moved outwards unless it is a landmark"""
    lo, hi = function(ends[0]), function(ends[1])
    below = 0 if _is_landmark(ends[0], lo) else ulps
    above = 0 if _is_landmark(ends[1], hi) else ulps
    return Interval(
        step(call.round(lo), call.dtype, -below),
        step(call.round(hi), call.dtype, above),
    )


def even(function: Real, *, ulps: int = 0, bottom: frozenset[float] = NOTHING) -> Row:
    """f#([a, b]) = [f(min |v|), f(max |v|)]; `bottom` is reached at 0 by a free operand"""

    def row(call: Call) -> Value:
        x = call.x
        whole = call.hull(x)
        if whole.is_empty:
            return _made(call, whole)

        def rounded(point: float) -> float:
            return call.round(function(abs(point)))

        shape = bottom if _vanishes(x) else NOTHING
        attained, together = _images(rounded, x)
        return _made(
            call,
            _ends(call, function, (whole.mignitude, whole.magnitude), ulps),
            attained=attained | shape,
            together=together | shape,
            integer=x.integer and function in (abs, _square),
        )

    return row


def periodic(function: Real, within: Interval) -> Row:
    """f#(a) = within, or the value at a constant; NaN at ±inf"""

    def row(call: Call) -> Value:
        x = call.x
        whole = call.hull(x)
        interval = within
        if whole.is_point and whole.is_finite:
            interval = _ends(call, function, (whole.lo, whole.lo), ULPS).meet(within)
        finite = frozenset(point for point in x.attained if point == 0.0 or x.is_constant)
        attained = _image(lambda point: call.round(function(point)), finite - {inf, -inf})
        may_be_nan = x.nan or not whole.is_finite
        return _made(call, interval, nan=may_be_nan, attained=attained, together=attained)

    return row


def _neg(call: Call) -> Value:
    """[a, b] ↦ [-b, -a]"""
    x = call.x
    attained, together = _images(lambda point: 0.0 - point, x)
    interval = x.interval.negated
    return Value(interval, x.nan, attained, x.integer, x.dtype, x.free, attained - together)


def _bump(lowest: float, *, doubles: bool = False) -> Row:
    """silu, gelu: x/2 ≤ f(x) ≤ x for x ≥ 0, `lowest` ≤ f(x) ≤ 0 below; NaN at ±inf

    What `doubles` multiplies by 1 + erf before it halves, as PyTorch's vectors do.
    """

    def row(call: Call) -> Value:
        x = call.x
        whole = call.hull(x)
        if whole.is_empty:
            return _made(call, whole)
        lo = whole.lo / 2.0 if whole.lo >= 0.0 else lowest
        hi = inf if doubles and whole.hi > call.form.max / 2.0 else whole.hi
        interval = _outward(call, lo, max(hi, 0.0)).meet(_sign_cap(Interval(lo, hi)))
        zero = ZERO & x.attained
        may_be_nan = x.nan or not whole.is_finite
        return _made(call, interval, nan=may_be_nan, attained=zero, together=zero & x.together)

    return row


def _leaky_relu(call: Call) -> Value:
    """slope in [0, 1]: x ≤ f(x) ≤ max(x, 0), and f(x) = x for x ≥ 0"""
    x = call.x
    whole = call.hull(x)
    interval = Interval(whole.lo, whole.hi if whole.hi >= 0.0 else 0.0)
    keep = frozenset(point for point in x.attained if point >= 0.0)
    may_be_nan = x.nan or whole.contains(-inf)  # slope 0
    return _made(call, interval, nan=may_be_nan, attained=keep, together=keep & x.together)


def _hard_sigmoid(call: Call) -> Value:
    """[0, 1]; the slope is 1/6 or 1/5"""
    whole = call.hull(call.x)
    ends = frozenset(p for p, far in ((0.0, whole.lo <= -3.0), (1.0, whole.hi >= 3.0)) if far)
    far_out = ends if _saturates(call.x) else NOTHING
    low = 0.5 if whole.lo >= 0.0 else 0.0
    high = 0.5 if whole.hi <= 0.0 else 1.0
    return _made(call, Interval(low, high), attained=far_out, together=far_out)


def _relu(call: Call) -> Value:
    """max(x, 0)"""
    return _maximum(call.on(call.x, constant(0.0)))


def _relu6(call: Call) -> Value:
    """min(max(x, 0), 6)"""
    return _minimum(call.on(_relu(call), constant(6.0)))


def _rsqrt_row(call: Call) -> Value:
    """1 / √x; rsqrt(-0) is -inf"""
    value = monotone(_rsqrt, on=NON_NEGATIVE, within=NON_NEGATIVE, decreasing=True)(call)
    if not call.hull(call.x).contains(0.0):
        return value
    return replace(value, interval=Interval(-inf, value.hi))


def _scaled_softplus(call: Call) -> Value:
    """log(1 + exp(βx)) / β; past the threshold torch returns x, which is a little less"""
    beta, threshold = call.setting("beta"), call.setting("threshold") or TOP
    if beta is None or not (beta.is_constant and 0.0 < beta.lo < inf):
        return _made(call, NON_NEGATIVE, free=False)
    scale = beta.lo
    value = monotone(
        lambda x: _softplus(x * scale) / scale,
        within=NON_NEGATIVE,
        saturates=ZERO,
        ulps=ULPS if scale == 1.0 else 256,  # exp(βx) has the error of βx, up to 104 ulps
    )(call)
    lowest = call.hull(call.x).lo
    if value.interval.is_empty or (threshold.lo >= 1.0 and lowest * scale < threshold.lo - 1.0):
        return value
    return replace(value, interval=Interval(min(value.lo, max(lowest, 0.0)), value.hi))


def _log_ndtr_row(call: Call) -> Value:
    """increasing to 0; the asymptotic form is good to 2e-6"""
    value = monotone(_log_ndtr, within=Interval(-inf, 0.0))(call)
    return replace(value, interval=_slack(value.interval, 2.0**-10))


def _erfinv(call: Call) -> Value:
    """[-1, 1] → [-inf, inf], odd; |erfinv| < 6 inside"""
    whole = call.hull(call.x)
    domain = whole.meet(SIGNED_UNIT)
    may_be_nan = call.nan or not whole.leq(SIGNED_UNIT)
    if domain.is_empty:
        return _made(call, domain, nan=may_be_nan)
    lo = -inf if domain.lo == -1.0 else -6.0 if domain.lo < 0.0 else 0.0
    hi = inf if domain.hi == 1.0 else 6.0 if domain.hi > 0.0 else 0.0
    poles = {-1.0: -inf, 0.0: 0.0, 1.0: inf}
    attained = _image(lambda point: poles.get(point, nan), call.x.attained)
    return _made(call, Interval(lo, hi), nan=may_be_nan, attained=attained)


def _ndtri(call: Call) -> Value:
    """[0, 1] → [-inf, inf], 0 at 0.5; above -39 and below 9 inside"""
    whole = call.hull(call.x)
    domain = whole.meet(UNIT)
    may_be_nan = call.nan or not whole.leq(UNIT)
    if domain.is_empty:
        return _made(call, domain, nan=may_be_nan)
    lo = -inf if domain.lo == 0.0 else -39.0 if domain.lo < 0.5 else 0.0
    hi = inf if domain.hi == 1.0 else 9.0 if domain.hi > 0.5 else 0.0
    poles = {0.0: -inf, 0.5: 0.0, 1.0: inf}
    attained = _image(lambda point: poles.get(point, nan), call.x.attained)
    return _made(call, Interval(lo, hi), nan=may_be_nan, attained=attained)


def _lgamma(call: Call) -> Value:
    """convex on (0, inf) with the minimum -0.1215; unbounded at 0 and on the left"""
    whole = call.hull(call.x)
    at_pole = frozenset({inf}) if 0.0 in call.x.attained else NOTHING
    if whole.is_empty:
        return _made(call, whole)
    if whole.lo < 0.0:
        return _made(call, intervals.TOP, attained=at_pole)
    lgamma = _total(lambda x: inf if x == 0.0 else math.lgamma(x))
    highest = max(lgamma(whole.lo), lgamma(whole.hi))
    if highest > call.form.max / 4.0 or whole.lo < call.form.tiny:
        highest = inf
    highest += 8.0 * call.form.eps  # at the zeros 1 and 2 the error is absolute
    return _made(call, _slack(Interval(-0.1215, highest), 2.0**-10), attained=at_pole)


def _digamma(call: Call) -> Value:
    """log x - 1/x ≤ ψ(x) ≤ log x - 1/(2x) for x > 0; a pole at 0, NaN among the poles"""
    whole = call.hull(call.x)
    if whole.lo <= 0.0 or whole.is_empty:
        pole = frozenset({-inf}) if 0.0 in call.x.attained else NOTHING
        return _made(call, intervals.TOP, nan=True, attained=pole, free=False)
    below = _log(whole.lo) - 1.0 / whole.lo
    above = _log(whole.hi) - 0.5 / whole.hi
    return _made(call, _slack(_outward(call, below, above), 2.0**-10))


# Functions of two operands.


def _pointwise(
    call: Call, function: Callable[[float, float], float]
) -> tuple[frozenset[float], frozenset[float]]:
    """Evidence of f(x, y): the points of one operand where the other is constant"""
    x, y = call.x, call.y
    if y.is_constant:
        right = call.round(y.lo)
        return _images(lambda point: call.round(function(call.round(point), right)), x)
    if x.is_constant:
        left = call.round(x.lo)
        return _images(lambda point: call.round(function(left, call.round(point))), y)
    return NOTHING, NOTHING


def _images(function: Real, value: Value) -> tuple[frozenset[float], frozenset[float]]:
    """f[attained] and f[together]"""
    attained = _image(function, value.attained)
    return attained, attained if not value.scattered else _image(function, value.together)


def _rounded(call: Call, lo: float, hi: float, integer: bool) -> Interval:
    """[lo, hi] rounded to the format; integers may be of a type that does not round"""
    interval = Interval(call.round(lo), call.round(hi))
    return interval.join(Interval(lo, hi)) if integer else interval


def _sum_of(x: float, y: float, otherwise: float) -> float:
    total = x + y
    return otherwise if math.isnan(total) else total


def _add(call: Call) -> Value:
    """[a, b] + [c, d] = [a + c, b + d]; NaN if inf can meet -inf"""
    return _plus(call, call.hull(call.y), lambda x, y: x + y)


def _sub(call: Call) -> Value:
    """[a, b] - [c, d] = [a - d, b - c]; NaN if inf can meet inf"""
    y = call.hull(call.y)
    return _plus(call, y.negated, lambda x, y: x - y)


def _plus(call: Call, y: Interval, function: Callable[[float, float], float]) -> Value:
    x = call.hull(call.x)
    if x.is_empty or y.is_empty:
        return _made(call, intervals.BOTTOM)
    clash = (x.contains(inf) and y.contains(-inf)) or (x.contains(-inf) and y.contains(inf))
    integer = call.x.integer and call.y.integer
    interval = _rounded(call, _sum_of(x.lo, y.lo, -inf), _sum_of(x.hi, y.hi, inf), integer)
    attained, together = _pointwise(call, function)
    return _made(
        call,
        interval,
        nan=call.nan or clash,
        attained=attained,
        together=together,
        integer=integer,
    )


def _mul(call: Call) -> Value:
    """The hull of the corner products; NaN if 0 can meet ±inf"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return _made(call, intervals.BOTTOM)
    clash = _clashes(x, y)
    products = intervals.corners(_times, x, y)
    integer = call.x.integer and call.y.integer
    attained, together = _pointwise(call, lambda p, q: p * q)
    for one, other in ((call.x, y), (call.y, x)):
        if other.is_finite:  # 0 · v = 0
            attained |= ZERO & one.attained
            together |= ZERO & one.together
    return _made(
        call,
        _rounded(call, products.lo, products.hi, integer),
        nan=call.nan or clash,
        attained=attained,
        together=together,
        integer=integer,
    )


def _clashes(x: Interval, y: Interval) -> bool:
    """0 · inf is possible"""
    return (x.contains(0.0) and not y.is_finite) or (y.contains(0.0) and not x.is_finite)


def _div(call: Call) -> Value:
    """The hull of the corner quotients, ⊤ if 0 is among the divisors; NaN at 0/0 and inf/inf"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return _made(call, intervals.BOTTOM)
    vanishes = y.contains(0.0)
    clash = (vanishes and x.contains(0.0)) or not (x.is_finite or y.is_finite)
    interval = intervals.TOP if vanishes else intervals.corners(_quotient, x, y)
    attained, together = _pointwise(call, _signed_quotient(call.y.interval))
    if not vanishes and y.is_finite:  # 0 / v = 0
        attained |= ZERO & call.x.attained
        together |= ZERO & call.x.together
    return _made(
        call,
        Interval(call.round(interval.lo), call.round(interval.hi)),
        nan=call.nan or clash,
        attained=attained,
        together=together,
    )


def _signed_quotient(divisors: Interval) -> Callable[[float, float], float]:
    """x / y; a zero has the sign of its side of the divisors, and none inside them"""

    def quotient(x: float, y: float) -> float:
        if y != 0.0 or x == 0.0:
            return _quotient(x, y) if y != 0.0 else nan
        if divisors.lo == 0.0:
            return math.copysign(inf, x)
        return math.copysign(inf, -x) if divisors.hi == 0.0 else nan

    return quotient


def _floordiv(call: Call) -> Value:
    """⌊x / y⌋; NaN also for ±inf divided by anything"""
    quotient = _div(call)
    x, y = call.hull(call.x), call.hull(call.y)
    interval = quotient.interval
    if not interval.is_empty:
        near = _outward(call, interval.lo, interval.hi, 2)
        same_sign = (x.lo >= 0.0 and y.lo > 0.0) or (x.hi <= 0.0 and y.hi < 0.0)
        interval = Interval(max(_floor(near.lo), 0.0 if same_sign else -inf), _floor(near.hi))
    attained, together = _pointwise(call, lambda p, q: p // q if q and math.isfinite(p) else nan)
    return _made(
        call,
        interval,
        nan=quotient.nan or not x.is_finite,
        attained=attained,
        together=together,
        integer=True,
    )


_floor = _integral(math.floor)


def _mod(call: Call) -> Value:
    """0 ≤ x mod y ≤ y, or y ≤ x mod y ≤ 0; NaN for y = 0 or an infinite x"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return _made(call, intervals.BOTTOM)
    may_be_nan = call.nan or y.contains(0.0) or not x.is_finite
    interval = Interval(min(y.lo, 0.0), max(y.hi, 0.0))
    if y.lo > 0.0 and x.lo >= 0.0:
        interval = Interval(0.0, min(interval.hi, x.hi))
    attained, together = _pointwise(
        call, lambda p, q: p % q if q and math.isfinite(p) and math.isfinite(q) else nan
    )
    return _made(
        call,
        interval,
        nan=may_be_nan,
        attained=attained,
        together=together,
        integer=call.x.integer and call.y.integer,
        free=False,
    )


def _pow(call: Call) -> Value:
    """x^y by the kind of exponent; ⊤ for an unknown one on a base that may be negative"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return _made(call, intervals.BOTTOM)
    if call.y.is_constant and y.lo == y.hi:  # as it is, and as the format rounds it
        interval, clash = _constant_power(call, x, call.y.lo)
    else:
        interval, clash = _general_power(x, y), x.lo < 0.0
    attained, together = _pointwise(call, _signed_power(call.x.interval))
    if _vanishes(call.x) and call.y.is_constant and y.lo > 0.0 and y.lo % 2.0 == 0.0:
        attained, together = attained | ZERO, together | ZERO
    integer = call.x.integer and call.y.integer and y.lo >= 0.0
    exact = call.y.is_constant and call.y.lo in (0.0, 1.0)
    bounds = _rounded(call, interval.lo, interval.hi, integer)
    if not exact:
        bounds = _outward(call, interval.lo, interval.hi).join(bounds).meet(_power_cap(interval))
    return _made(
        call,
        bounds,
        nan=call.nan or clash,
        attained=attained,
        together=together,
        integer=integer,
    )


def _power_cap(interval: Interval) -> Interval:
    """Rounding never takes a power across 0, nor across 1 from an exact 1"""
    lo = interval.lo if interval.lo in (0.0, 1.0) else 0.0 if interval.lo > 0.0 else -inf
    hi = interval.hi if interval.hi in (0.0, 1.0) else 0.0 if interval.hi < 0.0 else inf
    return Interval(lo, hi)


def _general_power(x: Interval, y: Interval) -> Interval:
    """The corners for x ≥ 0: monotone in x and in y; x^0 = 1 and (-0)^-1 = -inf"""
    if x.lo < 0.0 or (x.lo == 0.0 and y.lo <= -1.0):
        return intervals.TOP
    corners = intervals.corners(_power, x, y)
    return corners.join(intervals.point(1.0)) if y.contains(0.0) else corners


def _constant_power(call: Call, x: Interval, exponent: float) -> tuple[Interval, bool]:
    """The range of x^exponent, and whether a NaN is possible"""
    if math.isinf(exponent):
        return NON_NEGATIVE, False
    if exponent != int(exponent) or exponent != call.round(exponent):
        return _fractional_power(call, x, exponent), x.lo < 0.0
    if exponent % 2.0 == 0.0:
        ends = Interval(x.mignitude, x.magnitude)
        return intervals.corners(_power, ends, intervals.point(exponent)), False
    if exponent < 0.0 and x.contains(0.0):
        return intervals.TOP, False
    return intervals.corners(_power, x, intervals.point(exponent)), False


def _fractional_power(call: Call, x: Interval, exponent: float) -> Interval:
    """Of the part x ≥ 0, and of -inf; hulls the exponent rounded to the format"""
    rounded = call.round(exponent)
    if math.isinf(rounded):
        return intervals.TOP
    exponents = Interval(min(exponent, rounded), max(exponent, rounded))
    base = x.meet(NON_NEGATIVE)
    power = intervals.BOTTOM if base.is_empty else intervals.corners(_power, base, exponents)
    if x.lo == -inf:
        power = power.join(intervals.point(inf if exponent > 0.0 else 0.0))
    if x.lo < 0.0 and (exponent == int(exponent) or rounded == int(rounded)):
        power = intervals.TOP
    return power


def _signed_power(bases: Interval) -> Callable[[float, float], float]:
    """x^y; a pole at 0 has a sign only if the exponent is even or 0 bounds the bases"""

    def power(x: float, y: float) -> float:
        if x == 0.0 and y < 0.0 and y % 2.0 == 1.0 and bases.lo < 0.0:
            return nan
        return _power(abs(x) if x == 0.0 else x, y)

    return power


def _maximum(call: Call) -> Value:
    """[max(a, c), max(b, d)]"""
    return _extremum(call, max, lambda value, point: value.lo <= point)


def _minimum(call: Call) -> Value:
    """[min(a, c), min(b, d)]"""
    return _extremum(call, min, lambda value, point: value.hi >= point)


def _extremum(
    call: Call,
    choose: Callable[[float, float], float],
    gives_way: Callable[[Value, float], bool],
) -> Value:
    """A point of one operand is evident if the other surely, or by its freedom, gives way"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return _made(call, intervals.BOTTOM)
    attained, together = _pointwise(call, choose)
    for one, other in ((call.x, call.y), (call.y, call.x)):
        if other.is_constant:
            continue
        if _saturates(other):
            shown = frozenset(p for p in one.attained if gives_way(other, p))
        else:
            shown = frozenset(p for p in one.attained if choose(other.lo, p) == p)
            shown = frozenset(p for p in shown if choose(other.hi, p) == p)
        attained |= _image(call.round, shown)
        together |= _image(call.round, shown & one.together)
    return _made(
        call,
        Interval(choose(x.lo, y.lo), choose(x.hi, y.hi)),
        attained=attained,
        together=together,
        integer=call.x.integer and call.y.integer,
    )


def _clip(call: Call) -> Value:
    """min(max(x, min), max), a bound that is absent left out"""
    value = call.x
    for row, name in ((_maximum, "min"), (_minimum, "max")):
        bound = call.setting(name)
        if bound is not None:
            value = row(call.on(value, bound))
    return value


def _atan2(call: Call) -> Value:
    """[-π, π]; by the signs of the arguments: [0, π] for y ≥ 0 does not hold for y = -0"""
    return _made(call, _outward(call, -math.pi, math.pi))


def _copysign(call: Call) -> Value:
    """±|x|"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return _made(call, intervals.BOTTOM)
    zero = ZERO if 0.0 in call.x.attained else NOTHING
    sizes = Interval(x.mignitude, x.magnitude)
    if y.lo <= 0.0 <= y.hi or call.y.nan:
        sizes = sizes.join(sizes.negated)
    elif y.hi < 0.0:
        sizes = sizes.negated
    return _made(call, sizes, attained=zero, together=zero, free=False)


def _hypot(call: Call) -> Value:
    """√(x² + y²), monotone in |x| and |y|"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return _made(call, intervals.BOTTOM)
    lo = math.hypot(x.mignitude, y.mignitude)
    hi = math.hypot(x.magnitude, y.magnitude)
    vanishing = all(
        0.0 in value.attained or (value.free and value.interval.contains(0.0))
        for value in call.operands
    )
    zero = ZERO if vanishing else NOTHING
    return _made(call, _outward(call, lo, hi).meet(NON_NEGATIVE), attained=zero, together=zero)


def _logaddexp_row(call: Call) -> Value:
    """monotone in both"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return _made(call, intervals.BOTTOM)
    lo, hi = _logaddexp(x.lo, y.lo), _logaddexp(x.hi, y.hi)
    near = _outward(call, lo, hi)
    room = call.form.eps * 2.0  # near 0 the error is absolute
    return _made(call, Interval(min(near.lo, lo - room), max(near.hi, hi + room)))


def _product_with(logarithm: Row) -> Row:
    """x · g(y), and 0 where x = 0"""

    def row(call: Call) -> Value:
        logs = logarithm(call.on(call.y))
        x = call.hull(call.x)
        if x.is_empty:
            return _made(call, x)
        part = intervals.BOTTOM
        if not logs.interval.is_empty:
            part = intervals.corners(_times, x, logs.interval)
            part = _outward(call, part.lo, part.hi).meet(_sign_cap(part))
        zero = x.contains(0.0)
        may_be_nan = call.nan or logs.nan or (logs.interval.contains(0.0) and not x.is_finite)
        return _made(
            call,
            part.join(intervals.point(0.0)) if zero else part,
            nan=may_be_nan,
            attained=ZERO & call.x.attained,
            together=ZERO & call.x.together,
        )

    return row


def _sign_cap(interval: Interval) -> Interval:
    """The half lines that rounding does not leave"""
    return Interval(
        0.0 if interval.lo >= 0.0 else -inf,
        0.0 if interval.hi <= 0.0 else inf,
    )


def _divide_no_nan(call: Call) -> Value:
    """x / y, and 0 where y = 0"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return _made(call, intervals.BOTTOM)
    attained = ZERO & (call.y.attained | call.x.attained)
    if not y.contains(0.0):
        return replace(_div(call), attained=_div(call).attained | attained)
    negative = (x.lo < 0.0 and y.hi > 0.0) or (x.hi > 0.0 and y.lo < 0.0)
    positive = (x.hi > 0.0 and y.hi > 0.0) or (x.lo < 0.0 and y.lo < 0.0)
    may_be_nan = call.nan or not (x.is_finite or y.is_finite)
    interval = Interval(-inf if negative else 0.0, inf if positive else 0.0)
    together = ZERO & (call.y.together | call.x.together)
    return _made(call, interval, nan=may_be_nan, attained=attained, together=together, free=False)


def _multiply_no_nan(call: Call) -> Value:
    """x · y, and 0 where y = 0 even for an x of NaN or ±inf"""
    product = _mul(call)
    x, y = call.hull(call.x), call.hull(call.y)
    zero = ZERO & (call.y.attained | call.x.attained)
    interval = product.interval
    if y.contains(0.0):
        interval = interval.join(intervals.point(0.0))
    return replace(
        product,
        interval=interval,
        nan=call.nan or (x.contains(0.0) and not y.is_finite),
        attained=product.attained | frozenset(filter(interval.contains, zero)),
    )


# Choice and patches.


def _where(call: Call) -> Value:
    """condition ? x : y = x ⊔ y"""
    condition, x, y = call.operands[:3]
    if condition.is_constant:
        return x if condition.lo else y
    return _finite(call, x).join(_finite(call, y))


def _finite(call: Call, value: Value) -> Value:
    """A free input has the numbers of the format; a join may not be free and forget it"""
    return replace(value, interval=call.hull(value)) if value.free else value


def _nan_to_num(call: Call) -> Value:
    """The finite part, and the replacements of what else there may be"""
    x = call.x
    largest = call.form.max
    value = x.restrict(Interval(-largest, largest))
    for present, name, default in (
        (x.nan, "nan", 0.0),
        (x.interval.contains(inf), "posinf", largest),
        (x.interval.contains(-inf), "neginf", -largest),
    ):
        if present:
            patch = call.setting(name) or constant(default)
            quiet = replace(patch, attained=NOTHING, scattered=NOTHING, dtype=x.dtype)
            value = value.join(quiet)
    return value


def _same(call: Call) -> Value:
    """The first operand: a view computes nothing"""
    return call.x


def _join(call: Call) -> Value:
    """⊔ of the operands: an element comes from one of them"""
    return reduce(Value.join, (_finite(call, value) for value in call.operands))


def _cast(call: Call) -> Value:
    """To floats: rounds. To integers: truncates; NaN and ±inf become some integer"""
    name = _requested(call)
    if is_float(name):
        return _to_float(call, name)
    if name == "bool":
        return _to_bool(call)
    if is_integer(name):
        return _to_integer(call, name)
    return call.x if call.settings.get("dtype") is None else replace(call.x, dtype=None)


def _to_float(call: Call, name: str) -> Value:
    x = call.x
    whole = call.hull(x) if x.free else x.interval
    interval = (
        whole if whole.is_empty else Interval(round_to(whole.lo, name), round_to(whole.hi, name))
    )
    attained, together = _images(lambda point: round_to(point, name), x)
    kept = _flushed(interval, name)
    return Value(kept, x.nan, attained, x.integer, name, x.free, attained - together)


def _to_bool(call: Call) -> Value:
    outcomes = _truths(call.x)
    shown, together = _images(lambda point: float(point != 0.0), call.x)
    return _made(
        call,
        intervals.hull(map(float, outcomes)),
        nan=False,
        attained=shown,
        together=together,
        integer=True,
        free=False,
        dtype="bool",
    )


def _to_integer(call: Call, name: str) -> Value:
    bits, signed = INTEGERS[name]
    span = Interval(-(2.0 ** (bits - 1)), 2.0 ** (bits - 1) - 1.0)
    if not signed:
        span = Interval(0.0, 2.0**bits - 1.0)
    whole = call.hull(call.x)
    fits = not whole.is_empty and whole.leq(span) and not call.nan
    attained, together = _images(lambda p: float(int(p)) if math.isfinite(p) else nan, call.x)
    truncated = Interval(float(int(whole.lo)), float(int(whole.hi))) if fits else span
    return _made(
        call,
        truncated,
        nan=False,
        attained=attained,
        together=together,
        integer=True,
        dtype=name,
    )


# Along an axis, and reductions.


def _softmax(call: Call) -> Value:
    """[0, 1]; 0 and 1 wherever the spread of the logits underflows the exponential"""
    x = call.x
    whole = call.hull(x)
    attained = ZERO if -inf in x.attained else NOTHING
    if _saturates(x) and not whole.is_empty:
        least = call.round(_exp(whole.lo - whole.hi))
        attained |= ZERO if least == 0.0 else NOTHING
        attained |= frozenset({1.0}) if least < call.form.eps / 4.0 else NOTHING
    may_be_nan = x.nan or not whole.is_finite
    return _made(call, UNIT, nan=may_be_nan, attained=attained, together=NOTHING)


def _log_softmax(call: Call) -> Value:
    """[lo - hi - log n, 0]"""
    x = call.x
    whole = call.hull(x)
    if whole.is_empty:
        return _made(call, whole)
    spread = whole.lo - whole.hi
    lowest = spread - math.log(COUNT) if not math.isnan(spread) else -inf
    one = ZERO if 1.0 in _softmax(call).attained else NOTHING
    interval = _outward(call, lowest, 0.0).meet(Interval(-inf, 0.0))
    may_be_nan = x.nan or not whole.is_finite
    return _made(call, interval, nan=may_be_nan, attained=one, together=NOTHING)


def _in_its_format(row: Row) -> Row:
    """Casts the operand first, if the call asks for a format"""

    def cast_first(call: Call) -> Value:
        name = _requested(call)
        if not is_float(name):
            return row(call)
        return replace(row(Call((_to_float(call, name),), call.settings, name)), dtype=name)

    return cast_first


def _normalize(call: Call) -> Value:
    """x / max(‖x‖, ε) in [-1, 1], rounded; the usual ε of 1e-12 is 0 in float16"""
    x = call.x
    whole = call.hull(x)
    interval = Interval(0.0 if whole.lo >= 0.0 else -1.01, 0.0 if whole.hi <= 0.0 else 1.01)
    zero = ZERO & x.attained
    unguarded = call.dtype == "float16" and whole.contains(0.0)
    may_be_nan = x.nan or not whole.is_finite or unguarded
    return _made(call, interval, nan=may_be_nan, attained=zero, together=zero & x.together)


def _sum_bounds(whole: Interval) -> Interval:
    """n · [lo, hi] for some 1 ≤ n ≤ COUNT"""
    lo = whole.lo if whole.lo >= 0.0 else whole.lo * COUNT
    hi = whole.hi if whole.hi <= 0.0 else whole.hi * COUNT
    return Interval(lo, hi)


def _sum(call: Call) -> Value:
    """Σ; 0 if all elements can be 0 at once; NaN if it may reach inf and -inf"""
    x = call.x
    whole = call.hull(x)
    if whole.is_empty:
        return _made(call, whole)
    bounds = _sum_bounds(whole)
    interval = _rounded(call, bounds.lo, bounds.hi, x.integer)
    return _made(
        call,
        interval,
        nan=x.nan or interval == intervals.TOP,
        attained=ZERO & x.together,
        integer=x.integer,
    )


def _cumsum(call: Call) -> Value:
    """The prefix sums; the first is an element itself"""
    total = _sum(call)
    attained = call.x.attained | total.attained
    return replace(total, attained=attained, scattered=attained - total.attained)


def _mean(call: Call) -> Value:
    """[lo, hi] with room for rounding; ±inf where the sum overflows"""
    x = call.x
    whole = call.hull(x)
    if whole.is_empty:
        return _made(call, whole)
    bounds = _sum_bounds(whole)
    low, high = call.round(bounds.lo), call.round(bounds.hi)
    near = _slack(whole)
    exact = frozenset(p for p in x.together if _slack(intervals.point(p)).is_point)
    return _made(
        call,
        Interval(
            -inf if low == -inf else call.round(near.lo),
            inf if high == inf else call.round(near.hi),
        ),
        nan=x.nan or (low == -inf and high == inf),
        attained=exact,
    )


def _prod(call: Call) -> Value:
    """Π: [0, 1] and [-1, 1] are closed under it; NaN if 0 and inf can both arise"""
    x = call.x
    whole = call.hull(x)
    if whole.is_empty:
        return _made(call, whole)
    may_be_nan = x.nan
    if whole.leq(UNIT):
        interval = Interval(0.0, whole.hi)
    elif whole.leq(SIGNED_UNIT):
        interval = SIGNED_UNIT
    elif whole.lo >= 1.0:
        interval = Interval(whole.lo, inf)
    else:
        may_be_nan = x.nan or whole.mignitude < 1.0
        interval = NON_NEGATIVE if whole.lo >= 0.0 else intervals.TOP
    attained = (ZERO & x.attained) | (frozenset({1.0}) & x.together)
    return _made(call, interval, nan=may_be_nan, attained=attained, integer=x.integer)


def _cumprod(call: Call) -> Value:
    """The prefix products; the first is an element itself"""
    total = _prod(call)
    attained = call.x.attained | total.attained
    return replace(total, attained=attained, interval=total.interval.join(call.x.interval))


def _extreme(end: Callable[[Interval], float]) -> Row:
    """max, min: an element; its far end is evident, the rest if all elements are equal"""

    def row(call: Call) -> Value:
        x = call.x
        far = frozenset(p for p in x.attained if p == end(x.interval))
        return replace(x, attained=x.together | far, scattered=NOTHING)

    return row


def _median(call: Call) -> Value:
    """An element, or the mean of two"""
    x = call.x
    wide = _mean(call)
    may_be_nan = x.nan or x.interval == intervals.TOP
    return replace(wide, attained=x.together & wide.attained, nan=may_be_nan)


def _logsumexp(call: Call) -> Value:
    """[lo, hi + log n]"""
    whole = call.hull(call.x)
    if whole.is_empty:
        return _made(call, whole)
    return _made(call, _slack(_outward(call, whole.lo, whole.hi + math.log(COUNT)), 2.0**-10))


def _var(call: Call) -> Value:
    """(max |x - mean|)² at most; 0 for equal elements"""
    return _spread(call, _square)


def _std(call: Call) -> Value:
    """max |x - mean| at most; 0 for equal elements"""
    return _spread(call, abs)


def _spread(call: Call, measure: Real) -> Value:
    """[0, measure(deviation)]; NaN where the correction uses up the count"""
    whole = call.hull(call.x)
    if whole.is_empty:
        return _made(call, whole)
    correction = call.setting("correction")
    plain = correction is not None and correction.is_constant and correction.lo == 0.0
    mean = _mean(call)
    may_be_nan = mean.nan or not plain or not mean.interval.is_finite
    highest = inf
    if plain and mean.interval.is_finite:
        deviation = max(whole.hi - mean.lo, mean.hi - whole.lo)
        if call.round(_square(deviation) * COUNT) < inf:
            highest = step(call.round(measure(deviation) * 1.01), call.dtype, 1)
    return _made(call, Interval(0.0, highest), nan=may_be_nan, attained=ZERO)


def _norm(call: Call) -> Value:
    """‖x‖ ≥ 0; 0 for the zero vector, if that is admitted"""
    x = call.x
    whole = call.hull(x)
    if whole.is_empty:
        return _made(call, whole)
    zero = ZERO if 0.0 in x.together or (x.free and whole.contains(0.0)) else NOTHING
    interval = NON_NEGATIVE
    if call.settings.get("ord") in (None, 1, 2, "fro", "euclidean"):
        interval = Interval(_shortest(call, whole), _longest(call, whole))
    return _made(call, interval, attained=zero)


def _shortest(call: Call, whole: Interval) -> float:
    """The norm of one element, whose square may underflow"""
    square = call.round(_square(whole.mignitude))
    root = math.sqrt(_flushed(intervals.point(square), call.dtype).lo)
    return call.round(min(root, whole.mignitude) * 0.99)


def _longest(call: Call, whole: Interval) -> float:
    """The norm of many, the sum of whose squares may overflow"""
    square = call.round(_square(whole.magnitude) * COUNT)
    return inf if square == inf else call.round(whole.magnitude * COUNT)


def _count_nonzero(call: Call) -> Value:
    """How many; a mask may be empty, unless no element can be 0"""
    outcomes = _truths(call.x)
    lowest = 0.0 if False in outcomes else 1.0
    highest = COUNT if True in outcomes else 0.0
    return _made(
        call,
        Interval(lowest, highest),
        nan=False,
        attained=ZERO,
        integer=True,
        free=False,
        dtype="int64",
    )


def _index(_: Call) -> Value:
    """An index along an axis"""
    return Value(Interval(0.0, COUNT), integer=True, dtype="int64")


def _extent(_: Call) -> Value:
    """A number of elements"""
    return Value(Interval(1.0, COUNT), integer=True, dtype="int64")


# Comparisons and logic.


def _truths(value: Value) -> frozenset[bool]:
    """The truth values it may have; a NaN is true"""
    truths = set()
    if value.interval.contains(0.0):
        truths.add(False)
    if value.nan or not (value.interval.is_point and value.lo == 0.0):
        truths.add(True)
    return frozenset(truths)


def _booleans(call: Call, outcomes: Iterable[bool]) -> Value:
    """Outcomes that are not excluded; each comes about"""
    points = frozenset(map(float, outcomes))
    return _made(
        call,
        intervals.hull(points),
        nan=False,
        attained=points,
        integer=True,
        free=False,
        dtype="bool",
    )


def _ordered(strict: bool, swapped: bool) -> Row:
    """x < y and its kin, decided where the intervals do not overlap"""

    def row(call: Call) -> Value:
        first, second = (call.y, call.x) if swapped else (call.x, call.y)
        x, y = call.hull(first), call.hull(second)
        if strict:
            holds, fails = x.hi < y.lo, x.lo >= y.hi
        else:
            holds, fails = x.hi <= y.lo, x.lo > y.hi
        if x.is_empty or y.is_empty:
            return _booleans(call, {False})
        if fails:
            return _booleans(call, {False})
        return _booleans(call, {True} if holds and not call.nan else {True, False})

    return row


def _equal(outcome: bool) -> Row:
    """x = y, excluded where the intervals do not meet; a NaN equals nothing"""

    def row(call: Call) -> Value:
        x, y = call.x, call.y
        if call.hull(x).meet(call.hull(y)).is_empty:
            return _booleans(call, {not outcome})
        if x.is_constant and y.is_constant and x.lo == y.lo:
            return _booleans(call, {outcome})
        return _booleans(call, {True, False})

    return row


def _logical(function: Callable[[bool, bool], bool]) -> Row:
    """The outcomes of the possible truth values"""

    def row(call: Call) -> Value:
        return _booleans(call, {function(p, q) for p in _truths(call.x) for q in _truths(call.y)})

    return row


def _logical_not(call: Call) -> Value:
    """1 - x"""
    return _booleans(call, {not truth for truth in _truths(call.x)})


def _either(_: Call) -> Value:
    """Nothing excluded"""
    return Value(UNIT, attained=BOTH, integer=True, dtype="bool")


def _isinf(call: Call) -> Value:
    """0 for a finite interval"""
    return _booleans(call, {False} if call.x.interval.is_finite else {True, False})


def _quantified(call: Call) -> Value:
    """any, all: decided if every element has the same truth value"""
    return _booleans(call, _truths(call.x))


# Products of tensors.


def _product_sum(call: Call) -> Value:
    """Σ x · y"""
    operands = call.operands[-2:]
    return _sum(call.on(_mul(call.on(*operands))))


def _cosine_similarity(call: Call) -> Value:
    """[-1, 1], a few ulps beyond; ±1 for parallel vectors"""
    x, y = call.hull(call.x), call.hull(call.y)
    lo = 0.0 if (x.lo >= 0.0 and y.lo >= 0.0) or (x.hi <= 0.0 and y.hi <= 0.0) else -1.001
    attained = frozenset({-1.0, 1.0}) if call.x.free and call.y.free else NOTHING
    finite = all(_norm(call.on(value)).interval.is_finite for value in call.operands)
    return _made(
        call,
        Interval(lo, 1.001),
        nan=call.nan or not finite,
        attained=attained,
        together=attained,
        free=False,
    )


def _distance(call: Call) -> Value:
    """‖x - y‖; 0 where they coincide"""
    return _norm(call.on(_sub(call)))


# Constants and draws.


def _requested(call: Call) -> str | None:
    """The format that the setting `dtype` names"""
    name = call.settings.get("dtype")
    return canonical_name(name) if isinstance(name, str) else None


def filled(number: float) -> Row:
    """α({number})"""
    return lambda call: constant(number, _requested(call))


def _full(call: Call) -> Value:
    """The value given, in every element"""
    value = call.setting("value") or TOP
    name = _requested(call)
    return _to_float(call.on(value), name) if is_float(name) else replace(value, dtype=name)


def _indicator(call: Call) -> Value:
    """0 and 1 side by side"""
    return _made(call, UNIT, nan=False, attained=BOTH, together=NOTHING, integer=True, free=False)


def _arange(call: Call) -> Value:
    """start, start + step, …; the end lies on the other side"""
    zero = constant(0.0)
    start, stop = call.setting("start"), call.setting("stop")
    first, last = (zero, start) if stop is None else (start or zero, stop)
    stride = call.setting("step") or constant(1.0)
    end = call.hull(last or Value(Interval(0.0, COUNT)))
    whole = call.hull(first)
    interval = Interval(whole.lo, max(end.hi, whole.hi))
    if stride.hi < 0.0:  # down to the end, and never to the end itself
        above = max(math.nextafter(end.lo, inf), end.lo + call.form.tiny)
        interval = Interval(above, max(end.hi, whole.hi))
    elif not stride.lo > 0.0:
        interval = Interval(min(end.lo, whole.lo), max(end.hi, whole.hi))
    integer = first.integer and stride.integer
    attained = first.attained
    return _made(
        call, interval, nan=False, attained=attained, together=NOTHING, integer=integer, free=False
    )


def _linspace(call: Call) -> Value:
    """start, …, stop, both drawn"""
    start, stop = call.setting("start") or TOP, call.setting("stop") or TOP
    both = start.join(stop)
    whole = call.hull(both)
    ends = start.attained | stop.attained
    return _made(call, whole, nan=both.nan, attained=ends, together=NOTHING, free=False)


def _uniform(call: Call) -> Value:
    """[low, high), and high itself by rounding; low is drawn"""
    low, high = call.setting("low") or TOP, call.setting("high") or TOP
    interval = call.hull(low).join(call.hull(high))
    known = low.is_constant and high.is_constant
    attained = frozenset({call.round(low.lo)}) if known else NOTHING
    return _made(call, interval, nan=low.nan or high.nan, attained=attained, free=known)


def _normal(call: Call) -> Value:
    """No generator draws beyond 16 standard deviations"""
    mean, std = call.setting("mean") or TOP, call.setting("std") or TOP
    if not (mean.is_constant and std.is_constant and std.interval.is_finite):
        return free(_requested(call))
    reach = 16.0 * abs(std.lo)
    return _made(call, _outward(call, mean.lo - reach, mean.lo + reach), nan=False, free=True)


def _limit(number: Callable[[Format], float]) -> Row:
    """A property of the format; of any format if it is not known which"""

    def row(call: Call) -> Value:
        name = _requested(call)
        if name is None and call.settings.get("dtype") is None:
            name = call.dtype
        if is_float(name):
            return constant(number(FORMATS[name]))
        return Value(intervals.hull(number(form) for form in FORMATS.values()))

    return row


# Losses.


_WEIGHTS: Final = frozenset(("weight", "pos_weight"))


def _loss(labels: int, allowed: Interval) -> Row:
    """≥ 0 for labels in `allowed`, without weights; NaN for infinite logits, and of no element"""

    def row(call: Call) -> Value:
        fits = call.operands[labels].interval.leq(allowed) and not call.settings.keys() & _WEIGHTS
        interval = NON_NEGATIVE if fits else intervals.TOP
        return _made(call, interval, nan=True, free=False)

    return row


def _nll_loss(call: Call) -> Value:
    """-log p of the label, 0 where it is ignored"""
    if "weight" in call.settings:
        return _made(call, intervals.TOP, nan=True, free=False)
    picked = _neg(call.on(call.x))
    ignored = picked.interval.join(intervals.point(0.0))
    known = call.settings.get("reduction") in ("none", "mean")
    interval = ignored if known else _sum_bounds(ignored)
    return _made(call, _slack(interval), nan=True, free=False)


def _mse(call: Call) -> Value:
    """(x - y)², reduced; 0 where they coincide"""
    squares = even(_square, bottom=ZERO)(call.on(_sub(call)))
    match call.settings.get("reduction"):
        case "none" | None:
            return squares
        case "mean":
            return _mean(call.on(squares))
        case _:
            return _sum(call.on(squares))


def _sigmoidal(
    function: Real, *, decreasing: bool = False, top: float = 1.0, ulps: int = ULPS
) -> Row:
    """monotone onto [0, top], both ends reached by rounding"""
    within = Interval(0.0, top)
    ends = frozenset({0.0, top})
    return monotone(function, within=within, saturates=ends, decreasing=decreasing, ulps=ulps)


TRANSFER: Final[Mapping[str, Row]] = MappingProxyType(
    {
        # Arithmetic.
        "add": _add,
        "sub": _sub,
        "mul": _mul,
        "div": _div,
        "floordiv": _floordiv,
        "mod": _mod,
        "pow": _pow,
        "neg": _neg,
        "maximum": _maximum,
        "minimum": _minimum,
        "clip": _clip,
        "atan2": _atan2,
        "copysign": _copysign,
        "hypot": _hypot,
        "logaddexp": _logaddexp_row,
        "abs": even(abs, bottom=ZERO),
        "square": even(_square, bottom=ZERO),
        "sign": monotone(_sign, ulps=0, integer=True, free=False),
        "floor": monotone(_floor, ulps=0, integer=True),
        "ceil": monotone(_integral(math.ceil), ulps=0, integer=True),
        "round": monotone(_integral(round), ulps=0, integer=True),
        # Powers, exponentials, logarithms. An unbounded logit is no evidence of exp's ends.
        "sqrt": monotone(_sqrt, on=NON_NEGATIVE, ulps=0),
        "cbrt": monotone(_cbrt),
        "exp": monotone(_exp, within=NON_NEGATIVE, free=False),
        "exp2": monotone(_exp2, within=NON_NEGATIVE, free=False),
        "expm1": monotone(_total(math.expm1), within=Interval(-1.0, inf), free=False),
        "log": monotone(_log, on=NON_NEGATIVE),
        "log2": monotone(_logarithm(math.log2), on=NON_NEGATIVE),
        "log10": monotone(_logarithm(math.log10), on=NON_NEGATIVE),
        "log1p": monotone(_log1p, on=Interval(-1.0, inf)),
        "logit": monotone(_logit, on=UNIT),
        # Trigonometry.
        "sin": periodic(math.sin, SIGNED_UNIT),
        "cos": periodic(math.cos, SIGNED_UNIT),
        "tan": periodic(math.tan, intervals.TOP),
        "asin": monotone(_asin, on=SIGNED_UNIT),
        "acos": monotone(_acos, on=SIGNED_UNIT, within=NON_NEGATIVE, decreasing=True),
        "atan": monotone(math.atan),
        "sinh": monotone(_sinh),
        "cosh": even(_cosh, ulps=ULPS),
        "tanh": monotone(math.tanh, within=SIGNED_UNIT, saturates=frozenset({-1.0, 1.0})),
        "asinh": monotone(math.asinh),
        "acosh": monotone(_acosh, on=Interval(1.0, inf), within=NON_NEGATIVE),
        "atanh": monotone(_atanh, on=SIGNED_UNIT),
        # Special functions and activations.
        "erf": monotone(math.erf, within=SIGNED_UNIT, saturates=frozenset({-1.0, 1.0})),
        "erfc": _sigmoidal(math.erfc, decreasing=True, top=2.0, ulps=TAIL),
        "erfinv": _erfinv,
        "ndtri": _ndtri,
        "ndtr": _sigmoidal(_ndtr, ulps=TAIL),
        "log_ndtr": _log_ndtr_row,
        "lgamma": _lgamma,
        "digamma": _digamma,
        "sigmoid": _sigmoidal(_sigmoid),
        "log_sigmoid": monotone(_log_sigmoid, within=Interval(-inf, 0.0), saturates=ZERO),
        "relu": _relu,
        "relu6": _relu6,
        "silu": _bump(-0.2785),
        "gelu": _bump(-0.1701, doubles=True),
        "elu": monotone(_elu, within=Interval(-1.0, inf), saturates=frozenset({-1.0})),
        "leaky_relu": _leaky_relu,
        "hard_sigmoid": _hard_sigmoid,
        "softplus": _scaled_softplus,
        "rsqrt": _rsqrt_row,
        "xlogy": _product_with(monotone(_log, on=NON_NEGATIVE)),
        "xlog1py": _product_with(monotone(_log1p, on=Interval(-1.0, inf))),
        "divide_no_nan": _divide_no_nan,
        "multiply_no_nan": _multiply_no_nan,
        "where": _where,
        "nan_to_num": _nan_to_num,
        # Along an axis.
        "softmax": _in_its_format(_softmax),
        "log_softmax": _in_its_format(_log_softmax),
        "gumbel_softmax": _softmax,
        "cumsum": _cumsum,
        "cumprod": _cumprod,
        "logcumsumexp": _logsumexp,
        "normalize": _normalize,
        "sort": _same,
        # Reductions.
        "sum": _sum,
        "mean": _mean,
        "prod": _prod,
        "max": _extreme(lambda interval: interval.hi),
        "min": _extreme(lambda interval: interval.lo),
        "median": _median,
        "any": _quantified,
        "all": _quantified,
        "logsumexp": _logsumexp,
        "count_nonzero": _count_nonzero,
        "argmax": _index,
        "argmin": _index,
        "var": _var,
        "std": _std,
        "norm": _norm,
        # Comparisons and logic.
        "eq": _equal(True),
        "ne": _equal(False),
        "lt": _ordered(strict=True, swapped=False),
        "le": _ordered(strict=False, swapped=False),
        "gt": _ordered(strict=True, swapped=True),
        "ge": _ordered(strict=False, swapped=True),
        "logical_and": _logical(lambda p, q: p and q),
        "logical_or": _logical(lambda p, q: p or q),
        "logical_xor": _logical(lambda p, q: p != q),
        "logical_not": _logical_not,
        "isnan": _either,
        "isinf": _isinf,
        "isfinite": _either,
        # Products of tensors.
        "matmul": _product_sum,
        "dot": _product_sum,
        "einsum": _product_sum,
        "trace": _sum,
        "cosine_similarity": _cosine_similarity,
        "distance": _distance,
        # Views.
        "reshape": _same,
        "squeeze": _same,
        "expand_dims": _same,
        "transpose": _same,
        "diagonal": _same,
        "broadcast": _same,
        "flatten": _same,
        "gather": _same,
        "subscript": _same,
        "boolean_mask": _same,
        "identity": _same,
        "detach": _same,
        "element": _same,
        "collect": _join,
        "concat": _join,
        "stack": _join,
        "cast": _cast,
        # Constants and draws.
        "zeros": filled(0.0),
        "ones": filled(1.0),
        "zeros_like": filled(0.0),
        "ones_like": filled(1.0),
        "full": _full,
        "full_like": _full,
        "eye": _indicator,
        "one_hot": _indicator,
        "arange": _arange,
        "linspace": _linspace,
        "uniform": _uniform,
        "normal": _normal,
        "finfo_eps": _limit(lambda form: form.eps),
        "finfo_tiny": _limit(lambda form: form.tiny),
        "finfo_max": _limit(lambda form: form.max),
        "finfo_min": _limit(lambda form: -form.max),
        "size": _extent,
        "shape": _extent,
        # Losses.
        "softmax_cross_entropy": _loss(0, NON_NEGATIVE),
        "sigmoid_cross_entropy": _loss(0, UNIT),
        "cross_entropy": _loss(1, NON_NEGATIVE),
        "nll_loss": _nll_loss,
        "binary_cross_entropy": _loss(1, UNIT),
        "binary_cross_entropy_with_logits": _loss(1, UNIT),
        "mse": _mse,
    }
)
