"""Arguments that are passed on beside a function, to be passed to it later."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import FUNCTION, Fact, Term, peel

_HANDED_MOST: Final = 8
"""How many calls that pass on one function have their keywords recorded."""


def note_handed(analysis: Analysis, arguments: Arguments, facts: tuple[Fact, ...]) -> None:
    """Record that `Wrapper(loss, q=q)` passes on `loss`, and the value of its parameter `q`."""
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
    """The values that are passed on for a parameter, each with the facts that hold there."""
    function, name = analysis.parameters.get(parameter.key, (0, ""))
    handed = analysis.handed_with.get(function, ())
    return [(given[name], facts) for given, facts in handed if name in given]
