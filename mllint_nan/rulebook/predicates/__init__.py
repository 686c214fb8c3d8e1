"""The questions that rules ask of a match, each answered YES, UNKNOWN or NO.

YES needs evidence, NO is a proof; what is merely not excluded is UNKNOWN.
"""

from mllint_nan.rulebook.predicates import gradients, operands, powers, ranges, selections
from mllint_nan.rulebook.predicates.context import PREDICATES, Context, ask, framework_of

__all__ = [
    "PREDICATES",
    "Context",
    "ask",
    "framework_of",
    "gradients",
    "operands",
    "powers",
    "ranges",
    "selections",
]
