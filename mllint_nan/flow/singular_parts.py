"""What the singular operations of a file are made from, through the calls of its functions."""

from __future__ import annotations

from typing import Final, NamedTuple

from mllint_nan.flow.formats import HALF, shown
from mllint_nan.flow.operation_bits import AROUND_LOGARITHMS, INFINITE, MASKING, SINGULAR
from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import ATTRIBUTE, Term, peel


class Parts(NamedTuple):
    """The terms that singular operations are made from."""

    keys: set[int]
    attributes: set[str]
    """The names of attributes among them."""


NO_PARTS: Final = Parts(set(), set())


def parts_of_singular(analysis: Analysis) -> Parts:
    """All that is behind singular operations, and behind the arguments for parameters there."""
    found = Parts(set(), set())
    pending = [
        operand
        for occurrence in analysis.occurrences
        if may_be_singular(occurrence.term)
        for operand in occurrence.term.operands
    ]
    while pending:
        inner = peel(pending.pop())
        if inner.key in found.keys:
            continue
        found.keys.add(inner.key)
        if inner.operation is ATTRIBUTE:
            found.attributes.add(str(inner.detail))
            continue  # of an object, which is no number
        pending += inner.children()
        function, name = analysis.parameters.get(inner.key, (0, ""))
        bindings = analysis.bindings.get(function, ())
        pending += [one.arguments[name] for one in bindings if name in one.arguments]
    return found


def may_be_singular(term: Term) -> bool:
    """Whether an operation is sound or not depending on the numbers in its operands."""
    bit = term.operation.bit
    return bool(
        bit & SINGULAR
        or (bit & AROUND_LOGARITHMS and term.inside & INFINITE)
        or (bit & MASKING and shown(term) == HALF)
    )
