"""Which floating-point flags a program has NumPy ignore around a match, by `np.errstate`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.ir.term import Term, constant_of, peel
from mllint_nan.rulebook.predicates.context import Context

_FLAGS: Final = ("divide", "over", "invalid")


def ignored_flags(context: Context) -> frozenset[str]:
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
