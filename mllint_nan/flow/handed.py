"""What is handed on beside a function, to be given to it later."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.given import Arguments
from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import FUNCTION, Fact, Term, peel

_HANDED_MOST: Final = 8
"""Calls that hand on one function, of which the keywords are remembered."""


def note_handed(analysis: Analysis, arguments: Arguments, facts: tuple[Fact, ...]) -> None:
    """`Wrapper(loss, q=q)` hands on `loss`, and what is to be its parameter `q`."""
    for argument in arguments.positional:
        inner = peel(argument)
        if inner.operation is not FUNCTION:
            continue
        names = {parameter.name for parameter in inner.detail.parameters}
        handed = analysis.handed_with.setdefault(inner.detail.key, [])
        if len(handed) < _HANDED_MOST:
            given = {name: term for name, term in arguments.keywords.items() if name in names}
            handed.append((given, facts))


def handed_for(analysis: Analysis, parameter: Term) -> list[tuple[Term, tuple[Fact, ...]]]:
    """What is handed on for a parameter, and what holds where that is done."""
    function, name = analysis.parameters.get(parameter.key, (0, ""))
    handed = analysis.handed_with.get(function, ())
    return [(given[name], facts) for given, facts in handed if name in given]
