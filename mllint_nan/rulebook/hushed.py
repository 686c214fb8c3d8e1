"""Whether a program silences NumPy about what a match breaks: by `np.errstate` around it.

Each operation raises a flag of IEEE 754 where it makes an infinity or a NaN. Whoever ignores all of
these flags around the operation knows of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import Term, constant_of, peel
from mllint_nan.rulebook.predicates import Context, framework_of

_ZERO_OF: Final = {"log": 0.0, "log2": 0.0, "log10": 0.0, "log1p": -1.0}
"""The poles of the logarithms."""
_OVERFLOWING: Final = frozenset(("exp", "exp2", "expm1", "cosh", "sinh", "square", "prod"))
_FLAGS: Final = ("divide", "over", "invalid")


def is_hushed(context: Context) -> bool:
    """Whether all flags that the match raises where it breaks are ignored around it."""
    if framework_of(context.occurrence.term, context.analysis) != "numpy":
        return False
    raised = _raised(context)
    return bool(raised) and raised <= _ignored(context)


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


def _ignored(context: Context) -> frozenset[str]:
    """The flags that `np.errstate` ignores here; the innermost setting counts."""
    found: dict[str, bool] = {}
    for entered in _entered(context):
        for flag in _FLAGS:
            setting = entered.settings.get(flag) or entered.settings.get("all")
            if setting is not None:
                found.setdefault(flag, constant_of(setting) == "ignore")
    return frozenset(flag for flag, is_ignored in found.items() if is_ignored)


def _entered(context: Context) -> Iterator[Term]:
    """Yield the `np.errstate` calls that are entered or decorate the function, innermost first."""
    calls = {
        one.term.key: one.term
        for one in context.analysis.effects
        if one.term.operation.name == "handle_flags"
    }
    occurrence = context.occurrence
    decorators = [part for scope in occurrence.scope.enclosing() for part in scope.decorators]
    for entered in (*occurrence.state.contexts[::-1], *decorators):
        call = calls.get(peel(entered).key)
        if call is not None:
            yield call
