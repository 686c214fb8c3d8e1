"""The value of an expression where one operand is singular, with a scalar for each tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    REFERENCE,
    SEQUENCE,
    Term,
    number_of,
    peel,
)

HIGHEST: Final = 150
"""The greatest height of a term that is evaluated; a higher one counts as an arbitrary number."""
Kept: TypeAlias = Callable[[Term], Sequence[Term] | None]
"""The terms that the repair of a term keeps; `None` for a term that is not repaired."""
_NAN: Final = math.nan
_INF: Final = math.inf

SAME: Final = frozenset(
    (
        *("reshape", "squeeze", "expand_dims", "transpose", "broadcast", "flatten", "identity"),
        *("cast", "detach", "element", "sum", "mean", "prod", "max", "min", "median", "cumsum"),
        *("cumprod", "logsumexp", "logcumsumexp", "diagonal", "collect"),
    )
)
"""Operations that return a single element unchanged."""


class Singular:
    """Values of terms where some, by `place_of`, are given, and some others are repaired.

    A repaired term is NaN if a term that the repair keeps is NaN.
    """

    def __init__(
        self,
        singular: Mapping[int, float],
        kept_by: Kept,
    ) -> None:
        self._singular = singular
        self._kept_by = kept_by
        self._known: dict[int, float] = {}

    def value(self, term: Term) -> float:
        """Return the value; an unknown term has one in [0.3, 0.8), which depends on its key."""
        found = self._known.get(id(term))
        if found is None:
            found = self._known[id(term)] = self._computed(term)
        return found

    def is_finite(self, term: Term) -> bool:
        return math.isfinite(self.value(term))

    def _computed(self, term: Term) -> float:
        kept = self._kept_by(term)
        if kept is not None and any(math.isnan(self.value(part)) for part in kept):
            return _NAN
        if kept is not None or term.height > HIGHEST:
            return _any_number(term.key)
        given = self._singular.get(place_of(term))
        if given is not None:
            return given
        operation = term.operation
        if operation is REFERENCE:
            return self.value(term.operands[0])
        if operation is CONSTANT:
            number = number_of(term)
            return float(number) if number is not None else _any_number(term.key)
        if operation is CHOICE or operation is SEQUENCE:
            return self._one_of(term)
        if operation in (INPUT, OPAQUE, ATTRIBUTE):
            return _any_number(term.key)
        if operation.name == "where":
            return self._selected(term)
        if operation.name == "clip":
            return self._clipped(term)
        compute = _COMPUTED.get(operation.name)
        if operation.name in SAME and term.operands:
            return self.value(term.operands[0])
        if compute is None:
            return _any_number(term.key)
        try:
            return compute(*map(self.value, term.operands))
        except (ArithmeticError, ValueError, TypeError):
            return _any_number(term.key)

    def _one_of(self, term: Term) -> float:
        """Return the first finite option, as on some path; of a sequence, nothing is claimed."""
        values = [self.value(option) for option in term.operands]
        finite = [value for value in values if math.isfinite(value)]
        return (finite or values or [_any_number(term.key)])[0]

    def _selected(self, term: Term) -> float:
        """Return the value of a finite branch: the condition may exclude the other one."""
        return self._one_of_two(*term.operands[1:3]) if len(term.operands) == 3 else 0.5

    def _one_of_two(self, first: Term, second: Term) -> float:
        values = [self.value(first), self.value(second)]
        return next(filter(math.isfinite, values), values[0])

    def _clipped(self, term: Term) -> float:
        value = self.value(term.operands[0])
        for name, choose in (("min", max), ("max", min)):
            bound = term.settings.get(name)
            if bound is not None and not math.isnan(value) and not _is_none(bound):
                value = choose(value, self.value(bound))
        return value


def place_of(term: Term) -> int:
    """The key of a term; an attribute has one key, though it may change between reads."""
    if term.operation is ATTRIBUTE and term.operands:
        return hash((str(term.detail), place_of(peel(term.operands[0]))))
    return term.key


def _is_none(term: Term) -> bool:
    inner = peel(term)
    return inner.operation is CONSTANT and inner.detail is None


def _any_number(key: int) -> float:
    return 0.3 + 0.5 * (key * 2654435761 % 4294967296) / 4294967296


def _div(x: float, y: float) -> float:
    if y == 0:
        return _NAN if x == 0 or math.isnan(x) else math.copysign(_INF, x)
    return x / y


def exponential(x: float) -> float:
    return _INF if x > 709 else math.exp(x)


def _log(x: float) -> float:
    return -_INF if x == 0 else _NAN if x < 0 else math.log(x)


def _log1p(x: float) -> float:
    return -_INF if x == -1 else _NAN if x < -1 else math.log1p(x)


def _sqrt(x: float) -> float:
    return _NAN if x < 0 else math.sqrt(x)


def _pow(x: float, y: float) -> float:
    if x == 0 and y < 0:
        return _INF
    if x < 0 and y != int(y):
        return _NAN
    try:
        return float(x**y)
    except OverflowError:
        return _INF


def _larger(x: float, y: float) -> float:
    return _NAN if math.isnan(x) or math.isnan(y) else max(x, y)


def _smaller(x: float, y: float) -> float:
    return -_larger(-x, -y)


def _sigmoid(x: float) -> float:
    return _div(1.0, 1.0 + exponential(-x))


def _softmax(x: float) -> float:
    return 0.5 if math.isfinite(x) else _NAN


_COMPUTED: Final[Mapping[str, Callable[..., float]]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "dot": lambda x, y: x * y,
    "matmul": lambda x, y: x * y,
    "div": _div,
    "pow": _pow,
    "maximum": _larger,
    "minimum": _smaller,
    "neg": lambda x: -x,
    "abs": abs,
    "norm": abs,
    "square": lambda x: x * x,
    "sqrt": _sqrt,
    "rsqrt": lambda x: _div(1.0, _sqrt(x)),
    "exp": exponential,
    "expm1": lambda x: exponential(x) - 1.0,
    "log": _log,
    "log2": _log,
    "log10": _log,
    "log1p": _log1p,
    "sigmoid": _sigmoid,
    "tanh": math.tanh,
    "relu": lambda x: _larger(x, 0.0),
    "softplus": lambda x: x if x > 30 else _log1p(exponential(x)),
    "softmax": _softmax,
    "log_softmax": lambda x: -_softmax(x),
}
