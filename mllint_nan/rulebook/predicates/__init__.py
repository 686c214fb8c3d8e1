"""The conditions that rules can ask, by name.

YES needs evidence; what is merely not excluded is UNKNOWN. What silences is a proof where the
predicate is declared as one (`proof`); else it is evidence, and an audit does not rest on it.
"""

from mllint_nan.rulebook.predicates import (
    boxes,
    digits,
    distances,
    downstream,
    gradients,
    graphs,
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
    proofs,
    quotients,
    ranges,
    selected,
    selections,
    training,
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
    "boxes",
    "digits",
    "distances",
    "downstream",
    "framework_of",
    "gradients",
    "graphs",
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
    "proofs",
    "quotients",
    "ranges",
    "selected",
    "selections",
    "sentence_of",
    "training",
]
