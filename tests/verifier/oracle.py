"""What a term is in exact arithmetic, value and derivatives, by mpmath.

A term that a fix was cut from holds canonical operations, constants, and variables by name. It is
evaluated on arrays of `mpf` with so many bits that neither cancellation within a format's range
nor the step of the difference quotients shows in it. Undefined results are NaN, as are derivatives
that differ from the left and the right.

>>> from mllint_nan.domains.dtype import FORMATS
>>> from mllint_nan.ir.canonical import Builder
>>> logarithm = Builder().apply("log", Builder().variable("x"))
>>> exact = Oracle(FORMATS["float32"])
>>> float(exact.value(logarithm, {"x": exact.numbers(np.array([1.0, 0.5]))})[1])
-0.6931471805599453
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
from mpmath import mp, mpf

from mllint_nan.domains.dtype import Format
from mllint_nan.ir.term import CONSTANT, VARIABLE, Term
from mllint_nan.verify.variables import MINUS_INFINITY

Numbers = np.ndarray
"""Of `mpf`; truth is 1 and 0."""
Inputs = Mapping[str, Numbers]

_NAN: Final = mpf("nan")
_HUGE: Final = 1 << 1200
"""exp of more is past every format, and past what mpmath can hold."""
_FEW, _REMEMBERED_MOST = 16, 1 << 14
_STEP_BITS: Final = 40
_SAME: Final = 2.0**-20
"""Of the derivatives from both sides, which differ by the step times the second derivative."""


class Unknown(Exception):
    """The oracle has no such operation."""


@dataclass(frozen=True, slots=True)
class Exact:
    """Value, and by input and entry of a row the derivative of the weighted sum of the row."""

    value: Numbers
    gradients: Mapping[str, Numbers]


@dataclass(frozen=True, slots=True)
class Oracle:
    """Exact results for inputs of one format; `spare` bits more than should be needed.

    Difference quotients take points that are `closer` by so many bits.
    """

    form: Format
    spare: int = 0
    closer: int = 0

    @property
    def bits(self) -> int:
        form = self.form
        return form.highest - form.lowest + 3 * form.precision + 4 * self._step_bits + self.spare

    @property
    def _step_bits(self) -> int:
        return _STEP_BITS + self.closer

    def numbers(self, array: np.ndarray) -> Numbers:
        """Floats, integers and booleans as they are."""
        return _elementwise(lambda number: mpf(float(number)), array)

    def value(self, term: Term, inputs: Inputs) -> Numbers:
        with mp.workprec(self.bits):
            return _Evaluation(inputs).of(term)

    def exact(
        self,
        term: Term,
        inputs: Inputs,
        rows: int | None,
        weigh: Callable[[tuple[int, ...]], np.ndarray],
        watched: tuple[str, ...],
    ) -> Exact:
        """The value, and the derivatives of each row's sum by every entry of the row's inputs.

        Rows lie along the axis `rows` and do not mix; with None, all is one row. `weigh` says what
        each entry of the result counts.
        """
        with mp.workprec(self.bits):
            base = _Evaluation(inputs)
            middle = base.of(term)
            seeds = self.numbers(weigh(middle.shape))
            found: dict[str, Numbers] = {}
            for name in watched:
                array = inputs[name]
                found[name] = np.full(array.shape, mpf(0), dtype=object)
                for place in _entries(array.shape, rows):
                    step = _elementwise(_step_of(self.form, self._step_bits), array[place])
                    sides = []
                    for sign in (1, -1):
                        moved = array.copy()
                        moved[place] = array[place] + sign * step
                        there = _Evaluation({**inputs, name: moved}, base).of(term)
                        rise = there - middle if sign > 0 else middle - there
                        sides.append(_row_sums(seeds * rise, rows))
                    slopes = _elementwise(_slope, *sides, step)
                    found[name][place] = slopes if np.ndim(found[name][place]) else slopes.item()
            return Exact(middle, found)


def _entries(shape: tuple[int, ...], rows: int | None) -> list[Any]:
    """Selections of the same entry of every row."""
    if rows is None:
        return list(np.ndindex(shape))
    axis = rows % max(len(shape), 1)
    rest = shape[:axis] + shape[axis + 1 :]
    return [(*each[:axis], slice(None), *each[axis:]) for each in np.ndindex(rest)]


def _row_sums(results: Numbers, rows: int | None) -> Numbers:
    results = np.asarray(results, dtype=object)
    if rows is None:
        return np.array(results.sum(), dtype=object)
    axis = rows % results.ndim
    others = tuple(each for each in range(results.ndim) if each != axis)
    return np.asarray(results.sum(axis=others), dtype=object) if others else results


def _step_of(form: Format, bits: int) -> Callable[[mpf], mpf]:
    least, most, part = mpf(form.smallest), mpf(1), mpf(2) ** -bits

    def step(number: mpf) -> mpf:
        return min(max(abs(number), least), most) * part

    return step


def _slope(right: mpf, left: mpf, step: mpf) -> mpf:
    mean = (right + left) / (2 * step)
    if not mp.isfinite(mean) or abs(right - left) > _SAME * max(abs(right), abs(left)):
        return _NAN
    return mean


def _elementwise(function: Callable[..., Any], *arrays: Any) -> Numbers:
    return np.asarray(np.frompyfunc(function, len(arrays), 1)(*arrays), dtype=object)


def _moved(now: Sequence[Numbers], base: Sequence[Numbers], shape: tuple[int, ...]) -> np.ndarray:
    """Which entries of a result follow from others than at the base, by which objects they are."""
    moved = np.zeros(shape, dtype=bool)
    for one, other in zip(now, base, strict=True):
        if one is not other:
            moved |= np.asarray(np.frompyfunc(operator.is_not, 2, 1)(one, other), dtype=bool)
    return moved


class _Evaluation:
    """One evaluation at one point, or beside a `base`: what did not move is what it is there.

    So is what is behind a `detach`.
    """

    def __init__(self, inputs: Inputs, base: _Evaluation | None = None) -> None:
        self.inputs = inputs
        self.base = base
        self._known: dict[int, Numbers] = {}

    def of(self, term: Term) -> Numbers:
        known = self._known.get(id(term))
        if known is None:
            known = self._known[id(term)] = np.asarray(self._of(term), dtype=object)
        return known

    def _of(self, term: Term) -> Numbers:
        name = term.operation.name
        if term.detail == MINUS_INFINITY:
            return np.array(mpf("-inf"), dtype=object)
        if term.operation is VARIABLE:
            return self.inputs[str(term.detail)]
        if term.operation is CONSTANT:
            return np.array(mpf(term.detail), dtype=object)
        if name == "detach" and self.base is not None:
            return self.base.of(term)
        if name == "subscript" and term.operands[0].operation.name == "slogdet":
            return _elementwise(_guarded(_log), abs(self.of(term.operands[0])))
        if name == "subscript":
            return self.of(term.operands[0])[_index(str(term.operands[1].detail))]
        operands = [self.of(operand) for operand in term.operands]
        settings = {key: _setting(self, value) for key, value in term.settings.items()}
        if name in _ELEMENTWISE:
            return self._of_entries(_guarded(_ELEMENTWISE[name]), term, operands)
        if name in _WHOLE:
            return _WHOLE[name](*operands, **settings)
        raise Unknown(name)

    def _of_entries(
        self, function: Callable[..., mpf], term: Term, operands: Sequence[Numbers]
    ) -> Numbers:
        """A function of each entry, where an operand moved; of few it is faster than to look."""
        if self.base is None or all(operand.size < _FEW for operand in operands):
            return _elementwise(function, *operands)
        known = self.base.of(term)
        before = [self.base.of(operand) for operand in term.operands]
        if any(one.shape != other.shape for one, other in zip(operands, before, strict=True)):
            return _elementwise(function, *operands)
        moved = _moved(operands, before, known.shape)
        if not moved.any():
            return known
        found = known.copy()
        entries = (np.broadcast_to(each, known.shape)[moved] for each in operands)
        found[moved] = _elementwise(function, *entries)
        return found


def _setting(evaluation: _Evaluation, term: Term) -> Any:
    if term.operation is CONSTANT:
        return term.detail
    if term.operation is VARIABLE and term.detail not in evaluation.inputs:
        text = str(term.detail)
        is_axes = text.startswith("(")
        return tuple(int(each) for each in text.strip("(,)").split(",")) if is_axes else text
    return evaluation.of(term)


def _index(text: str) -> Any:
    """An index that only adds axes."""
    parts = {":": slice(None), "...": ..., "None": None}
    return tuple(parts[part.strip()] for part in text.split(","))


@cache
def _guarded(function: Callable[..., Any]) -> Callable[..., mpf]:
    def guarded(*numbers: mpf) -> mpf:
        try:
            result = function(*numbers)
        except (ZeroDivisionError, ValueError, OverflowError):
            return _NAN
        if type(result) is mpf:
            return result
        return _NAN if isinstance(result, mp.mpc) else mpf(result)

    return guarded


def _remembered(function: Callable[[mpf], mpf]) -> Callable[[mpf], mpf]:
    """Both terms, and both sides of a difference, ask for the same numbers."""

    @lru_cache(_REMEMBERED_MOST)
    def of(number: tuple[Any, ...], bits: int) -> mpf:
        return function(mp.make_mpf(number))

    return lambda x: of(x._mpf_, mp.prec)


@_remembered
def _exp(x: mpf) -> mpf:
    if abs(x) > _HUGE:
        return mpf("inf") if x > 0 else mpf(0)
    return mp.exp(x)


@_remembered
def _log(x: mpf) -> mpf:
    return mp.log(x) if x else mpf("-inf")


_log1p, _erfc = _remembered(mp.log1p), _remembered(mp.erfc)


def _pow(x: mpf, y: mpf) -> mpf:
    if x <= 0:
        return x**y if y == int(y) and abs(y) < 1000 else mpf(0) if x == 0 < y else _NAN
    return _exp(y * mp.log(x))


def _either_nan(function: Callable[[mpf, mpf], mpf]) -> Callable[[mpf, mpf], mpf]:
    return lambda x, y: _NAN if mp.isnan(x) or mp.isnan(y) else function(x, y)


def _softplus(x: mpf) -> mpf:
    return x + _log1p(_exp(-x)) if x > 0 else _log1p(_exp(x))


def _sigmoid(x: mpf) -> mpf:
    return 1 / (1 + _exp(-x))


def _ndtr(x: mpf) -> mpf:
    return _erfc(-x / mp.sqrt(2)) / 2


def _xlogy(x: mpf, y: mpf) -> mpf:
    return mpf(0) if x == 0 and not mp.isnan(y) else x * _log(y)


def _logistic_loss(x: mpf, z: mpf) -> mpf:
    return _softplus(x) - x * z


def _max(x: mpf, y: mpf) -> mpf:
    return max(x, y)


def _min(x: mpf, y: mpf) -> mpf:
    return min(x, y)


def _truth(function: Callable[..., Any]) -> Callable[..., mpf]:
    return lambda *numbers: mpf(bool(function(*numbers)))


_ELEMENTWISE: Final[Mapping[str, Callable[..., Any]]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": _pow,
    "neg": operator.neg,
    "abs": abs,
    "sign": mp.sign,
    "square": lambda x: x * x,
    "sqrt": mp.sqrt,
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "exp": _exp,
    "expm1": lambda x: _exp(x) - 1,
    "exp2": lambda x: _exp(x * mp.ln(2)),
    "log": _log,
    "log2": lambda x: _log(x) / mp.ln(2),
    "log10": lambda x: _log(x) / mp.ln(10),
    "log1p": lambda x: _log(1 + x),
    "sin": _remembered(mp.sin),
    "cos": _remembered(mp.cos),
    "acos": _remembered(mp.acos),
    "asin": _remembered(mp.asin),
    "atan2": lambda y, x: _NAN if x == 0 == y else mp.atan2(y, x),
    "cosh": lambda x: (_exp(x) + _exp(-x)) / 2,
    "sinh": lambda x: (_exp(x) - _exp(-x)) / 2,
    "tanh": lambda x: 1 - 2 / (1 + _exp(2 * x)),
    "atanh": _remembered(mp.atanh),
    "acosh": _remembered(mp.acosh),
    "asinh": _remembered(mp.asinh),
    "erf": _remembered(mp.erf),
    "erfc": _erfc,
    "ndtr": _ndtr,
    "log_ndtr": lambda x: _log(_ndtr(x)),
    "lgamma": _remembered(lambda x: mp.re(mp.loggamma(x))),
    "sigmoid": _sigmoid,
    "logit": lambda x: _log(x / (1 - x)),
    "log_sigmoid": lambda x: -_softplus(-x),
    "softplus": _softplus,
    "relu": lambda x: _either_nan(_max)(x, mpf(0)),
    "elu": lambda x: x if x > 0 else _exp(x) - 1,
    "relu6": lambda x: min(_either_nan(_max)(x, mpf(0)), mpf(6)),
    "maximum": _either_nan(_max),
    "minimum": _either_nan(_min),
    "logaddexp": lambda x, y: max(x, y) + _log1p(_exp(-abs(x - y))),
    "xlogy": _xlogy,
    "sigmoid_cross_entropy": lambda z, x: _logistic_loss(x, z),
    "divide_no_nan": lambda x, y: x / y if y else mpf(0),
    "where": lambda condition, x, y: x if condition else y,
    "eq": _truth(operator.eq),
    "ne": _truth(operator.ne),
    "lt": _truth(operator.lt),
    "le": _truth(operator.le),
    "gt": _truth(operator.gt),
    "ge": _truth(operator.ge),
    "logical_and": _truth(lambda x, y: x and y),
    "logical_or": _truth(lambda x, y: x or y),
    "logical_not": _truth(operator.not_),
    "isnan": _truth(mp.isnan),
    "isinf": _truth(mp.isinf),
}


def _clip(x: Numbers, min: Any = None, max: Any = None) -> Numbers:
    def clipped(number: mpf, low: Any, high: Any) -> mpf:
        if low is not None and number < low:
            number = mpf(low)
        return mpf(high) if high is not None and number > high else number

    return _elementwise(clipped, x, _object(min), _object(max))


def _object(setting: Any) -> Numbers:
    return np.asarray(setting, dtype=object)


def _sum(x: Numbers, axis: Any = None, keepdims: bool = False) -> Numbers:
    return np.asarray(np.sum(x, axis=axis, keepdims=keepdims), dtype=object)


def _count(x: Numbers, axis: Any) -> int:
    return x.size // max(int(np.sum(np.ones(x.shape), axis=axis).size), 1)


def _mean(x: Numbers, axis: Any = None, keepdims: bool = False) -> Numbers:
    return _sum(x, axis, keepdims) / mpf(_count(x, axis))


def _var(x: Numbers, axis: Any = None, keepdims: bool = False, correction: int = 0) -> Numbers:
    apart = x - _mean(x, axis, True)
    return _sum(apart * apart, axis, keepdims) / mpf(_count(x, axis) - correction)


def _root(x: Numbers) -> Numbers:
    return _elementwise(_guarded(mp.sqrt), x)


def _norm(x: Numbers, axis: Any = None, keepdims: bool = False, ord: Any = None) -> Numbers:
    if ord not in (None, 2, "euclidean"):
        raise Unknown(f"norm of order {ord}")
    return _root(_sum(x * x, axis, keepdims))


def _normalize(x: Numbers, axis: Any = None, ord: Any = 2, epsilon: Any = 0) -> Numbers:
    length = _elementwise(_max, _norm(x, axis, True, ord), mpf(epsilon or 0))
    return _elementwise(_guarded(operator.truediv), x, length)


def _softmax(x: Numbers, axis: Any = None) -> Numbers:
    power = _elementwise(_exp, x)
    return _elementwise(_guarded(operator.truediv), power, _sum(power, axis, True))


def _softmax_loss(labels: Numbers, logits: Numbers, axis: Any = -1) -> Numbers:
    return _sum(labels * -_logarithm(_softmax(logits, axis)), axis)


def _logarithm(x: Numbers) -> Numbers:
    return _elementwise(_guarded(_log), x)


def _det(x: Numbers) -> Numbers:
    """By the first row, which works for singular matrices too."""
    if len(x) == 1:
        return np.array(x[0, 0], dtype=object)
    minors = [_det(np.delete(x[1:], place, axis=1)) for place in range(len(x))]
    signed = [(-1) ** place * x[0, place] * minor[()] for place, minor in enumerate(minors)]
    return np.array(sum(signed), dtype=object)


def _loss(logits: Numbers, labels: Numbers, reduction: str = "mean") -> Numbers:
    return _reduced(_elementwise(_logistic_loss, logits, labels), reduction)


def _loss_of_probabilities(p: Numbers, labels: Numbers, reduction: str = "mean") -> Numbers:
    """PyTorch's, which bounds the logarithms at -100."""

    def bounded(x: mpf) -> mpf:
        return max(_log(x), mpf(-100))

    losses = -labels * _elementwise(bounded, p) - (1 - labels) * _elementwise(bounded, 1 - p)
    return _reduced(losses, reduction)


def _reduced(losses: Numbers, reduction: str) -> Numbers:
    return {"mean": _mean, "sum": _sum, "none": lambda each: each}[reduction](losses)


_WHOLE: Final[Mapping[str, Callable[..., Numbers]]] = {
    "cast": lambda x, dtype=None: x,
    "detach": lambda x: x,
    "flatten": lambda x: x.reshape(-1),
    "expand_dims": lambda x, shape: np.expand_dims(x, shape),
    "zeros_like": lambda x: np.full(x.shape, mpf(0), dtype=object),
    "ones_like": lambda x: np.full(x.shape, mpf(1), dtype=object),
    "clip": _clip,
    "sum": _sum,
    "mean": _mean,
    "prod": lambda x, axis=None, keepdims=False: np.prod(x, axis=axis, keepdims=keepdims),
    "max": lambda x, axis=None, keepdims=False: np.max(x, axis=axis, keepdims=keepdims),
    "min": lambda x, axis=None, keepdims=False: np.min(x, axis=axis, keepdims=keepdims),
    "cumsum": lambda x, axis=None: np.cumsum(x, axis=axis),
    "cumprod": lambda x, axis=None: np.cumprod(x, axis=axis),
    "count_nonzero": lambda x, axis=None, keepdims=False: _sum(
        _elementwise(_truth(bool), x), axis, keepdims
    ),
    "var": _var,
    "std": lambda x, **k: _root(_var(x, **k)),
    "norm": _norm,
    "normalize": _normalize,
    "softmax": _softmax,
    "softmax_cross_entropy": _softmax_loss,
    "log_softmax": lambda x, axis=None: _logarithm(_softmax(x, axis)),
    "logsumexp": lambda x, axis=None, keepdims=False: _logarithm(
        _sum(_elementwise(_exp, x), axis, keepdims)
    ),
    "det": _det,
    "slogdet": _det,
    "logdet": lambda x: _logarithm(_det(x)),
    "binary_cross_entropy": _loss_of_probabilities,
    "binary_cross_entropy_with_logits": _loss,
}
