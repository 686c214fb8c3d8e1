"""The conditions that rules can ask, by name.

YES needs evidence, NO is a proof; what is merely not excluded is UNKNOWN.
"""

from mllint_nan.rulebook.predicates import (
    distances,
    downstream,
    gradients,
    halves,
    lateness,
    logarithms,
    losses,
    nonfinite,
    numbers,
    operands,
    overflow,
    parameters,
    powers,
    quotients,
    ranges,
    selections,
)
from mllint_nan.rulebook.predicates.context import (
    PREDICATES,
    Context,
    ask,
    framework_of,
    sentence_of,
)

__all__ = [
    "PREDICATES",
    "Context",
    "ask",
    "distances",
    "downstream",
    "framework_of",
    "gradients",
    "halves",
    "lateness",
    "logarithms",
    "losses",
    "nonfinite",
    "numbers",
    "operands",
    "overflow",
    "parameters",
    "powers",
    "quotients",
    "ranges",
    "selections",
    "sentence_of",
]
