"""Values by name: literals, constants of modules, limits of formats, names of epsilons."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from mllint_nan.domains import value as values
from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.interval import INF, Interval
from mllint_nan.domains.value import Value
from mllint_nan.flow.clamps import FILLED
from mllint_nan.ir.term import OPAQUE, QUALIFIED, Term, number_of, peel
from mllint_nan.naming import names

EPSILON_NAMES: Final = names("epsilon")
_NAMES_MOST: Final = 4096
"""How many names answers are cached for."""
EPSILON_CALLS: Final = re.compile(r"(^call |\.)(epsilon|eps)$")
SCALE_NAMES: Final = names("scale")
DECAY_NAMES: Final = names("decay")
POSITIVE: Final = Value(Interval(1e-18, INF), free=True)
"""An epsilon: whatever its value, its square is above 0 in float32."""
LIMITS: Final[Mapping[str, Value]] = {
    "max": Value(Interval(FORMATS["float16"].max, sys.float_info.max)),
    "tiny": Value(Interval(sys.float_info.min, FORMATS["float16"].tiny)),
}
"""The limits of a format, whichever it is."""
LOGARITHMS: Final = Interval(math.log2(5e-324), 1024.0)
"""The logarithms of positive float64 numbers, to base 2, e or 10."""
COUNTED: Final = Value(Interval(0.0, INF), integer=True)
"""How often a number occurs, or how many elements a mask selects."""
OCCURRING: Final = Value(Interval(1.0, INF), integer=True)
"""The same, of what occurs at least once."""
UNSHOWN: Final = Value(values.free().interval)
"""A number that nothing shows to attain any value: a scale is positive, whatever its square."""
QUALIFIED_VALUES: Final[Mapping[str, Value]] = {
    "math.pi": values.constant(3.141592653589793),
    "numpy.pi": values.constant(3.141592653589793),
    "torch.pi": values.constant(3.141592653589793),
    "jax.numpy.pi": values.constant(3.141592653589793),
    "math.e": values.constant(2.718281828459045),
    "numpy.e": values.constant(2.718281828459045),
    "math.inf": values.constant(INF),
    "numpy.inf": values.constant(INF),
    "torch.inf": values.constant(INF),
    "jax.numpy.inf": values.constant(INF),
}


@lru_cache(_NAMES_MOST)
def is_epsilon_name(name: str) -> bool:
    """Whether a name says that its value is a small positive number."""
    return bool(EPSILON_NAMES.search(name))


def is_of_format(attribute: Term) -> bool:
    """Whether an attribute is one of `finfo`, as in `torch.finfo(x.dtype).max`."""
    base = peel(attribute.operands[0])
    return base.operation is OPAQUE and str(base.detail).endswith("finfo")


_INFINITIES: Final = {"inf": INF, "+inf": INF, "infinity": INF, "-inf": -INF, "-infinity": -INF}
"""What `float` makes of these texts."""


def limit_of(term: Term) -> float | None:
    """The number of a literal, of a named constant such as `inf`, or of a filled array."""
    inner = peel(term)
    if inner.operation is QUALIFIED:
        known = QUALIFIED_VALUES.get(str(inner.detail))
        return known.lo if known is not None else None
    if number_of(inner) is not None:
        return literal_value(inner).lo
    return FILLED.get(inner.operation.name)


def literal_value(term: Term) -> Value:
    if isinstance(term.detail, bool):
        return values.constant(float(term.detail))
    number = _INFINITIES.get(term.detail) if isinstance(term.detail, str) else number_of(term)
    if number is None:
        return values.TOP
    try:
        return values.constant(float(number))
    except OverflowError:
        return values.constant(INF if number > 0 else -INF)
