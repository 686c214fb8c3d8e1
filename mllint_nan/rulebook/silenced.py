"""Whether a program silences NumPy about what a match breaks: by `np.errstate` around it.

Each operation raises a flag of IEEE 754 where it makes an infinity or a NaN. Whoever ignores all of
these flags around the operation knows of it.
"""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import peel
from mllint_nan.rulebook.predicates import Context, framework_of
from mllint_nan.rulebook.predicates.errstate import ignored_flags

_ZERO_OF: Final = {"log": 0.0, "log2": 0.0, "log10": 0.0, "log1p": -1.0}
"""The poles of the logarithms."""
_OVERFLOWING: Final = frozenset(("exp", "exp2", "expm1", "cosh", "sinh", "square", "prod"))


def is_silenced(context: Context) -> bool:
    """Whether all flags that the match raises where it breaks are ignored around it."""
    if framework_of(context.occurrence.term, context.analysis) != "numpy":
        return False
    raised = _raised(context)
    return bool(raised) and raised <= ignored_flags(context)


def _raised(context: Context) -> frozenset[str]:
    root = peel(context.occurrence.term)
    name = root.operation.name
    overflows = any(
        peel(part).operation.name in _OVERFLOWING for part in (root, *context.found.passed)
    )
    if name in _ZERO_OF:
        value = context.value(root.operands[0])
        at_pole = value.can_be(_ZERO_OF[name]) is not Truth.NO
        is_open = overflows and value.hi == float("inf")
        return frozenset(flag for flag, is_so in (("divide", at_pole), ("over", is_open)) if is_so)
    if name == "div":
        above = context.value(root.operands[0])
        is_zero = above.can_be(0.0) is not Truth.NO
        return frozenset(
            flag
            for flag, is_so in (
                ("over", overflows),
                ("divide", not overflows),
                ("invalid", overflows or is_zero),
            )
            if is_so
        )
    return frozenset(("over",)) if name in _OVERFLOWING else frozenset(("invalid",))
